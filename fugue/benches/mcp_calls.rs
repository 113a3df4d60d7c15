//! Calls over one MCP server: calls per second and latency, with few panes and with many.
//!
//! `cargo bench -p fugue --bench mcp_calls`

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/mcp/mcp_client.rs"]
mod mcp_client;

use std::time::{Duration, Instant};

use fugue_testkit::TestServer;
use mcp_client::{Era, McpClient};
use serde_json::{Value, json};

/// Calls of each kind, one after the other.
const ONE_BY_ONE: usize = 2_000;

/// Calls of each kind, all sent before the first answer is read.
const AT_ONCE: usize = 2_000;

fn main() {
    println!(
        "{:<22} {:>6} {:>12} {:>10} {:>10} {:>14}",
        "tool", "panes", "calls/s", "p50 µs", "p99 µs", "at once/s"
    );
    for panes in [1, 200] {
        let server = TestServer::new(mcp_client::binary());
        let pane = create_panes(&server, panes);
        let mut agent = McpClient::new(&server, Era::Stateless);
        measure(&mut agent, panes, "fugue_list_sessions", &json!({}));
        measure(&mut agent, panes, "fugue_get_output", &json!({ "pane_id": pane }));
        measure(&mut agent, panes, "fugue_get_tags", &json!({ "session": "s0" }));
    }
}

/// Creates this many panes, ten per session; the last one has a screen full of text.
fn create_panes(server: &TestServer, panes: usize) -> String {
    let mut agent = McpClient::new(server, Era::Stateless);
    let mut last = Value::Null;
    for number in 0..panes {
        let command = "seq 1000; cat";
        last = match number % 10 {
            0 => agent.ok(
                "fugue_create_session",
                json!({ "name": format!("s{}", number / 10), "command": command, "size": { "cols": 200, "rows": 100 } }),
            ),
            _ => agent.ok(
                "fugue_create_window",
                json!({ "session": format!("s{}", number / 10), "command": command }),
            ),
        };
    }
    let pane = last["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "^1000$");
    pane
}

fn measure(agent: &mut McpClient, panes: usize, tool: &str, arguments: &Value) {
    for _ in 0..100 {
        agent.tool(tool, arguments.clone());
    }
    let start = Instant::now();
    let mut times: Vec<_> = (0..ONE_BY_ONE).map(|_| timed(agent, tool, arguments)).collect();
    let one_by_one = rate(ONE_BY_ONE, start);
    times.sort();
    let micros = |share: f64| times[(share * (ONE_BY_ONE - 1) as f64) as usize].as_micros();
    let (p50, p99, at_once) = (micros(0.5), micros(0.99), at_once(agent, tool, arguments));
    println!("{tool:<22} {panes:>6} {one_by_one:>12.0} {p50:>10} {p99:>10} {at_once:>14.0}");
}

fn timed(agent: &mut McpClient, tool: &str, arguments: &Value) -> Duration {
    let start = Instant::now();
    let result = agent.tool(tool, arguments.clone());
    let took = start.elapsed();
    assert_ne!(result["isError"], true, "{result}");
    took
}

fn at_once(agent: &mut McpClient, tool: &str, arguments: &Value) -> f64 {
    let start = Instant::now();
    let ids: Vec<_> = (0..AT_ONCE).map(|_| agent.send_tool(tool, arguments.clone())).collect();
    for id in ids {
        agent.answer(id);
    }
    rate(AT_ONCE, start)
}

fn rate(calls: usize, start: Instant) -> f64 {
    calls as f64 / start.elapsed().as_secs_f64()
}
