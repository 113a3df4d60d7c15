//! Messages over MCP: the tools, the unread count in every result, the inbox as a resource.

#[allow(dead_code, reason = "shared with the tests of the bridge")]
#[path = "../mcp/mcp_client.rs"]
mod mcp_client;

use fugue_testkit::TestServer;
use mcp_client::{Era, McpClient};
use serde_json::{Value, json};

use crate::test_server;

/// An agent whose MCP server runs in a session's pane.
fn in_pane(server: &TestServer, session: &str, tags: &[&str]) -> McpClient {
    in_pane_of(server, session, tags, Era::Stateless)
}

fn in_pane_of(server: &TestServer, session: &str, tags: &[&str], era: Era) -> McpClient {
    let pane = server.session(session, &["cat"]);
    if !tags.is_empty() {
        server.ok(&[&["set-tags", "-s", session, "--add"], tags].concat());
    }
    let mut bridge = server.command_for(&pane, &["mcp"]);
    bridge.env("FUGUE_SOCKET", server.socket());
    McpClient::start(bridge, era)
}

#[test]
fn every_message_is_on_a_page_and_an_answer_that_was_waited_for_needs_no_poll() {
    let server = test_server();
    let (mut lead, mut worker) = (in_pane(&server, "lead", &[]), in_pane(&server, "worker", &[]));
    for number in 0..150 {
        let payload = json!({ "number": number, "text": "x".repeat(100) });
        let to_lead = json!({ "target": { "session": "lead" }, "msg_type": "note", "payload": payload });
        worker.ok("fugue_send_orchestration", to_lead);
    }
    let (mut seen, mut after) = (Vec::new(), 0);
    loop {
        let page = lead.ok("fugue_poll_messages", json!({ "limit": 150, "after": after }));
        let messages = page["messages"].as_array().expect("messages");
        seen.extend(messages.iter().filter_map(|message| message["payload"]["number"].as_u64()));
        assert_eq!(page["more"], json!(150 - seen.len()));
        if page["more"] == 0 {
            break;
        }
        after = page["next"].as_u64().expect("the next page");
    }
    assert_eq!(seen, (0..150).collect::<Vec<_>>());
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let mut arguments = json!({ "limit": 150, "session": "lead" });
        before.iter().for_each(|before| arguments["before"] = json!(before));
        let page = lead.ok("fugue_list_messages", arguments);
        let numbers = page["messages"].as_array().expect("messages").iter();
        seen.splice(0..0, numbers.filter_map(|message| message["payload"]["number"].as_u64()));
        assert_eq!(page["older"], json!(150 - seen.len()));
        if page["older"] == 0 {
            break;
        }
        before = page["messages"][0]["number"].as_u64();
    }
    assert_eq!(seen, (0..150).collect::<Vec<_>>());

    let ask =
        json!({ "target": { "session": "lead" }, "msg_type": "question", "payload": {}, "wait_ms": 60_000 });
    let asked = worker.send_tool("fugue_send_orchestration", ask);
    let question = json!({ "msg_types": ["question"], "wait_ms": 60_000 });
    let question = lead.ok("fugue_poll_messages", question)["messages"][0]["message_id"].clone();
    lead.ok(
        "fugue_send_orchestration",
        json!({ "target": { "session": "worker" }, "msg_type": "answer",
        "payload": { "say": "yes" }, "reply_to": question }),
    );
    let answered = worker.answer(asked)["result"]["structuredContent"].take();
    assert_eq!(answered["answer"]["payload"], json!({ "say": "yes" }));
    let left = worker.ok("fugue_poll_messages", json!({}));
    assert_eq!((&left["messages"], left.get("unread")), (&json!([]), Some(&json!(0))), "{left}");
}

#[test]
fn orchestrator_and_worker_exchange_tasks_reports_and_questions() {
    let server = test_server();
    let mut lead = in_pane(&server, "lead", &["orchestrator"]);
    let mut worker = in_pane(&server, "worker", &["worker"]);
    // Some clients send an object as a string.
    let sent = lead.ok(
        "fugue_send_orchestration",
        json!({ "target": "{\"tag\":\"worker\"}", "msg_type": "task.assigned", "payload": { "task": "tests", "list": "[1]" } }),
    );
    assert_eq!(sent["recipients"][0]["session_name"], "worker");
    // The count is in structured content and in text.
    assert_eq!(worker.ok("fugue_get_tags", json!({}))["unread"], 1);
    let own = worker.ok("fugue_whoami", json!({}))["pane_id"].clone();
    let text = worker.text("fugue_get_output", json!({ "pane_id": own }));
    assert!(text.lines().next().expect("a header").ends_with("unread 1 (fugue_poll_messages)"), "{text}");
    let page = worker.ok("fugue_poll_messages", json!({}));
    assert_eq!(page["messages"][0]["payload"], json!({ "task": "tests", "list": "[1]" }));
    let id = page["messages"][0]["message_id"].clone();
    worker.ok("fugue_poll_messages", json!({ "acknowledge": [id], "limit": 0 }));
    assert_eq!(worker.ok("fugue_get_tags", json!({})).get("unread"), None);
    worker.ok("fugue_report_status", json!({ "status": "working", "message": "on it" }));
    let panes = lead.ok("fugue_list_panes", json!({ "session": "worker" }));
    assert_eq!(panes["panes"][0]["agent"]["state"], "working");
    let help = worker.ok("fugue_request_help", json!({ "context": "which tests?" }));
    let page = lead.ok("fugue_poll_messages", json!({ "msg_types": ["help.*"] }));
    let answer = json!({ "target": { "session": "worker" }, "msg_type": "help.answer", "payload": { "say": "all" },
        "reply_to": page["messages"][0]["message_id"] });
    lead.ok("fugue_send_orchestration", answer);
    let page = worker.ok("fugue_poll_messages", json!({ "wait_ms": 10_000 }));
    assert_eq!(
        (&page["outcome"], &page["messages"][0]["reply_to"]),
        (&json!("arrived"), &help["message_id"])
    );
    let status = worker.ok("fugue_message_status", json!({ "message_id": help["message_id"] }));
    assert_eq!(status["receipts"][0]["state"], "replied");
}

#[test]
fn a_payload_that_is_not_an_object_is_refused_where_it_is_sent() {
    let server = test_server();
    let mut lead = in_pane(&server, "lead", &[]);
    in_pane(&server, "worker", &[]);
    for payload in [json!("text"), json!("{ no"), json!([1, 2]), json!(7), json!(true)] {
        let send = json!({ "target": { "session": "worker" }, "msg_type": "t", "payload": payload });
        let refused = lead.refused("fugue_send_orchestration", send);
        assert!(refused.contains("payload: expected an object, such as {"), "{payload}: {refused}");
    }
    let send = json!({ "target": { "session": "worker" }, "msg_type": "t" });
    assert!(lead.refused("fugue_send_orchestration", send).contains("`payload` is missing"));
    let wrong = server.run(&["send-orchestration", "-s", "worker", "t", "[1]"]).err;
    assert!(wrong.contains("not a JSON object"), "{wrong}");
}

#[test]
fn a_message_without_recipients_is_an_error_for_the_model() {
    let server = test_server();
    let mut lead = in_pane(&server, "lead", &[]);
    let send = json!({ "target": { "tag": "nobody" }, "msg_type": "t", "payload": {} });
    let text = lead.refused("fugue_send_orchestration", send);
    assert!(
        text.starts_with("No recipients: no other session is tagged `nobody`\nhint: `fugue_list_sessions`"),
        "{text}"
    );
}

#[test]
fn a_question_waits_for_its_reply_across_a_daemon_kill() {
    let server = test_server();
    let mut asker = in_pane(&server, "asker", &[]);
    let mut other = in_pane(&server, "other", &[]);
    let question =
        json!({ "target": { "session": "other" }, "msg_type": "question", "payload": {}, "wait_ms": 60_000 });
    let call = asker.send_tool("fugue_send_orchestration", question);
    let page = other.ok("fugue_poll_messages", json!({ "wait_ms": 60_000 }));
    fugue_testkit::signal("KILL", server.daemon_pid());
    let answer = json!({ "target": { "session": "asker" }, "msg_type": "answer", "payload": { "n": 1 },
        "reply_to": page["messages"][0]["message_id"] });
    other.ok("fugue_send_orchestration", answer);
    let answered = asker.answer(call)["result"].take();
    assert_eq!(answered["structuredContent"]["answer"]["payload"], json!({ "n": 1 }), "{answered}");
    let page = other.ok("fugue_poll_messages", json!({}));
    assert_eq!(page["messages"], json!([]), "the question was asked once");
}

#[test]
fn the_inbox_is_a_resource() {
    let server = test_server();
    let mut agent = in_pane(&server, "to", &[]);
    server.ok(&["send-orchestration", "-s", "to", "note", "{\"n\":1}"]);
    let read = agent.request_answered("resources/read", json!({ "uri": "fugue://inbox" }))["result"].take();
    let page: Value =
        serde_json::from_str(read["contents"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(page["messages"][0]["payload"], json!({ "n": 1 }));
}

#[test]
fn an_inbox_subscriber_is_notified_of_a_message() {
    let server = test_server();
    let mut agent = in_pane_of(&server, "to", &[], Era::Initialize);
    agent.request_answered("resources/subscribe", json!({ "uri": "fugue://inbox" }));
    server.session("other", &["cat"]);
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    let start = std::time::Instant::now();
    let is_notified =
        |agent: &McpClient| agent.notes.iter().any(|note| note["params"]["uri"] == "fugue://inbox");
    while !is_notified(&agent) && start.elapsed() < fugue_testkit::PATIENCE {
        agent.listen(std::time::Duration::from_millis(20));
    }
    assert!(is_notified(&agent), "{:?}", agent.notes);
}

#[test]
fn an_agent_with_a_messaging_socket_gets_messages_pushed() {
    use std::io::BufRead;
    let server = test_server();
    let inbox = server.path().join("inbox.sock");
    let listener = std::os::unix::net::UnixListener::bind(&inbox).expect("an inbox");
    let (received, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for pushed in listener.incoming().map_while(Result::ok) {
            let lines: Vec<_> = std::io::BufReader::new(pushed).lines().map_while(Result::ok).collect();
            // An empty connection only probes the socket.
            if !lines.is_empty() && received.send(lines).is_err() {
                return;
            }
        }
    });
    let pane = server.session("to", &["cat"]);
    let mut bridge = server.command_for(&pane, &["mcp"]);
    bridge.env("FUGUE_SOCKET", server.socket());
    bridge.env("CLAUDE_CODE_MESSAGING_SOCKET", &inbox).env("CLAUDE_CODE_MESSAGING_TOKEN", "secret");
    let mut agent = McpClient::start(bridge, Era::Stateless);
    // It has not called a tool yet.
    agent.request_answered("tools/list", json!({}));
    let sent = server.json(&["send-orchestration", "-s", "to", "note"]);
    let id = sent["message_id"].as_str().expect("an id");
    let how = || server.json(&["message-status", id])["receipts"][0]["how"].clone();
    fugue_testkit::until("the message is pushed", || how() == "pushed");
    let pushed = lines.recv_timeout(fugue_testkit::PATIENCE).expect("a pushed message");
    let line = |at: usize| serde_json::from_str::<Value>(&pushed[at]).expect("JSON");
    assert_eq!(line(0), json!({ "type": "auth", "token": "secret" }));
    assert_eq!((&line(1)["type"], &line(1)["message"]["role"]), (&json!("user"), &json!("user")));
    let content = line(1)["message"]["content"].as_str().expect("text").to_owned();
    assert!(
        content.starts_with("[fugue] You have ") && content.ends_with("read them with fugue_poll_messages."),
        "{content}"
    );
}

#[test]
fn push_delivery_is_refused_without_a_messaging_socket() {
    let server = test_server();
    let mut agent = in_pane(&server, "to", &[]);
    let refused = agent.refused("fugue_subscribe_orchestration", json!({ "deliver": ["push"] }));
    assert!(refused.starts_with("deliver: this agent has no messaging socket to push to"), "{refused}");
}
