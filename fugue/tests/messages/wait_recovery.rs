//! Commands that wait, while the daemon is killed.

use std::process::{Child, Stdio};

use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

use crate::test_server;

/// A command in a session's pane, which goes on by itself.
fn begun(server: &TestServer, pane: &str, words: &[&str]) -> Child {
    let mut command = server.command(words);
    command.env("FUGUE_PANE_ID", pane).stdout(Stdio::piped()).spawn().expect("it starts")
}

fn told(child: Child) -> Value {
    let out = child.wait_with_output().expect("it ends").stdout;
    serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out)))
}

/// The daemon is killed, and another one answers.
fn kill_daemon(server: &TestServer) {
    let before = server.daemon_pid();
    signal("KILL", before);
    until("another daemon is there", || server.daemon_pid() != before);
}

#[test]
fn a_question_on_the_command_line_waits_on_though_the_daemon_is_killed() {
    let server = test_server();
    let asker = server.session("asker", &["cat"]);
    server.session("other", &["cat"]);
    let words = ["send-orchestration", "-s", "other", "question", "--wait-ms", "110000", "--json"];
    let question = begun(&server, &asker, &words);
    let messages = || server.json(&["list-messages"])["messages"].as_array().cloned().unwrap_or_default();
    until("the question is there", || messages().len() == 1);
    kill_daemon(&server);
    let id = messages()[0]["message_id"].as_str().expect("an id").to_owned();
    server.ok(&["send-orchestration", "--reply-to", &id, "answer", "{\"n\":1}"]);
    let told = told(question);
    assert_eq!((&told["message_id"], &told["answer"]["payload"]), (&json!(id), &json!({ "n": 1 })), "{told}");
    assert_eq!(messages().len(), 2, "the question was asked once");
}

#[test]
fn a_claim_on_the_command_line_waits_on_though_the_daemon_is_killed() {
    let server = test_server();
    let (first, second) = (server.session("first", &["cat"]), server.session("second", &["cat"]));
    told(begun(&server, &first, &["claim", "x", "--json"]));
    let waits = begun(&server, &second, &["claim", "x", "--wait-ms", "110000", "--json"]);
    let waiting = || server.json(&["show-waits"])["waits"].as_array().map_or(0, Vec::len) == 1;
    until("it waits", waiting);
    kill_daemon(&server);
    until("it waits again", waiting);
    server.ok(&["release", "x", "--force"]);
    let told = told(waits);
    assert_eq!(
        (&told["held"], &told["session_name"], &told["fence"]),
        (&json!(true), &json!("second"), &json!(2))
    );
}
