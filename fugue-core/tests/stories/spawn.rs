//! Agents that are started: where they run, and when the caller gets its reply.

use std::sync::Arc;

use fugue_agents::{AgentTable, Front};
use fugue_core::{EdgeRequest, Effect, Input};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use fugue_protocol::dialogs::{ChoiceEffect, Dialog, DialogChoice, DialogKind};
use fugue_protocol::views::{ExitStatus, SpawnStatus, SpawnedAgent};
use serde_json::json;

use crate::story::{OUTSIDE, Story};

/// The reply that the edge is asked to complete, if the wait has ended.
fn report(story: &mut Story) -> Option<SpawnedAgent> {
    let mut reports = story.step.effects.drain(..).filter_map(|effect| match effect {
        Effect::Request { request: EdgeRequest::Spawned(report), .. } => Some(report.told),
        _ => None,
    });
    reports.next_back()
}

fn status(story: &mut Story) -> Option<SpawnStatus> {
    report(story).map(|told| told.status)
}

/// The agent in a pane is in this state, as it reports itself.
fn state(story: &mut Story, pane: &str, state: AgentState) {
    seen(story, pane, EvidenceSource::Osc7501, state);
}

fn seen(story: &mut Story, pane: &str, source: EvidenceSource, state: AgentState) {
    let (pane, evidence) = (story.aliases.pane(pane), vec![Evidence::new(source, state)]);
    story.input(Input::AgentObserved { pane, front: Front::Named("claude".into()), evidence });
}

fn dialog(question: &str) -> Dialog {
    let choices = ["Yes", "No"].map(|label| DialogChoice::new(label, ChoiceEffect::Other));
    Dialog {
        kind: DialogKind::Startup,
        title: None,
        question: question.into(),
        detail: Vec::new(),
        command: None,
        choices: choices.to_vec(),
        selected: 1,
    }
}

#[test]
fn an_agent_without_a_prompt_is_ready_when_it_has_been_idle_for_a_moment() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude");
    state(&mut story, "a", AgentState::Working);
    assert_eq!(status(&mut story), None, "it starts");
    state(&mut story, "a", AgentState::Idle);
    assert_eq!(status(&mut story), None, "a dialog may follow");
    story.advance(300);
    let told = report(&mut story).expect("a reply");
    assert_eq!((told.status, told.reason.as_str()), (SpawnStatus::Ready, "claude is ready"));
    assert_eq!(told.session_name.as_str(), "claude");
    story.begin(OUTSIDE, "spawn-agent claude");
    story.assert_tree("claude\n0 claude* 80x24: a* 80x24\nclaude-2*\n0 claude* 80x24: b* 80x24");
}

#[test]
fn a_prompt_is_taken_when_the_agent_works_and_not_before() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude --prompt 'fix it'");
    state(&mut story, "a", AgentState::Idle);
    story.advance(10_000);
    assert_eq!(status(&mut story), None, "it is idle, so the prompt is not taken");
    state(&mut story, "a", AgentState::Working);
    assert_eq!(status(&mut story), Some(SpawnStatus::PromptAccepted));
    story.begin(OUTSIDE, "spawn-agent claude --prompt 'fix it'");
    state(&mut story, "b", AgentState::Complete);
    assert_eq!(status(&mut story), Some(SpawnStatus::PromptAccepted), "a short turn is over already");
}

#[test]
fn a_wait_for_the_end_of_the_turn_ends_when_the_agent_rests() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude --prompt x --wait");
    state(&mut story, "a", AgentState::Working);
    story.advance(20_000);
    assert_eq!(status(&mut story), None);
    state(&mut story, "a", AgentState::Complete);
    story.advance(300);
    assert_eq!(status(&mut story), Some(SpawnStatus::Done));
}

#[test]
fn a_state_that_is_only_guessed_must_last_before_it_ends_a_turn() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent opencode --prompt x --wait");
    seen(&mut story, "a", EvidenceSource::Screen, AgentState::Working);
    seen(&mut story, "a", EvidenceSource::Screen, AgentState::Idle);
    story.advance(1_000);
    assert_eq!(status(&mut story), None);
    seen(&mut story, "a", EvidenceSource::Screen, AgentState::Working);
    story.advance(1_000);
    seen(&mut story, "a", EvidenceSource::Screen, AgentState::Idle);
    story.advance(1_000);
    assert_eq!(status(&mut story), None, "the pause between two steps does not count");
    story.advance(500);
    assert_eq!(status(&mut story), Some(SpawnStatus::Done));
}

#[test]
fn a_dialog_is_reported_with_its_choices_and_not_answered() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude --prompt x --wait");
    state(&mut story, "a", AgentState::Blocked);
    assert_eq!(status(&mut story), None, "the dialog has not been read yet");
    let pane = story.aliases.pane("a");
    story.input(Input::DialogObserved { pane, dialog: Some(dialog("Do you trust it?")), answered: false });
    story.advance(300);
    let told = report(&mut story).expect("a reply");
    assert_eq!((told.status, told.reason.as_str()), (SpawnStatus::Dialog, "claude asks: Do you trust it?"));
    assert_eq!(told.dialog.map(|dialog| dialog.choices.len()), Some(2));
    assert!(told.dialog_id.is_some());
    assert!(!story.step.effects.iter().any(|effect| matches!(effect, Effect::AnswerDialog { .. })));
}

#[test]
fn a_dialog_that_cannot_be_read_is_reported_with_the_agents_own_reason() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude");
    let evidence = Evidence {
        reason: Some("log in".into()),
        ..Evidence::new(EvidenceSource::Osc7501, AgentState::Blocked)
    };
    let pane = story.aliases.pane("a");
    story.input(Input::AgentObserved {
        pane,
        front: Front::Named("claude".into()),
        evidence: vec![evidence],
    });
    story.advance(1_500);
    let told = report(&mut story).expect("a reply");
    assert_eq!((told.status, told.reason.as_str()), (SpawnStatus::Dialog, "claude asks: log in"));
}

#[test]
fn the_end_of_the_program_or_of_the_time_is_reported() {
    let mut story = Story::new();
    story.begin(OUTSIDE, "spawn-agent claude");
    story.exit("a", ExitStatus::Code(3));
    let told = report(&mut story).expect("a reply");
    assert_eq!((told.status, told.exit), (SpawnStatus::Exited, Some(ExitStatus::Code(3))));
    assert_eq!(told.reason, "claude exited (exit code 3)");
    story.begin(OUTSIDE, "spawn-agent codex --prompt x --timeout-ms 5000");
    state(&mut story, "b", AgentState::Idle);
    story.advance(5_000);
    let told = report(&mut story).expect("a reply");
    assert_eq!(told.status, SpawnStatus::Timeout);
    assert_eq!(told.reason, "codex did not accept the prompt within 5 s; it is idle");
    assert!(story.world().panes.contains_key(&story.aliases.pane("b")), "it keeps running");
}

#[test]
fn an_agent_opens_in_a_window_or_split_of_another_session() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(OUTSIDE, "spawn-agent codex -t %a");
    story.begin(OUTSIDE, "spawn-agent gemini -t %a --split right");
    story.assert_tree(
        "work*
           0 bash 80x24: a 40x24 | c* 39x24
           1 codex* 80x24: b* 80x24",
    );
    story.refused(
        "spawn-agent {\"agent\":\"codex\",\"split\":\"right\"}",
        "split: specify the pane to split\nhint: omit `--split` to start the agent in a new session",
    );
    story.refused(
        "spawn-agent {\"agent\":\"codex\",\"pane\":\"a\",\"tags\":[\"x\"]}",
        "tags: only valid for a new session\nhint: omit `--tag` or `--pane`",
    );
    story.refused(
        "spawn-agent {\"agent\":\"codex\",\"wait\":true}",
        "wait: only valid with a prompt\nhint: omit `--wait` to return as soon as the agent is ready",
    );
}

#[test]
fn an_agent_that_spawns_another_is_its_parent() {
    let mut story = Story::of(&["create-session -s lead"]);
    story.begin(story.inside("a"), "spawn-agent claude --tag worker --worktree fix");
    let sessions = story.reply(OUTSIDE, "list-sessions")["sessions"].clone();
    assert_eq!(
        (&sessions[1]["name"], &sessions[1]["tags"]),
        (&json!("fix"), &json!(["child:lead", "worker"]))
    );
    assert_eq!(sessions[1]["own_worktree"]["branch"], "fix");
    let argv = &sessions[1]["windows"][0]["panes"][0]["argv"];
    assert_eq!((&argv[0], &argv[1]), (&json!("claude"), &json!("--session-id")));
    assert_eq!(sessions[1]["windows"][0]["panes"][0]["conversation"]["id"], argv[2]);
}

#[test]
fn a_call_that_is_repeated_with_its_key_starts_nothing_and_a_caller_that_leaves_ends_nothing() {
    let mut story = Story::new();
    let line = "spawn-agent claude --idempotency-key k";
    let ticket = story.begin(OUTSIDE, line);
    story.input(Input::CallerGone { ticket });
    story.begin(OUTSIDE, line);
    assert_eq!(story.world().panes.len(), 1);
    state(&mut story, "a", AgentState::Idle);
    story.advance(300);
    assert_eq!(status(&mut story), Some(SpawnStatus::Ready));
}

#[test]
fn a_users_agent_is_started_and_resumed_as_its_row_says() {
    let file = "[[agent]]\nname = \"robot\"\n[agent.start]\nresume = [\"--load\", \"{}\"]\n";
    let mut story = Story::new();
    story.machine.set_agents(Arc::new(AgentTable::with_file(file).expect("a table")));
    story.begin(OUTSIDE, "spawn-agent robot --resume 42 -- --fast");
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!(pane["argv"], json!(["robot", "--load", "42", "--fast"]));
    assert_eq!(pane["conversation"], json!({ "agent": "robot", "id": "42" }));
    story.exit("a", ExitStatus::Code(1));
    story.run("resume-agent %a");
    let pane = &story.reply(OUTSIDE, "list-panes")["panes"][0];
    assert_eq!(pane["argv"], json!(["robot", "--load", "42"]));
    story
        .machine
        .set_agents(Arc::new(AgentTable::with_file("[[agent]]\nname = \"robot\"\n").expect("a table")));
    story.exit("a", ExitStatus::Code(1));
    story.refused(
        "resume-agent %a",
        "Cannot start robot: fugue does not know how to resume its conversations\n\
         hint: set `resume` in the agent's `[agent.start]` table in agents.toml",
    );
    story.machine.set_agents(Arc::new(AgentTable::with_file(file).expect("a table")));
    story.refused(
        "spawn-agent robot --prompt x",
        "Cannot start robot: fugue does not know how to pass it a prompt\n\
         hint: set `prompt` in the agent's `[agent.start]` table in agents.toml",
    );
    story.refused(
        "spawn-agent robott",
        "Cannot start robott: there is no such agent\nhint: did you mean `robot`?",
    );
}
