//! Reading output: paging back, searching, waiting for several panes, cancelling.

use fugue_client::ServerFrame;
use fugue_protocol::verbs::{PaneChoice, Until, Wait};
use serde_json::json;

use crate::mcp_client::{ERAS, McpClient, test_server};

#[test]
fn an_agent_pages_back_to_the_first_line_and_misses_none() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let pane = server.session("work", &["sh", "-c", "seq 250; cat"]);
    server.wait_for(&pane, "^250$");
    let (mut seen, mut before) = (Vec::new(), None::<String>);
    loop {
        let mut args = json!({ "pane_id": pane, "lines": 100 });
        before.iter().for_each(|before| args["before"] = before.as_str().into());
        let page = agent.text("fugue_get_output", args);
        let (header, rows) = page.split_once('\n').expect("a header");
        let rows: Vec<_> = rows.lines().filter(|row| !row.is_empty()).map(str::to_owned).collect();
        seen = [rows, seen].concat();
        match header.split("earlier: before ").nth(1) {
            Some(earlier) => before = Some(earlier.trim().to_owned()),
            None => break,
        }
    }
    assert_eq!(seen, (1..=250).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[test]
fn a_pattern_is_found_anywhere_in_history_with_its_context() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let pane = server.session("work", &["sh", "-c", "seq 5000; echo error: one; seq 3; cat"]);
    server.wait_for(&pane, "^3$");
    let found = agent.text("fugue_get_output", json!({ "pane_id": pane, "grep": "^error", "context": 1 }));
    let (header, rows) = found.split_once('\n').expect("a header");
    assert!(header.contains(" · 1 line matches"), "{header}");
    assert_eq!(rows, "4999:0- 5000\n5000:0: error: one\n5001:0- 1");
    let bad = agent.refused("fugue_get_output", json!({ "pane_id": pane, "grep": "(" }));
    assert!(bad.starts_with("grep: "), "{bad}");
}

#[test]
fn a_wait_for_several_panes_ends_with_one_or_all() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let panes: Vec<_> = ["a", "b"].map(|name| server.session(name, &["cat"])).into();
    let any = agent.send_tool("fugue_wait", json!({ "panes": panes, "pattern": "^go$" }));
    agent.ok("fugue_send_input", json!({ "pane_id": panes[1], "input": "go\n" }));
    let any = agent.answer(any)["result"]["structuredContent"].take();
    assert_eq!((&any["outcome"], &any["pane_id"]), (&json!("matched"), &json!(panes[1])));
    let all = json!({ "panes": panes, "pattern": "^go$", "all": true, "timeout_ms": 300 });
    let late = agent.ok("fugue_wait", all.clone());
    assert_eq!((&late["outcome"], &late["pane_id"]), (&json!("timeout"), &json!(panes[0])));
    assert_eq!(late["panes"].as_array().map(Vec::len), Some(2));
    agent.ok("fugue_send_input", json!({ "pane_id": panes[0], "input": "go\n" }));
    assert_eq!(agent.ok("fugue_wait", all)["outcome"], "matched");
    server.ok(&["close-pane", "-t", &panes[0]]);
    let ended = agent.ok("fugue_wait", json!({ "panes": panes, "until": "exit" }));
    assert_eq!(
        (&ended["outcome"], &ended["pane_id"]),
        (&json!("exited"), &json!(panes[0])),
        "it exited before the wait"
    );
}

#[test]
fn a_waiting_request_can_be_cancelled() {
    use std::io::Write;
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let socket = std::os::unix::net::UnixStream::connect(server.socket()).expect("the daemon is running");
    let mut second = socket.try_clone().expect("another handle");
    let role = fugue_protocol::messages::Role::Command;
    let mut connection = fugue_client::Connection::new(socket, role, None).expect("a connection");
    let choice = PaneChoice::of(pane.parse::<fugue_protocol::PaneId>().expect("an id"));
    let wait = Wait { choice, until: Some(Until::Exit), timeout_ms: 3_600_000, ..Wait::default() };
    let id = connection.send(&wait).expect("sent");
    second.write_all(&fugue_protocol::messages::cancel(id).expect("a frame")).expect("sent");
    match connection.next_frame().expect("an answer") {
        ServerFrame::Answer(answered, Err(refused)) => {
            assert_eq!((answered, refused.code.as_str()), (id, "cancelled"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cancelled_run_is_interrupted_and_gets_no_answer() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["bash"]);
        let mut agent = McpClient::new(&server, era);
        // The job itself prints the marker: C-c between a shell's own `echo` and its next fork is
        // taken by the shell, which then waits for a job that was never interrupted.
        let command = "sh -c 'echo begun; exec sleep 600'";
        let run = agent.send_tool("fugue_run", json!({ "pane_id": pane, "command": command }));
        server.wait_for(&pane, "^begun$");
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": run } });
        agent.line(&cancel.to_string());
        let waited = agent.ok("fugue_wait", json!({ "pane_id": pane, "until": "command_done" }));
        assert_eq!(waited["exit"], json!({ "code": 130 }));
        let run = agent.text("fugue_run", json!({ "pane_id": pane, "command": "echo again" }));
        assert!(run.starts_with("exit 0 · ") && run.ends_with("\nagain"), "{run}");
        assert_eq!(agent.unclaimed(), 0, "a cancelled request gets no further message");
    }
}
