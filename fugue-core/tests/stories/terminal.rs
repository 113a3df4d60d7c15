//! Input, reading and waiting: the machine finds the pane, the edge does the rest.

use fugue_core::edge_request::{EdgeRequest, PaneRequest, ReadRequest, TypeRequest, WaitRequest};
use fugue_protocol::verbs::{OutputCursor, Until};
use fugue_protocol::views::ExitStatus;

use crate::story::{Story, refusal_of};

#[test]
fn input_goes_to_the_target_pane() {
    let mut story = Story::of(&["create-session -s work", "create-pane"]);
    let typing = TypeRequest {
        text: "ls".into(),
        keys: vec!["Enter".into()],
        submit: false,
        by_agent: false,
        may_answer: true,
        key: None,
    };
    let to_b = EdgeRequest::Pane(story.aliases.pane("b"), PaneRequest::Type(typing));
    assert_eq!(story.ask("send-input ls -k Enter"), to_b);
    assert_eq!(story.ask("send-input -s work ls -k Enter"), to_b);
    story.refused("send-input -t %a", "input: nothing to send\nhint: specify text, keys, or both");
    let long = "x".repeat(fugue_protocol::limits::INPUT_BYTES + 1);
    story.refused(
        &format!("send-input {long}"),
        "Input too large: 1048577 bytes (the limit is 1048576)\n\
         hint: send it in parts, or write it to a file and send the path",
    );
}

#[test]
fn an_exited_program_takes_no_input_but_its_screen_can_be_read() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    story.exit("a", ExitStatus::Code(1));
    story.refused(
        "send-input ls",
        "The program in pane %a has exited (exit code 1)\nhint: `fugue respawn-pane` restarts it",
    );
    let since = Some(OutputCursor::new(12, 3));
    let reading = ReadRequest {
        lines: 100,
        since,
        before: None,
        mode: None,
        grep: None,
        context: 0,
        ansi: false,
        commands: false,
        screen_state: false,
    };
    let pane = story.aliases.pane("a");
    assert_eq!(story.ask("get-output --since 12:3"), EdgeRequest::Pane(pane, PaneRequest::Read(reading)));
    assert_eq!(story.ask("watch-pane"), EdgeRequest::Pane(pane, PaneRequest::Watch));
}

#[test]
fn a_wait_ends_at_an_exit_a_match_or_idle_output() {
    let mut story = Story::of(&["create-session -s work"]);
    let pane = story.aliases.pane("a");
    let waiting = |until, pattern| WaitRequest {
        until,
        pattern,
        since: None,
        idle_ms: 500,
        states: Vec::new(),
        timeout_ms: 30_000,
    };
    for (line, until, pattern) in [
        ("wait", Until::Exit, None),
        ("wait --until idle", Until::Idle, None),
        ("wait --idle-ms 500", Until::Idle, None),
        ("wait --match done", Until::Match, Some("done".to_owned())),
    ] {
        assert_eq!(
            story.ask(line),
            EdgeRequest::Pane(pane, PaneRequest::Wait(waiting(until, pattern))),
            "{line}"
        );
    }
    let day = WaitRequest { timeout_ms: fugue_protocol::limits::WAIT_MILLIS, ..waiting(Until::Exit, None) };
    assert_eq!(story.ask("wait --timeout-ms 86400000"), EdgeRequest::Pane(pane, PaneRequest::Wait(day)));
    story.refused(
        "wait --timeout-ms 86400001",
        "timeout_ms: 86400001 exceeds the maximum of 86400000\nhint: call again to wait longer",
    );
    story.refused("wait --until match", "pattern: required when waiting for a match\nhint: specify a regular expression, or wait for exit, idle or command_done instead");
    story.refused(
        "wait --until idle --match x",
        "pattern: only valid when waiting for a match\nhint: omit `--match` or `--until`",
    );
    assert!(refusal_of("wait --until never").contains("`never` is not one of exit, idle, match"));
}

#[test]
fn requests_about_the_daemon_reach_the_daemon() {
    let mut story = Story::new();
    assert_eq!(story.ask("server-status"), EdgeRequest::Status);
    assert_eq!(story.ask("subscribe-events --since 5"), EdgeRequest::Events(Some(5)));
    assert_eq!(story.ask("shutdown"), EdgeRequest::Shutdown);
}
