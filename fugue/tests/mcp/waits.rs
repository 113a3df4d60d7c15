//! Waits: outcomes, progress, cancellation.

use std::time::{Duration, Instant};

use fugue_testkit::{signal, until};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

#[test]
fn a_timeout_is_an_outcome() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let waited = agent.ok("fugue_wait", json!({ "pane_id": pane, "until": "exit", "timeout_ms": 50 }));
    assert_eq!(waited["outcome"], "timeout");
}

#[test]
fn a_wait_sees_what_was_typed_just_before_it() {
    let server = test_server();
    let pane = server.session("work", &["sh"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    server.ok(&["wait", "-t", &pane, "--until", "idle"]);
    let typed = agent.send_tool("fugue_send_input", json!({ "pane_id": pane, "input": "exit 3\n" }));
    let waited = agent.send_tool("fugue_wait", json!({ "pane_id": pane, "until": "exit" }));
    assert_eq!(agent.answer(typed)["result"]["isError"], false);
    let waited = agent.answer(waited)["result"]["structuredContent"].take();
    assert_eq!((&waited["outcome"], &waited["exit"]), (&json!("exited"), &json!({ "code": 3 })));
}

#[test]
fn progress_is_reported_during_a_wait() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        let mut agent = McpClient::new(&server, era);
        let arguments = json!({ "pane_id": pane, "until": "exit", "timeout_ms": 5_000 });
        let params =
            json!({ "name": "fugue_wait", "arguments": arguments, "_meta": { "progressToken": "p7" } });
        let waited = agent.request_answered("tools/call", params);
        assert_eq!(waited["result"]["structuredContent"]["outcome"], "timeout");
        let progress_notes: Vec<_> =
            agent.notes.iter().filter(|note| note["method"] == "notifications/progress").collect();
        assert_eq!(progress_notes.len(), 2, "{progress_notes:?}");
        assert!(progress_notes.iter().all(|note| note["params"]["progressToken"] == "p7"));
        let progress = |note: &Value| note["params"]["progress"].as_f64().unwrap();
        assert!(progress(progress_notes[0]) < progress(progress_notes[1]));
    }
}

#[test]
fn a_cancelled_wait_gets_no_answer() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        let mut agent = McpClient::new(&server, era);
        let clients = || server.json(&["server-status"])["connections"].as_u64().unwrap();
        agent.ok("fugue_list_sessions", json!({}));
        let wait =
            agent.send_tool("fugue_wait", json!({ "pane_id": pane, "until": "exit", "timeout_ms": 90_000 }));
        until("the wait has a connection of its own", || clients() == 3);
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": wait } });
        agent.line(&cancel.to_string());
        until("the wait is cancelled", || clients() == 2);
        agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "\u{4}" }));
        agent.listen(Duration::from_millis(300));
        assert_eq!(agent.unclaimed(), 0, "a cancelled request gets no further message");
    }
}

#[test]
fn a_wait_survives_a_killed_daemon_and_keeps_its_time_limit() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[0]);
    let start = Instant::now();
    let short =
        agent.send_tool("fugue_wait", json!({ "pane_id": pane, "until": "exit", "timeout_ms": 3_000 }));
    let long =
        agent.send_tool("fugue_wait", json!({ "pane_id": pane, "pattern": "^there$", "timeout_ms": 60_000 }));
    agent.listen(Duration::from_millis(300));
    signal("KILL", server.daemon_pid());
    assert_eq!(agent.answer(short)["result"]["structuredContent"]["outcome"], "timeout");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "there\n" }));
    assert_eq!(agent.answer(long)["result"]["structuredContent"]["outcome"], "matched");
}
