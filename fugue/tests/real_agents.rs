//! The real agents, each in a pane, their model played by a script on loopback. They are large, so this runs when asked:
//! `FUGUE_STAGE_KIT` names the folder of the script `stage`, `FUGUE_STAGE` one where `stage install` has been.

#[allow(dead_code, reason = "shared with the other tests")]
#[path = "mcp/mcp_client.rs"]
mod mcp_client;

use std::fs;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command};

use fugue_testkit::{TestServer, until};
use mcp_client::{binary, test_server};
use serde_json::json;

/// What the model wants done, a line each.
const PROMPT: &str = r#"@call fugue_whoami {}
@call fugue_create_pane {"command": "bash", "background": true, "name": "made"}
@call fugue_run {"pane_id": "made", "command": "echo made $((6 * 7)); false", "timeout_ms": 20000}
@call fugue_run {"command": "echo alone $((6 * 9)); exit 4", "timeout_ms": 20000}
@call fugue_create_pane {"command": "echo shown; sleep 600", "background": true, "name": "shown"}
@call fugue_wait {"pane_id": "shown", "pattern": "shown", "timeout_ms": 20000}
@call fugue_get_output {"pane_id": "shown"}
"#;

struct Stage {
    kit: PathBuf,
    folder: PathBuf,
    port: u16,
    model: Child,
}

impl Stage {
    fn set(kit: PathBuf, folder: PathBuf) -> Self {
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
        let log = folder.join("model.jsonl");
        let _ = fs::remove_file(&log);
        let written = Command::new(kit.join("stage"))
            .arg("home")
            .arg(&folder)
            .args([&port.to_string(), binary(), "mcp"])
            .status();
        assert!(written.is_ok_and(|written| written.success()), "the agents' home");
        fs::write(folder.join("prompt"), PROMPT).expect("a prompt");
        let model = Command::new(kit.join("stage"))
            .arg("model")
            .arg(port.to_string())
            .arg(log)
            .spawn()
            .expect("a model");
        until("the model listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
        let stage = Self { kit, folder, port, model };
        stage.write_opencode();
        stage
    }

    /// The one agent whose home the kit does not furnish.
    fn write_opencode(&self) {
        let model = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "mock", "models": { "m": { "name": "m", "tool_call": true } },
            "options": { "baseURL": format!("http://127.0.0.1:{}/v1", self.port), "apiKey": "none" },
        });
        let fugue = json!({ "type": "local", "command": [binary(), "mcp"], "enabled": true });
        let config = json!({ "mcp": { "fugue": fugue }, "provider": { "mock": model } });
        let path = self.folder.join("home/.config/opencode/opencode.json");
        fs::write(path, config.to_string()).expect("its configuration");
    }

    /// Runs an agent in a pane until it is done, and gives the pane and what its model was told.
    fn play(&self, server: &TestServer, name: &str, command: &str) -> (String, String) {
        let (kit, folder, port) = (self.kit.display(), self.folder.display(), self.port);
        let surroundings =
            format!("eval \"$({kit}/stage env {folder} {port})\"; unset XDG_CONFIG_HOME XDG_STATE_HOME");
        let line = format!(
            "{surroundings}; cd {folder}/proj; P=\"$(cat ../prompt)\"; {command} </dev/null; echo finished; sleep 600"
        );
        let pane = server.session(name, &["bash", "-c", &line]);
        server.wait_for(&pane, "^finished");
        let heard = fs::read_to_string(self.folder.join("model.jsonl")).expect("what the model was told");
        // The model writes down everything in ASCII.
        (pane, heard.replace("\\u00b7", "·"))
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

#[test]
fn the_real_agents_know_themselves_and_make_run_await_and_read_panes() {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(kit), Some(folder)) = (named("FUGUE_STAGE_KIT"), named("FUGUE_STAGE")) else { return };
    for (name, command) in [
        ("claude", "claude -p \"$P\" --allowedTools 'mcp__fugue__*'"),
        // It takes the environment from its servers.
        ("codex", "codex exec --skip-git-repo-check \"$P\""),
        // It adds an argument of its own to every call.
        ("gemini", "gemini -y -p \"$P\""),
        ("opencode", "opencode run --model mock/m \"$P\""),
    ] {
        let (stage, server) = (Stage::set(kit.clone(), folder.clone()), test_server());
        let (pane, heard) = stage.play(&server, name, command);
        let shown = server.text(&pane);
        assert!(heard.contains(&pane), "{name} knows its pane: {shown}");
        assert!(heard.contains("outcome") && heard.contains("matched"), "{name} waits: {shown}");
        assert!(
            heard.contains("exit 1 · pane ") && heard.contains("made 42"),
            "{name} runs in a shell: {shown}"
        );
        assert!(heard.contains("exit 4 · pane ") && heard.contains("alone 54"), "{name} runs alone: {shown}");
        assert!(heard.contains("lines 1-2 of 2"), "{name} reads: {shown}");
        let panes = server.json(&["list-panes", "-s", name]);
        assert_eq!(panes["panes"].as_array().map(Vec::len), Some(3), "{name} made two: {panes}");
    }
}

/// What a worker does, a line each.
const WORKER: &str = r#"@call fugue_poll_messages {"wait_ms": 60000}
@call fugue_report_status {"status": "working", "message": "on it"}
@call fugue_request_help {"context": "which style?", "wait_ms": 60000}
@call fugue_send_orchestration {"target": {"tag": "orchestrator"}, "msg_type": "task.complete", "payload": {"done": true}}
"#;

#[test]
fn a_real_claude_is_assigned_a_task_reports_asks_for_help_and_is_answered() {
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(kit), Some(folder)) = (named("FUGUE_STAGE_KIT"), named("FUGUE_STAGE")) else { return };
    let (stage, server) = (Stage::set(kit, folder), test_server());
    fs::write(stage.folder.join("prompt"), WORKER).expect("a prompt");
    let lead = server.session("lead", &["bash", "--norc"]);
    server.ok(&["set-tags", "-s", "lead", "--add", "orchestrator"]);
    // The orchestrator is a shell that is told what to type.
    let says =
        |words: &str| server.ok(&["run", "-t", &lead, &format!("{} send-orchestration {words}", binary())]);
    let heard = std::thread::scope(|scope| {
        let worker =
            scope.spawn(|| stage.play(&server, "worker", "claude -p \"$P\" --allowedTools 'mcp__fugue__*'"));
        until("the worker is there", || server.ok(&["ls"]).contains("worker"));
        says("-s worker task.assigned '{\"read\": \"PLAN.md\"}'");
        let wait = ["poll-messages", "-s", "lead", "--type", "help.request", "--wait-ms", "60000"];
        let asked = server.json(&wait)["messages"][0]["message_id"].as_str().expect("a question").to_owned();
        says(&format!("--reply-to {asked} help.answer '{{\"say\": \"docs/STYLE.md\"}}'"));
        worker.join().expect("it is done").1
    });
    for word in ["PLAN.md", "task.assigned", "docs/STYLE.md", "unread"] {
        assert!(heard.contains(word), "the model was told {word}");
    }
    let told = server.ok(&["messages", "-s", "lead"]);
    for word in ["status.update", "help.request", "replied", "task.complete"] {
        assert!(told.contains(word), "{told}");
    }
    println!("{told}");
}
