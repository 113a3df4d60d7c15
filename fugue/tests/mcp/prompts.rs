//! Prompts and completion, as a client meets them; and the guide.

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, Era, McpClient, test_server};

fn complete(agent: &mut McpClient, of: Value, name: &str, value: &str) -> Value {
    let params = json!({ "ref": of, "argument": { "name": name, "value": value } });
    let mut answer = agent.request_answered("completion/complete", params);
    assert_eq!(answer.get("error"), None, "{answer}");
    answer["result"]["completion"]["values"].take()
}

#[test]
fn prompts_are_declared_listed_and_filled_in() {
    let server = test_server();
    let mut agent = McpClient::silent(server.command(&["mcp"]), Era::Initialize);
    let capabilities = agent.initialize("2025-06-18")["capabilities"].take();
    assert!(capabilities["prompts"].is_object() && capabilities["completions"].is_object(), "{capabilities}");
    for era in ERAS {
        let mut agent = McpClient::new(&server, era);
        let list = agent.request_answered("prompts/list", json!({}))["result"]["prompts"].take();
        let names: Vec<_> = list.as_array().expect("a list").iter().map(|prompt| &prompt["name"]).collect();
        assert_eq!(names, ["orchestrate", "review", "handoff"]);
        assert_eq!(list[0]["arguments"][0]["required"], true, "{list}");
        let arguments = json!({ "task": "port the parser", "workers": "3" });
        let got =
            agent.request_answered("prompts/get", json!({ "name": "orchestrate", "arguments": arguments }));
        let message = &got["result"]["messages"][0];
        let text = message["content"]["text"].as_str().expect("a text");
        assert_eq!(message["role"], "user");
        assert!(text.contains("\nTask: port the parser\nWorkers: 3\n"), "{text}");
        for wrong in [json!({ "name": "dance" }), json!({ "name": "review" })] {
            assert_eq!(agent.request_answered("prompts/get", wrong)["error"]["code"], -32602);
        }
    }
    assert!(!server.socket().exists(), "prompts do not start a daemon");
}

#[test]
fn arguments_are_completed_with_the_sessions_and_panes_there_are() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let review = json!({ "type": "ref/prompt", "name": "review" });
    assert_eq!(complete(&mut agent, review.clone(), "session", ""), json!([]), "no daemon runs");
    let pane = server.session("parser", &["cat"]);
    server.session("printer", &["cat"]);
    server.session("docs", &["cat"]);
    assert_eq!(complete(&mut agent, review.clone(), "session", "P"), json!(["parser", "printer"]));
    assert_eq!(complete(&mut agent, review.clone(), "focus", "sec"), json!(["security"]));
    server.ok(&["rename-pane", "-t", &pane, "tests"]);
    let panes = json!({ "type": "ref/resource", "uri": "fugue://panes/{pane}" });
    assert_eq!(complete(&mut agent, panes, "pane", "te"), json!(["tests"]));
    for (of, argument) in [
        (review, "color"),
        (json!({ "type": "ref/prompt", "name": "dance" }), "x"),
        (json!({ "type": "ref/resource", "uri": "file:///{x}" }), "x"),
    ] {
        let params = json!({ "ref": of, "argument": { "name": argument, "value": "" } });
        let answer = agent.request_answered("completion/complete", params);
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

#[test]
fn the_guide_is_printed_without_a_daemon() {
    let server = test_server();
    let guide = server.ok(&["guide"]);
    assert!(
        guide.starts_with("## Working in fugue\n") && guide.contains("`fugue_send_orchestration`"),
        "{guide}"
    );
    assert_eq!(server.json(&["guide"])["text"].as_str().map(str::trim_end), Some(guide.trim_end()));
    assert!(!server.socket().exists());
}
