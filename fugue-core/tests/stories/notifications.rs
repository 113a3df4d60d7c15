//! In which ways an agent is told of messages that it does not ask for.

use fugue_core::agents::Front;
use fugue_core::{Caller, Effect, Input, Settings};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

/// A sender in pane a, an agent in pane b.
const TWO: [&str; 2] = ["create-session -s from", "create-session -s to -- claude"];

fn is(story: &mut Story, state: AgentState) {
    let (pane, front) = (story.aliases.pane("b"), Front::Program(vec!["claude".into()]));
    let sign = Evidence { source: EvidenceSource::Osc7501, state, reason: None, waits_for: None };
    story.tell(Input::AgentObserved { pane, front, evidence: vec![sign] });
}

/// The line that is wished to be typed since the last request; an empty one when it is no longer wanted.
fn nudge(story: &Story) -> Option<String> {
    let mut notices = story.step.effects.iter().rev().filter_map(|effect| match effect {
        Effect::Notify { notification: notice, .. } => {
            Some(notice.clone().map(|notice| notice.text).unwrap_or_default())
        }
        _ => None,
    });
    notices.next()
}

fn receipt(story: &mut Story, message: &str) -> Value {
    story.reply(OUTSIDE, &format!("message-status {message}"))["receipts"][0].clone()
}

const ONE: &str = "[fugue] You have 1 unread message from other agents: read them with fugue_poll_messages.";

#[test]
fn a_hook_tells_of_what_lies_there_and_of_what_is_new() {
    let mut story = Story::of(&TWO);
    let inside = story.inside("b");
    assert_eq!(story.reply(inside, "announce-messages").get("text"), None);
    story.run_in("a", "send-orchestration -s to note");
    let told = story.reply(inside, "announce-messages --news");
    story.happened(&["offered m1 to to"]);
    assert_eq!((&told["unread"], &told["text"]), (&json!(1), &json!(ONE)));
    let receipt_of = receipt(&mut story, "!m1");
    assert_eq!((&receipt_of["state"], &receipt_of["how"]), (&json!("offered"), &json!("hook")));
    assert_eq!(story.reply(inside, "announce-messages --news").get("text"), None, "it is not new any more");
    assert_eq!(story.reply(inside, "announce-messages")["text"], ONE, "it still lies there");
    story.happened(&[]);
    // To be shown a message is more than to be told of it.
    story.run_in("b", "poll-messages");
    assert_eq!(receipt(&mut story, "!m1")["how"], "polled");
    story.refused("announce-messages", "Not running inside fugue\nhint: name a session or a pane");
}

#[test]
fn a_session_is_told_in_the_ways_it_chose() {
    let mut story = Story::of(&TWO);
    story.run_in("a", "send-orchestration -s to note");
    let to = *story.world().sessions.keys().nth(1).expect("a session");
    let inside = story.inside("b");
    let told = story.reply(inside, "subscribe-orchestration");
    assert_eq!(told["deliver"], json!(["count", "hook"]));
    assert_eq!(story.world().unread_counted(to), 1);
    let told = story.reply(inside, "subscribe-orchestration --deliver hook");
    assert_eq!((&told["deliver"], &told["unread"]), (&json!(["hook"]), &json!(1)));
    assert_eq!(story.world().unread_counted(to), 0);
    story.run_in("b", "subscribe-orchestration --deliver count");
    assert_eq!(story.reply(inside, "announce-messages").get("text"), None);
    assert!(
        crate::story::refusal_of("subscribe-orchestration --deliver mail")
            .contains("not one of count, hook, push, type")
    );
}

#[test]
fn nothing_is_typed_unless_the_user_allows_it() {
    let refused = "Typing notifications into panes is not allowed in session `to`\n\
        hint: ask the user to run `fugue subscribe-orchestration -s to --deliver count hook type`, \
        or to set `type_notices` in config.toml";
    let mut story = Story::of(&TWO);
    story.refused_to(story.inside("b"), "subscribe-orchestration --deliver type", refused);
    let refusal = story.answer(Caller::Agent, "subscribe-orchestration -s to --deliver type");
    assert_eq!(story.sentence(&refusal.expect_err("an agent")), refused);
    story.run("subscribe-orchestration -s to --deliver type");
    let mut story = Story::with(Settings { type_notices: true, ..Settings::default() });
    TWO.iter().for_each(|line| story.run(line));
    story.run_in("b", "subscribe-orchestration --deliver type");
}

#[test]
fn a_line_is_typed_while_the_agent_is_at_rest_and_once() {
    let mut story = Story::of(&TWO);
    is(&mut story, AgentState::Working);
    story.run_in("a", "send-orchestration -s to note");
    assert_eq!(nudge(&story), None, "nobody asked for it");
    story.run("subscribe-orchestration -s to --deliver type");
    assert_eq!(nudge(&story).as_deref(), Some(""), "it is at work");
    is(&mut story, AgentState::Blocked);
    assert_eq!(nudge(&story).as_deref(), Some(""), "it asks a person");
    is(&mut story, AgentState::Idle);
    assert_eq!(nudge(&story).as_deref(), Some(ONE));
    let message = story.aliases.message("m1");
    let session = *story.world().sessions.keys().nth(1).expect("a session");
    story.tell(Input::NotificationTyped { session, messages: vec![message] });
    story.happened(&["offered m1 to to"]);
    assert_eq!(nudge(&story).as_deref(), Some(""), "it was told");
    assert_eq!(receipt(&mut story, "!m1")["how"], "typed");
    story.run_in("a", "send-orchestration -s to note");
    assert_eq!(nudge(&story).as_deref(), Some(ONE), "of the new one alone");
    story.run_in("b", "poll-messages");
    assert_eq!(nudge(&story).as_deref(), Some(""), "it was read meanwhile");
}

#[test]
fn the_next_daemon_knows_what_is_still_to_be_typed() {
    let mut story = Story::of(&TWO);
    story.run("subscribe-orchestration -s to --deliver type");
    is(&mut story, AgentState::Idle);
    story.run_in("a", "send-orchestration -s to note");
    let runs = ["a", "b"].map(|pane| story.run_of(pane)).to_vec();
    story.restart();
    story.tell(Input::RunsHeld { runs });
    let known = story.world().panes[&story.aliases.pane("b")].agent.view.is_some();
    assert_eq!(nudge(&story).is_some_and(|line| line == ONE), known);
    is(&mut story, AgentState::Working);
    is(&mut story, AgentState::Idle);
    assert_eq!(nudge(&story).as_deref(), Some(ONE));
}
