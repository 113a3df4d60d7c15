//! Every tool's reply fits the tool's own output schema, whatever people and programs put into the world. The test client
//! checks each result (`mcp_client.rs`), so these tests only have to call the tools.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::TestServer;
use serde_json::{Map, Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

/// Text with characters that break terminals, JSON written by hand, and careless parsers.
const HOSTILE: &str = "a\u{202e}b\u{2066}c \"'\\{}[]<>&%s\u{1b}[31m\u{7}\u{fe0f}👩‍👩‍👧 é \u{feff}";

/// The session's later name is a hundred of these.
const RENAMED: &str = "é";

/// Tools that this world refuses, with the reason in a word: everything else must succeed.
const REFUSED: [(&str, &str); 6] = [
    ("fugue_resume_agent", "is unknown"),
    ("fugue_broadcast", "No repository"),
    ("fugue_detach_client", "Client not found"),
    ("fugue_remove_worktree", "Worktree not found"),
    ("fugue_resend_message", "neither expired"),
    ("fugue_resize_pane", "no border to move"),
];

/// A world of two sessions: names at their limits, hostile titles, metadata and messages.
struct World {
    server: TestServer,
    session: String,
    pane: String,
    other: String,
    message: Value,
}

impl World {
    fn new() -> (Self, McpClient) {
        let server = test_server();
        let stand_in = server.path().join("claude");
        fs::write(&stand_in, "#!/bin/sh\nexec cat\n").expect("a program");
        fs::set_permissions(&stand_in, fs::Permissions::from_mode(0o755)).expect("its mode");
        let session = "名".repeat(100);
        let title = r"printf '\033]2;t\342\200\256itle\007'; printf 'a\0b\n'; cat";
        let own = server.session(&session, &["cat"]);
        let made = server.json(&["create-window", "-s", &session, "--", "sh", "-c", title]);
        let pane = made["pane_id"].as_str().expect("an id").to_owned();
        let other = server.session("lead", &["cat"]);
        server.ok(&["set-tags", "-s", "lead", "--add", "orchestrator"]);
        let mut agent = McpClient::in_pane(&server, &own);
        for tag in 0..60 {
            agent.ok("fugue_set_tags", json!({ "add": format!("{tag:0>106}") }));
        }
        agent.ok("fugue_set_metadata", json!({ "key": HOSTILE, "value": HOSTILE.repeat(200) }));
        let to_self = json!({ "session": session });
        for payload in payloads() {
            let send = json!({ "target": to_self, "msg_type": "型".repeat(100), "payload": payload });
            agent.ok("fugue_send_orchestration", send);
        }
        let page = agent.ok("fugue_poll_messages", json!({}));
        let message = page["messages"][0]["message_id"].clone();
        (Self { server, session, pane, other, message }, agent)
    }

    /// A value for an argument, by its name.
    fn argument(&self, tool: &str, name: &str) -> Option<Value> {
        Some(match (tool, name) {
            ("fugue_move_window" | "fugue_kill_window" | "fugue_select_window", "window") => json!("0"),
            ("fugue_swap_windows", "window") => json!("0"),
            ("fugue_move_window", "index") => json!(0),
            ("fugue_swap_windows", "with") => json!("1"),
            ("fugue_run" | "fugue_poll_messages" | "fugue_create_session", "pane_id" | "session") => {
                return None;
            }
            ("fugue_resend_message" | "fugue_detach_client" | "fugue_close_pane", "session") => return None,
            ("fugue_get_output", "context") | ("fugue_spawn_agent", "name") => return None,
            ("fugue_spawn_agent", "agent") => json!("claude"),
            ("fugue_spawn_agent", "env") => {
                json!({ "PATH": format!("{}:/bin", self.server.path().display()) })
            }
            ("fugue_spawn_agent", "timeout_ms") => json!(100),
            ("fugue_set_environment", "name") => json!("NAME"),
            ("fugue_rename_session", "name") => json!(RENAMED.repeat(100)),
            ("fugue_join_pane", "beside") => json!(self.other),
            ("fugue_create_pane" | "fugue_create_session" | "fugue_create_window", "command") => json!("cat"),
            ("fugue_respawn_pane", "command") => json!("cat"),
            (_, "pane_id") => json!(self.pane),
            (_, "session") => json!(self.session),
            (_, "name") => json!("ñ".repeat(100)),
            (_, "key") => json!(HOSTILE),
            (_, "value" | "input" | "message" | "context" | "note") => json!(HOSTILE.replace('\0', "")),
            (_, "command") => json!("printf 'a\\0b\\n'"),
            (_, "commands") => json!(["true", "false"]),
            (_, "target") => json!({ "session": self.session }),
            (_, "msg_type") => json!("t"),
            (_, "payload") => json!({ HOSTILE: [null, 1.5, { "deep": HOSTILE }] }),
            (_, "status") => json!("working"),
            (_, "message_id") => self.message.clone(),
            (_, "layout") => json!({ "direction": "right", "children": [{}, { "command": "cat" }] }),
            (_, "preset") => json!("tiled"),
            (_, "size") => json!({ "cols": 200, "rows": 100 }),
            (_, "cols") => json!(40),
            (_, "client") => json!(3),
            (_, "kill") => json!(true),
            (_, "until") => json!("idle"),
            (_, "timeout_ms") => json!(20_000),
            (_, "with") => json!(self.pane),
            _ => return None,
        })
    }
}

/// Payloads of every kind of value, up to the largest that a message may have.
fn payloads() -> Vec<Value> {
    let values = [json!(null), json!(true), json!(-1.5e-300), json!(HOSTILE), json!([[]]), json!({ "": {} })];
    let nested = (0..60).fold(json!(1), |inner, _| json!({ "in": inner }));
    let largest = json!({ "text": "é".repeat(100_000) });
    values.into_iter().map(|value| json!({ "value": value })).chain([json!({}), nested, largest]).collect()
}

/// Whether calling a tool removes what later calls need.
fn is_last(tool: &str) -> u8 {
    ["fugue_join_pane", "fugue_rename_session", "fugue_close_pane", "fugue_kill_window", "fugue_kill_session"]
        .iter()
        .position(|last| *last == tool)
        .map_or(0, |place| place as u8 + 1)
}

#[test]
fn every_tool_keeps_its_schema_in_a_hostile_world() {
    let (mut world, mut agent) = World::new();
    let list = fugue_mcp::tool_list();
    let mut tools: Vec<_> = list.as_array().expect("tools").iter().collect();
    tools.sort_by_key(|tool| is_last(tool["name"].as_str().expect("a name")));
    let mut surprises = Vec::new();
    for tool in tools {
        let name = tool["name"].as_str().expect("a name");
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties").keys();
        let given =
            properties.filter_map(|property| Some((property.clone(), world.argument(name, property)?)));
        let result = agent.tool(name, Value::Object(given.collect::<Map<_, _>>()));
        let refused = REFUSED.iter().find(|(refused, _)| *refused == name);
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let expected = match refused {
            Some((_, why)) => result["isError"] == true && text.contains(why),
            None => result["isError"] != true,
        };
        if !expected {
            surprises.push(format!("{name}: {text}"));
        }
        if name == "fugue_rename_session" {
            world.session = RENAMED.repeat(100);
        }
    }
    assert!(surprises.is_empty(), "{surprises:#?}");
    assert!(world.server.run(&["ls"]).out.starts_with("lead"), "only the other session is left");
}

#[test]
fn every_tool_keeps_its_schema_in_an_empty_world() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let list = fugue_mcp::tool_list();
    let answered = list.as_array().expect("tools").iter().filter(|tool| {
        let name = tool["name"].as_str().expect("a name");
        // These would wait for a program, or create something.
        let acts = ["fugue_create_session", "fugue_run", "fugue_run_parallel"].contains(&name);
        !acts && agent.tool(name, json!({}))["isError"] != true
    });
    let answered: Vec<_> = answered.map(|tool| tool["name"].as_str().expect("a name")).collect();
    for name in
        ["fugue_list_sessions", "fugue_list_panes", "fugue_list_messages", "fugue_show_waits", "fugue_help"]
    {
        assert!(answered.contains(&name), "{answered:?}");
    }
}
