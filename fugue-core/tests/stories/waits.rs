//! Waits for messages and leases, and deadlocks.

use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

fn three() -> Story {
    Story::of(&["create-session -s one", "create-session -s two", "create-session -s three"])
}

/// Begins to wait; nothing is answered yet.
#[track_caller]
fn begin(story: &mut Story, pane: &str, line: &str) -> u64 {
    let ticket = story.begin(story.inside(pane), line);
    assert!(story.step.answers.is_empty(), "`{line}` is answered: {:?}", story.step.answers);
    ticket
}

#[track_caller]
fn answer(story: &mut Story, ticket: u64) -> Value {
    let reply = story.answer_to(ticket).expect("a reply");
    serde_json::from_str(&story.aliases.named(reply.get())).expect("JSON")
}

#[test]
fn whoever_waits_is_answered_when_the_message_comes() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000");
    story.run_in("a", "send-orchestration -s three note");
    assert!(story.step.answers.is_empty(), "that is for somebody else");
    story.run_in("a", "send-orchestration -s two note '{\"n\":1}'");
    story.happened(&["sent m2 to two", "offered m2 to two"]);
    let page = answer(&mut story, waits);
    assert_eq!((&page["outcome"], &page["messages"][0]["payload"]), (&json!("arrived"), &json!({ "n": 1 })));
}

#[test]
fn what_lies_there_already_is_not_waited_for() {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two note");
    let page = story.reply(story.inside("b"), "poll-messages --wait-ms 1000");
    assert_eq!(page["outcome"], "arrived");
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000 --after 1");
    story.run_in("a", "send-orchestration -s two note");
    assert_eq!(answer(&mut story, waits)["messages"][0]["number"], 2);
}

#[test]
fn running_out_of_time_is_an_outcome() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000 --type task.*");
    story.run_in("a", "send-orchestration -s two note");
    story.pass(999);
    assert!(story.step.answers.iter().any(|(ticket, _)| *ticket == waits));
    let page = answer(&mut story, waits);
    assert_eq!(
        (&page["outcome"], &page["messages"], &page["unread"]),
        (&json!("timeout"), &json!([]), &json!(1))
    );
}

#[test]
fn a_question_is_answered_with_its_answer() {
    let mut story = three();
    let asks = begin(&mut story, "a", "send-orchestration -s two question '{\"q\":1}' --wait-ms 1000");
    story.run_in("c", "send-orchestration -s one note");
    assert!(story.step.answers.iter().all(|(ticket, _)| *ticket != asks), "that is no answer");
    story.run_in("b", "send-orchestration --reply-to !m1 answer '{\"a\":2}'");
    story.happened(&["sent m3 to one", "offered m3 to one"]);
    let reply = answer(&mut story, asks);
    assert_eq!(reply["outcome"], "arrived");
    assert_eq!(
        (&reply["answer"]["payload"], &reply["answer"]["reply_to"]),
        (&json!({ "a": 2 }), &json!("!m1"))
    );
    // Asked again with its key after the answer came, it has its answer at once.
    story.run_in("a", "send-orchestration -s two question --idempotency-key k");
    story.run_in("b", "send-orchestration --reply-to !m4 answer '{\"a\":3}'");
    let again = "send-orchestration -s two question --idempotency-key k --wait-ms 1000";
    assert_eq!(story.reply(story.inside("a"), again)["answer"]["payload"], json!({ "a": 3 }));
    let asks = begin(&mut story, "a", "send-orchestration -s two question --wait-ms 10");
    story.pass(10);
    assert_eq!(answer(&mut story, asks)["outcome"], "timeout");
    story.refused(
        "send-orchestration -s two question --wait-ms 10",
        "wait_ms: callers outside any session have no inbox for a reply\nhint: omit `--wait-ms` to send without waiting; `fugue message-status` shows the message's delivery status",
    );
}

#[test]
fn those_who_wait_for_each_other_are_told_at_once() {
    let mut story = three();
    let one = begin(&mut story, "a", "send-orchestration -s two question --wait-ms 60000");
    let two = begin(&mut story, "b", "poll-messages --wait-ms 60000 --from three --after 1");
    let graph = story.reply(OUTSIDE, "show-waits");
    assert_eq!(graph["waits"][0]["session_name"], "one");
    assert_eq!(graph["waits"][0]["on"], json!(["two"]));
    let three = story.begin(story.inside("c"), "send-orchestration -s one question --wait-ms 60000");
    story.happened(&["sent m2 to one", "circle of one two three"]);
    for ticket in [one, two, three] {
        let told = answer(&mut story, ticket);
        assert_eq!((&told["outcome"], &told["circle"]), (&json!("circle"), &json!(["one", "two", "three"])));
    }
    assert_eq!(story.reply(OUTSIDE, "show-waits")["waits"], json!([]));
}

#[test]
fn a_lease_can_be_waited_for_and_so_can_a_circle_be_closed() {
    let mut story = three();
    story.run_in("a", "claim x");
    let waits = begin(&mut story, "b", "claim x --wait-ms 60000");
    let also = begin(&mut story, "c", "claim x --wait-ms 60000");
    story.run_in("a", "release x");
    story.happened(&["lease ended x 1 Released", "claimed x 2"]);
    assert_eq!(answer(&mut story, waits)["held"], true);
    // Now c waits for b; b must not wait for c.
    let stuck = story.begin(story.inside("b"), "send-orchestration -s three question --wait-ms 60000");
    for ticket in [also, stuck] {
        let told = answer(&mut story, ticket);
        assert_eq!((&told["outcome"], &told["circle"]), (&json!("circle"), &json!(["two", "three"])));
    }
}

#[test]
fn whoever_gave_up_is_forgotten_and_a_closed_session_waits_no_longer() {
    let mut story = three();
    let waits = begin(&mut story, "b", "poll-messages --wait-ms 1000");
    story.tell(fugue_core::Input::CallerGone { ticket: waits });
    story.run_in("a", "send-orchestration -s two note");
    assert!(story.step.answers.is_empty());
    let waits = begin(&mut story, "c", "poll-messages --wait-ms 1000");
    story.run("kill-session -s three");
    assert_eq!(answer(&mut story, waits)["outcome"], "timeout");
}

#[test]
fn wait_waits_for_messages_too() {
    let mut story = three();
    let waits = begin(&mut story, "b", "wait --until message --timeout-ms 1000");
    story.run_in("a", "send-orchestration -s three note");
    assert!(story.step.answers.is_empty(), "that is for somebody else");
    story.run_in("a", "send-orchestration -s two note");
    let waited = answer(&mut story, waits);
    assert_eq!((&waited["outcome"], &waited["pane_id"]), (&json!("message"), &json!("%b")));
    let waited = story.reply(story.inside("b"), "wait --until message");
    assert_eq!((&waited["outcome"], &waited["already"]), (&json!("message"), &json!(true)));
    let waits = begin(&mut story, "a", "wait --until message --timeout-ms 1000");
    story.pass(1000);
    assert_eq!(answer(&mut story, waits)["outcome"], "timeout");
    story.refused_to(
        story.inside("a"),
        "wait --until message --panes %a %b",
        "panes: a wait for messages takes at most one pane\nhint: omit `--panes` to wait for one session's messages",
    );
}
