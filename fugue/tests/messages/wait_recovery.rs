//! Commands that wait, while the daemon is killed.

use std::process::{Child, Stdio};

use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

use crate::test_server;

/// Starts a command in a session's pane without waiting for it.
fn start(server: &TestServer, pane: &str, arguments: &[&str]) -> Child {
    let mut command = server.command_for(pane, arguments);
    command.stdout(Stdio::piped()).spawn().expect("fugue starts")
}

fn reply(child: Child) -> Value {
    let out = child.wait_with_output().expect("fugue exits").stdout;
    serde_json::from_slice(&out).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out)))
}

/// Kills the daemon and waits until another one answers.
fn kill_daemon(server: &TestServer) {
    let before = server.daemon_pid();
    signal("KILL", before);
    until("another daemon is running", || server.daemon_pid() != before);
}

#[test]
fn a_question_on_the_command_line_keeps_waiting_across_a_daemon_kill() {
    let server = test_server();
    let asker = server.session("asker", &["cat"]);
    server.session("other", &["cat"]);
    let arguments = ["send-orchestration", "-s", "other", "question", "--wait-ms", "110000", "--json"];
    let question = start(&server, &asker, &arguments);
    let messages = || server.json(&["list-messages"])["messages"].as_array().cloned().unwrap_or_default();
    until("the question has arrived", || messages().len() == 1);
    kill_daemon(&server);
    let id = messages()[0]["message_id"].as_str().expect("an id").to_owned();
    server.ok(&["send-orchestration", "--reply-to", &id, "answer", "{\"n\":1}"]);
    let reply = reply(question);
    assert_eq!(
        (&reply["message_id"], &reply["answer"]["payload"]),
        (&json!(id), &json!({ "n": 1 })),
        "{reply}"
    );
    assert_eq!(messages().len(), 2, "the question was asked once");
}

#[test]
fn a_claim_on_the_command_line_keeps_waiting_across_a_daemon_kill() {
    let server = test_server();
    let (first, second) = (server.session("first", &["cat"]), server.session("second", &["cat"]));
    reply(start(&server, &first, &["claim", "x", "--json"]));
    let waits = start(&server, &second, &["claim", "x", "--wait-ms", "110000", "--json"]);
    let waiting = || server.json(&["show-waits"])["waits"].as_array().map_or(0, Vec::len) == 1;
    until("the command waits", waiting);
    kill_daemon(&server);
    until("the command waits again", waiting);
    server.ok(&["release", "x", "--force"]);
    let reply = reply(waits);
    assert_eq!(
        (&reply["held"], &reply["session_name"], &reply["fence"]),
        (&json!(true), &json!("second"), &json!(2))
    );
}
