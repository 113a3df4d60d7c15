//! Lost programs: what is known of them afterwards, and how they are started again.

use std::sync::Arc;

use fugue_agents::AgentTable;
use fugue_core::{Input, Started};
use fugue_protocol::PaneId;
use fugue_protocol::views::Survivor;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

/// All programs are lost, as after a reboot.
fn reboot(story: &mut Story) {
    story.restart();
    story.input(Input::RunsHeld { runs: Vec::new() });
}

fn pane(story: &Story, name: &str) -> PaneId {
    story.aliases.pane(name)
}

#[test]
fn a_lost_pane_shows_its_last_title_directory_and_agent() {
    let mut story = Story::of(&["create-session --name work --command claude"]);
    let a = pane(&story, "a");
    story.input(Input::TitleChanged { pane: a, title: "notes".into() });
    story.input(Input::DirectoryChanged { pane: a, cwd: "/work".into() });
    story.run_in("a", "report-status working --conversation-id id-1");
    story.advance(1_100);
    reboot(&mut story);
    let list = story.reply(OUTSIDE, "list-panes");
    let shown = &list["panes"][0];
    assert_eq!(
        (&shown["state"], &shown["title"], &shown["cwd"]),
        (&json!("lost"), &json!("notes"), &json!("/work"))
    );
    assert_eq!(shown["agent"], json!(null), "no agent runs there any more");
    assert_eq!(shown["lost"]["agent"]["state"], "working");
    assert_eq!(shown["lost"]["conversation"], json!({ "agent": "claude", "id": "id-1" }));
    assert_eq!(shown["lost"]["restart"], "claude --resume id-1");
}

#[test]
fn a_title_that_changes_all_the_time_is_noted_every_ten_seconds_at_most() {
    let mut story = Story::of(&["create-session --name work"]);
    let a = pane(&story, "a");
    for number in 0..300 {
        story.input(Input::TitleChanged { pane: a, title: format!("spinner {number}") });
        story.advance(100);
    }
    let notes = story.history.iter().filter(|event| matches!(event, fugue_protocol::Event::PaneNoted { .. }));
    assert_eq!(notes.count(), 3, "in thirty seconds");
    story.advance(20_000);
    let last = story.history.iter().rev().find_map(|event| match event {
        fugue_protocol::Event::PaneNoted { title, .. } => Some(title.clone()),
        _ => None,
    });
    assert_eq!(last.as_deref(), Some("spinner 299"));
    assert_eq!(story.machine.wake_at(), None, "a pane that changes nothing causes no wake-up");
}

#[test]
fn the_noted_title_and_directory_are_back_without_a_checkpoint() {
    let mut story = Story::of(&["create-session --name work"]);
    let a = pane(&story, "a");
    story.input(Input::TitleChanged { pane: a, title: "vim".into() });
    story.input(Input::DirectoryChanged { pane: a, cwd: "/work".into() });
    story.advance(1_100);
    let stored: Vec<_> = story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect();
    let again = Story::after(stored);
    let pane = &again.world().panes[&a];
    assert_eq!((pane.title.as_str(), pane.cwd.as_deref()), ("vim", Some("/work")));
}

#[test]
fn restore_starts_every_lost_program_of_a_session_where_it_was() {
    let mut story = Story::of(&[
        "create-session --name work --cwd /home",
        "create-pane --command 'vim notes.md' --cwd /home",
        "create-session --name other",
    ]);
    story.input(Input::DirectoryChanged { pane: pane(&story, "b"), cwd: "/work".into() });
    reboot(&mut story);
    let reply = story.reply(OUTSIDE, "restore-panes --session work");
    assert_eq!(
        reply,
        json!({
            "restored": [
                { "pane_id": "%a", "number": 0, "session_name": "work", "command": "shell", "cwd": "/home" },
                { "pane_id": "%b", "number": 1, "session_name": "work", "command": "vim notes.md", "cwd": "/work" },
            ],
            "skipped": [],
        })
    );
    assert!(story.run_of("a") != story.run_of("b"));
    assert_eq!(
        story.reply(OUTSIDE, "restore-panes --session work"),
        json!({ "restored": [], "skipped": [] })
    );
    let all = story.reply(OUTSIDE, "restore-panes --all");
    assert_eq!(all["restored"][0]["pane_id"], "%c", "only what is still lost");
}

#[test]
fn an_agent_without_a_reported_conversation_starts_anew_and_the_reply_says_so() {
    let mut story = Story::of(&["create-session --name work --command 'codex --model x hello'"]);
    reboot(&mut story);
    let reply = story.reply(OUTSIDE, "restore-panes");
    let restored = &reply["restored"][0];
    assert_eq!(restored["command"], "codex --model x hello");
    assert_eq!(restored.get("resumed"), None);
    let note = restored["notes"][0].as_str().expect("a note");
    assert!(
        note.starts_with("its conversation was not resumed, because codex did not report the conversation"),
        "{note}"
    );
}

#[test]
fn a_conversation_inside_a_shell_is_named_but_not_started() {
    let mut story = Story::of(&["create-session --name work"]);
    let (a, front) = (pane(&story, "a"), fugue_agents::Front::Program(vec!["claude".into()]));
    story.input(Input::AgentObserved { pane: a, front, evidence: Vec::new() });
    story.run_in("a", "report-status idle --conversation-id id-7");
    reboot(&mut story);
    let reply = story.reply(OUTSIDE, "restore-panes");
    assert_eq!(reply["restored"][0]["command"], "shell");
    assert_eq!(
        reply["restored"][0]["notes"],
        json!(["`claude --resume id-7` resumes its agent's conversation"])
    );
}

#[test]
fn one_shot_commands_running_programs_and_other_programs_than_shells_are_skipped_with_the_reason() {
    let mut story = Story::of(&["create-session --name work", "create-pane --command 'npm test'"]);
    story.begin(OUTSIDE, "run make");
    reboot(&mut story);
    let reply = story.reply(OUTSIDE, "restore-panes --shells");
    assert_eq!(reply["restored"].as_array().map(Vec::len), Some(1));
    assert_eq!(reply["skipped"][0]["why"], "it is not a shell");
    assert_eq!(reply["skipped"][1]["why"], "it ran a single command, which may not be safe to repeat");
    let reply = story.reply(OUTSIDE, "restore-panes --pane %a");
    assert_eq!(reply["skipped"][0]["why"], "it is running");
}

#[test]
fn one_program_that_cannot_be_started_does_not_keep_the_others_from_starting() {
    let mut story = Story::of(&["create-session --name work", "create-pane --command gone"]);
    reboot(&mut story);
    story.starts_are_slow();
    let ticket = story.begin(OUTSIDE, "restore-panes");
    let (_, children) = story.pending_starts.remove(0);
    assert!(children.iter().all(|child| child.restored.is_some()));
    let outcome = children.iter().map(|child| Started {
        pane: child.pane,
        pid: 7,
        cwd: "/home".into(),
        program: "sh".into(),
        run: Some(child.run),
        worktree: None,
        failure: child.launch.command.as_ref().map(|_| "no such file".to_owned()),
    });
    let outcome = Ok(outcome.collect());
    story.input(Input::Started { ticket, outcome });
    let reply = story.answer_to(ticket).expect("a reply");
    assert!(reply.get().contains(r#""why":"no such file""#), "{reply}");
    assert!(story.world().panes[&pane(&story, "a")].run().is_some());
    assert!(story.world().panes[&pane(&story, "b")].run().is_none());
}

#[test]
fn a_pane_that_someone_else_restored_meanwhile_keeps_its_program_and_the_second_one_is_killed() {
    let mut story = Story::of(&["create-session --name work"]);
    reboot(&mut story);
    story.starts_are_slow();
    let first = story.begin(OUTSIDE, "restore-panes");
    let second = story.begin(OUTSIDE, "restore-panes");
    story.start_next();
    assert!(story.answer_to(first).expect("a reply").get().contains(r#""restored":[{"#));
    let run = story.run_of("a");
    story.finish_starts();
    let reply = story.answer_to(second).expect("a reply");
    assert!(reply.get().contains(r#""why":"it is running""#), "{reply}");
    assert_eq!(story.run_of("a"), run);
    assert!(
        story
            .step
            .effects
            .iter()
            .any(|effect| matches!(effect, fugue_core::Effect::Kill { runs } if runs.len() == 1))
    );
}

#[test]
fn an_agent_restores_only_what_is_within_its_scope() {
    use fugue_core::scope::Scopes;
    use fugue_protocol::Scope;
    let mut story = Story::of(&["create-session --name mine", "create-session --name other"]);
    reboot(&mut story);
    story.run("restore-panes --session mine");
    let scopes = Scopes::new([("*".to_owned(), Scope::Observe)]);
    story.machine.configure(Default::default(), scopes);
    let agent = story.inside("a");
    let refusal = story.answer(agent, "restore-panes --session other").expect_err("out of scope");
    assert!(refusal.to_string().contains("other"), "{refusal}");
    assert!(story.pending_starts.is_empty());
}

#[test]
fn processes_that_outlived_a_lost_program_are_named_in_its_pane() {
    let mut story = Story::of(&["create-session --name work"]);
    let a = pane(&story, "a");
    let survivors = vec![Survivor { pid: 123, command: "python train.py".into() }];
    story.input(Input::SurvivorsFound { found: vec![(a, survivors.clone())] });
    assert_eq!(story.step.events, [], "its program runs");
    reboot(&mut story);
    story.input(Input::SurvivorsFound { found: vec![(a, survivors)] });
    let list = story.reply(OUTSIDE, "list-panes");
    assert_eq!(list["panes"][0]["lost"]["survivors"], json!([{ "pid": 123, "command": "python train.py" }]));
}

#[test]
fn a_program_that_a_person_starts_again_has_the_authority_it_had() {
    let mut story = Story::of(&[
        "create-session --name worker-1",
        "create-pane --session worker-1",
        "create-session --name other",
        "join-pane --pane %b --beside %c",
    ]);
    let b = pane(&story, "b");
    let before = story.world().panes[&b].authority.clone();
    assert!(before.is_some(), "it keeps the rules of the session that it came from");
    reboot(&mut story);
    story.run("restore-panes --all");
    assert!(story.world().panes[&b].run().is_some());
    assert_eq!(story.world().panes[&b].authority, before);
}

#[test]
fn a_program_that_still_runs_without_a_terminal_is_not_started_a_second_time() {
    let mut story = Story::of(&["create-session --name work"]);
    let a = pane(&story, "a");
    reboot(&mut story);
    let survivors = vec![Survivor { pid: 123, command: "python train.py".into() }];
    story.input(Input::SurvivorsFound { found: vec![(a, survivors.clone())] });
    story.input(Input::SurvivorsFound { found: vec![(a, survivors)] });
    assert_eq!(story.step.events, [], "it is known");
    let reply = story.reply(OUTSIDE, "restore-panes --all");
    let why = reply["skipped"][0]["why"].as_str().expect("a reason");
    assert_eq!(why, "it is still running without a terminal: pid 123 (python train.py); end it first");
    story.input(Input::SurvivorsFound { found: vec![(a, Vec::new())] });
    story.run("restore-panes --all");
    assert!(story.world().panes[&a].run().is_some());
}

#[test]
fn a_lost_agent_of_the_users_table_shows_the_command_that_restores_it() {
    let table = |flag: &str| {
        let file = format!("[[agent]]\nname = \"robot\"\n[agent.start]\nresume = [\"{flag}\", \"{{}}\"]\n");
        Arc::new(AgentTable::with_file(&file).expect("a table"))
    };
    let mut story = Story::new();
    story.machine.set_agents(table("--load"));
    story.begin(OUTSIDE, "spawn-agent robot --resume 42");
    reboot(&mut story);
    // The user has changed the table since.
    story.machine.set_agents(table("--open"));
    let list = story.reply(OUTSIDE, "list-panes");
    let shown = list["panes"][0]["lost"]["restart"].clone();
    assert!(shown.as_str().is_some_and(|shown| shown.contains("--open 42")), "{shown}");
    let restored = story.reply(OUTSIDE, "restore-panes --all");
    assert_eq!(restored["restored"][0]["command"], shown);
}
