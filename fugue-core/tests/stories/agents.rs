//! How agents are doing: who is believed, for how long, and what is told of it.

use fugue_core::agents::Front;
use fugue_core::{Effect, Input, World};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use fugue_protocol::views::ExitStatus;
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn sign(source: EvidenceSource, state: AgentState) -> Evidence {
    Evidence { source, state, reason: None, waits_for: None }
}

fn words(line: &str) -> Front {
    Front::Program(line.split(' ').map(str::to_owned).collect())
}

fn look(story: &mut Story, front: Front, signs: &[Evidence]) {
    let pane = story.aliases.pane("a");
    story.tell(Input::AgentObserved { pane, front, evidence: signs.to_vec() });
}

fn claude() -> Story {
    Story::of(&["create-session -s work -- claude"])
}

#[test]
fn an_agent_that_speaks_is_believed_over_every_sign_it_gives() {
    let mut story = claude();
    let idle = sign(EvidenceSource::Title, AgentState::Idle);
    look(&mut story, words("claude"), &[sign(EvidenceSource::Osc7501, AgentState::Working), idle.clone()]);
    story.happened(&["seen a claude Osc7501 working Title idle", "agent a claude working"]);
    look(&mut story, words("claude"), &[sign(EvidenceSource::Osc7501, AgentState::Working), idle.clone()]);
    story.happened(&[]);
    look(&mut story, words("claude"), &[idle]);
    story.happened(&["seen a claude Title idle", "agent a claude idle"]);
    let agent = &story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"];
    assert_eq!((&agent["source"], &agent["sure"]), (&json!("title"), &json!("likely")));
}

#[test]
fn a_question_for_leave_comes_with_its_words_and_is_explained() {
    let mut story = claude();
    let asks = Evidence {
        reason: Some("approve Bash: touch x".into()),
        waits_for: Some(WaitsFor::Permission),
        ..sign(EvidenceSource::Osc7501, AgentState::Blocked)
    };
    look(&mut story, words("claude"), &[asks, sign(EvidenceSource::Screen, AgentState::Idle)]);
    let agent = &story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"];
    assert_eq!((&agent["state"], &agent["waits_for"]), (&json!("blocked"), &json!("permission")));
    assert_eq!(agent["reason"], json!("approve Bash: touch x"));
    let told = story.reply(OUTSIDE, "explain %a");
    assert_eq!(
        told["why"],
        "claude: blocked for 0 s (approve Bash: touch x), according to its state report (OSC 7501)"
    );
    let believed = |at: usize| told["candidates"][at]["believed"].as_bool().unwrap();
    assert!(believed(0) && !believed(1));
    assert_eq!(told["candidates"][1]["because"], "weaker than its state report (OSC 7501)");
}

#[test]
fn a_pane_without_an_agent_has_none_whatever_its_title() {
    let mut story = Story::of(&["create-session -s work"]);
    look(&mut story, Front::Other, &[]);
    story.happened(&[]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
    assert_eq!(story.reply(OUTSIDE, "explain")["why"], "no agent was recognized in this pane");
}

#[test]
fn an_agent_that_gives_no_sign_is_unknown_and_one_that_left_is_none() {
    let mut story = Story::of(&["create-session -s work"]);
    look(&mut story, words("node /usr/bin/codex"), &[]);
    story.happened(&["seen a codex", "agent a codex unknown"]);
    look(&mut story, Front::Other, &[]);
    story.happened(&["seen a nobody", "agent a none"]);
}

#[test]
fn a_state_that_goes_on_has_begun_when_it_began_whoever_tells_of_it() {
    let mut story = claude();
    look(&mut story, words("claude"), &[sign(EvidenceSource::Screen, AgentState::Working)]);
    let since = story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["since"].clone();
    look(&mut story, words("claude"), &[sign(EvidenceSource::Osc7501, AgentState::Working)]);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["since"], since);
}

#[test]
fn what_an_agent_said_outlives_the_daemon_and_what_was_guessed_comes_again() {
    let mut story = claude();
    look(&mut story, words("claude"), &[sign(EvidenceSource::Osc7501, AgentState::Working)]);
    let kept: Vec<_> = story.history.iter().filter(|event| !event.is_fleeting()).cloned().collect();
    let before = story.world().panes[&story.aliases.pane("a")].agent.view.clone();
    let world = World::fold(&kept);
    assert_eq!(world.panes[&story.aliases.pane("a")].agent.view, before);
    let mut later = Story::after(kept);
    look(&mut later, words("claude"), &[sign(EvidenceSource::Osc7501, AgentState::Working)]);
    later.happened(&["seen a claude Osc7501 working"]);
}

#[test]
fn a_program_that_ends_leaves_only_what_it_finished() {
    for (state, left) in [(AgentState::Working, json!(null)), (AgentState::Complete, json!("complete"))] {
        let mut story = Story::of(&["create-session -s work --on-exit keep -- claude"]);
        look(&mut story, words("claude"), &[sign(EvidenceSource::Osc7501, state)]);
        story.exit("a", ExitStatus::Code(0));
        assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"]["state"], left);
        story.run("respawn-pane");
        assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"][0]["agent"], json!(null));
    }
}

#[test]
fn bells_and_notifications_are_told_and_not_kept() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane"]);
    let (here, gone) = (story.aliases.pane("a"), story.aliases.pane("b"));
    story.tell(Input::BellRang { pane: here });
    story.happened(&["rang a"]);
    story.tell(Input::Notified { pane: here, title: "build".into(), body: "done".into() });
    story.happened(&["notified a build: done"]);
    assert!(story.step.events.iter().all(fugue_protocol::Event::is_fleeting));
    story.tell(Input::BellRang { pane: gone });
    story.happened(&[]);
}

#[test]
fn nothing_is_asked_of_the_clock_unless_a_report_may_grow_old() {
    let mut story = claude();
    look(&mut story, words("claude"), &[sign(EvidenceSource::Title, AgentState::Idle)]);
    assert!(!story.step.effects.iter().any(|effect| matches!(effect, Effect::Wake { .. })));
}

#[test]
fn a_muted_pane_calls_nobody_until_it_may_again_and_a_restart_knows_it() {
    let mut story = Story::of(&["create-session -s work"]);
    let pane = story.aliases.pane("a");
    let called = |title: &str| Input::Notified { pane, title: title.into(), body: "look".into() };
    story.run("mute-pane");
    story.happened(&["muted a true"]);
    story.tell(Input::BellRang { pane });
    story.happened(&[]);
    story.tell(called("one"));
    story.happened(&[]);
    story.run("mute-pane");
    story.happened(&[]);
    story.restart();
    story.tell(Input::BellRang { pane });
    story.happened(&[]);
    story.run("mute-pane --off");
    story.happened(&["muted a false"]);
    story.tell(called("two"));
    story.happened(&["notified a two: look"]);
}
