//! What JSON-RPC demands of the server, line by line.

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, Era, McpClient, test_server};

#[test]
fn a_message_above_the_size_limit_is_answered_with_its_id() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[0]);
    let message = |id: u64, size: usize| {
        let head = r#"{"method":"tools/call","params":{"name":"fugue_get_tags","arguments":{"session":""#;
        let tail = format!(r#""}}}},"jsonrpc":"2.0","id":{id}}}"#);
        // With the line break.
        let filler = "x".repeat(size - head.len() - tail.len() - 1);
        format!("{head}{filler}{tail}")
    };
    agent.line(&message(1_001, 16 << 20));
    assert_eq!(agent.answer(1_001)["result"]["isError"], true, "the largest message is read");
    agent.line(&message(1_002, (16 << 20) + 1));
    assert_eq!(agent.answer(1_002)["error"]["message"], "The message exceeds the limit of 16 MiB");
    assert!(agent.request_answered("tools/list", json!({}))["result"]["tools"].is_array());
}

#[test]
fn an_error_without_a_readable_id_has_the_id_that_the_protocol_version_demands() {
    let server = test_server();
    for (version, expected) in
        [("2025-03-26", Some(&Value::Null)), ("2025-06-18", Some(&Value::Null)), ("2025-11-25", None)]
    {
        let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Initialize);
        agent.initialize(version);
        agent.line("not JSON");
        agent.next();
        let error = agent.notes.pop().expect("an error");
        assert_eq!((error["error"]["code"].as_i64(), error.get("id")), (Some(-32700), expected), "{version}");
    }
}

#[test]
fn a_batch_is_answered_in_one_line_in_the_version_that_has_batches() {
    let server = test_server();
    let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Initialize);
    agent.initialize("2025-03-26");
    let request = |id: u64, method: &str| json!({ "jsonrpc": "2.0", "id": id, "method": method });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let batch = json!([request(71, "ping"), note, request(72, "tools/list"), { "id": 73 }, 7]);
    agent.line(&batch.to_string());
    agent.next();
    let answers = agent.notes.pop().expect("a line");
    let mut ids: Vec<_> = answers.as_array().expect("an array").iter().map(|answer| &answer["id"]).collect();
    ids.sort_by_key(|id| id.as_u64());
    assert_eq!(ids, [&json!(null), &json!(71), &json!(72), &json!(73)]);

    agent.line(&json!([note]).to_string());
    agent.line("[]");
    agent.next();
    assert_eq!(agent.notes.pop().expect("a line")["error"]["code"], -32600, "notifications get no answer");

    let mut agent = McpClient::new(&server, Era::Initialize);
    agent.line(&batch.to_string());
    agent.next();
    assert_eq!(agent.notes.pop().expect("a line")["error"]["code"], -32600, "2025-06-18 has no batches");
}

#[test]
fn a_cursor_that_was_never_given_out_is_refused() {
    let server = test_server();
    for era in ERAS {
        let mut agent = McpClient::new(&server, era);
        for list in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            let answer = agent.request_answered(list, json!({ "cursor": "bogus" }));
            assert_eq!(answer["error"]["code"], -32602, "{list}: {answer}");
            assert_eq!(answer["error"]["message"], "Invalid cursor: bogus", "{list}");
            assert!(agent.request_answered(list, json!({}))["error"].is_null(), "{list}");
        }
    }
}
