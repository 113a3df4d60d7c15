//! Replies, idempotency keys, and resending lost messages.

use fugue_core::{Caller, KeySpace};
use fugue_protocol::limits;
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

/// Three sessions: one in pane a, two in pane b, three in pane c.
fn three() -> Story {
    Story::of(&["create-session -s one", "create-session -s two", "create-session -s three"])
}

fn receipt(story: &mut Story, message: &str) -> Value {
    story.reply(OUTSIDE, &format!("message-status {message}"))["receipts"][0].clone()
}

#[test]
fn only_a_recipient_can_reply() {
    let mut story = three();
    let question = story.begin(story.inside("a"), "send-orchestration -s two question --wait-ms 60000");
    let theirs = "Message !m1 was not sent to session `three`\n\
        hint: reply to messages in your own inbox; omit `--reply-to` to send a new message";
    for line in ["--reply-to !m1 answer", "-s one --reply-to !m1 answer"] {
        story.refused_to(story.inside("c"), &format!("send-orchestration {line}"), theirs);
        assert!(story.step.answers.is_empty(), "the sender is still waiting");
    }
    let refusal =
        story.answer(Caller::Agent(KeySpace::default()), "send-orchestration -s one --reply-to !m1 answer");
    let sentence = story.sentence(&refusal.expect_err("it is in no pane"));
    assert!(sentence.starts_with("Message !m1 was not sent to an agent outside any session"), "{sentence}");
    story.begin(story.inside("b"), "send-orchestration --reply-to !m1 answer '{\"n\":1}'");
    let answer = story.answer_to(question).expect("an answer");
    assert!(answer.get().contains("\"outcome\":\"arrived\""), "{answer}");
}

#[test]
fn a_reply_to_another_session_than_the_sender_is_refused() {
    let mut story = three();
    let question = story.begin(story.inside("a"), "send-orchestration -s two question --wait-ms 60000");
    let elsewhere = "target: a reply goes to the sender of the message in reply_to\nhint: omit the target to reply to the sender";
    story.refused_to(story.inside("b"), "send-orchestration -s three --reply-to !m1 answer", elsewhere);
    assert_eq!(receipt(&mut story, "!m1")["state"], json!("queued"));
    story.begin(story.inside("b"), "send-orchestration -s one --reply-to !m1 answer");
    assert!(story.answer_to(question).is_ok());
}

#[test]
fn the_user_can_reply_for_any_session() {
    let mut story = three();
    let question = story.begin(story.inside("a"), "send-orchestration -s two question --wait-ms 60000");
    story.begin(OUTSIDE, "send-orchestration --reply-to !m1 answer '{\"n\":1}'");
    assert!(story.answer_to(question).is_ok());
}

#[test]
fn an_expired_message_stays_expired_after_a_reply() {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two question --ttl-ms 1000");
    story.run_in("b", "poll-messages");
    story.advance(1000);
    story.run_in("b", "send-orchestration --reply-to !m1 answer");
    let receipt = receipt(&mut story, "!m1");
    assert_eq!((&receipt["state"], &receipt["reply"]), (&json!("expired"), &json!("!m2")));
}

#[test]
fn a_late_acknowledgment_reports_the_expired_messages() {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two note --ttl-ms 1000");
    story.run_in("a", "send-orchestration -s two note");
    story.run_in("b", "poll-messages");
    story.advance(1000);
    let page = story.reply(story.inside("b"), "poll-messages --ack !m1 !m2 -n 0");
    assert_eq!(page["acknowledged"], 1);
    assert_eq!(page["too_late"], json!([{ "message_id": "!m1", "state": "expired" }]));
    assert_eq!(receipt(&mut story, "!m1")["state"], "expired");
}

#[test]
fn a_poll_with_limit_zero_cannot_wait() {
    let mut story = three();
    let refused = "wait_ms: cannot be combined with a limit of 0\nhint: omit `--wait-ms` or `--limit`";
    story.refused_to(story.inside("b"), "poll-messages -n 0 --wait-ms 1000", refused);
}

#[test]
fn an_idempotency_key_belongs_to_the_agent_outside_any_pane_that_chose_it() {
    let mut story = three();
    let (first, second) = (Caller::Agent(KeySpace::of("first")), Caller::Agent(KeySpace::of("second")));
    let line = "send-orchestration -s two note '{\"n\":1}' --idempotency-key k";
    let sent = story.reply(first, line);
    assert_eq!(story.reply(first, line)["message_id"], sent["message_id"], "the same call again");
    let other = story.reply(second, line);
    assert_ne!(other["message_id"], sent["message_id"], "the key of another agent");
    story.restart();
    for (caller, message) in [(first, &sent), (second, &other)] {
        let again = story.reply(caller, line);
        assert_eq!((&again["message_id"], &again["duplicate"]), (&message["message_id"], &json!(true)));
    }
}

#[test]
fn reusing_an_idempotency_key_for_a_different_message_is_refused() {
    let mut story = three();
    let line = "send-orchestration -s two note '{\"n\":1,\"m\":2}' --idempotency-key k";
    story.run_in("a", line);
    for (other, differs) in [
        ("-s two task '{\"n\":1,\"m\":2}'", "type"),
        ("-s three note '{\"n\":1,\"m\":2}'", "target"),
        ("-s two note '{\"n\":2,\"m\":2}'", "payload"),
        ("-s two note '{\"n\":1}'", "payload"),
    ] {
        let refused = format!(
            "Idempotency key `k` was already used for message !m1, which has a different {differs}\n\
             hint: send the same message, or choose another key"
        );
        let line = format!("send-orchestration {other} --idempotency-key k");
        story.refused_to(story.inside("a"), &line, &refused);
    }
    // The order of the keys of an object does not matter.
    let same = "send-orchestration -s two note '{\"m\":2,\"n\":1}' --idempotency-key k";
    assert_eq!(story.reply(story.inside("a"), same)["duplicate"], true);
}

#[test]
fn a_replys_idempotency_key_survives_a_rename_of_the_sender() {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two question");
    story.run_in("a", "send-orchestration -s two question");
    let line = "send-orchestration --reply-to !m1 answer --idempotency-key k";
    story.run_in("b", line);
    story.run("rename-session -s one first");
    assert_eq!(story.reply(story.inside("b"), line)["duplicate"], true);
    let other = "send-orchestration --reply-to !m2 answer --idempotency-key k";
    let refusal = story.answer(story.inside("b"), other).expect_err("it replies to another message");
    assert!(story.sentence(&refusal).contains("a different reply_to"));
}

#[test]
fn a_duplicate_reports_the_same_undelivered_recipients() {
    let mut story = three();
    for session in ["two", "three"] {
        story.run(&format!("set-tags -s {session} --add all"));
    }
    for _ in 0..limits::INBOX_MESSAGES / 2 {
        story.run_in("a", "send-orchestration -s two note");
    }
    let line = "send-orchestration --tag all note --idempotency-key k";
    let first = story.reply(story.inside("a"), line);
    assert_eq!(first["undelivered"][0]["session_name"], "two");
    story.restart();
    let again = story.reply(story.inside("a"), line);
    assert_eq!((&again["undelivered"], &again["duplicate"]), (&first["undelivered"], &json!(true)));
}

#[test]
fn reports_broadcasts_and_help_requests_accept_idempotency_keys() {
    let mut story = three();
    story.run("set-tags -s two --add orchestrator");
    for pane in ["a", "b"] {
        let (repository, worktree) = ("/r".to_owned(), "/r".to_owned());
        let place =
            fugue_protocol::worktree::GitLocation { repository, worktree, branch: None, remote: None };
        story.input(fugue_core::Input::Located { pane: story.aliases.pane(pane), place: Some(place) });
    }
    for line in ["request-help 'what now'", "broadcast hello", "report-status working"] {
        let key = line.split(' ').next().expect("a verb");
        let line = format!("{line} --idempotency-key {key}");
        let first = story.reply(story.inside("a"), &line);
        let again = story.reply(story.inside("a"), &line);
        story.assert_events(&[]);
        assert_eq!((&again["message_id"], &again["duplicate"]), (&first["message_id"], &json!(true)));
    }
    // A repeated report does not override a newer one.
    story.run_in("a", "report-status complete");
    story.run_in("a", "report-status working --idempotency-key report-status");
    story.assert_events(&[]);
}

#[test]
fn a_message_with_a_ttl_of_zero_is_refused() {
    let mut story = three();
    let refused = "ttl_ms: must be at least 1\nhint: omit `--ttl-ms` to use the default";
    story.refused("send-orchestration -s two note --ttl-ms 0", refused);
    story.run("send-orchestration -s two note --ttl-ms 1");
}

/// A lost message from session `one` to session `two`.
fn lost() -> Story {
    let mut story = three();
    story.run_in("a", "send-orchestration -s two note '{\"n\":1}' --ttl-ms 1000");
    story.advance(1000);
    story
}

#[test]
fn a_resent_message_names_its_original_and_who_resent_it() {
    for (caller, by) in [(None, "(outside)"), (Some("a"), "one"), (Some("b"), "two")] {
        let mut story = lost();
        let caller = caller.map_or(OUTSIDE, |pane| story.inside(pane));
        story.reply(caller, "resend-message !m1");
        let again = &story.reply(story.inside("b"), "poll-messages")["messages"][0];
        assert_eq!((&again["resends"], &again["resent_by"]), (&json!("!m1"), &json!(by)));
        assert_eq!(again["from_session_name"], "one");
    }
}

#[test]
fn a_lost_message_can_be_resent_once_by_its_sender_recipient_or_the_user() {
    let mut story = lost();
    let theirs = "Message !m1 was neither sent nor received by session `three`\n\
        hint: only its sender, its recipients and the user can resend it";
    story.refused_to(story.inside("c"), "resend-message !m1", theirs);
    let refusal =
        story.answer(Caller::Agent(KeySpace::default()), "resend-message !m1").expect_err("it is in no pane");
    assert!(
        story
            .sentence(&refusal)
            .contains("cannot be resent by an agent outside any pane, even if the agent sent it")
    );
    story.run_in("a", "resend-message !m1");
    let again = "Message !m1 was already resent as !m2\n\
        hint: `fugue message-status !m2` shows its delivery status; resend the message if it was not delivered";
    story.refused("resend-message !m1", again);
    story.refused("resend-message !m1 -s three", again);
}

#[test]
fn a_resend_reaches_the_recipients_not_yet_resent_to() {
    let mut story = three();
    story.run("set-tags -s two --add all");
    story.run("set-tags -s three --add all");
    story.run_in("a", "send-orchestration --tag all note --ttl-ms 1000");
    story.advance(1000);
    story.run("resend-message !m1 -s two");
    story.assert_events(&["sent m2 to two"]);
    story.run("resend-message !m1");
    story.assert_events(&["sent m3 to three"]);
    assert!(story.answer(OUTSIDE, "resend-message !m1").is_err());
}

/// A message that one sends to two and three, waiting for the answers of so many of them.
fn asked(wait_for: &str) -> (Story, fugue_core::Ticket) {
    let mut story = three();
    story.run("set-tags -s two --add worker");
    story.run("set-tags -s three --add worker");
    let line = format!("send-orchestration --tag worker task --wait-ms 60000 --wait-for {wait_for}");
    let question = story.begin(story.inside("a"), &line);
    (story, question)
}

fn answer_from(story: &mut Story, pane: &str) {
    story.begin(
        story.inside(pane),
        &format!("send-orchestration --reply-to !m1 answer '{{\"by\":\"{pane}\"}}'"),
    );
}

fn reply(story: &mut Story, question: fugue_core::Ticket) -> Value {
    serde_json::from_str(story.answer_to(question).expect("a reply").get()).expect("JSON")
}

#[test]
fn the_answers_of_all_recipients_are_gathered() {
    for wait_for in ["all", "2", "9"] {
        let (mut story, question) = asked(wait_for);
        answer_from(&mut story, "b");
        answer_from(&mut story, "b");
        assert!(story.step.answers.iter().all(|(ticket, _)| *ticket != question), "one has not answered");
        answer_from(&mut story, "c");
        let gathered = reply(&mut story, question);
        let by = |answer: &Value| answer["payload"]["by"].clone();
        let answers: Vec<_> = gathered["answers"].as_array().unwrap().iter().map(by).collect();
        assert_eq!(
            (gathered["outcome"].as_str(), answers),
            (Some("arrived"), vec![json!("b"), json!("b"), json!("c")])
        );
        assert_eq!((gathered.get("unanswered"), gathered.get("answer")), (None, None));
    }
}

#[test]
fn at_the_timeout_the_answers_so_far_and_who_has_not_answered_are_returned() {
    let (mut story, question) = asked("all");
    answer_from(&mut story, "c");
    story.advance(60_000);
    let gathered = reply(&mut story, question);
    assert_eq!(gathered["outcome"], "timeout");
    assert_eq!(gathered["answers"][0]["payload"]["by"], "c");
    assert_eq!(gathered["unanswered"][0]["session_name"], "two");
}

#[test]
fn a_wait_ends_when_too_few_recipients_are_left_to_answer() {
    let (mut story, question) = asked("all");
    answer_from(&mut story, "c");
    story.run("kill-session -s two");
    let gathered = reply(&mut story, question);
    assert_eq!(gathered["outcome"], "closed");
    assert_eq!(gathered["answers"][0]["payload"]["by"], "c");
    assert_eq!(gathered["unanswered"][0]["session_name"], "two");
    let (mut story, question) = asked("1");
    story.run("kill-session -s two");
    assert!(story.step.answers.iter().all(|(ticket, _)| *ticket != question), "the other may answer");
    story.run("kill-session -s three");
    assert_eq!(reply(&mut story, question)["outcome"], "closed");
}

#[test]
fn one_answer_is_enough_by_default() {
    let (mut story, question) = asked("any");
    answer_from(&mut story, "c");
    let answered = reply(&mut story, question);
    assert_eq!((&answered["answer"]["payload"]["by"], answered.get("answers")), (&json!("c"), None));
}
