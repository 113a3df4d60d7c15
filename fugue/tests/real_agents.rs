//! The real agents, each in a pane, with a scripted model on loopback. They are large, so this runs only on request:
//! `FUGUE_STAGE_KIT` is the directory of the script `stage`, `FUGUE_STAGE` one prepared by `stage install`.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "mcp/mcp_client.rs"]
mod mcp_client;

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command};

use fugue_testkit::{TestServer, agent_stage, until};
use mcp_client::{binary, test_server};
use serde_json::json;

/// The tool calls of the model, one per line.
const PROMPT: &str = r#"@call fugue_whoami {}
@call fugue_create_pane {"command": "bash", "background": true, "name": "made"}
@call fugue_run {"pane_id": "made", "command": "echo made $((6 * 7)); false", "timeout_ms": 20000}
@call fugue_run {"command": "echo alone $((6 * 9)); exit 4", "timeout_ms": 20000}
@call fugue_create_pane {"command": "echo shown; sleep 600", "background": true, "name": "shown"}
@call fugue_wait {"pane_id": "shown", "pattern": "shown", "timeout_ms": 20000}
@call fugue_get_output {"pane_id": "shown"}
"#;

/// The agents, and the commands that start them.
const AGENTS: [(&str, &str); 4] = [
    ("claude", "claude -p \"$P\" --allowedTools 'mcp__fugue__*'"),
    // It does not pass its environment to MCP servers.
    ("codex", "codex exec --skip-git-repo-check \"$P\""),
    // It adds its own argument to every call.
    ("gemini", "gemini -y -p \"$P\""),
    ("opencode", "opencode run --model mock/m \"$P\""),
];

struct Stage {
    kit: PathBuf,
    directory: PathBuf,
    port: u16,
    model: Child,
}

impl Stage {
    /// A stage whose agents start `fugue mcp` with these flags.
    fn new(kit: PathBuf, directory: PathBuf, flags: &[&str]) -> Self {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let log = directory.join("model.jsonl");
        let _ = fs::remove_file(&log);
        let written = Command::new(kit.join("stage"))
            .arg("home")
            .arg(&directory)
            .args([&port.to_string(), binary(), "mcp"])
            .args(flags)
            .status();
        assert!(written.is_ok_and(|written| written.success()), "the agents' home");
        fs::write(directory.join("prompt"), PROMPT).expect("a prompt");
        let model = Command::new(kit.join("stage"))
            .arg("model")
            .arg(port.to_string())
            .arg(log)
            .spawn()
            .expect("a model");
        until("the model listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        let stage = Self { kit, directory, port, model };
        stage.write_opencode(flags);
        stage
    }

    /// Configures the one agent that the kit does not configure.
    fn write_opencode(&self, flags: &[&str]) {
        let model = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": { "m": { "name": "m", "tool_call": true } },
            "options": { "baseURL": format!("http://127.0.0.1:{}/v1", self.port), "apiKey": "none" },
        });
        let command = [&[binary(), "mcp"], flags].concat();
        let fugue = json!({ "type": "local", "command": command, "enabled": true });
        let config = json!({ "mcp": { "fugue": fugue }, "provider": { "mock": model } });
        let path = self.directory.join("home/.config/opencode/opencode.json");
        fs::write(path, config.to_string()).expect("its configuration");
    }

    /// Shell commands that set the agents' environment and go to their project.
    fn environment(&self) -> String {
        let (kit, directory, port) = (self.kit.display(), self.directory.display(), self.port);
        format!(
            "eval \"$({kit}/stage env {directory} {port})\"; unset XDG_CONFIG_HOME XDG_STATE_HOME; cd {directory}/proj"
        )
    }

    /// Makes the agents ask before they run a command.
    fn ask_first(&self) {
        let home = self.directory.join("home");
        let codex = fs::read_to_string(home.join(".codex/config.toml")).expect("its configuration");
        let codex =
            codex.replace("\"never\"", "\"on-request\"").replace("danger-full-access", "workspace-write");
        fs::write(home.join(".codex/config.toml"), codex).expect("its configuration");
        let path = home.join(".config/opencode/opencode.json");
        let text = fs::read_to_string(&path).expect("its configuration");
        let mut config: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        config["permission"] = json!({ "bash": "ask" });
        config["model"] = json!("mock/m");
        fs::write(path, config.to_string()).expect("its configuration");
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.join("model.jsonl")).unwrap_or_default()
    }

    /// Runs an agent in a pane until it is finished. Returns the pane and the log of its model.
    fn run_agent(&self, server: &TestServer, name: &str, command: &str) -> (String, String) {
        let line = format!(
            "{}; P=\"$(cat ../prompt)\"; {command} </dev/null; echo finished; sleep 600",
            self.environment()
        );
        let pane = server.session(name, &["bash", "-c", &line]);
        server.wait_for(&pane, "^finished");
        let log = fs::read_to_string(self.directory.join("model.jsonl")).expect("the log of the model");
        // The model's log is ASCII only.
        (pane, log.replace("\\u00b7", "·"))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn real_agents_identify_themselves_and_create_run_wait_for_and_read_panes() {
    let (kit, directory) = agent_stage();
    for (name, command) in AGENTS {
        let (stage, server) = (Stage::new(kit.clone(), directory.clone(), &[]), test_server());
        let (pane, log) = stage.run_agent(&server, name, command);
        let shown = server.text(&pane);
        assert!(log.contains(&pane), "{name} knows its pane: {shown}");
        assert!(log.contains("outcome") && log.contains("matched"), "{name} waits: {shown}");
        assert!(log.contains("exit 1 · pane ") && log.contains("made 42"), "{name} runs in a shell: {shown}");
        assert!(
            log.contains("exit 4 · pane ") && log.contains("alone 54"),
            "{name} runs without a pane: {shown}"
        );
        assert!(log.contains("lines 1-1 "), "{name} reads: {shown}");
        let panes = server.json(&["list-panes", "-s", name]);
        assert_eq!(panes["panes"].as_array().map(Vec::len), Some(3), "{name} created two panes: {panes}");
    }
}

/// Calls of the tools that most work is done with. The agent's session has the agent's name.
const COMMON_CALLS: &str = r#"@call fugue_whoami {}
@call fugue_run {"command": "echo ran $((6 * 7))", "timeout_ms": 20000}
@call fugue_wait {"pane_id": "shown", "pattern": "shown", "timeout_ms": 20000}
@call fugue_send_orchestration {"target": {"session": "AGENT"}, "msg_type": "task.assigned", "payload": {"task": "x"}}
@call fugue_poll_messages {"wait_ms": 20000}
"#;

/// How an agent reaches a tool outside the default list, by profile.
const UNLISTED_CALLS: [(&str, &str); 2] = [
    ("core", "@call fugue_help {}\n@call fugue_call {\"tool\": \"fugue_server_status\"}\n"),
    ("all", "@call fugue_server_status {}\n"),
];

/// The number of fugue's tools in the agent's last request to its model: those that it lists, or that a search found.
fn offered(log: &str) -> usize {
    let request = log.lines().last().expect("a request");
    let list = fugue_mcp::tool_list();
    let names = list.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str());
    // Agents put their own words before a tool's name.
    names.chain(["fugue_call"]).filter(|name| request.contains(&format!("{name}\", \""))).count()
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn real_agents_find_and_call_the_tools_of_both_profiles() {
    let (kit, directory) = agent_stage();
    for (profile, unlisted) in UNLISTED_CALLS {
        for (name, command) in AGENTS {
            let stage = Stage::new(kit.clone(), directory.clone(), &["--tools", profile]);
            let server = test_server();
            let prompt = COMMON_CALLS.replace("AGENT", name) + unlisted;
            fs::write(stage.directory.join("prompt"), prompt).expect("a prompt");
            server.session("other", &["sh", "-c", "echo shown; cat"]);
            server.ok(&["rename-pane", "-s", "other", "shown"]);
            let (pane, log) = stage.run_agent(&server, name, command);
            let shown = server.text(&pane);
            assert!(log.contains(&pane), "{name} knows its pane: {shown}");
            assert!(log.contains("\\nran 42"), "{name} runs a command: {shown}");
            assert!(log.contains("matched"), "{name} waits: {shown}");
            let messages = server.ok(&["messages", "-s", name]);
            assert!(messages.contains("task.assigned") && messages.contains("offered"), "{name}: {messages}");
            assert!(log.contains("uptime_ms"), "{name} reaches a tool outside the default list: {shown}");
            println!("{name} --tools {profile}: all calls made, {} tools in its request", offered(&log));
        }
    }
}

/// A notification is typed into the agent, and taken.
fn is_notified(stage: &Stage, server: &TestServer, name: &str) {
    server.ok(&["subscribe-orchestration", "-s", name, "--deliver", "type"]);
    let sent = server.json(&["send-orchestration", "-s", name, "note"]);
    let message = sent["message_id"].as_str().expect("an id");
    let how = || server.json(&["message-status", message])["receipts"][0]["how"].clone();
    until("the notification is typed", || how() == "typed");
    until("the model sees it", || stage.log().contains("[fugue] You have 1 unread message"));
    server.ok(&["subscribe-orchestration", "-s", name, "--deliver", "count"]);
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn real_agents_are_notified_by_typing_and_answered_at_the_permission_desk() {
    let (kit, directory) = agent_stage();
    for (name, command, ready, call) in [
        ("claude", "claude --permission-mode default", "for shortcuts", r#"Bash {"command": "touch it"}"#),
        (
            "codex",
            "codex --no-daemon",
            "for shortcuts",
            r#"exec_command {"cmd": "touch it", "sandbox_permissions": "require_escalated", "justification": "x"}"#,
        ),
        ("gemini", "gemini", "Type your message", r#"run_shell_command {"command": "touch it"}"#),
        ("opencode", "opencode", "commands", r#"bash {"command": "touch it", "description": "x"}"#),
    ] {
        let (stage, server) = (Stage::new(kit.clone(), directory.clone(), &[]), test_server());
        stage.ask_first();
        let file = stage.directory.join("proj/it");
        let _ = fs::remove_file(&file);
        let pane = server.session(name, &["bash", "-c", &format!("{}; exec {command}", stage.environment())]);
        until("it is ready", || server.text(&pane).contains(ready));
        // The idleness of OpenCode is guessed from its screen, and a guess is not enough to type.
        if name != "opencode" {
            is_notified(&stage, &server, name);
        }
        let at_rest = ["wait", "-t", &pane, "--until", "agent_state", "--state", "idle", "complete"];
        server.ok(&at_rest);
        server.ok(&["send-input", "-t", &pane, &format!("@call {call}"), "--submit"]);
        let asked = || server.json(&["permissions"])["permissions"][0].clone();
        until("it asks", || asked()["dialog"]["command"] == "touch it");
        assert!(!file.exists(), "{name} waits for the answer");
        // An answer to a dialog that is not completely drawn yet is refused, since the dialog changes.
        until("it is answered", || {
            let id = asked()["dialog_id"].as_str().unwrap_or("none").to_owned();
            server.run(&["answer-permission", &id, "1"]).code == 0
        });
        until("the command has run", || file.exists());
        until("nothing is asked any more", || asked().is_null());
    }
}

/// The tool calls of a worker, one per line.
const WORKER: &str = r#"@call fugue_poll_messages {"wait_ms": 60000}
@call fugue_report_status {"status": "working", "message": "on it"}
@call fugue_request_help {"context": "which style?", "wait_ms": 60000}
@call fugue_send_orchestration {"target": {"tag": "orchestrator"}, "msg_type": "task.complete", "payload": {"done": true}}
"#;

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn a_real_claude_gets_a_task_reports_asks_for_help_and_gets_a_reply() {
    let (kit, directory) = agent_stage();
    let (stage, server) = (Stage::new(kit, directory, &[]), test_server());
    fs::write(stage.directory.join("prompt"), WORKER).expect("a prompt");
    let lead = server.session("lead", &["bash", "--norc"]);
    server.ok(&["set-tags", "-s", "lead", "--add", "orchestrator"]);
    // The orchestrator is a shell in which this test runs commands.
    let send = |arguments: &str| {
        server.ok(&["run", "-t", &lead, &format!("{} send-orchestration {arguments}", binary())])
    };
    let log = std::thread::scope(|scope| {
        let worker = scope
            .spawn(|| stage.run_agent(&server, "worker", "claude -p \"$P\" --allowedTools 'mcp__fugue__*'"));
        until("the worker is listed", || server.ok(&["ls"]).contains("worker"));
        send("-s worker task.assigned '{\"read\": \"PLAN.md\"}'");
        let wait = ["poll-messages", "-s", "lead", "--type", "help.request", "--wait-ms", "60000"];
        let question =
            server.json(&wait)["messages"][0]["message_id"].as_str().expect("a question").to_owned();
        send(&format!("--reply-to {question} help.answer '{{\"say\": \"docs/STYLE.md\"}}'"));
        worker.join().expect("the worker finishes").1
    });
    for word in ["PLAN.md", "task.assigned", "docs/STYLE.md", "unread"] {
        assert!(log.contains(word), "the model received {word}");
    }
    let timeline = server.ok(&["messages", "-s", "lead"]);
    for word in ["status.update", "help.request", "replied", "task.complete"] {
        assert!(timeline.contains(word), "{timeline}");
    }
    println!("{timeline}");
}
