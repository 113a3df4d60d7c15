//! Many concurrent calls.

use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

#[test]
fn three_hundred_calls_in_flight_each_get_their_own_answer() {
    for era in ERAS {
        let server = test_server();
        let panes: Vec<_> = (0..10)
            .map(|n| server.session(&format!("s{n}"), &["sh", "-c", &format!("echo pane{n}; cat")]))
            .collect();
        panes.iter().enumerate().for_each(|(n, pane)| server.wait_for(pane, &format!("^pane{n}$")));
        let mut agent = McpClient::new(&server, era);
        let calls = (0..300).map(|number| {
            let n = number % 10;
            match number % 6 {
                0 => ("fugue_get_tags", json!({ "session": format!("s{n}") })),
                1 => ("fugue_get_output", json!({ "pane_id": panes[n] })),
                2 => ("fugue_get_output", json!({ "pane_id": format!("no-{number}") })),
                3 => (
                    "fugue_set_metadata",
                    json!({ "session": format!("s{n}"), "key": format!("k{number}"), "value": "v" }),
                ),
                4 => ("fugue_no_such_tool", json!({})),
                _ => ("fugue_list_panes", json!({ "session": format!("s{n}") })),
            }
        });
        let lines: Vec<_> = calls
            .map(|(name, arguments)| {
                agent.request("tools/call", json!({ "name": name, "arguments": arguments }))
            })
            .collect();
        let first = serde_json::from_str::<Value>(&lines[0]).unwrap()["id"].as_u64().unwrap();
        agent.line(&lines.join("\n"));
        for number in 0..300 {
            check_answer(number, &agent.answer(first + number as u64), &panes);
        }
    }
}

/// Asserts that an answer belongs to its call.
fn check_answer(number: usize, answer: &Value, panes: &[String]) {
    let (n, result) = (number % 10, &answer["result"]);
    if number % 6 == 4 {
        assert_eq!(answer["error"]["code"], -32602, "{number}: {answer}");
        return;
    }
    let (facts, text) =
        (&result["structuredContent"], result["content"][0]["text"].as_str().expect("a text"));
    match number % 6 {
        0 => assert_eq!(facts["session_name"], format!("s{n}"), "{number}"),
        1 => assert!(text.contains(&panes[n]) && text.contains(&format!("\npane{n}")), "{number}: {text}"),
        2 => assert!(text.starts_with(&format!("Pane not found: no-{number}\n")), "{number}: {text}"),
        3 => assert_eq!(facts["entries"][format!("k{number}")], "v", "{number}"),
        _ => assert_eq!(facts["panes"][0]["pane_id"], json!(panes[n]), "{number}"),
    }
    assert_eq!(result["isError"], json!(number % 6 == 2), "{number}");
}

#[test]
fn three_hundred_waits_leave_room_for_other_calls() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let wait = json!({ "pane_id": pane, "pattern": "^now$", "timeout_ms": 60_000 });
    let waits: Vec<_> = (0..300).map(|_| agent.send_tool("fugue_wait", wait.clone())).collect();
    assert_eq!(agent.ok("fugue_list_sessions", json!({}))["sessions"][0]["name"], "work");
    agent.ok("fugue_send_input", json!({ "pane_id": pane, "input": "now\n" }));
    for wait in waits {
        assert_eq!(agent.answer(wait)["result"]["structuredContent"]["outcome"], "matched");
    }
}

#[test]
fn two_hundred_inputs_sent_at_once_arrive_in_order() {
    for era in ERAS {
        let server = test_server();
        // Without the terminal's echo, which would be mixed with the output.
        let pane = server.session("work", &["sh", "-c", "stty -echo; echo ready; exec cat"]);
        server.wait_for(&pane, "^ready$");
        let mut agent = McpClient::new(&server, era);
        let input = |number: usize| json!({ "pane_id": pane, "input": format!("line {number}\n") });
        let call = |number| json!({ "name": "fugue_send_input", "arguments": input(number) });
        let lines: Vec<_> = (0..200).map(|number| agent.request("tools/call", call(number))).collect();
        agent.line(&lines.join("\n"));
        server.wait_for(&pane, "^line 199$");
        let expected: String = (0..200).map(|number| format!("line {number}\n")).collect();
        assert_eq!(server.text(&pane).trim_end(), format!("ready\n{expected}").trim_end());
    }
}

#[test]
fn two_agents_outside_any_pane_can_choose_the_same_idempotency_key() {
    let server = test_server();
    server.session("to", &["cat"]);
    let agents = [McpClient::new(&server, ERAS[0]), McpClient::new(&server, ERAS[1])];
    let message = json!({
        "target": { "session": "to" }, "msg_type": "note", "payload": { "n": 1 }, "idempotency_key": "task-1",
    });
    let mut sent = agents.map(|mut agent| {
        let first = agent.ok("fugue_send_orchestration", message.clone());
        (agent, first["message_id"].clone())
    });
    assert_ne!(sent[0].1, sent[1].1, "each agent's message is sent");
    fugue_testkit::signal("KILL", server.daemon_pid());
    for (agent, id) in &mut sent {
        let again = agent.ok("fugue_send_orchestration", message.clone());
        assert_eq!(
            (&again["message_id"], &again["duplicate"]),
            (&*id, &json!(true)),
            "a retry is no second message"
        );
    }
}
