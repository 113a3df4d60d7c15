//! Bad messages and arguments: the error names the id, the argument and what would be accepted.

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

/// The codes of the errors without an id received so far.
fn errors_without_id(agent: &McpClient) -> Vec<i64> {
    agent.notes.iter().filter_map(|note| note["error"]["code"].as_i64()).collect()
}

#[test]
fn each_invalid_line_is_answered_once() {
    for era in ERAS {
        let server = test_server();
        let mut agent = McpClient::new(&server, era);
        agent.line("this is no JSON");
        agent.line("");
        agent.bytes(b"\xff\xfe{\"jsonrpc\":\n");
        agent.line("[1,2,3]");
        agent.line("7");
        // An unsolicited answer gets no answer: two peers would echo each other forever.
        agent.line(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"an echo"}}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":920,"method":7}"#);
        agent.line(r#"{"jsonrpc":"2.0","id":921}"#);
        let (method, missing) = (agent.answer(920), agent.answer(921));
        assert_eq!(method["error"]["code"], -32600, "{method}");
        assert_eq!(missing["error"]["message"], "`method` is missing");
        // Each is written by its own task.
        while errors_without_id(&agent).len() < 4 {
            agent.next();
        }
        assert_eq!(agent.ok("fugue_list_sessions", json!({})), json!({ "sessions": [] }));
        let mut codes = errors_without_id(&agent);
        codes.sort_unstable();
        assert_eq!(codes, [-32700, -32700, -32600, -32600]);
    }
}

#[test]
fn a_duplicate_request_id_is_refused_and_the_first_request_answered() {
    for era in ERAS {
        let server = test_server();
        let pane = server.session("work", &["cat"]);
        let mut agent = McpClient::new(&server, era);
        let wait = json!({ "pane_id": pane, "pattern": "^go$", "timeout_ms": 100_000 });
        let id = agent.send_tool("fugue_wait", wait);
        let call = json!({ "name": "fugue_list_sessions", "arguments": {} });
        let next = agent.request("tools/call", call);
        agent.line(&next.replace(&format!("\"id\":{}", id + 1), &format!("\"id\":{id}")));
        let refused = agent.answer(id);
        let why = format!("Request id {id} is already in use");
        assert_eq!((&refused["error"]["code"], &refused["error"]["message"]), (&json!(-32600), &json!(why)));
        agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "go\n" }));
        assert_eq!(agent.answer(id)["result"]["structuredContent"]["outcome"], "matched");
        // The id can be used again.
        agent.line(&next.replace(&format!("\"id\":{}", id + 1), &format!("\"id\":{id}")));
        assert_eq!(agent.answer(id)["result"]["isError"], false);
    }
}

#[test]
fn a_change_with_an_unknown_argument_does_nothing() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let refused = agent.refused("fugue_send_input", json!({ "pane_id": pane, "input": "x", "submt": true }));
    assert_eq!(
        refused,
        "fugue_send_input has no argument `submt`; nothing was done\nhint: did you mean `submit`?"
    );
    let refused = agent.refused("fugue_set_tags", json!({ "session": "work", "add": "a", "color": "red" }));
    assert_eq!(
        refused,
        "fugue_set_tags has no argument `color`; nothing was done\nhint: its arguments are session, add, remove"
    );
    assert_eq!(agent.ok("fugue_get_tags", json!({ "session": "work" }))["tags"], json!([]));
    // Some agents add arguments of their own to every call.
    let own = json!({ "session": "work", "add": "a", "wait_for_previous": true, "_meta": { "x": 1 } });
    let tags = agent.ok("fugue_set_tags", own);
    assert_eq!((&tags["tags"], tags.get("note")), (&json!(["a"]), None::<&Value>));
    let read = agent.ok("fugue_get_tags", json!({ "session": "work", "color": "red" }));
    let note = "fugue_get_tags has no argument `color`, so it was ignored; its arguments are session";
    assert_eq!((&read["tags"], &read["note"]), (&json!(["a"]), &json!(note)));
}

#[test]
fn a_name_that_was_not_found_is_quoted_shortened_and_escaped() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let long = format!("\u{1b}[2J{}", "x".repeat(200_000));
    for (tool, args, begins) in [
        ("fugue_get_tags", json!({ "session": long }), r"Session not found: \u{1b}[2Jxxx"),
        ("fugue_get_output", json!({ "pane_id": long }), r"Pane not found: \u{1b}[2Jxxx"),
    ] {
        let refused = agent.refused(tool, args);
        assert!(refused.starts_with(begins) && refused.len() < 4_000, "{refused}");
        assert!(refused.contains("characters omitted") && !refused.contains('\u{1b}'), "{refused}");
    }
    let unknown = agent.unknown_tool(&format!("fugue_{long}"));
    assert!(unknown.starts_with(r"Unknown tool: fugue_\u{1b}[2Jxxx") && unknown.len() < 4_000, "{unknown}");
    assert!(!unknown.contains('\u{1b}'), "{unknown}");
}

#[test]
fn an_invalid_argument_is_named_with_the_accepted_values() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    for (tool, args, expected) in [
        ("create_session", json!({ "cwd": "" }), "cwd: must not be empty"),
        ("create_session", json!({ "cwd": ["x"] }), "cwd: must be a string, not an array"),
        ("create_session", json!({ "command": {} }), "command: must be a string, not an object"),
        ("create_session", json!({ "command": "a\0b" }), "command: contains a NUL character"),
        ("create_session", json!({ "cwd": "/a\0b" }), "cwd: contains a NUL character"),
        ("create_session", json!({ "argv": ["a", "\0"] }), "argv: contains a NUL character"),
        ("get_output", json!({ "pane_id": "" }), "pane_id: must not be empty"),
        ("kill_session", json!({ "session": "" }), "session: must not be empty"),
        ("get_output", json!({ "pane_id": pane, "grep": "(" }), "grep: unclosed group"),
        (
            "get_output",
            json!({ "pane_id": pane, "since": "1:0", "before": "2:0" }),
            "before: cannot be combined with since",
        ),
        ("wait", json!({ "panes": [] }), "panes: must not be empty"),
        ("wait", json!({ "pane_id": pane, "until": "match" }), "pattern: required when waiting for a match"),
        (
            "resize_pane",
            json!({ "pane_id": pane }),
            "direction: give a direction, or a size in `cols` or `rows`",
        ),
        ("break_pane", json!({ "pane_id": pane }), "pane_id: already the only pane in its window"),
        (
            "swap_panes",
            json!({ "pane_id": pane }),
            "Invalid arguments for `fugue_swap_panes`: `with` is missing",
        ),
    ] {
        let refused = agent.refused(&format!("fugue_{tool}"), args);
        let (sentence, hint) = refused.split_once("\nhint: ").unwrap_or((&refused, ""));
        assert_eq!(sentence, expected);
        assert!(!hint.is_empty() && !hint.contains("--"), "{refused}");
    }
    assert_eq!(agent.ok("fugue_list_sessions", json!({}))["sessions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_time_above_the_maximum_is_refused_with_the_maximum() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::start(server.command_for(&pane, &["mcp"]), ERAS[1]);
    let message =
        |ttl: u64| json!({ "target": { "session": "work" }, "msg_type": "x", "payload": {}, "ttl_ms": ttl });
    let refused = agent.refused("fugue_send_orchestration", message(2_592_000_001));
    assert!(refused.starts_with("ttl_ms: 2592000001 exceeds the maximum of 2592000000\nhint: "), "{refused}");
    let refused = agent.refused("fugue_claim", json!({ "name": "x", "ttl_ms": 86_400_001 }));
    assert!(refused.starts_with("ttl_ms: 86400001 exceeds the maximum of 86400000\nhint: "), "{refused}");
    assert_eq!(agent.ok("fugue_claim", json!({ "name": "x", "ttl_ms": 86_400_000 }))["held"], true);
    let refused = server.refused(&["poll-messages", "-s", "work", "--wait-ms", "110001"]);
    assert_eq!(refused, "--wait-ms: 110001 exceeds the maximum of 110000\nhint: call again to wait longer");
}
