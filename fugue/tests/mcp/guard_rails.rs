//! Guard rails: actions that an agent may not take, and the audit log of those it takes.

use std::io::Write;
use std::os::unix::net::UnixStream;

use fugue_protocol::PaneId;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

use crate::mcp_client::{ERAS, McpClient, test_server};

/// An agent whose MCP server runs in a pane.
fn agent_in(server: &TestServer, pane: &str) -> McpClient {
    McpClient::start(server.command_for(pane, &["mcp"]), ERAS[1])
}

fn configured(text: &str) -> TestServer {
    let server = test_server();
    write_config(&server, text);
    server
}

fn write_config(server: &TestServer, text: &str) {
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), text).expect("a setting");
}

#[test]
fn a_user_who_types_locks_the_keyboard_for_a_moment() {
    let server = test_server();
    let pane = server.session("work", &["bash"]);
    let mut agent = McpClient::new(&server, ERAS[1]);
    let mut user = UnixStream::connect(server.socket()).expect("the daemon is running");
    let id: PaneId = pane.parse().expect("an id");
    user.write_all(&messages::greeting(Hello::new(Role::Terminal, None)).expect("a frame")).expect("sent");
    user.write_all(&messages::keys(id, b"# mine")).expect("sent");
    server.wait_for(&pane, "# mine");
    for (tool, args) in [
        ("fugue_send_input", json!({ "pane_id": pane, "input": "yours" })),
        ("fugue_run", json!({ "pane_id": pane, "command": "echo yours" })),
    ] {
        let refused = agent.refused(tool, args);
        assert!(
            refused.starts_with(&format!("The user is typing in pane {pane}\nhint: try again in ")),
            "{refused}"
        );
    }
    server.ok(&["send-input", "-t", &pane, " still mine"]);
    until("it is typed", || server.text(&pane).contains("# mine still mine"));
    until("the keyboard is free again", || {
        let mut agent = McpClient::new(&server, ERAS[1]);
        let answer = agent.tool("fugue_send_input", json!({ "pane_id": pane, "input": "!" }));
        answer["isError"] == false
    });
}

#[test]
fn an_agent_cannot_type_into_its_own_pane() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let mut agent = agent_in(&server, &pane);
    let refused = agent.refused("fugue_send_input", json!({ "pane_id": pane, "input": "x" }));
    assert!(
        refused.starts_with(&format!(
            "Pane {pane} is the caller's own pane\nhint: specify another pane; `fugue_run`"
        )),
        "{refused}"
    );
    let refused = agent.refused("fugue_send_input", json!({ "input": "x", "submit": true }));
    assert!(refused.starts_with("fugue_send_input needs a target\n"), "{refused}");
    let other = agent.ok("fugue_create_pane", json!({ "command": "cat" }));
    agent.ok("fugue_send_input", json!({ "pane_id": other["pane_id"], "input": "x" }));
    // A user's shell may: a command typed there is intentional.
    let mut command = server.command_for(&pane, &["send-input", "-t", &pane, "mine\n"]);
    assert!(command.status().expect("fugue runs").success());
    server.wait_for(&pane, "^mine$");
}

#[test]
fn an_agent_cannot_answer_another_agents_permission_prompt() {
    let prompt = "printf '\\033]7501;state=blocked:app=claude-code:kind=permission\\007'; cat";
    for (setting, allowed) in [("", false), ("agents_may_answer = true\n", true)] {
        let server = configured(setting);
        let pane = server.session("work", &["sh", "-c", prompt]);
        server.json(&["wait", "-t", &pane, "--until", "agent_state", "--state", "blocked"]);
        let mut agent = McpClient::new(&server, ERAS[0]);
        let answer = agent.tool("fugue_send_input", json!({ "pane_id": pane, "input": "1\n" }));
        assert_eq!(answer["isError"] == false, allowed, "{answer}");
        if !allowed {
            let text = crate::mcp_client::text(&answer);
            assert!(
                text.contains("is asking the user for permission\nhint: ask the user to answer it"),
                "{text}"
            );
        }
        server.ok(&["send-input", "-t", &pane, "2\n"]);
        server.wait_for(&pane, "^2$");
    }
}

#[test]
fn scopes_limit_agents_and_actions_beyond_their_session_are_logged() {
    let server = configured("[scopes]\n\"worker*\" = \"descendants\"\nwatcher = \"observe\"\n");
    let boss = server.session("boss", &["cat"]);
    let worker = server.session("worker1", &["cat"]);
    let watcher = server.session("watcher", &["cat"]);
    let mut agent = agent_in(&server, &watcher);
    agent.ok("fugue_list_sessions", json!({}));
    agent.text("fugue_get_output", json!({ "pane_id": boss }));
    let refused = agent.refused("fugue_send_input", json!({ "pane_id": boss, "input": "x" }));
    assert!(
        refused.starts_with("Session boss is outside the scope (`observe`) of watcher\nhint: "),
        "{refused}"
    );
    agent.ok("fugue_set_tags", json!({ "add": "mine" }));
    let mut agent = agent_in(&server, &worker);
    assert!(
        agent
            .refused("fugue_kill_session", json!({ "session": "boss" }))
            .contains("scope (`descendants`) of worker1")
    );
    let child = agent.ok("fugue_create_session", json!({ "name": "child", "command": "cat" }));
    agent.ok("fugue_send_input", json!({ "pane_id": child["pane_id"], "input": "x" }));
    let mut agent = agent_in(&server, &boss);
    agent.ok("fugue_set_tags", json!({ "session": "worker1", "add": "logged" }));
    agent.ok("fugue_set_tags", json!({ "add": "own" }));
    let log = std::fs::read_to_string(server.state_dir().join("audit.log")).expect("a log");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let logged: Vec<_> = lines
        .iter()
        .map(|line| ["session", "verb", "touched", "outcome"].map(|name| line[name].clone()))
        .collect();
    assert_eq!(
        logged,
        [
            [json!("watcher"), json!("send-input"), json!(["boss"]), json!("refused")],
            [json!("worker1"), json!("kill-session"), json!(["boss"]), json!("refused")],
            [json!("worker1"), json!("create-session"), json!(["child"]), json!("allowed")],
            [json!("worker1"), json!("send-input"), json!(["child"]), json!("allowed")],
            [json!("boss"), json!("set-tags"), json!(["worker1"]), json!("allowed")],
        ]
    );
    assert_eq!((&lines[0]["pane"], &lines[0]["known_by"]), (&json!(watcher), &json!("key")));
    assert!(lines.iter().all(|line| line["pid"].is_u64()), "{log}");
}

#[test]
fn scopes_change_while_the_daemon_runs_and_a_broken_file_does_not_widen_them() {
    let server = test_server();
    let lead = server.session("lead", &["cat"]);
    let worker = server.session("worker", &["cat"]);
    let is_refused = || {
        let mut agent = agent_in(&server, &worker);
        let answer = agent.tool("fugue_send_input", json!({ "pane_id": lead, "input": "x" }));
        answer["isError"] == true
    };
    assert!(!is_refused());
    write_config(&server, "[scopes]\nworker = \"observe\"\n");
    until("the agent may only observe", is_refused);
    for broken in ["[scopes]\nworker = \"al\"\n", "[scopes]\nworker = = \"all\"\n"] {
        write_config(&server, broken);
        until("the mistake is reported", || server.ok(&["server-status"]).contains("config.toml, line 2"));
        assert!(is_refused(), "{broken}");
        write_config(&server, "[scopes]\nworker = \"observe\"\n");
        until("the mistake is gone", || !server.ok(&["server-status"]).contains("config.toml"));
    }
    write_config(&server, "[scopes]\nworker = \"all\"\n");
    until("the agent may type again", || !is_refused());
}

#[test]
fn a_daemon_that_starts_with_broken_scopes_lets_agents_only_observe() {
    let server = configured("[scopes]\nworker = = \"descendants\"\n");
    let lead = server.session("lead", &["cat"]);
    let worker = server.session("worker", &["cat"]);
    let mut agent = agent_in(&server, &worker);
    let refused = agent.refused("fugue_send_input", json!({ "pane_id": lead, "input": "x" }));
    assert!(refused.contains("scope (`observe`) of worker"), "{refused}");
}

#[test]
fn submitted_text_is_reported_as_submitted_or_pending() {
    let server = test_server();
    let mut agent = McpClient::new(&server, ERAS[1]);
    let cat = server.session("cat", &["cat"]);
    let sent = agent.ok("fugue_send_input", json!({ "pane_id": cat, "input": "words", "submit": true }));
    assert_eq!(sent["submit"], "submitted");
    // It echoes its input but never accepts it.
    let deaf = server.session(
        "deaf",
        &["sh", "-c", "stty -icanon -icrnl -echo; printf '> half a question'; exec sleep 600"],
    );
    server.wait_for(&deaf, "half a question");
    let sent =
        agent.ok("fugue_send_input", json!({ "pane_id": deaf, "input": "half a question", "submit": true }));
    assert_eq!(sent["submit"], "pending");
    let busy = "read x; printf '\\033]7501;state=working:app=claude-code\\007'; sleep 600";
    let idle = format!("printf '\\033]7501;state=idle:app=claude-code\\007'; {busy}");
    let claude = server.session("claude", &["sh", "-c", &idle]);
    server.json(&["wait", "-t", &claude, "--until", "agent_state", "--state", "idle"]);
    let sent = agent.ok("fugue_send_input", json!({ "pane_id": claude, "input": "work", "submit": true }));
    assert_eq!(sent["submit"], "submitted");
    let waited = agent.ok("fugue_wait", json!({ "pane_id": claude, "states": ["working"] }));
    assert_eq!((&waited["outcome"], &waited["agent"]), (&json!("agent_state"), &json!("working")));
}
