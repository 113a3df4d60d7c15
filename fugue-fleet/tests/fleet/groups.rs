//! Messages for a tag or a repository on all hosts.

use std::process::Command;

use fugue_testkit::{PATIENCE, until_within};
use serde_json::{Value, json};

use crate::hosts::{Host, await_presence};
use crate::nats::Nats;

/// Three hosts that see each other.
fn three(nats: &Nats) -> [Host; 3] {
    let hosts = ["a", "b", "c"].map(|name| Host::new(name, nats, ""));
    hosts[0].set_up(nats, 1);
    hosts.iter().for_each(Host::start_relay);
    await_presence(&hosts[0], hosts.len());
    hosts
}

fn inbox(host: &Host, session: &str) -> Vec<Value> {
    host.poll(session)["messages"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_message_to_a_tag_on_all_hosts_reaches_every_session_that_has_it() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let [a, b, c] = three(&nats);
    for (host, session) in [(&a, "local"), (&b, "one"), (&b, "two")] {
        host.server.session(session, &["cat"]);
        host.server.ok(&["set-tags", "-s", session, "--add", "worker"]);
    }
    let send = ["send-orchestration", "--tag", "worker", "--all-hosts", "note", r#"{"say":"stop"}"#];
    let sent = a.server.json(&send);
    let message = sent["message_id"].as_str().expect("an id").to_owned();
    for (host, session) in [(&a, "local"), (&b, "one"), (&b, "two")] {
        let got = inbox(host, session);
        assert_eq!(got.len(), 1, "{session}: {got:?}");
        assert_eq!(got[0]["message_id"], json!(message), "{session}");
        assert_eq!(got[0]["target"], json!({ "tag": "worker", "hosts": "all" }));
    }
    // Host `c` has no worker, and so no receipt.
    a.await_receipts(&message, &["b/one offered", "b/two offered", "local offered"]);
    b.server.ok(&["poll-messages", "-s", "two", "-n", "0", "--ack", &message]);
    a.await_receipts(&message, &["b/one offered", "b/two read", "local offered"]);
    assert_eq!(c.server.json(&["list-messages"])["messages"], json!([]));
}

#[test]
fn the_sender_waits_for_the_answers_of_a_group_on_other_hosts() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let [a, b, c] = three(&nats);
    let lead = a.server.session("lead", &["cat"]);
    let workers = [&b, &c].map(|host| {
        let pane = host.server.session("worker", &["cat"]);
        host.server.ok(&["set-tags", "-s", "worker", "--add", "worker"]);
        (host, pane)
    });
    let ask = ["send-orchestration", "--tag", "worker", "--all-hosts", "help.request", "{}"];
    let wait = ["--wait-ms", "60000", "--wait-for", "all", "--json"];
    let words: Vec<_> = ask.into_iter().chain(wait).collect();
    let asked = a.server.command_for(&lead, &words).stdout(std::process::Stdio::piped()).spawn();
    for (host, pane) in &workers {
        let id = inbox(host, "worker")[0]["message_id"].as_str().expect("an id").to_owned();
        let reply = ["send-orchestration", "--reply-to", &id, "help.answer", "{}"];
        assert!(host.server.command_for(pane, &reply).output().expect("an answer").status.success());
    }
    let output = asked.expect("a question").wait_with_output().expect("its end");
    let sent: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(sent["outcome"], "arrived", "{sent}");
    let mut from: Vec<_> = sent["answers"].as_array().expect("answers").iter().collect();
    from.sort_by_key(|answer| answer["from_session_name"].to_string());
    let from: Vec<_> = from.into_iter().map(|answer| &answer["from_session_name"]).collect();
    assert_eq!(from, ["b/worker", "c/worker"]);
}

/// Creates a repository with this remote in a host's home, and a session in it.
fn session_in_repository(host: &Host, session: &str, remote: &str) -> String {
    let path = host.server.path().join(session);
    for words in [&["init", "-q"][..], &["remote", "add", "origin", remote]] {
        std::fs::create_dir_all(&path).expect("a directory");
        let git = Command::new("git").arg("-C").arg(&path).args(words).output().expect("git runs");
        assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    }
    let path = path.to_str().expect("a path").to_owned();
    let created = host.server.json(&["create-session", "-d", "-s", session, "-c", &path, "--", "cat"]);
    created["pane_id"].as_str().expect("a pane").to_owned()
}

#[test]
fn a_broadcast_on_all_hosts_reaches_the_sessions_of_the_same_repository() {
    let nats = Nats::start(1, &["a", "b", "c"]);
    let [a, b, c] = three(&nats);
    let pane = session_in_repository(&a, "app", "git@git.example:ann/app.git");
    session_in_repository(&b, "clone", "https://ann:token@git.example/ann/app");
    session_in_repository(&c, "other", "https://git.example/ann/other.git");
    let send = ["send-orchestration", "--broadcast", "--all-hosts", "note", "{}", "--json"];
    let sent = a.server.command_for(&pane, &send).output().expect("a message");
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    let sent: Value = serde_json::from_slice(&sent.stdout).expect("JSON");
    let message = sent["message_id"].as_str().expect("an id").to_owned();
    assert_eq!(inbox(&b, "clone")[0]["message_id"], json!(message));
    a.await_receipts(&message, &["b/clone offered"]);
    assert_eq!(c.server.json(&["list-messages"])["messages"], json!([]));
}

#[test]
fn a_session_created_from_another_host_has_its_parent_there() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = crate::hosts::two(&nats);
    a.server.session("lead", &["cat"]);
    let created =
        b.server.json(&["create-session", "-d", "-s", "child", "--tag", "child:a/lead", "--", "cat"]);
    let pane = created["pane_id"].as_str().expect("a pane").to_owned();
    for words in [&["send-orchestration", "--parent", "note", "{}"][..], &["report-status", "working"]] {
        let sent = b.server.command_for(&pane, words).output().expect("a message");
        assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    }
    until_within(PATIENCE, || inbox(&a, "lead").len() >= 2, || b.relay_log());
    let types: Vec<_> = inbox(&a, "lead").iter().map(|message| message["msg_type"].clone()).collect();
    assert_eq!(types, ["note", "status.update"]);
}
