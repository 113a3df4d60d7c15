//! The real Claude Code on two hosts, each with a scripted model on loopback. It is large, so this runs only on request:
//! `FUGUE_STAGE_KIT` is the directory of the script `stage`, `FUGUE_STAGE` one prepared by `stage install`.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fugue_testkit::{agent_stage, until, until_within};
use serde_json::{Value, json};

use crate::hosts::{Host, await_presence, fugue};
use crate::nats::Nats;

/// How long an agent may take for a step. Some take minutes to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// What Claude Code shows when it waits for a prompt.
const READY: &str = "shift\\+tab|for shortcuts|mode on";

/// Claude Code in a session of a host, with a home and a model of its own.
struct Claude {
    pane: String,
    directory: tempfile::TempDir,
    model: Child,
}

impl Claude {
    /// Starts Claude Code.
    fn start(host: &Host, session: &str) -> Self {
        let (kit, programs) = agent_stage();
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path();
        symlink(programs.join("node_modules"), path.join("node_modules")).expect("the programs");
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
        let (port, fugue) = (free.port().to_string(), fugue());
        let home =
            Command::new(kit.join("stage")).arg("home").arg(path).arg(&port).arg(fugue).arg("mcp").status();
        assert!(home.is_ok_and(|home| home.success()), "the agent's home");
        let mut model = Command::new("python3");
        model.arg(kit.join("scene_llm.py")).arg(&port).arg(path.join("model.jsonl")).env("BASE_DELAY", "0.2");
        let model = model.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a model");
        until("the model listens", || std::net::TcpStream::connect(("127.0.0.1", free.port())).is_ok());
        let (kit, stage) = (kit.display(), path.display());
        let line = format!(
            "eval \"$({kit}/stage env {stage} {port})\"; unset XDG_CONFIG_HOME XDG_STATE_HOME; cd {stage}/proj; \
             exec claude --allowedTools 'mcp__fugue__*'"
        );
        let pane = host.server.session(session, &["bash", "-c", &line]);
        let claude = Self { pane, directory, model };
        let wait = ["wait", "-t", &claude.pane, "--match", READY, "--timeout-ms", "170000"];
        host.server.run(&wait);
        host.server.wait_for(&claude.pane, READY);
        claude
    }

    /// Has it call a tool.
    fn prompt(&self, host: &Host, tool: &str, arguments: &Value) {
        let prompt = format!("@call {tool} {arguments}");
        host.server.ok(&["send-input", "-t", &self.pane, &prompt, "--submit"]);
    }

    /// Waits until its model has been sent this text.
    #[track_caller]
    fn is_told(&self, host: &Host, text: &str) {
        let log = self.directory.path().join("model.jsonl");
        let is_told = || fs::read_to_string(&log).unwrap_or_default().contains(text);
        until_within(PATIENCE, is_told, || host.server.text(&self.pane));
    }
}

impl Drop for Claude {
    fn drop(&mut self) {
        let _ = self.model.kill();
        let _ = self.model.wait();
    }
}

#[test]
#[ignore = "needs the agents: FUGUE_STAGE_KIT and FUGUE_STAGE"]
fn claude_code_on_one_host_asks_for_help_and_is_answered_by_one_on_another() {
    let nats = Nats::start(1, &["a", "b"]);
    let (a, b) = crate::hosts::two(&nats);
    await_presence(&a, 2);
    let lead = Claude::start(&a, "lead");
    let helper = Claude::start(&b, "helper");
    let question = json!({
        "target": { "session": "b/helper" }, "msg_type": "help.request",
        "payload": { "question": "How deep is the blue pool?" }, "wait_ms": 100_000,
    });
    lead.prompt(&a, "fugue_send_orchestration", &question);
    helper.prompt(&b, "fugue_poll_messages", &json!({ "wait_ms": 60_000 }));
    helper.is_told(&b, "How deep is the blue pool?");
    let list = b.server.json(&["list-messages"]);
    let asked = list["messages"].as_array().into_iter().flatten().find(|it| it["msg_type"] == "help.request");
    let asked = asked.expect("the question")["message_id"].clone();
    let answer = json!({
        "target": { "session": "a/lead" }, "reply_to": asked, "msg_type": "help.answer",
        "payload": { "answer": "Four meters at the far end." },
    });
    until("the helper is done with its turn", || {
        let panes = b.server.json(&["list-panes", "-s", "helper"]);
        panes["panes"][0]["agent"]["state"] == "idle" || panes["panes"][0]["agent"]["state"] == "complete"
    });
    helper.prompt(&b, "fugue_send_orchestration", &answer);
    lead.is_told(&a, "Four meters at the far end.");
    let state = a.server.json(&["message-status", asked.as_str().expect("an id")]);
    assert_eq!(state["receipts"][0]["state"], "replied", "{state}");
}
