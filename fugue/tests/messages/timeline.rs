//! What people see: `fugue messages`, `fugue ls`.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use crate::house;

#[test]
fn the_timeline_tells_who_sent_what_to_whom_and_what_became_of_it() {
    let house = house();
    house.session("one", &["cat"]);
    house.ok(&["set-tags", "-s", "one", "--add", "worker"]);
    house.ok(&["send-orchestration", "--tag", "worker", "task.assigned", "{\"say\":\"a\u{9b}b\"}"]);
    assert_eq!(house.ok(&["ls"]), "one: 1 window, 1 pane [worker] (1 unread)\n");
    let text = house.ok(&["messages"]);
    let mut lines = text.lines();
    let first = lines.next().expect("a line");
    assert!(first.ends_with("(outside) → tag `worker` task.assigned {\"say\":\"a\u{fffd}b\"}"), "{first}");
    assert!(lines.next().expect("a line").ends_with("· one queued"), "{text}");
    let id = house.json(&["messages"])["messages"][0]["message_id"].as_str().expect("an id").to_owned();
    assert!(house.ok(&["poll-messages", "-s", "one", "--ack", &id]).ends_with("1 acknowledged\n0 unread\n"));
    assert!(house.ok(&["messages", "--state", "read"]).contains("· one read "));
    assert_eq!(house.ok(&["messages", "--dead"]), "no messages\n");
    house.ok(&["send-orchestration", "-s", "one", "late"]);
    house.ok(&["kill-session", "-s", "one"]);
    assert!(
        house
            .ok(&["messages", "--dead"])
            .contains("dead-lettered (session `one` was closed before it read this)")
    );
}

#[test]
fn whoever_follows_sees_each_step_over_a_kill() {
    let house = house();
    house.session("one", &["cat"]);
    let mut follow = house.command(&["messages", "--follow", "--json", "--type", "note"]);
    let mut follow = follow.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    let mut states = |count: usize| -> Vec<String> {
        let lines = lines.by_ref().take(count).map(|line| line.expect("a line"));
        let reports = lines.map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
        reports.map(|report| report["receipts"][0]["state"].as_str().expect("a state").to_owned()).collect()
    };
    // It may begin before or after the first one: either way that is seen first.
    let id = house.json(&["send-orchestration", "-s", "one", "note"])["message_id"]
        .as_str()
        .expect("id")
        .to_owned();
    assert_eq!(states(1), ["queued"]);
    house.ok(&["send-orchestration", "-s", "one", "other"]);
    fugue_testkit::signal("KILL", house.daemon());
    house.ok(&["poll-messages", "-s", "one", "--type", "note"]);
    assert_eq!(states(1), ["offered"]);
    house.ok(&["poll-messages", "-s", "one", "--ack", &id, "-n", "0"]);
    assert_eq!(states(1), ["read"]);
    follow.kill().expect("ended");
    follow.wait().expect("ended");
}
