//! Inboxes: their messages, how they are read, and their delivery states.

use fugue_core::inbox;
use fugue_protocol::limits;
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

/// A sender in pane a, a reader in pane b.
fn two() -> Story {
    Story::of(&["create-session -s from --tag sender", "create-session -s to"])
}

fn send(story: &mut Story, count: usize) {
    for number in 0..count {
        story.run_in("a", &format!("send-orchestration -s to note '{{\"n\":{number}}}'"));
    }
}

fn poll(story: &mut Story, flags: &str) -> Value {
    story.reply(story.inside("b"), &format!("poll-messages{flags}"))
}

fn numbers(page: &Value) -> Vec<u64> {
    let messages = page["messages"].as_array().expect("messages");
    messages.iter().map(|message| message["payload"]["n"].as_u64().expect("a number")).collect()
}

fn status(story: &mut Story, message: &str) -> Value {
    story.reply(OUTSIDE, &format!("message-status {message}"))["receipts"][0].clone()
}

#[test]
fn messages_arrive_in_order_with_all_their_fields() {
    let mut story = two();
    send(&mut story, 2);
    let page = poll(&mut story, "");
    story.assert_events(&["offered m1 m2 to to"]);
    assert_eq!(
        page["messages"][0],
        json!({
            "message_id": "!m1", "from_session_id": "$from", "from_session_name": "from", "from_pane_id": "%a",
            "target": { "session": "to" }, "msg_type": "note", "payload": { "n": 0 }, "bytes": 7,
            "sent_at": page["messages"][0]["sent_at"], "expires_at": page["messages"][0]["expires_at"],
            "number": 1,
        })
    );
    assert_eq!(numbers(&page), [0, 1]);
    assert_eq!((&page["unread"], &page["more"], &page["next"]), (&json!(2), &json!(0), &json!(2)));
}

#[test]
fn a_message_is_delivered_until_it_is_acknowledged() {
    let mut story = two();
    send(&mut story, 3);
    assert_eq!(numbers(&poll(&mut story, "")), [0, 1, 2]);
    assert_eq!(numbers(&poll(&mut story, "")), [0, 1, 2]);
    story.assert_events(&[]);
    let page = poll(&mut story, " --ack !m1 !m3");
    story.assert_events(&["read m1 m3 by to"]);
    assert_eq!((numbers(&page), &page["acknowledged"], &page["unread"]), (vec![1], &json!(2), &json!(1)));
    // Acknowledging twice is not an error.
    let page = poll(&mut story, " --ack !m1 !m2");
    assert_eq!((numbers(&page), &page["acknowledged"], &page["unread"]), (vec![], &json!(1), &json!(0)));
}

#[test]
fn only_messages_in_the_inbox_can_be_acknowledged() {
    let mut story = two();
    story.run("create-session -s other");
    story.run_in("a", "send-orchestration -s other note");
    let line = format!("poll-messages --ack {}", story.aliases.message("m1"));
    let refusal = story.answer(story.inside("b"), &line).expect_err("it is not there");
    assert!(story.sentence(&refusal).starts_with("Message not found: !m1"));
}

#[test]
fn a_page_of_an_inbox_is_limited_in_messages_and_bytes() {
    let mut story = two();
    send(&mut story, 5);
    let page = poll(&mut story, " -n 2");
    assert_eq!((numbers(&page), &page["more"]), (vec![0, 1], &json!(3)));
    let page = poll(&mut story, " -n 2 --after 2");
    assert_eq!((numbers(&page), &page["more"], &page["next"]), (vec![2, 3], &json!(1), &json!(4)));
    // Seven bytes each: two fit in fifteen; a page has at least one.
    assert_eq!(numbers(&poll(&mut story, " --max-bytes 15")), [0, 1]);
    assert_eq!(numbers(&poll(&mut story, " --max-bytes 0")), [0]);
    assert_eq!(numbers(&poll(&mut story, " -n 0")), [] as [u64; 0]);
}

#[test]
fn an_inbox_is_filtered_by_type_and_sender() {
    let mut story = two();
    story.run("create-session -s else");
    story.run_in("a", "send-orchestration -s to task.assigned '{\"n\":1}'");
    story.run_in("c", "send-orchestration -s to task.done '{\"n\":2}'");
    story.run("send-orchestration -s to chat '{\"n\":3}'");
    assert_eq!(numbers(&poll(&mut story, " --type task.*")), [1, 2]);
    assert_eq!(numbers(&poll(&mut story, " --type chat task.done")), [2, 3]);
    assert_eq!(numbers(&poll(&mut story, " --from else")), [2]);
    assert_eq!(numbers(&poll(&mut story, " --from sender")), [1], "by tag");
    assert_eq!(numbers(&poll(&mut story, " --from $from")), [1], "by id");
    story.run("rename-session -s else other");
    assert_eq!(numbers(&poll(&mut story, " --from other")), [2], "by its new name");
    assert_eq!(numbers(&poll(&mut story, " --from else")), [2], "by the name it had");
}

#[test]
fn an_agent_reads_only_its_own_inbox_and_the_user_reads_any() {
    let mut story = two();
    send(&mut story, 1);
    story.refused_to(
        story.inside("a"),
        "poll-messages -s to",
        "Agents can read only their own inbox, not that of session `to`\nhint: `fugue list-messages` lists messages sent to other sessions",
    );
    assert_eq!(numbers(&story.reply(OUTSIDE, "poll-messages -s to")), [0]);
}

#[test]
fn receipts_show_the_delivery_state_and_its_evidence() {
    let mut story = two();
    send(&mut story, 2);
    assert_eq!(status(&mut story, "!m1")["state"], "queued");
    poll(&mut story, "");
    let receipt = status(&mut story, "!m1");
    assert_eq!((&receipt["state"], &receipt["how"]), (&json!("offered"), &json!("polled")));
    poll(&mut story, " --ack !m1");
    assert_eq!(status(&mut story, "!m1")["state"], "read");
    story.run_in("b", "send-orchestration --reply-to !m2 answer '{\"n\":9}'");
    story.assert_events(&["sent m3 to from"]);
    let receipt = status(&mut story, "!m2");
    assert_eq!((&receipt["state"], &receipt["reply"]), (&json!("replied"), &json!("!m3")));
    assert_eq!(poll(&mut story, "")["unread"], 0, "replying acknowledges");
    let answer = story.reply(story.inside("a"), "poll-messages");
    assert_eq!(answer["messages"][0]["reply_to"], "!m2");
}

#[test]
fn neither_a_user_outside_nor_an_unknown_message_can_be_replied_to() {
    let mut story = two();
    story.run("send-orchestration -s to note");
    let refusal = story.answer(
        story.inside("b"),
        &format!("send-orchestration --reply-to {} ok", story.aliases.message("m1")),
    );
    assert_eq!(
        story.sentence(&refusal.expect_err("there is no sender to reply to")),
        "No recipients: the sender of that message is outside any session and has no inbox\n\
         hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags"
    );
    story.refused_to(
        story.inside("b"),
        "send-orchestration --reply-to 019a0000-0000-7000-8000-000000000001 ok",
        "Message not found: 019a0000-0000-7000-8000-000000000001\n\
         hint: it may have been read and removed; `fugue list-messages` lists stored messages",
    );
    story.refused_to(
        story.inside("b"),
        "send-orchestration ok",
        "target: required unless reply_to is given\nhint: specify a tag, session or worktree, or use parent or broadcast",
    );
}

#[test]
fn an_unread_message_expires_and_can_be_resent() {
    let mut story = two();
    story.run_in("a", "send-orchestration -s to note '{\"n\":1}' --ttl-ms 1000");
    story.advance(500);
    story.assert_events(&[]);
    story.advance(500);
    story.assert_events(&["expired m1"]);
    assert_eq!(poll(&mut story, "")["unread"], 0);
    let receipt = status(&mut story, "!m1");
    assert_eq!(
        (&receipt["state"], &receipt["reason"]),
        (&json!("expired"), &json!("it expired before it was read"))
    );
    assert_eq!(story.reply(OUTSIDE, "list-messages --dead")["messages"][0]["message_id"], "!m1");
    story.run("resend-message !m1");
    story.assert_events(&["sent m2 to to"]);
    let page = poll(&mut story, "");
    assert_eq!((numbers(&page), &page["messages"][0]["from_session_name"]), (vec![1], &json!("from")));
    assert_eq!(status(&mut story, "!m1")["resent_as"], "!m2");
}

#[test]
fn messages_to_a_killed_session_are_dead_lettered_with_the_reason() {
    let mut story = two();
    send(&mut story, 2);
    poll(&mut story, " --ack !m1");
    story.run("kill-session -s to");
    let last = format!("{:?}", story.step.events.last());
    assert!(last.contains("DeadLettered"), "{last}");
    let dead = story.reply(OUTSIDE, "list-messages --dead");
    assert_eq!(dead["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        dead["messages"][0]["receipts"][0]["reason"],
        "session `to` was closed before the message was read"
    );
    // They are still found by its name; a name that never existed finds nothing.
    assert_eq!(story.reply(OUTSIDE, "list-messages --dead -s to"), dead);
    story.refused(
        "list-messages -s nobody",
        "Session not found: nobody\nhint: `fugue list-sessions` lists sessions",
    );
    story.refused(
        &format!("resend-message {}", story.aliases.message("m1")),
        &format!(
            "No recipients: the message has neither expired nor been dead-lettered; {}\n\
             hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags",
            "!m1"
        ),
    );
    story.run("create-session -s heir");
    story.run("resend-message !m2 -s heir");
    assert_eq!(numbers(&story.reply(story.inside("c"), "poll-messages")), [1]);
}

#[test]
fn a_full_inbox_refuses_the_sender() {
    let mut story = two();
    send(&mut story, limits::INBOX_MESSAGES / 2);
    let full = "The inbox of session `to` is full for this sender: 1000 unread messages, 8890 bytes\n\
        hint: try again in 5000 ms; `fugue list-messages` lists the unread messages";
    story.refused_to(story.inside("a"), "send-orchestration -s to note", full);
    poll(&mut story, " --ack !m1");
    story.run_in("a", "send-orchestration -s to note");
}

#[test]
fn sessions_that_fill_an_inbox_leave_room_for_others_and_for_users() {
    let mut story = two();
    story.run("create-session -s third");
    send(&mut story, limits::INBOX_MESSAGES / 2);
    let sends = |story: &mut Story, pane: Option<&str>| {
        let caller = pane.map_or(OUTSIDE, |pane| story.inside(pane));
        story.answer(caller, "send-orchestration -s to note").is_ok()
    };
    assert!(!sends(&mut story, Some("a")), "its share is used up");
    // Another session gets half of the rest.
    let third = (0..limits::INBOX_MESSAGES).take_while(|_| sends(&mut story, Some("c"))).count();
    assert_eq!(third, limits::INBOX_MESSAGES / 4);
    assert!(!sends(&mut story, Some("a")));
    let users = (0..limits::INBOX_MESSAGES).take_while(|_| sends(&mut story, None)).count();
    assert_eq!(users, limits::INBOX_MESSAGES / 4 + limits::INBOX_USER_MESSAGES);
    assert!(!sends(&mut story, Some("c")));
}

#[test]
fn inboxes_and_messages_are_limited_in_bytes() {
    let mut story = two();
    let payload = |bytes: usize| {
        format!(
            "send-orchestration {{\"target\":{{\"session\":\"to\"}},\"msg_type\":\"t\",\"payload\":{{\"t\":\"{}\"}}}}",
            "x".repeat(bytes - 8)
        )
    };
    let largest = limits::MESSAGE_BYTES;
    let too_large =
        "Payload too large: 262145 bytes (the limit is 262144)\nhint: write it to a file and send the path";
    story.refused_to(story.inside("a"), &payload(largest + 1), too_large);
    for _ in 0..limits::INBOX_BYTES / largest / 2 {
        story.run_in("a", &payload(largest));
    }
    let full = "The inbox of session `to` is full for this sender: 64 unread messages, 16777216 bytes\n\
        hint: try again in 5000 ms; `fugue list-messages` lists the unread messages";
    story.refused_to(story.inside("a"), &payload(9), full);
    // A backlog of 16 MiB can be read completely, page by page.
    let mut seen = 0;
    loop {
        let page = poll(&mut story, " --max-bytes 1048576 -n 200");
        let ids: Vec<_> = page["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|m| m["message_id"].as_str().expect("id").to_owned())
            .collect();
        if ids.is_empty() {
            break;
        }
        assert_eq!(ids.len(), 4, "a page holds a mebibyte");
        seen += ids.len();
        poll(&mut story, &format!(" --ack {} -n 0", ids.join(" ")));
    }
    assert_eq!(seen, 64);
}

#[test]
fn a_full_inbox_does_not_block_the_other_recipients() {
    let mut story = two();
    send(&mut story, limits::INBOX_MESSAGES / 2);
    story.run("set-tags -s to --add all");
    story.run("create-session -s reader --tag all");
    let sent = story.reply(story.inside("a"), "send-orchestration --tag all note");
    assert_eq!(sent["recipients"], json!([{ "session_id": "$reader", "session_name": "reader" }]));
    assert_eq!(
        sent["undelivered"],
        json!([{
            "session_id": "$to", "session_name": "to",
            "reason": "The inbox of session `to` is full for this sender: 1000 unread messages, 8890 bytes",
        }])
    );
}

#[test]
fn a_sender_that_broadcasts_too_often_is_told_when_to_retry() {
    let mut story = two();
    for pane in ["a", "b"] {
        let (pane, place) = (
            story.aliases.pane(pane),
            fugue_protocol::worktree::GitLocation {
                repository: "/r".into(),
                worktree: "/r".into(),
                branch: None,
                remote: None,
            },
        );
        story.input(fugue_core::Input::Located { pane, place: Some(place) });
    }
    for _ in 0..limits::BROADCASTS {
        story.run_in("a", "broadcast hello");
    }
    let refusal = story.answer(story.inside("a"), "broadcast hello").expect_err("too many");
    let sentence = story.sentence(&refusal);
    assert!(
        sentence.starts_with("Too many broadcasts: the limit is 20 per 10000 ms\nhint: try again in 99"),
        "{sentence}"
    );
    // Others can still broadcast, and so can the sender later; other messages are not limited.
    story.run_in("b", "broadcast hello");
    story.run_in("a", "send-orchestration -s to note");
    story.advance(limits::BROADCAST_WINDOW_MS);
    story.run_in("a", "broadcast hello");
}

#[test]
fn old_acknowledged_messages_are_removed_in_batches() {
    let mut story = two();
    let most = inbox::KEPT + inbox::SLACK;
    let mut forgotten = 0;
    for _ in 0..=most {
        story.run_in("a", "send-orchestration -s to note");
        let sent = story.step.events.iter().find_map(|event| match event {
            fugue_protocol::Event::MessageSent(sent) => Some(sent.message),
            _ => None,
        });
        story.run_in("b", &format!("poll-messages --ack {} -n 0", sent.expect("sent")));
        let count = |event: &fugue_protocol::Event| match event {
            fugue_protocol::Event::MessagesForgotten { messages } => messages.len(),
            _ => 0,
        };
        forgotten += story.step.events.iter().map(count).sum::<usize>();
    }
    assert_eq!((forgotten, story.world().messages.all().count()), (inbox::SLACK + 1, inbox::KEPT));
}

#[test]
fn a_subscription_filters_the_unread_count_but_not_the_inbox() {
    let mut story = two();
    story.run_in("a", "send-orchestration -s to task.assigned '{\"n\":1}'");
    story.run_in("a", "send-orchestration -s to chat '{\"n\":2}'");
    let subscription = story.reply(story.inside("b"), "subscribe-orchestration --type task.*");
    story.assert_events(&["subscribed to"]);
    assert_eq!((&subscription["unread"], &subscription["quiet"]), (&json!(1), &json!(1)));
    let to = *story.world().sessions.keys().nth(1).expect("a session");
    assert_eq!((story.world().unread_in_sight(to), story.world().messages.count(to)), (1, 2));
    assert_eq!(numbers(&poll(&mut story, "")), [1, 2]);
    assert_eq!(story.reply(story.inside("b"), "subscribe-orchestration")["unread"], 2);
}

#[test]
fn messages_survive_a_restart() {
    let mut story = two();
    send(&mut story, 3);
    poll(&mut story, " --ack !m1");
    let before = story.reply(OUTSIDE, "list-messages");
    story.restart();
    assert_eq!(story.reply(OUTSIDE, "list-messages"), before);
    send(&mut story, 1);
    assert_eq!(numbers(&poll(&mut story, "")), [1, 2, 0]);
}

#[test]
fn an_agent_outside_any_pane_reads_no_inbox_and_acknowledges_nothing() {
    use fugue_core::caller::{NoPane, Unattributed};
    use fugue_core::{Caller, KeySpace};
    let mut story = two();
    send(&mut story, 1);
    let other = Caller::Unattributed(Unattributed { why: NoPane::OtherServer, claimed: None });
    for caller in [Caller::Agent(KeySpace::default()), Caller::Elsewhere(KeySpace::default()), other] {
        for line in ["poll-messages -s to", "poll-messages -s to --ack !m1", "subscribe-orchestration -s to"]
        {
            let refusal = story.answer(caller, line).expect_err("it is not its inbox");
            let why = story.sentence(&refusal);
            assert!(
                why.starts_with("Agents can read only their own inbox, not that of session `to`"),
                "{why}"
            );
        }
        assert!(story.answer(caller, "poll-messages").is_err(), "{caller:?}");
    }
    assert_eq!(status(&mut story, "!m1")["state"], "queued");
}

#[test]
fn an_agent_sees_what_others_write_to_each_other_but_not_the_contents() {
    use fugue_core::{Caller, KeySpace};
    let mut story = two();
    story.run("create-session -s third");
    send(&mut story, 1);
    for caller in [story.inside("c"), Caller::Agent(KeySpace::default())] {
        let listed = story.reply(caller, "list-messages")["messages"][0].clone();
        assert_eq!(json!([listed["payload"], listed["payload_hidden"]]), json!([null, true]));
        assert_eq!(story.reply(caller, "message-status !m1")["payload"], json!(null));
    }
    for caller in [story.inside("a"), story.inside("b"), OUTSIDE] {
        let listed = story.reply(caller, "list-messages")["messages"][0].clone();
        assert_eq!(json!([listed["payload"], listed["payload_hidden"]]), json!([{ "n": 0 }, null]));
        assert_eq!(story.reply(caller, "message-status !m1")["payload"], json!({ "n": 0 }));
    }
}

#[test]
fn metrics_count_messages_by_their_state_and_what_inboxes_hold() {
    let mut story = two();
    send(&mut story, 3);
    poll(&mut story, " -n 1");
    let metrics = story.reply(OUTSIDE, "get-metrics");
    let counts =
        ["sessions", "panes", "inbox_messages", "largest_inbox_messages", "outbox_messages", "leases"];
    assert_eq!(counts.map(|name| metrics[name].as_u64()), [2, 2, 3, 3, 0, 0].map(Some), "{metrics}");
    assert_eq!((&metrics["receipts"]["offered"], &metrics["receipts"]["queued"]), (&json!(1), &json!(2)));
    assert_eq!(metrics["receipts"]["dead_lettered"], 0, "a state that does not occur is counted, too");
    assert_eq!(metrics["agents"]["working"], 0);
}
