//! Programs: what is started, what cannot be, and what is started again.

use fugue_core::Input;
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story, refusal_of};

#[test]
fn a_start_that_fails_changes_nothing() {
    let mut story = Story::of(&["create-session -s work"]);
    let failed = "Cannot start `nope`: no such file\nhint: check the program name and PATH";
    for line in ["create-session -s more", "create-window", "create-pane -R", "respawn-pane -k"] {
        story.next_start_fails();
        story.refused(line, failed);
        story.wishes(&[]);
    }
    story.run("create-session -s more");
}

#[test]
fn commands_that_are_none_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    for verb in ["create-session", "create-window", "create-pane", "respawn-pane -k"] {
        let (verb, kill) = verb.split_once(' ').map_or((verb, ""), |(verb, _)| (verb, "\"kill\":true,"));
        for (args, why) in [
            (
                "\"command\":\"  \"",
                "command: must not be empty\nhint: give a shell command line, for example `make test 2>&1 | tail`",
            ),
            ("\"argv\":[\"\"]", "argv: the program name is empty\nhint: put the program first in argv"),
            (
                "\"command\":\"ls\",\"argv\":[\"ls\"]",
                "command: give either a command line or argv, not both\nhint: omit `--command` to run argv",
            ),
            (
                "\"argv\":[\"ls\",\"a\\u0000\"]",
                "argv: contains a NUL character\nhint: arguments cannot contain NUL; write the data to a file",
            ),
            (
                "\"cwd\":\"\"",
                "cwd: must not be empty\nhint: name an existing directory; omit `--cwd` to use the default",
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
fn a_child_is_told_where_it_is_and_where_it_comes_from() {
    let mut story = Story::of(&["create-session -s work"]);
    story.starts_are_slow();
    story.begin(OUTSIDE, "create-pane -R -c src -- make -j");
    let child = &story.nursery[0].1[0];
    assert_eq!((child.size.to_string(), child.comes_from), ("39x24".into(), Some(story.aliases.pane("a"))));
    assert_eq!(json!(child.launch), json!({"argv": ["make", "-j"], "cwd": "src"}));
    story.start_all();
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][1];
    assert_eq!((&pane["command"], &pane["cwd"]), (&json!("make -j"), &json!("src")));
}

#[test]
fn a_program_that_has_ended_is_started_again_in_its_pane() {
    let mut story = Story::of(&["create-session -s work --on-exit keep -c /src -e A=1 -- make"]);
    let former = story.run_of("a");
    story.refused(
        "respawn-pane",
        "The program in pane %a is still running\nhint: `fugue respawn-pane --kill` kills it first",
    );
    story.exit("a", ExitStatus::Code(2));
    story.run("respawn-pane");
    story.happened(&["respawned a"]);
    story.wishes(&["host a 80x24"]);
    story.looks("work*\n0 make* 80x24: a* 80x24");
    assert_ne!(story.run_of("a"), former);
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["command"], &pane["cwd"]), (&json!("make"), &json!("/src")));
}

#[test]
fn the_end_of_the_former_run_is_not_that_of_the_new_one() {
    let mut story = Story::of(&["create-session -s work --on-exit close"]);
    let former = story.run_of("a");
    story.tell(Input::TitleChanged { pane: story.aliases.pane("a"), title: "old".into() });
    story.run("respawn-pane --kill --on-exit keep -- vi");
    story.exit_run(former, ExitStatus::Signal(1));
    story.happened(&[]);
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["command"], &pane["title"]), (&json!("vi"), &json!(null)));
    story.exit("a", ExitStatus::Code(0));
    story.looks("work*\n0 bash* 80x24: a†* 80x24");
}

#[test]
fn a_lost_program_is_started_again() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R"]);
    story.tell(Input::RunsHeld { runs: vec![story.run_of("b")] });
    story.happened(&["lost a"]);
    story.looks("work*\n0 bash* 80x24: a? 40x24 | b* 39x24");
    assert_eq!(story.reply(OUTSIDE, "wait -t %a --until exit")["exit"], json!("unknown"));
    story.refused(
        "send-input -t %a ls",
        "The program in pane %a has ended (exit status unknown)\nhint: `fugue respawn-pane` restarts it",
    );
    story.run("respawn-pane -t %a");
    story.wishes(&["host a 40x24"]);
    story.looks("work*\n0 bash* 80x24: a 40x24 | b* 39x24");
}

#[test]
fn the_window_of_a_program_with_an_impossible_name_has_one_all_the_same() {
    let mut story = Story::new();
    story.run("create-session -s work -- '-bash'");
    story.looks("work*\n0 window* 80x24: a* 80x24");
}
