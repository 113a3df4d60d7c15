//! Starting and respawning programs, and starts that fail.

use fugue_core::{EdgeRequest, Input, PaneRequest};
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story, refusal_of};

#[test]
fn a_failed_start_changes_nothing() {
    let mut story = Story::of(&["create-session -s work"]);
    let failed = "Cannot start `nope`: no such file\nhint: check the program name and PATH";
    for line in ["create-session -s more", "create-window", "create-pane -R", "respawn-pane -k"] {
        story.next_start_fails();
        story.refused(line, failed);
        story.assert_effects(&[]);
    }
    story.run("create-session -s more");
}

#[test]
fn empty_and_invalid_commands_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    for verb in ["create-session", "create-window", "create-pane", "respawn-pane -k"] {
        let (verb, kill) = verb.split_once(' ').map_or((verb, ""), |(verb, _)| (verb, "\"kill\":true,"));
        for (args, why) in [
            (
                "\"command\":\"  \"",
                "command: must not be empty\nhint: specify a shell command line, for example `make test 2>&1 | tail`",
            ),
            ("\"argv\":[\"\"]", "argv: the program name is empty\nhint: put the program first in argv"),
            (
                "\"command\":\"ls\",\"argv\":[\"ls\"]",
                "command: specify either a command line or argv, not both\nhint: omit `--command` to run argv",
            ),
            (
                "\"argv\":[\"ls\",\"a\\u0000\"]",
                "argv: contains a NUL character\nhint: arguments cannot contain NUL; write the data to a file",
            ),
            (
                "\"cwd\":\"\"",
                "cwd: must not be empty\nhint: specify an existing directory; omit `--cwd` to use the default",
            ),
        ] {
            story.refused(&format!("{verb} {{{kill}{args}}}"), why);
        }
    }
    assert!(refusal_of("create-pane --command ls -- ls").contains("cannot be used with"));
    let long = "x".repeat(fugue_protocol::limits::COMMAND_BYTES + 1);
    story.refused(
        &format!("create-pane -- {long}"),
        "Too many bytes in a command: the limit is 131072\nhint: make it shorter",
    );
}

#[test]
fn a_program_is_started_with_its_size_directory_and_origin() {
    let mut story = Story::of(&["create-session -s work"]);
    story.starts_are_slow();
    story.begin(OUTSIDE, "create-pane -R -c src -- make -j");
    let child = &story.pending_starts[0].1[0];
    assert_eq!((child.size.to_string(), child.comes_from), ("39x24".into(), Some(story.aliases.pane("a"))));
    assert_eq!(json!(child.launch), json!({"argv": ["make", "-j"], "cwd": "src"}));
    story.start_all();
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][1];
    assert_eq!((&pane["command"], &pane["cwd"]), (&json!("make -j"), &json!("src")));
}

#[test]
fn respawn_restarts_an_exited_program_in_its_pane() {
    let mut story = Story::of(&["create-session -s work --on-exit keep -c /src -e A=1 -- make"]);
    let former = story.run_of("a");
    story.refused(
        "respawn-pane",
        "The program in pane %a is still running\nhint: `fugue respawn-pane --kill` kills it first",
    );
    story.exit("a", ExitStatus::Code(2));
    story.run("respawn-pane");
    story.assert_events(&["respawned a"]);
    story.assert_effects(&["host a 80x24"]);
    story.assert_tree("work*\n0 make* 80x24: a* 80x24");
    assert_ne!(story.run_of("a"), former);
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["command"], &pane["cwd"]), (&json!("make"), &json!("/src")));
}

#[test]
fn a_late_exit_of_the_old_program_does_not_affect_the_respawned_one() {
    let mut story = Story::of(&["create-session -s work --on-exit close"]);
    let former = story.run_of("a");
    story.input(Input::TitleChanged { pane: story.aliases.pane("a"), title: "old".into() });
    story.run("respawn-pane --kill --on-exit keep -- vi");
    story.exit_run(former, ExitStatus::Signal(1));
    story.assert_events(&[]);
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["command"], &pane["title"]), (&json!("vi"), &json!(null)));
    story.exit("a", ExitStatus::Code(0));
    story.assert_tree("work*\n0 bash* 80x24: a†* 80x24");
}

#[test]
fn a_respawned_pane_does_not_show_what_ran_in_its_former_shell() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    let pane = story.aliases.pane("a");
    story.input(Input::ForegroundChanged { pane, program: Some("make".into()) });
    story.run("respawn-pane --kill");
    assert_eq!(story.world().panes[&pane].foreground, None);
    story.input(Input::ForegroundChanged { pane, program: Some("make".into()) });
    story.exit("a", ExitStatus::Code(0));
    assert_eq!(story.world().panes[&pane].foreground, None);
}

#[test]
fn a_lost_program_can_be_respawned() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R"]);
    story.input(Input::RunsHeld { runs: vec![story.run_of("b")] });
    story.assert_events(&["lost a"]);
    story.assert_tree("work*\n0 bash* 80x24: a? 40x24 | b* 39x24");
    let asked = story.ask("wait -t %a --until exit");
    assert!(matches!(asked, EdgeRequest::Pane(_, PaneRequest::Wait(_))), "its task answers: {asked:?}");
    story.refused(
        "send-input -t %a ls",
        "The program in pane %a has exited (exit status unknown)\nhint: `fugue respawn-pane` restarts it",
    );
    story.run("respawn-pane -t %a");
    story.assert_effects(&["host a 40x24"]);
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | b* 39x24");
}

#[test]
fn a_window_gets_a_default_name_if_its_programs_name_is_invalid() {
    let mut story = Story::new();
    story.run("create-session -s work -- '-bash'");
    story.assert_tree("work*\n0 window* 80x24: a* 80x24");
}

#[test]
fn panes_have_the_numbers_that_their_programs_were_told() {
    let mut story = Story::of(&["create-session -s work"]);
    story.starts_are_slow();
    let first = story.begin(OUTSIDE, "create-window -n first");
    let second = story.begin(OUTSIDE, "create-window -n second");
    let told: Vec<_> = story.pending_starts.iter().map(|(_, children)| children[0].numbers.pane).collect();
    assert_eq!(told, [1, 2]);
    // The later one runs first.
    story.pending_starts.reverse();
    story.finish_starts();
    let number = |story: &Story, pane: &str| story.world().panes[&story.aliases.pane(pane)].number;
    let numbers = [number(&story, "b"), number(&story, "c")];
    assert_eq!(numbers, [2, 1]);
    assert!(first < second);
    story.begin(OUTSIDE, "create-window -n third");
    story.finish_starts();
    assert_eq!(number(&story, "d"), 4, "no number is given twice");
}
