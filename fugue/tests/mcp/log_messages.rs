//! Log messages, which a client gets only if it asks for them.

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, Era, McpClient, test_server};

/// The levels and texts of the log messages so far.
fn logged(agent: &mut McpClient) -> Vec<(String, String)> {
    let messages = agent.notes.drain(..).filter(|note| note["method"] == "notifications/message");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    messages.map(|message| (text(&message["params"]["level"]), text(&message["params"]["data"]))).collect()
}

#[test]
fn a_client_that_sets_a_level_gets_the_messages_of_that_level_and_above() {
    let server = test_server();
    let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Initialize);
    assert!(agent.initialize("2025-06-18")["capabilities"]["logging"].is_object());
    agent.tool("fugue_list_sessions", json!({}));
    assert_eq!(logged(&mut agent), [], "it has not asked");
    for (level, expected) in [("debug", 2), ("info", 0)] {
        let set = agent.request_answered("logging/setLevel", json!({ "level": level }));
        assert_eq!(set["result"], json!({}), "{set}");
        agent.tool("fugue_list_sessions", json!({}));
        assert_eq!(logged(&mut agent).len(), expected, "{level}");
    }
    agent.tool("fugue_get_tags", json!({ "session": "nobody" }));
    let (level, text) = logged(&mut agent).pop().expect("a warning");
    assert_eq!(level, "warning");
    assert!(
        text.starts_with("fugue_get_tags failed after ") && text.ends_with("Session not found: nobody"),
        "{text}"
    );
    assert_eq!(
        agent.request_answered("logging/setLevel", json!({ "level": "loud" }))["error"]["code"],
        -32602
    );
}

#[test]
fn a_client_of_the_newest_version_states_the_level_in_each_request() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    assert_eq!(
        agent.request_answered("logging/setLevel", json!({ "level": "debug" }))["error"]["code"],
        -32601
    );
    for (meta, expected) in [(json!({ "io.modelcontextprotocol/logLevel": "debug" }), 2), (json!({}), 0)] {
        let params = json!({ "name": "fugue_list_sessions", "arguments": {}, "_meta": meta });
        let answer = agent.request_answered("tools/call", params);
        assert_eq!(answer.get("error"), None, "{answer}");
        assert_eq!(logged(&mut agent).len(), expected);
    }
}

#[test]
fn a_waiting_call_logs_that_it_waits_and_never_its_arguments() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, Era::Initialize);
    agent.request_answered("logging/setLevel", json!({ "level": "debug" }));
    let call = agent.send_tool("fugue_wait", json!({ "pane_id": pane, "pattern": "secret" }));
    while agent.notes.len() < 2 {
        agent.next();
    }
    server.ok(&["send-input", "-t", &pane, "secret", "--submit"]);
    agent.answer(call);
    let texts: Vec<_> = logged(&mut agent).into_iter().map(|(_, text)| text).collect();
    let expected = ["fugue_wait called", "fugue_wait waiting, ", "fugue_wait done after "];
    for (text, expected) in
        [(&texts[0], expected[0]), (&texts[1], expected[1]), (&texts[texts.len() - 1], expected[2])]
    {
        assert!(text.starts_with(expected), "{texts:?}");
    }
    assert!(!texts.concat().contains("secret"));
}
