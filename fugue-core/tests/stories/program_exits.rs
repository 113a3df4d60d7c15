//! Programs that exit, panes that close, and what is remembered of them.

use fugue_core::ended_panes::{ENDED_MS, MAX_ENDED};
use fugue_core::{Caller, EdgeRequest, Input, PaneRequest, Settings};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::views::{ExitStatus, OnExit};
use serde_json::json;
use uuid::Uuid;

use crate::story::{OUTSIDE, Story};

#[test]
fn a_pane_closes_when_its_program_exits_and_its_neighbor_gets_the_space() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R"]);
    story.exit("b", ExitStatus::Code(0));
    story.assert_events(&["exited b exit code 0", "ended b", "closed b", "layout bash", "focused a"]);
    story.assert_effects(&["agent b -", "report exit b exit code 0", "drop b", "resize a 80x24"]);
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn the_last_pane_closes_its_window_and_the_last_window_its_session() {
    let mut story = Story::of(&["create-session -s work", "create-window -n two"]);
    story.exit("b", ExitStatus::Signal(9));
    story.assert_events(&["exited b signal 9", "ended b", "closed b", "window closed two"]);
    story.exit("a", ExitStatus::Code(0));
    let closed = ["exited a exit code 0", "ended a", "closed a", "window closed bash", "session closed work"];
    story.assert_events(&closed);
    story.assert_tree("");
}

#[test]
fn a_session_that_closes_with_a_pane_ends_when_that_panes_program_does() {
    let mut story =
        Story::of(&["create-session -s lead --on-exit keep", "create-session -s mate --close-with %a"]);
    story.exit("a", ExitStatus::Code(1));
    story.assert_events(&["exited a exit code 1", "closed b", "window closed bash", "session closed mate"]);
    story.assert_tree("lead*\n0 bash* 80x24: a†* 80x24");
}

#[test]
fn a_pane_is_kept_if_requested_or_if_its_program_failed() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    story.run("create-pane --on-exit keep-failed");
    story.run("create-pane --on-exit keep-failed");
    story.exit("a", ExitStatus::Code(0));
    story.assert_events(&["exited a exit code 0"]);
    story.exit("b", ExitStatus::Signal(11));
    story.exit("c", ExitStatus::Code(0));
    story.assert_tree("work*\n0 bash* 80x24: a† 80x12 / b†* 80x11");
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][1];
    assert_eq!(
        (&pane["state"], &pane["exit"], &pane["pid"]),
        (&json!("exited"), &json!({"signal": 11}), &json!(null))
    );
}

#[test]
fn the_on_exit_setting_is_the_default_for_new_panes() {
    let mut story = Story::with(Settings { on_exit: OnExit::Keep, ..Settings::default() });
    story.run("create-session -s work");
    story.run("create-pane --on-exit close");
    story.exit("a", ExitStatus::Code(0));
    story.exit("b", ExitStatus::Code(0));
    story.assert_tree("work*\n0 bash* 80x24: a†* 80x24");
}

#[test]
fn an_agents_pane_keeps_its_last_screen_if_its_program_fails() {
    let mut story = Story::of(&["create-session -s work"]);
    let agent = Caller::Bridge { pane: story.aliases.pane("a"), claims: false };
    story.reply(agent, "create-pane");
    story.reply(agent, "create-window -d");
    story.reply(agent, "create-window -d --on-exit close");
    story.run_in("a", "create-window -d");
    for pane in ["b", "c", "d", "e"] {
        story.exit(pane, ExitStatus::Code(1));
    }
    story.assert_tree("work*\n0 bash* 80x24: a 80x12 / b†* 80x11\n1 bash 80x24: c†* 80x24");
    story.reply(agent, "create-session -s child");
    story.exit("f", ExitStatus::Code(0));
    assert!(!story.world().sessions.values().any(|session| session.name.as_str() == "child"));
}

#[test]
fn waiting_for_an_exit_works_after_the_program_has_exited() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "create-pane --on-exit keep"]);
    story.exit("b", ExitStatus::Code(7));
    story.exit("c", ExitStatus::Code(8));
    // The last screen of a pane that was closed knows the exit, and the last lines; after its time, the exit is known.
    let closed = story.aliases.pane("b");
    for line in ["wait -t %b --until exit", "wait -t %b~ --until exit", "wait -t %b --until idle"] {
        let asked = story.ask(line);
        assert!(matches!(asked, EdgeRequest::Pane(id, PaneRequest::Wait(_)) if id == closed), "{asked:?}");
    }
    story.advance(ENDED_MS);
    for pane in ["%b", "%b~"] {
        let waited = story.reply(OUTSIDE, &format!("wait -t {pane} --until exit"));
        assert_eq!(
            (&waited["outcome"], &waited["exit"]),
            (&json!("exited"), &json!({ "code": 7 })),
            "{pane}"
        );
    }
    // The task of a pane that is kept knows the exit, and its last lines.
    let kept = story.aliases.pane("c");
    for pane in ["%c", "%c~"] {
        let asked = story.ask(&format!("wait -t {pane} --until exit"));
        assert!(matches!(asked, EdgeRequest::Pane(id, PaneRequest::Wait(_)) if id == kept), "{asked:?}");
    }
    story.run("close-pane -t %c");
    assert_eq!(story.reply(OUTSIDE, "wait -t %c")["exit"], json!({"code": 8}));
    story.run("close-pane -t %a");
    assert_eq!(story.reply(OUTSIDE, "wait -t %a")["exit"], json!("unknown"));
    story.refused(
        "wait -t %b --until idle",
        "Pane not found: %b\nhint: its program exited (exit code 7) and the pane was closed",
    );
}

#[test]
fn a_pane_that_was_closed_when_its_program_ended_is_found_by_name_for_a_while() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "rename-pane -t %b build"]);
    story.exit("b", ExitStatus::Code(0));
    let read = |story: &mut Story| match story.ask("get-output -t build") {
        EdgeRequest::Pane(pane, PaneRequest::Read(_)) => pane,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(&mut story), story.aliases.pane("b"));
    let listed = story.reply(OUTSIDE, "list-panes --pane build")["panes"].clone();
    assert_eq!(
        (&listed[0]["pane_id"], &listed[0]["state"], &listed[0]["exit"], &listed[0]["closed"]),
        (&json!("%b"), &json!("exited"), &json!({"code": 0}), &json!(true))
    );
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"].as_array().map(Vec::len), Some(1));
    let asked = story.ask("wait --panes build %a --all");
    assert!(
        matches!(&asked, EdgeRequest::Panes(wait) if wait.panes[0].0 == story.aliases.pane("b")),
        "{asked:?}"
    );
    // A new pane of that name is the one that is meant.
    story.run("create-pane");
    story.run("rename-pane -t %c build");
    assert_eq!(read(&mut story), story.aliases.pane("c"));
    let listed = story.reply(OUTSIDE, "list-panes --pane build")["panes"].clone();
    assert_eq!((&listed[0]["state"], listed[0].get("closed")), (&json!("running"), None));
    story.exit("c", ExitStatus::Code(3));
    assert_eq!(read(&mut story), story.aliases.pane("c"), "the last one");
    story.crash();
    assert_eq!(read(&mut story), story.aliases.pane("c"), "after a restart, too");
    story.advance(ENDED_MS);
    story.refused(
        "get-output -t build",
        "Pane not found: build\nhint: its program exited (exit code 3) and the pane was closed",
    );
}

#[test]
fn only_the_latest_panes_that_ended_are_remembered() {
    let mut story = Story::of(&["create-session -s work"]);
    for number in 0..=MAX_ENDED {
        story.run("create-window -d");
        let first = story.aliases.pane("a");
        let pane = *story.world().panes.keys().find(|pane| **pane != first).expect("a pane");
        let run = story.world().panes[&pane].run().expect("it runs").id;
        story.run(&format!("rename-pane -t {pane} p{number}"));
        story.exit_run(run, ExitStatus::Code(0));
    }
    assert_eq!(story.world().ended.len(), MAX_ENDED);
    assert!(story.answer(OUTSIDE, "list-panes --pane p0").is_err());
    assert!(story.answer(OUTSIDE, "list-panes --pane p1").is_ok());
}

#[test]
fn only_the_latest_exits_are_remembered() {
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
fn a_second_exit_of_a_program_changes_nothing() {
    let mut story = Story::of(&["create-session -s work --on-exit keep"]);
    let run = story.run_of("a");
    story.exit_run(run, ExitStatus::Code(1));
    story.exit_run(run, ExitStatus::Code(0));
    story.assert_events(&[]);
    story.assert_effects(&[]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["exit"], json!({"code": 1}));
}

#[test]
fn a_title_or_directory_is_reported_once_and_only_for_open_panes() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let (open, closed) = (story.aliases.pane("a"), story.aliases.pane("b"));
    for (pane, events) in [(open, vec!["titled a vim"]), (open, vec![]), (closed, vec![])] {
        story.input(Input::TitleChanged { pane, title: "vim".into() });
        story.assert_events(&events);
    }
    for (pane, events) in [(open, vec!["went a /src"]), (open, vec![]), (closed, vec![])] {
        story.input(Input::DirectoryChanged { pane, cwd: "/src".into() });
        story.assert_events(&events);
    }
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!((&pane["title"], &pane["cwd"]), (&json!("vim"), &json!("/src")));
}

#[test]
fn closing_all_drops_every_pane() {
    let mut story = Story::of(&["create-session -s one", "create-pane", "create-session -s two"]);
    story.input(Input::CloseAll);
    story.assert_effects(&["drop a", "drop b", "drop c"]);
    story.assert_tree("");
}

#[test]
fn a_run_whose_pane_was_closed_or_respawned_is_known_after_a_restart() {
    let mut story = Story::of(&["create-session -s one", "create-pane"]);
    let run = |story: &Story, pane: &str| {
        story.machine.world().panes[&story.aliases.pane(pane)].run_id().expect("it runs")
    };
    let (first, second) = (run(&story, "a"), run(&story, "b"));
    story.run("respawn-pane -t %a -k");
    story.run("close-pane -t %b");
    story.restart();
    assert_eq!(story.machine.world().dropped_runs, [first, second]);
    let again = run(&story, "a");
    assert!(!story.machine.world().dropped_runs.contains(&again), "it is running");
}

#[test]
fn programs_without_a_journal_are_recovered_into_a_new_session() {
    let mut story = Story::of(&["create-session -s recovered-1"]);
    let run = |number| ProgramRun { id: Uuid::from_u128(number).into(), pid: 7 };
    story.input(Input::RunsFound { runs: vec![run(1), run(2)], seed: 9 });
    story.assert_effects(&["host b 80x24", "host c 80x24"]);
    story.assert_tree(
        "recovered-1*
           0 bash* 80x24: a* 80x24
         recovered-2
           0 recovered* 80x24: b* 80x24
           1 recovered 80x24: c* 80x24",
    );
    story.exit("c", ExitStatus::Code(0));
    story.assert_events(&["exited c exit code 0"]);
    story.input(Input::RunsFound { runs: Vec::new(), seed: 10 });
    story.assert_events(&[]);
}
