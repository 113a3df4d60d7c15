//! Notifications of unread messages: hooks, and a line typed into the pane of an agent.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use fugue_protocol::PaneId;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_testkit::{TestServer, until};
use serde_json::{Value, json};

use crate::test_server;

/// The output of an agent's hook for this input.
fn hook(server: &TestServer, pane: &str, agent: &str, input: &Value) -> String {
    let words = ["hook", agent];
    let mut command = if pane.is_empty() { server.command(&words) } else { server.command_for(pane, &words) };
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the hook starts");
    child.stdin.take().expect("an input").write_all(input.to_string().as_bytes()).expect("sent");
    let output = child.wait_with_output().expect("the hook exits");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn event(name: &str) -> Value {
    json!({ "session_id": "abc", "cwd": "/", "hook_event_name": name, "prompt": "hello" })
}

const ONE: &str = "[fugue] You have 1 unread message from other agents: read them with fugue_poll_messages.";

#[test]
fn a_hook_announces_messages_in_the_format_of_its_agent() {
    let server = test_server();
    let pane = server.session("to", &["cat"]);
    let printed = |agent: &str, name: &str| hook(&server, &pane, agent, &event(name));
    assert_eq!(printed("claude", "UserPromptSubmit"), "", "there is no message");
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    let stop = json!({ "decision": "block", "reason": ONE });
    assert_eq!(printed("claude", "Stop"), format!("{stop}\n"));
    assert_eq!(
        printed("claude", "Stop"),
        "",
        "an agent is kept from stopping only once for the same message"
    );
    for (agent, name) in
        [("claude", "SessionStart"), ("codex", "UserPromptSubmit"), ("gemini", "BeforeAgent")]
    {
        let expected = json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": ONE } });
        assert_eq!(printed(agent, name), format!("{expected}\n"));
    }
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    let two = ONE.replace("1 unread message", "2 unread messages");
    let deny = json!({ "decision": "deny", "reason": two });
    let input = json!({ "hook_event_name": "AfterAgent", "stop_hook_active": true });
    assert_eq!(hook(&server, &pane, "gemini", &input), "", "it was already kept from stopping");
    assert_eq!(printed("gemini", "AfterAgent"), format!("{deny}\n"));
    assert_eq!(printed("claude", "PreCompact"), "", "an event without announcements");
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
fn hook_settings_are_printed_for_an_agent() {
    let settings: Value =
        serde_json::from_str(&test_server().ok(&["hook", "claude", "--settings"])).expect("JSON");
    let hook = json!([{ "hooks": [{ "type": "command", "command": "fugue hook claude", "timeout": 15 }] }]);
    for name in ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"] {
        assert_eq!(settings["hooks"][name], hook);
    }
}

/// A fake agent that reports the state written to its pipe, and works on each line it reads.
const AGENT: &str = r#"
mkfifo say; exec 3<>say; echo unknown >now
while read -r state <&3; do echo "$state" >now; printf '\033]7501;state=%s:app=claude-code\007' "$state"; done &
echo ready
while read -r line; do echo "read when $(cat now): $line"; echo working >say; done
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

    /// Sets the state of the agent and waits until the daemon knows it.
    fn set_state(&self, state: &str) {
        std::fs::write(self.server.path().join("say"), format!("{state}\n"))
            .expect("the agent reads the pipe");
        self.becomes(state);
    }

    fn becomes(&self, state: &str) {
        let panes = || self.server.json(&["list-panes", "-s", "to"]);
        until(state, || panes()["panes"][0]["agent"]["state"] == state);
    }

    /// The lines that the agent read, with its state at the time.
    fn lines_read(&self) -> Vec<String> {
        let text = self.server.text(&self.pane);
        text.lines().filter_map(|line| line.strip_prefix("read when ")).map(str::to_owned).collect()
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
fn a_notification_is_not_typed_while_the_agent_is_blocked_or_a_user_types() {
    let agent = Played::new();
    agent.server.ok(&["subscribe-orchestration", "-s", "to", "--deliver", "type"]);
    agent.set_state("blocked");
    let first = agent.send();
    agent.set_state("working");
    agent.set_state("idle");
    until("the first is typed", || agent.how(&first) == "typed");
    assert_eq!(agent.lines_read(), [format!("idle: {ONE}")]);
    agent.becomes("working");
    agent.set_state("idle");
    let mut user = UnixStream::connect(agent.server.socket()).expect("the daemon is running");
    let id: PaneId = agent.pane.parse().expect("an id");
    let hello = messages::greeting(Hello::new(Role::Terminal, None)).expect("a frame");
    user.write_all(&hello).expect("sent");
    user.write_all(&messages::keys(id, b"half a")).expect("sent");
    agent.server.wait_for(&agent.pane, "^half a");
    let second = agent.send();
    user.write_all(&messages::keys(id, b" line\r")).expect("sent");
    agent.becomes("working");
    agent.set_state("idle");
    until("the second is typed", || agent.how(&second) == "typed");
    let expected = [format!("idle: {ONE}"), "idle: half a line".into(), format!("idle: {ONE}")];
    assert_eq!(agent.lines_read(), expected);
}
