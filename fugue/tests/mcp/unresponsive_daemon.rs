//! A daemon that cannot start or does not answer: every call fails soon, with the reason.

use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

use crate::mcp_client::{Era, McpClient, test_server};

/// The promise is 3 s; the rest is for a machine that is busy with other tests.
const SOON: Duration = Duration::from_secs(15);

/// Calls a tool that must fail soon, and returns the error.
fn fails_soon(agent: &mut McpClient, tool: &str, arguments: Value) -> String {
    let begun = Instant::now();
    let error = agent.refused(tool, arguments);
    assert!(begun.elapsed() < SOON, "{tool} took {:?}: {error}", begun.elapsed());
    error
}

fn stop_daemon(server: &TestServer) -> u32 {
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    let stat = || std::fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap_or_default();
    until("the daemon is stopped", || stat().contains(") T "));
    daemon
}

#[test]
fn a_daemon_that_cannot_start_is_reported_with_the_reason_until_it_can() {
    let server = test_server();
    let journal = server.state_dir().join("journal.db");
    std::fs::create_dir_all(&journal).expect("a directory");
    let mut agent = McpClient::new(&server, Era::Stateless);
    for _ in 0..3 {
        let error = fails_soon(&mut agent, "fugue_list_sessions", json!({}));
        assert!(error.starts_with("The daemon cannot start: "), "{error}");
        assert!(error.contains("\nhint: see the log at "), "{error}");
    }
    std::fs::remove_dir(&journal).expect("a directory");
    assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
}

#[test]
fn calls_to_a_stopped_daemon_fail_and_later_ones_work_again() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, Era::Stateless);
    agent.ok("fugue_list_sessions", json!({}));
    let wait =
        agent.send_tool("fugue_wait", json!({ "pane_id": pane, "match": "never", "timeout_ms": 30_000 }));
    until("it waits", || server.json(&["server-status"])["connections"].as_u64() >= Some(3));
    let daemon = stop_daemon(&server);
    let stopped =
        format!("The daemon (pid {daemon}) is stopped\nhint: run `kill -CONT {daemon}` to resume it");
    // Over the connection that exists, and over a new one.
    for _ in 0..2 {
        assert_eq!(fails_soon(&mut agent, "fugue_list_sessions", json!({})), stopped);
    }
    let waited = agent.answer(wait);
    assert!(waited.to_string().contains("is stopped"), "{waited}");
    signal("CONT", daemon);
    agent.ok("fugue_list_sessions", json!({}));
}
