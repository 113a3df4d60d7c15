//! Fault tolerance: garbage input, sudden disconnects, a daemon that is killed.

use std::time::Duration;

use fugue_testkit::{signal, switches, until};
use serde_json::json;

use crate::mcp_client::{ERAS, Era, McpClient, test_server};

#[test]
fn garbage_is_skipped_and_the_next_call_is_answered() {
    for era in ERAS {
        let server = test_server();
        let mut agent = McpClient::new(&server, era);
        agent.line("this is no JSON");
        agent.line("");
        agent.bytes(b"\xff\xfe{\"jsonrpc\":\n");
        agent.line("[1,2,3]");
        agent.line(r#"{"jsonrpc":"2.0","method":"notifications/nobody-knows","params":{"x":1}}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":900,"method":"no/such/method"}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":7}}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":902,"result":{}}"#);
        agent.line(&"x".repeat(1 << 20));
        assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
        assert!(agent.answer(900).get("error").is_some());
        assert!(agent.answer(901).get("error").is_some());
    }
}

#[test]
fn an_invalid_request_is_answered_with_its_id() {
    for era in ERAS {
        let server = test_server();
        let mut agent = McpClient::new(&server, era);
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let call =
            |id: u64, params: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call"{params}}}"#);
        let deep = format!(r#","params":{{"name":"fugue_list_sessions","arguments":{{"x":{deep}}}}}"#);
        agent.line(&call(910, &deep));
        agent.line(&call(911, ""));
        agent.line(&call(912, r#","params":{"name":"fugue_list_sessions","arguments":"{}"}"#));
        agent.line(&call(913, r#","params":{"arguments":{}}"#));
        assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
        for (id, code, word) in [
            (910, -32600, "nested more than 100 levels deep"),
            (911, -32602, "`params` is missing"),
            (912, -32602, "`params.arguments` must be an object, not a string"),
            (913, -32602, "`params.name` is missing"),
        ] {
            let error = agent.answer(id)["error"].take();
            assert_eq!(error["code"], code, "{error}");
            assert!(error["message"].as_str().unwrap().contains(word), "{error}");
        }
    }
}

#[test]
fn ignored_arguments_are_noted_in_the_answer() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let tags =
        agent.ok("fugue_get_tags", json!({ "sesion": "work", "session": "work", "_by_the_client": 1 }));
    assert_eq!(tags.get("note"), None, "the correct argument is given too");
    let result = agent.tool("fugue_get_output", json!({ "pane_id": pane, "line": 3 }));
    let note = "fugue_get_output has no argument `line`, so it was ignored; did you mean `lines`?";
    assert_eq!(result["content"][1]["text"], note);
    let args = json!({ "pane_id": pane, "until": "idle", "idle_ms": 1, "timeout_ms": 600_000 });
    let note = "timeout_ms was limited to 110000; call again to keep waiting";
    assert_eq!(agent.ok("fugue_wait", args)["note"], note);
    let refused = agent.refused("fugue_wait", json!({ "pane_id": pane, "timeout_ms": "soon" }));
    assert!(
        refused.starts_with("timeout_ms: must be a whole number of milliseconds, not \"soon\"\nhint: "),
        "{refused}"
    );
}

#[test]
fn a_client_that_begins_with_stray_notifications_is_still_served() {
    let server = test_server();
    let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Stateless);
    agent.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    agent.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    assert!(agent.request_answered("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn a_client_that_only_discovers_the_server_or_sends_nothing_ends_normally() {
    let server = test_server();
    let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Stateless);
    let found = agent.request_answered("server/discover", json!({}));
    assert!(
        found["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")),
        "{found}"
    );
    assert!(found["result"]["instructions"].as_str().unwrap().len() <= 2_048);
    let (status, took) = agent.end();
    assert!(status.success() && took < Duration::from_secs(1), "{status}, {took:?}");
    assert!(!server.socket().exists(), "discovery does not start a daemon");
    let (status, _) = McpClient::silent(server.command(&["mcp"]), Era::Initialize).end();
    assert!(status.success(), "sending nothing is not an error");
}

#[test]
fn the_server_exits_at_end_of_input_even_during_a_wait() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        let mut agent = McpClient::new(&server, era);
        agent.ok("fugue_list_sessions", json!({}));
        agent.send_tool("fugue_wait", json!({ "pane_id": pane, "until": "exit", "timeout_ms": 100_000 }));
        agent.listen(Duration::from_millis(200));
        let (status, took) = agent.end();
        assert!(status.success() && took < Duration::from_secs(1), "{status}, {took:?}");
    }
}

#[test]
fn calls_made_right_before_the_end_of_input_are_answered() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let id = agent.send_tool("fugue_get_tags", json!({ "session": "work" }));
    agent.close_input();
    assert_eq!(agent.answer(id)["result"]["structuredContent"]["session_name"], "work");
}

#[test]
fn after_a_daemon_kill_reads_are_retried_and_changes_never_made_twice() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[0]);
    agent.ok("fugue_list_sessions", json!({}));
    let daemon = server.daemon_pid();
    // A stopped daemon receives requests but does not answer; then it is killed.
    signal("STOP", daemon);
    let read = agent.send_tool("fugue_get_tags", json!({ "session": "work" }));
    let change =
        agent.send_tool("fugue_set_metadata", json!({ "session": "work", "key": "k", "value": "v" }));
    let input = agent.send_tool("fugue_send_input", json!({ "pane_id": pane, "input": "once\n" }));
    agent.listen(Duration::from_millis(200));
    signal("KILL", daemon);
    assert_eq!(agent.answer(read)["result"]["structuredContent"]["session_name"], "work");
    let result = agent.answer(change)["result"].take();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["isError"], true);
    assert!(
        text.contains("fugue_set_metadata may or may not have taken effect; it was not retried\nhint: "),
        "{text}"
    );
    // Input has a key, so it is retried, and typed once.
    assert_eq!(agent.answer(input)["result"]["isError"], false);
    // The same bridge continues with the next daemon.
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "again\n" }));
    server.wait_for(&pane, "^again$");
    let text = server.text(&pane);
    assert_eq!(text.lines().filter(|line| *line == "once").count(), 2, "echoed and printed once: {text}");
    assert_ne!(server.daemon_pid(), daemon);
}

#[test]
fn over_six_daemon_kills_every_input_arrives_once_or_is_reported_as_unknown() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", "stty -echo; echo ready; exec cat"]);
    server.wait_for(&pane, "^ready$");
    let mut agent = McpClient::new(&server, ERAS[1]);
    let mut sent = Vec::new();
    for round in 0..6 {
        let daemon = server.daemon_pid();
        let calls = (round * 30..(round + 1) * 30).map(|number| {
            let input = json!({ "pane_id": pane, "input": format!("line {number}\n") });
            (number, agent.send_tool("fugue_send_input", input))
        });
        sent.extend(calls.collect::<Vec<_>>());
        signal("KILL", daemon);
        // Reads are answered even while the daemon is killed.
        agent.ok("fugue_get_tags", json!({ "session": "work" }));
    }
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "the end\n" }));
    server.wait_for(&pane, "^the end$");
    let text = server.text(&pane);
    for (number, id) in sent {
        let known = agent.answer(id)["result"]["isError"] == false;
        let times = text.lines().filter(|line| *line == format!("line {number}")).count();
        assert!(times == 1 || (times == 0 && !known), "line {number}: {times} times, known: {known}\n{text}");
    }
}

#[test]
fn a_run_over_a_daemon_kill_returns_its_exit_code_and_leaves_no_pane() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let command = ": > begun; echo out; sleep 1; exit 7";
    let run = agent.send_tool("fugue_run", json!({ "session": "work", "command": command }));
    until("the command has begun", || server.path().join("begun").exists());
    signal("KILL", server.daemon_pid());
    let result = agent.answer(run)["result"].take();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("exit 7") && text.contains("\nout"), "{text}");
    until("its pane is closed", || {
        server.json(&["list-panes"])["panes"].as_array().is_some_and(|panes| panes.len() == 1)
    });
}

#[test]
fn a_run_after_one_that_ended_while_there_was_no_daemon_is_told_rightly() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    for round in 0..5 {
        let command = format!(": > begun{round}; until [ -e ended{round} ]; do sleep 0.01; done; echo first");
        let first = agent.send_tool("fugue_run", json!({ "pane_id": pane, "command": command }));
        until("the command has begun", || server.path().join(format!("begun{round}")).exists());
        signal("KILL", server.daemon_pid());
        std::fs::write(server.path().join(format!("ended{round}")), "").expect("a file");
        assert_eq!(agent.answer(first)["result"]["isError"], false);
        let second = agent.tool("fugue_run", json!({ "pane_id": pane, "command": "echo second" }));
        let text = second["content"][0]["text"].as_str().expect("text").to_owned();
        assert!(text.starts_with("exit 0") && text.contains("\nsecond"), "{text}");
    }
}

#[test]
fn an_idle_mcp_server_does_not_wake_up() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    agent.ok("fugue_list_sessions", json!({}));
    // Work after an answer is finished when the next answer arrives.
    agent.request_answered("tools/list", json!({}));
    until("the MCP server waits for input", || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", agent.id())).unwrap_or_default();
        state.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('S'))
    });
    let before = switches(agent.id());
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(switches(agent.id()), before);
}

#[test]
fn a_hundred_mcp_servers_leave_nothing_behind() {
    let server = test_server();
    server.session("work", &["cat"]);
    for _ in 0..100 {
        McpClient::new(&server, ERAS[1]).ok("fugue_get_tags", json!({ "session": "work" }));
    }
    let clients = || server.json(&["server-status"])["connections"] == 1;
    until("only the caller is connected", clients);
}
