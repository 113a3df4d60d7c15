//! The timeline of messages for people: `fugue messages` and `fugue ls`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::test_server;

#[test]
fn the_timeline_shows_sender_recipients_and_delivery_state() {
    let server = test_server();
    server.session("one", &["cat"]);
    server.ok(&["set-tags", "-s", "one", "--add", "worker"]);
    server.ok(&["send-orchestration", "--tag", "worker", "task.assigned", "{\"say\":\"a\u{9b}b\"}"]);
    assert_eq!(server.ok(&["ls"]), "one: 1 window, 1 pane [worker] (1 unread)\n");
    let text = server.ok(&["messages"]);
    let mut lines = text.lines();
    let first = lines.next().expect("a line");
    assert!(first.ends_with("(user) → tag `worker` task.assigned {\"say\":\"a\\u{9b}b\"}"), "{first}");
    assert!(lines.next().expect("a line").ends_with("· one queued"), "{text}");
    let id = server.json(&["messages"])["messages"][0]["message_id"].as_str().expect("an id").to_owned();
    assert!(server.ok(&["poll-messages", "-s", "one", "--ack", &id]).ends_with("1 acknowledged\n0 unread\n"));
    assert!(server.ok(&["messages", "--state", "read"]).contains("· one read "));
    assert_eq!(server.ok(&["messages", "--dead"]), "");
    server.ok(&["send-orchestration", "-s", "one", "late"]);
    server.ok(&["kill-session", "-s", "one"]);
    assert!(
        server
            .ok(&["messages", "--dead"])
            .contains("dead-lettered (session `one` was closed before the message was read)")
    );
}

#[test]
fn a_timeline_follower_sees_each_step_across_a_daemon_kill() {
    let server = test_server();
    server.session("one", &["cat"]);
    let mut follow = server.command(&["messages", "--follow", "--json", "--type", "note"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().expect("fugue starts");
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    let mut states = |count: usize| -> Vec<String> {
        let lines = lines.by_ref().take(count).map(|line| line.expect("a line"));
        let reports = lines.map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
        reports.map(|report| report["receipts"][0]["state"].as_str().expect("a state").to_owned()).collect()
    };
    // The follower may start before or after the first message; it sees that one first in any case.
    let id = server.json(&["send-orchestration", "-s", "one", "note"])["message_id"]
        .as_str()
        .expect("id")
        .to_owned();
    assert_eq!(states(1), ["queued"]);
    server.ok(&["send-orchestration", "-s", "one", "other"]);
    fugue_testkit::signal("KILL", server.daemon_pid());
    server.ok(&["poll-messages", "-s", "one", "--type", "note"]);
    assert_eq!(states(1), ["offered"]);
    server.ok(&["poll-messages", "-s", "one", "--ack", &id, "-n", "0"]);
    assert_eq!(states(1), ["read"]);
    follow.kill().expect("killed");
    follow.wait().expect("exited");
}

#[test]
fn a_timeline_follower_does_not_start_the_daemon_again_after_a_shutdown() {
    let server = test_server();
    server.session("one", &["cat"]);
    let mut follow = server.command(&["messages", "--follow"]);
    let mut follow = follow.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fugue starts");
    // It has subscribed once a message that was sent is printed.
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    server.ok(&["send-orchestration", "-s", "one", "note"]);
    lines.next().expect("a line").expect("text");
    server.ok(&["shutdown"]);
    let ended = follow.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert_eq!(said, "fugue: The daemon was shut down; there are no more messages\n");
    fugue_testkit::until("no daemon is left", || server.process_in_lock("daemon").is_none());
}
