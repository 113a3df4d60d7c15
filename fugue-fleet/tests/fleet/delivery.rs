//! Messages, answers and receipts between two hosts.

use fugue_testkit::{PATIENCE, TestServer, until_within};
use serde_json::json;

use crate::hosts::{Host, two};
use crate::nats::Nats;

#[test]
fn a_message_to_another_host_arrives_once_and_its_receipts_come_back() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let message = a.send("b/work", r#"{"say":"hello"}"#);
    a.await_state(&message, "relayed");
    let page = b.poll("work");
    let got = page["messages"].as_array().expect("messages");
    assert_eq!(got.len(), 1, "{page}");
    assert_eq!(got[0]["message_id"], json!(message));
    assert_eq!(got[0]["from_session_name"], "a/(outside)");
    assert_eq!(got[0]["payload"], json!({ "say": "hello" }));
    a.await_state(&message, "offered");
    b.server.ok(&["poll-messages", "-s", "work", "-n", "0", "--ack", &message]);
    a.await_state(&message, "read");
}

#[test]
fn a_session_waits_for_the_answer_of_a_session_on_another_host() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let pane = a.server.session("lead", &["cat"]);
    let worker = b.server.session("worker", &["cat"]);
    let ask = ["send-orchestration", "-s", "b/worker", "help.request", "{}", "--wait-ms", "60000", "--json"];
    let asked =
        a.server.command_for(&pane, &ask).stdout(std::process::Stdio::piped()).spawn().expect("a question");
    let question = b.poll("worker")["messages"][0].clone();
    assert_eq!(question["from_session_name"], "a/lead");
    let id = question["message_id"].as_str().expect("an id").to_owned();
    let reply = ["send-orchestration", "--reply-to", &id, "help.answer", r#"{"say":"42"}"#];
    let replied = b.server.command_for(&worker, &reply).output().expect("an answer");
    assert!(replied.status.success(), "{}", String::from_utf8_lossy(&replied.stderr));
    let sent: serde_json::Value =
        serde_json::from_slice(&asked.wait_with_output().expect("its end").stdout).expect("JSON");
    assert_eq!(sent["outcome"], "arrived", "{sent}");
    assert_eq!(sent["answer"]["from_session_name"], "b/worker");
    assert_eq!(sent["answer"]["payload"], json!({ "say": "42" }));
    a.await_state(&id, "replied");
}

#[test]
fn a_message_to_a_session_that_is_not_there_is_dead_lettered_with_the_reason() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = two(&nats);
    let message = a.send("b/nobody", "{}");
    a.await_state(&message, "dead_lettered");
    let receipt = a.server.json(&["message-status", &message])["receipts"][0].clone();
    assert_eq!(receipt["reason"], "Session not found: nobody");
    // Once the session is there, the message can be resent.
    b.server.session("nobody", &["cat"]);
    let again = a.server.json(&["resend-message", &message])["message_id"].clone();
    assert_eq!(b.poll("nobody")["messages"][0]["message_id"], again);
}

#[test]
fn the_own_host_in_a_target_means_a_session_of_this_host() {
    let nats = Nats::start(1, &["a"]);
    let a = Host::new("a", &nats, "");
    let message = a.send("a/work", "{}");
    assert_eq!(a.state(&message), "queued");
    assert_eq!(a.poll("work")["messages"][0]["message_id"], json!(message));
}

#[test]
fn without_nats_the_outbox_fills_to_its_bound_and_local_messages_go_on() {
    // Nothing listens there.
    let a = Host::with_servers("a", &["nats://127.0.0.1:1".into()], "outbox_messages = 3");
    a.start_relay();
    for number in 0..3 {
        let message = a.send("b/work", &format!("{{\"number\":{number}}}"));
        assert_eq!(a.state(&message), "queued");
    }
    let refusal = a.server.refused(&["send-orchestration", "--session", "b/work", "note", "{}"]);
    assert_eq!(
        refusal,
        "The outbox for other hosts is full: 3 messages, 36 bytes\n\
         hint: try again in 5000 ms; `fugue fleet status` shows why messages are not relayed"
    );
    assert_eq!(a.status()["outbox"]["messages"], 3);
    assert_eq!(a.status()["relay"]["connected"], false);
    let local = a.send("work", "{}");
    assert_eq!(a.poll("work")["messages"][0]["message_id"], json!(local));
}

#[test]
fn a_daemon_outside_a_fleet_has_no_sessions_on_other_hosts() {
    let a = Host::with_servers("a", &[], "");
    let config = a.server.path().join("config/fugue/config.toml");
    std::fs::remove_file(config).expect("the configuration");
    let refused = |words: &[&str]| until_refused(&a.server, words, "Session not found: b/work");
    refused(&["send-orchestration", "--session", "b/work", "note", "{}"]);
}

/// Repeats a command until it is refused so: a changed configuration takes a moment.
fn until_refused(server: &TestServer, words: &[&str], refusal: &str) {
    until_within(PATIENCE, || server.run(words).err.contains(refusal), || format!("{:?}", server.run(words)));
}

#[test]
fn status_lists_the_hosts_that_are_there() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, _b) = two(&nats);
    let hosts = || -> Vec<String> {
        let status = a.status();
        let hosts = status["hosts"].as_array().cloned().unwrap_or_default();
        hosts
            .iter()
            .map(|host| format!("{} {}", host["host"], host["entry"]["sessions"][0]["name"]))
            .collect()
    };
    let are_listed = || hosts() == [r#""a" "work""#, r#""b" "work""#];
    until_within(PATIENCE, are_listed, || a.status().to_string());
    assert_eq!(a.status()["relay"]["connected"], true);
}
