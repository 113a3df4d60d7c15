//! How an agent is notified of unread messages.

use fugue_agents::Front;
use fugue_core::{Caller, Effect, Input, KeySpace, Settings};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

/// A sender in pane a, an agent in pane b.
const TWO: [&str; 2] = ["create-session -s from", "create-session -s to -- claude"];

fn set_state(story: &mut Story, state: AgentState) {
    let (pane, front) = (story.aliases.pane("b"), Front::Program(vec!["claude".into()]));
    let evidence = Evidence::new(EvidenceSource::Osc7501, state);
    story.input(Input::AgentObserved { pane, front, evidence: vec![evidence] });
}

/// The line to be typed according to the last step; empty if none is to be typed any more.
fn notification(story: &Story) -> Option<String> {
    let mut lines = story.step.effects.iter().rev().filter_map(|effect| match effect {
        Effect::Notify { notification, .. } => {
            Some(notification.clone().map(|line| line.text).unwrap_or_default())
        }
        _ => None,
    });
    lines.next()
}

fn receipt(story: &mut Story, message: &str) -> Value {
    story.reply(OUTSIDE, &format!("message-status {message}"))["receipts"][0].clone()
}

const ONE: &str = "[fugue] You have 1 unread message from other agents: read them with fugue_poll_messages.";

#[test]
fn a_hook_announces_unread_or_only_new_messages() {
    let mut story = Story::of(&TWO);
    let inside = story.inside("b");
    assert_eq!(story.reply(inside, "announce-messages").get("text"), None);
    story.run_in("a", "send-orchestration -s to note");
    let announced = story.reply(inside, "announce-messages --news");
    story.assert_events(&["offered m1 to to"]);
    assert_eq!((&announced["unread"], &announced["text"]), (&json!(1), &json!(ONE)));
    let shown = receipt(&mut story, "!m1");
    assert_eq!((&shown["state"], &shown["how"]), (&json!("offered"), &json!("hook")));
    assert_eq!(story.reply(inside, "announce-messages --news").get("text"), None, "it is no longer new");
    assert_eq!(story.reply(inside, "announce-messages")["text"], ONE, "it is still unread");
    story.assert_events(&[]);
    // Polling a message outranks being notified of it.
    story.run_in("b", "poll-messages");
    assert_eq!(receipt(&mut story, "!m1")["how"], "polled");
    story.refused(
        "announce-messages",
        "Not running inside fugue\nhint: run it in a pane, or name a session or a pane if it takes one",
    );
}

#[test]
fn a_notification_tells_what_the_user_wrote_and_no_agent_can_pretend_it() {
    let mut story = Story::of(&TWO);
    let inside = story.inside("b");
    let text =
        |story: &mut Story| story.reply(inside, "announce-messages")["text"].as_str().map(str::to_owned);
    let told = |what: &str| Some(format!("[fugue] You have {what}: read them with fugue_poll_messages."));
    story.reply(OUTSIDE, "send-orchestration -s to note");
    assert_eq!(text(&mut story), told("1 unread message from the user"));
    // An agent in a pane, in no pane, of another host, and whatever a message says itself.
    story.run_in("a", "send-orchestration -s to note '{\"from_user\": true}'");
    for caller in [Caller::Agent(KeySpace::default()), Caller::Elsewhere(KeySpace::default())] {
        story.reply(caller, "send-orchestration -s to note");
    }
    assert_eq!(text(&mut story), told("4 unread messages, 1 of them from the user"));
    let page = story.reply(inside, "poll-messages");
    let messages = page["messages"].as_array().expect("messages").iter();
    let from_user: Vec<_> = messages.map(|one| one.get("from_user").is_some()).collect();
    assert_eq!(from_user, [true, false, false, false]);
    assert_eq!(page["messages"][1]["from_session_name"], "from");
}

#[test]
fn a_session_is_notified_by_its_chosen_delivery_methods() {
    let mut story = Story::of(&TWO);
    story.run_in("a", "send-orchestration -s to note");
    let to = *story.world().sessions.keys().nth(1).expect("a session");
    let inside = story.inside("b");
    let subscription = story.reply(inside, "subscribe-orchestration");
    assert_eq!(subscription["deliver"], json!(["count", "hook"]));
    assert_eq!(story.world().unread_counted(to), 1);
    let subscription = story.reply(inside, "subscribe-orchestration --deliver hook");
    assert_eq!((&subscription["deliver"], &subscription["unread"]), (&json!(["hook"]), &json!(1)));
    assert_eq!(story.world().unread_counted(to), 0);
    story.run_in("b", "subscribe-orchestration --deliver count");
    assert_eq!(story.reply(inside, "announce-messages").get("text"), None);
    assert!(
        crate::story::refusal_of("subscribe-orchestration --deliver mail")
            .contains("not one of count, hook, push, type")
    );
}

#[test]
fn notifications_are_typed_only_if_the_user_allows_it() {
    let refused = "Session `to` does not allow notifications to be typed into its panes\n\
        hint: ask the user to run `fugue subscribe-orchestration -s to --deliver count hook type`, \
        or set `type_notices` in config.toml";
    let mut story = Story::of(&TWO);
    story.refused_to(story.inside("b"), "subscribe-orchestration --deliver type", refused);
    let refusal =
        story.answer(Caller::Agent(KeySpace::default()), "subscribe-orchestration -s to --deliver type");
    let refusal = story.sentence(&refusal.expect_err("an agent outside any pane"));
    assert!(refusal.starts_with("Agents can read only their own inbox"), "{refusal}");
    story.run("subscribe-orchestration -s to --deliver type");
    let mut story = Story::with(Settings { type_notices: true, ..Settings::default() });
    TWO.iter().for_each(|line| story.run(line));
    story.run_in("b", "subscribe-orchestration --deliver type");
}

#[test]
fn a_notification_is_typed_once_while_the_agent_is_idle() {
    let mut story = Story::of(&TWO);
    set_state(&mut story, AgentState::Working);
    story.run_in("a", "send-orchestration -s to note");
    assert_eq!(notification(&story), None, "there is no subscription");
    story.run("subscribe-orchestration -s to --deliver type");
    assert_eq!(notification(&story).as_deref(), Some(""), "the agent is working");
    set_state(&mut story, AgentState::Blocked);
    assert_eq!(notification(&story).as_deref(), Some(""), "the agent is blocked");
    set_state(&mut story, AgentState::Idle);
    assert_eq!(notification(&story).as_deref(), Some(ONE));
    let message = story.aliases.message("m1");
    let session = *story.world().sessions.keys().nth(1).expect("a session");
    story.input(Input::NotificationTyped { session, messages: vec![message] });
    story.assert_events(&["offered m1 to to"]);
    assert_eq!(notification(&story).as_deref(), Some(""), "the agent was notified");
    assert_eq!(receipt(&mut story, "!m1")["how"], "typed");
    story.run_in("a", "send-orchestration -s to note");
    assert_eq!(notification(&story).as_deref(), Some(ONE), "only the new message counts");
    story.run_in("b", "poll-messages");
    assert_eq!(notification(&story).as_deref(), Some(""), "the message was read meanwhile");
}

#[test]
fn a_pending_notification_survives_a_restart() {
    let mut story = Story::of(&TWO);
    story.run("subscribe-orchestration -s to --deliver type");
    set_state(&mut story, AgentState::Idle);
    story.run_in("a", "send-orchestration -s to note");
    let runs = ["a", "b"].map(|pane| story.run_of(pane)).to_vec();
    story.restart();
    story.input(Input::RunsHeld { runs });
    let known = story.world().panes[&story.aliases.pane("b")].agent.view.is_some();
    assert_eq!(notification(&story).is_some_and(|line| line == ONE), known);
    set_state(&mut story, AgentState::Working);
    set_state(&mut story, AgentState::Idle);
    assert_eq!(notification(&story).as_deref(), Some(ONE));
}

#[test]
fn agents_are_pushed_to_by_default_if_the_user_allows_it() {
    for (push_notices, deliver) in
        [(true, json!(["count", "hook", "push"])), (false, json!(["count", "hook"]))]
    {
        let mut story = Story::with(Settings { push_notices, ..Settings::default() });
        TWO.iter().for_each(|line| story.run(line));
        story.run_in("a", "send-orchestration -s to note");
        let inside = story.inside("b");
        let pushed = story.reply(inside, "announce-messages --way push --peek");
        assert_eq!(pushed.get("text").is_some(), push_notices);
        assert_eq!(story.reply(inside, "subscribe-orchestration")["deliver"], deliver);
        story.run_in("b", "subscribe-orchestration --deliver push");
        let pushed = story.reply(inside, "announce-messages --way push --peek");
        assert!(pushed.get("text").is_some(), "the session chose it");
    }
}

#[test]
fn a_pushed_message_counts_as_offered_once_it_is_confirmed() {
    let mut story = Story::with(Settings { push_notices: true, ..Settings::default() });
    TWO.iter().for_each(|line| story.run(line));
    story.run_in("a", "send-orchestration -s to note");
    let inside = story.inside("b");
    let peeked = story.reply(inside, "announce-messages --way push --news --peek");
    assert_eq!(peeked["messages"], json!(["!m1"]));
    assert_eq!(receipt(&mut story, "!m1").get("how"), None, "the agent may not take it");
    story.run_in("a", "send-orchestration -s to note");
    story.run_in("b", "announce-messages --way push --news --confirm !m1");
    assert_eq!(receipt(&mut story, "!m1")["how"], "pushed");
    assert_eq!(receipt(&mut story, "!m2").get("how"), None, "it came later");
}

#[test]
fn what_is_being_pushed_is_announced_by_nothing_else_until_the_push_is_lost() {
    let mut story = Story::with(Settings { push_notices: true, ..Settings::default() });
    TWO.iter().for_each(|line| story.run(line));
    story.run_in("b", "subscribe-orchestration --deliver hook push");
    story.run_in("a", "send-orchestration -s to note");
    let inside = story.inside("b");
    story.run_in("b", "announce-messages --way push --news --peek --confirm !m1");
    story.assert_events(&["pushing m1 to to"]);
    for hook in ["announce-messages --news", "announce-messages"] {
        assert_eq!(story.reply(inside, hook).get("text"), None, "{hook}");
    }
    story.run_in("b", "announce-messages --way push --news --peek --confirm !m1");
    story.assert_events(&[]);
    story.run_in("a", "send-orchestration -s to note");
    assert!(story.reply(inside, "announce-messages --news")["text"].is_string(), "the second one is news");
    assert_eq!(receipt(&mut story, "!m1").get("how"), None, "the first one is still on its way");
    let lost = story.machine.wake_at().expect("nothing else wakes the daemon");
    assert!(lost.millis() - story.now().millis() <= 61_000, "the end of the push is waited for");
    story.advance_to(lost);
    story.assert_events(&["push to to lapsed"]);
    assert!(story.reply(inside, "announce-messages --news")["text"].is_string());
    assert_eq!(receipt(&mut story, "!m1")["how"], "hook");
}

#[test]
fn a_delivery_method_that_cannot_work_for_an_agent_is_refused() {
    let mut story = Story::with(Settings { push_notices: true, type_notices: true, ..Settings::default() });
    TWO.iter().for_each(|line| story.run(line));
    let pane = story.aliases.pane("b");
    for (agent, method, refusal) in [
        ("claude", "push", None),
        ("claude", "hook", None),
        ("claude", "type", None),
        ("codex", "push", None),
        ("codex", "hook", None),
        ("codex", "type", None),
        ("gemini", "push", Some("gemini does not accept pushed messages")),
        ("gemini", "hook", None),
        ("gemini", "type", None),
        ("opencode", "push", None),
        ("opencode", "hook", Some("opencode has no hooks")),
        ("opencode", "type", None),
        ("aider", "push", Some("aider does not accept pushed messages")),
        ("aider", "hook", None),
        ("aider", "type", Some("fugue cannot recognize aider's input field, so it will not type there")),
        ("aider", "count", None),
    ] {
        let front = Front::Program(vec![agent.into()]);
        story.input(Input::AgentObserved { pane, front, evidence: Vec::new() });
        let chosen =
            story.answer(Caller::Outside, &format!("subscribe-orchestration -s to --deliver {method}"));
        assert_eq!(chosen.err().map(|refusal| refusal.to_string()).as_deref(), refusal, "{agent} {method}");
    }
}
