//! Programs that end, panes that go, and what is remembered of them.

use fugue_core::{Input, Settings};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::views::{ExitStatus, OnExit};
use serde_json::json;
use uuid::Uuid;

use crate::story::{OUTSIDE, Story};

#[test]
fn a_pane_whose_program_ends_is_closed_and_its_room_given_away() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R"]);
    story.exit("b", ExitStatus::Code(0));
    story.happened(&["exited b exit code 0", "closed b", "layout bash", "focused a"]);
    story.wishes(&["settle b exit code 0", "drop b", "resize a 80x24"]);
    story.looks("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn the_last_pane_ends_the_window_and_the_last_window_the_session() {
    let mut story = Story::of(&["create-session -s work", "create-window -n two"]);
    story.exit("b", ExitStatus::Signal(9));
    story.happened(&["exited b signal 9", "closed b", "window closed two"]);
    story.exit("a", ExitStatus::Code(0));
    story.happened(&["exited a exit code 0", "closed a", "window closed bash", "session closed work"]);
    story.looks("");
}

#[test]
fn a_pane_stays_when_it_was_asked_to_or_when_its_program_failed() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    story.run("create-pane --on-exit keep-failed");
    story.run("create-pane --on-exit keep-failed");
    story.exit("a", ExitStatus::Code(0));
    story.happened(&["exited a exit code 0"]);
    story.exit("b", ExitStatus::Signal(11));
    story.exit("c", ExitStatus::Code(0));
    story.looks("work*\n0 bash* 80x24: a† 80x12 / b†* 80x11");
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][1];
    assert_eq!(
        (&pane["state"], &pane["exit"], &pane["pid"]),
        (&json!("exited"), &json!({"signal": 11}), &json!(null))
    );
}

#[test]
fn what_becomes_of_panes_is_a_setting_unless_asked_otherwise() {
    let mut story = Story::with(Settings { on_exit: OnExit::Keep, ..Settings::default() });
    story.run("create-session -s work");
    story.run("create-pane --on-exit close");
    story.exit("a", ExitStatus::Code(0));
    story.exit("b", ExitStatus::Code(0));
    story.looks("work*\n0 bash* 80x24: a†* 80x24");
}

#[test]
fn whoever_waits_for_an_exit_may_come_late() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "create-pane --on-exit keep"]);
    story.exit("b", ExitStatus::Code(7));
    story.exit("c", ExitStatus::Code(8));
    for (pane, code) in [("%b", 7), ("%b~", 7), ("%c", 8), ("%c~", 8)] {
        let waited = story.reply(OUTSIDE, &format!("wait -t {pane} --until exit"));
        assert_eq!(
            (&waited["outcome"], &waited["exit"]),
            (&json!("exited"), &json!({"code": code})),
            "{pane}"
        );
    }
    story.run("close-pane -t %c");
    assert_eq!(story.reply(OUTSIDE, "wait -t %c")["exit"], json!({"code": 8}));
    story.run("close-pane -t %a");
    assert_eq!(story.reply(OUTSIDE, "wait -t %a")["exit"], json!("unknown"));
    story.refused(
        "wait -t %b --until idle",
        "Pane not found: %b\nhint: its program has ended (exit code 7) and the pane was closed",
    );
}

#[test]
fn so_many_exits_are_remembered_and_the_oldest_forgotten() {
    let mut story = Story::of(&["create-session -s work"]);
    let first = fugue_core::world::DEPARTED;
    for _ in 0..=first {
        story.run("create-window -d");
        story.run("kill-window -w 1");
    }
    assert_eq!(story.world().departed.len(), first);
    assert!(story.answer(OUTSIDE, "wait -t %b").is_err());
    assert!(story.answer(OUTSIDE, "wait -t %c").is_ok());
}

#[test]
fn a_program_that_ends_twice_or_was_never_there_changes_nothing() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    let run = story.run_of("a");
    story.exit_run(run, ExitStatus::Code(1));
    story.exit_run(run, ExitStatus::Code(0));
    story.happened(&[]);
    story.wishes(&[]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["exit"], json!({"code": 1}));
}

#[test]
fn titles_and_directories_are_news_only_once_and_only_of_panes_that_are_there() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let (here, gone) = (story.aliases.pane("a"), story.aliases.pane("b"));
    for (pane, told) in [(here, vec!["titled a vim"]), (here, vec![]), (gone, vec![])] {
        story.tell(Input::TitleChanged { pane, title: "vim".into() });
        story.happened(&told);
    }
    for (pane, told) in [(here, vec!["went a /src"]), (here, vec![]), (gone, vec![])] {
        story.tell(Input::DirectoryChanged { pane, cwd: "/src".into() });
        story.happened(&told);
    }
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["title"], &pane["cwd"]), (&json!("vim"), &json!("/src")));
}

#[test]
fn everything_ends_at_once() {
    let mut story = Story::of(&["create-session -s one", "create-pane", "create-session -s two"]);
    story.tell(Input::CloseAll);
    story.wishes(&["drop a", "drop b", "drop c"]);
    story.looks("");
}

#[test]
fn programs_whose_journal_was_lost_get_a_session_again() {
    let mut story = Story::of(&["create-session -s recovered-1"]);
    let run = |number| ProgramRun { id: Uuid::from_u128(number).into(), pid: 7 };
    story.tell(Input::RunsFound { runs: vec![run(1), run(2)], seed: 9 });
    story.wishes(&["host b 80x24", "host c 80x24"]);
    story.looks(
        "recovered-1*
           0 bash* 80x24: a* 80x24
         recovered-2
           0 recovered* 80x24: b* 80x24
           1 recovered 80x24: c* 80x24",
    );
    story.exit("c", ExitStatus::Code(0));
    story.happened(&["exited c exit code 0"]);
    story.tell(Input::RunsFound { runs: Vec::new(), seed: 10 });
    story.happened(&[]);
}
