//! Waits for messages and leases, and deadlocks.

use fugue_core::Input;
use fugue_protocol::Timestamp;
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

fn three() -> Story {
    Story::of(&["create-session -s one", "create-session -s two", "create-session -s three"])
}

/// Begins a wait, which must not be answered yet.
#[track_caller]
fn begin(story: &mut Story, pane: &str, line: &str) -> u64 {
    let ticket = story.begin(story.inside(pane), line);
    assert!(story.step.answers.is_empty(), "`{line}` is answered: {:?}", story.step.answers);
    ticket
}

#[track_caller]
fn answer(story: &mut Story, ticket: u64) -> Value {
    let reply = story.answer_to(ticket).expect("a reply");
    serde_json::from_str(&story.aliases.with_names(reply.get())).expect("JSON")
}

#[test]
fn a_poll_that_waits_is_answered_when_a_message_arrives() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000");
    story.run_in("a", "send-orchestration -s three note");
    assert!(story.step.answers.is_empty(), "it is for another session");
    story.run_in("a", "send-orchestration -s two note '{\"n\":1}'");
    story.assert_events(&["sent m2 to two", "offered m2 to two"]);
    let page = answer(&mut story, waits);
    assert_eq!((&page["outcome"], &page["messages"][0]["payload"]), (&json!("arrived"), &json!({ "n": 1 })));
}

#[test]
fn a_poll_does_not_wait_if_messages_are_present() {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two note");
    let page = story.reply(story.inside("b"), "poll-messages --wait-ms 1000");
    assert_eq!(page["outcome"], "arrived");
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000 --after 1");
    story.run_in("a", "send-orchestration -s two note");
    assert_eq!(answer(&mut story, waits)["messages"][0]["number"], 2);
}

#[test]
fn what_is_handled_in_the_middle_of_a_batch_ends_no_wait() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000");
    let late = Timestamp::from_millis(story.now().millis() + 2_000);
    let step = story.machine.handle_alone(late, Input::ClientLeft { client: 7 });
    assert!(step.answers.is_empty() && step.effects.is_empty(), "nobody would carry that out");
    assert!(story.machine.wake_at().is_some_and(|due| due < late), "it is due");
    story.advance(2_000);
    assert_eq!(answer(&mut story, waits)["outcome"], "timeout");
}

#[test]
fn a_poll_that_times_out_reports_a_timeout() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000 --type task.*");
    story.run_in("a", "send-orchestration -s two note");
    story.advance(999);
    assert!(story.step.answers.iter().any(|(ticket, _)| *ticket == waits));
    let page = answer(&mut story, waits);
    assert_eq!(
        (&page["outcome"], &page["messages"], &page["unread"]),
        (&json!("timeout"), &json!([]), &json!(1))
    );
}

#[test]
fn a_question_that_waits_gets_the_reply_to_it() {
    let mut story = three();
    let asks = begin(&mut story, "a", "send-orchestration -s two question '{\"q\":1}' --wait-ms 1000");
    story.run_in("c", "send-orchestration -s one note");
    assert!(
        story.step.answers.iter().all(|(ticket, _)| *ticket != asks),
        "it is not a reply to the question"
    );
    story.run_in("b", "send-orchestration --reply-to !m1 answer '{\"a\":2}'");
    story.assert_events(&["sent m3 to one", "offered m3 to one", "read m3 by one"]);
    let reply = answer(&mut story, asks);
    assert_eq!(reply["outcome"], "arrived");
    assert_eq!(
        (&reply["answer"]["payload"], &reply["answer"]["reply_to"]),
        (&json!({ "a": 2 }), &json!("!m1"))
    );
    assert_eq!(story.reply(story.inside("a"), "poll-messages --type answer")["messages"], json!([]));
    // Repeated with the same key after the reply has arrived, the question is answered at once.
    story.run_in("a", "send-orchestration -s two question --idempotency-key k");
    story.run_in("b", "send-orchestration --reply-to !m4 answer '{\"a\":3}'");
    let again = "send-orchestration -s two question --idempotency-key k --wait-ms 1000";
    for attempt in ["first", "after a lost reply"] {
        let reply = story.reply(story.inside("a"), again);
        assert_eq!(reply["answer"]["payload"], json!({ "a": 3 }), "{attempt}");
        let unread = story.reply(story.inside("a"), "poll-messages --type answer");
        assert_eq!(unread["messages"], json!([]), "{attempt}");
    }
    let asks = begin(&mut story, "a", "send-orchestration -s two question --wait-ms 10");
    story.advance(10);
    assert_eq!(answer(&mut story, asks)["outcome"], "timeout");
    story.refused(
        "send-orchestration -s two question --wait-ms 10",
        "wait_ms: callers outside any session have no inbox for replies\nhint: omit `--wait-ms` to send without waiting; `fugue message-status` shows the message's delivery status",
    );
}

#[test]
fn sessions_that_wait_for_each_other_are_told_of_the_deadlock_at_once() {
    let mut story = three();
    let one = begin(&mut story, "a", "send-orchestration -s two question --wait-ms 60000");
    let two = begin(&mut story, "b", "poll-messages --wait-ms 60000 --from three --after 1");
    let graph = story.reply(OUTSIDE, "show-waits");
    assert_eq!(graph["waits"][0]["session_name"], "one");
    assert_eq!(graph["waits"][0]["on"], json!(["two"]));
    let three = story.begin(story.inside("c"), "send-orchestration -s one question --wait-ms 60000");
    story.assert_events(&["sent m2 to one", "deadlock of one two three"]);
    for ticket in [one, two, three] {
        let outcome = answer(&mut story, ticket);
        assert_eq!(
            (&outcome["outcome"], &outcome["circle"]),
            (&json!("circle"), &json!(["one", "two", "three"]))
        );
    }
    assert_eq!(story.reply(OUTSIDE, "show-waits")["waits"], json!([]));
}

#[test]
fn waiting_for_a_lease_can_be_part_of_a_deadlock() {
    let mut story = three();
    story.run_in("a", "claim x");
    let waits = begin(&mut story, "b", "claim x --wait-ms 60000");
    let also = begin(&mut story, "c", "claim x --wait-ms 60000");
    story.run_in("a", "release x");
    story.assert_events(&["lease ended x 1 Released", "claimed x 2"]);
    assert_eq!(answer(&mut story, waits)["held"], true);
    // Now c waits for b; b must not wait for c.
    let stuck = story.begin(story.inside("b"), "send-orchestration -s three question --wait-ms 60000");
    for ticket in [also, stuck] {
        let outcome = answer(&mut story, ticket);
        assert_eq!((&outcome["outcome"], &outcome["circle"]), (&json!("circle"), &json!(["two", "three"])));
    }
}

#[test]
fn a_wait_ends_when_its_caller_disconnects_or_its_session_is_killed() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000");
    story.input(Input::CallerGone { ticket: waits });
    story.run_in("a", "send-orchestration -s two note");
    assert!(story.step.answers.is_empty());
    let waits = begin(&mut story, "c", "poll-messages --wait-ms 1000");
    story.run("kill-session -s three");
    assert_eq!(answer(&mut story, waits)["outcome"], "timeout");
}

#[test]
fn the_wait_command_can_wait_for_messages() {
    let mut story = three();
    let waits = begin(&mut story, "b", "wait --until message --timeout-ms 1000");
    story.run_in("a", "send-orchestration -s three note");
    assert!(story.step.answers.is_empty(), "it is for another session");
    story.run_in("a", "send-orchestration -s two note");
    let waited = answer(&mut story, waits);
    assert_eq!((&waited["outcome"], &waited["pane_id"]), (&json!("message"), &json!("%b")));
    let waited = story.reply(story.inside("b"), "wait --until message");
    assert_eq!((&waited["outcome"], &waited["already"]), (&json!("message"), &json!(true)));
    let waits = begin(&mut story, "a", "wait --until message --timeout-ms 1000");
    story.advance(1000);
    assert_eq!(answer(&mut story, waits)["outcome"], "timeout");
    story.refused_to(
        story.inside("a"),
        "wait --until message --panes %a %b",
        "panes: specify at most one pane when waiting for messages\n\
         hint: omit `--panes` to wait for one session's messages",
    );
}
