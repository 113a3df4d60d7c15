//! Notifications of unread messages: hooks, and a line typed into the pane of an agent.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use fugue_protocol::PaneId;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

use crate::test_server;

/// What an agent's hook prints when the agent tells it this.
fn hook(server: &TestServer, pane: &str, agent: &str, told: &Value) -> String {
    let mut command = server.command(&["hook", agent]);
    command.env("FUGUE_PANE_ID", pane).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("an input").write_all(told.to_string().as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn event(name: &str) -> Value {
    json!({ "session_id": "abc", "cwd": "/", "hook_event_name": name, "prompt": "hello" })
}

const ONE: &str = "[fugue] You have 1 unread message from other agents: read them with fugue_poll_messages.";

#[test]
fn a_hook_tells_its_agent_of_messages_in_the_agents_own_words() {
    let server = test_server();
    let pane = server.session("to", &["cat"]);
    let said = |agent: &str, name: &str| hook(&server, &pane, agent, &event(name));
    assert_eq!(said("claude", "UserPromptSubmit"), "", "there is none");
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    let stop = json!({ "decision": "block", "reason": ONE });
    assert_eq!(said("claude", "Stop"), format!("{stop}\n"));
    assert_eq!(said("claude", "Stop"), "", "nobody is kept from stopping twice for the same");
    for (agent, name) in
        [("claude", "SessionStart"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")]
    {
        let told = json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": ONE } });
        assert_eq!(said(agent, name), format!("{told}\n"));
    }
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    let two = ONE.replace("1 unread message", "2 unread messages");
    let deny = json!({ "decision": "deny", "reason": two });
    let told = json!({ "hook_event_name": "AfterAgent", "stop_hook_active": true });
    assert_eq!(hook(&server, &pane, "gemini", &told), "", "it was kept from stopping already");
    assert_eq!(said("gemini", "AfterAgent"), format!("{deny}\n"));
    assert_eq!(said("claude", "PreCompact"), "", "a moment that is nobody's");
    assert_eq!(hook(&server, &pane, "claude", &json!("nonsense")), "");
}

#[test]
fn a_hook_outside_every_pane_or_without_a_daemon_is_silent() {
    let server = test_server();
    assert_eq!(hook(&server, "", "claude", &event("Stop")), "");
    server.session("to", &["cat"]);
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    assert_eq!(hook(&server, "", "claude", &event("Stop")), "");
}

#[test]
fn the_settings_that_run_a_hook_are_printed() {
    let settings: Value =
        serde_json::from_str(&test_server().ok(&["hook", "claude", "--settings"])).expect("JSON");
    let hook = json!([{ "hooks": [{ "type": "command", "command": "fugue hook claude", "timeout": 15 }] }]);
    for name in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"] {
        assert_eq!(settings["hooks"][name], hook);
    }
}

/// An agent that is as it is told through a pipe, and works on each line that it reads.
const AGENT: &str = r#"
mkfifo say; exec 3<>say; echo unknown >now
while read -r state <&3; do echo "$state" >now; printf '\033]7501;state=%s:app=claude-code\007' "$state"; done &
echo ready
while read -r line; do echo "took when $(cat now): $line"; echo working >say; done
"#;

struct Played {
    server: TestServer,
    pane: String,
}

impl Played {
    fn new() -> Self {
        let server = test_server();
        let pane = server.session("to", &["sh", "-c", AGENT]);
        server.wait_for(&pane, "^ready$");
        Self { server, pane }
    }

    /// The agent is so now, and the daemon knows.
    fn is(&self, state: &str) {
        std::fs::write(self.server.path().join("say"), format!("{state}\n")).expect("it listens");
        self.becomes(state);
    }

    fn becomes(&self, state: &str) {
        let panes = || self.server.json(&["list-panes", "-s", "to"]);
        until(state, || panes()["panes"][0]["agent"]["state"] == state);
    }

    /// The lines that the agent took.
    fn took(&self) -> Vec<String> {
        let text = self.server.text(&self.pane);
        text.lines().filter_map(|line| line.strip_prefix("took when ")).map(str::to_owned).collect()
    }

    fn send(&self) -> String {
        let sent = self.server.json(&["send-orchestration", "-s", "to", "note"]);
        sent["message_id"].as_str().expect("an id").to_owned()
    }

    fn how(&self, message: &str) -> Value {
        self.server.json(&["message-status", message])["receipts"][0]["how"].clone()
    }
}

#[test]
fn a_line_that_tells_of_a_message_is_held_back_while_the_agent_asks_for_leave_or_a_person_types() {
    let agent = Played::new();
    agent.server.ok(&["subscribe-orchestration", "-s", "to", "--deliver", "type"]);
    agent.is("blocked");
    let first = agent.send();
    agent.is("working");
    agent.is("idle");
    until("the first is told", || agent.how(&first) == "typed");
    assert_eq!(agent.took(), [format!("idle: {ONE}")]);
    agent.becomes("working");
    agent.is("idle");
    let mut person = UnixStream::connect(agent.server.socket()).expect("the daemon runs");
    let id: PaneId = agent.pane.parse().expect("an id");
    let hello = messages::greeting(Hello::new(Role::Terminal, None)).expect("words");
    person.write_all(&hello).expect("it reads");
    person.write_all(&messages::keys(id, b"half a")).expect("it reads");
    agent.server.wait_for(&agent.pane, "^half a");
    let second = agent.send();
    person.write_all(&messages::keys(id, b" line\r")).expect("it reads");
    agent.becomes("working");
    agent.is("idle");
    until("the second is told", || agent.how(&second) == "typed");
    let took = [format!("idle: {ONE}"), "idle: half a line".into(), format!("idle: {ONE}")];
    assert_eq!(agent.took(), took);
}
