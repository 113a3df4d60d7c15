//! Notifications of unread messages: hooks, and a line typed into the pane of an agent.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
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

const ONE: &str = "[fugue] You have 1 unread message from the user: read them with fugue_poll_messages.";

/// Writes an executable script; returns its path.
fn script(server: &TestServer, name: &str, text: &str) -> String {
    let path = server.path().join(name);
    std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    path.to_str().expect("a path").to_owned()
}

#[test]
fn an_agent_that_another_agent_runs_as_a_tool_is_told_nothing_and_reports_nothing() {
    let server = test_server();
    let hook = |conversation: &str, output: &str| {
        let input = json!({ "session_id": conversation, "hook_event_name": "SessionStart" });
        format!("echo '{input}' | {} hook claude >{output}", env!("CARGO_BIN_EXE_fugue"))
    };
    let inner = "11111111-1111-4111-8111-111111111111";
    let outer = "22222222-2222-4222-8222-222222222222";
    let tool = script(&server, "tool/claude", &hook(inner, "inner"));
    let agent = script(
        &server,
        "claude",
        &format!("read go\nsh -c '{tool} </dev/null; true'\n{}\nexec cat", hook(outer, "outer")),
    );
    let pane = server.session("to", &[&agent]);
    server.ok(&["send-orchestration", "-s", "to", "note"]);
    server.ok(&["send-input", "-t", &pane, "-k", "Enter"]);
    let output = |name: &str| std::fs::read_to_string(server.path().join(name)).unwrap_or_default();
    until("the agent's own hook has run", || output("outer").contains(ONE));
    assert_eq!(output("inner"), "");
    assert_eq!(server.json(&["list-panes"])["panes"][0]["conversation"]["id"], outer);
}

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
fn a_prompt_that_is_a_notification_is_not_announced_again() {
    let server = test_server();
    let pane = server.session("to", &["cat"]);
    let sent = server.json(&["send-orchestration", "-s", "to", "note"]);
    let input = json!({ "session_id": "abc", "hook_event_name": "UserPromptSubmit", "prompt": ONE });
    assert_eq!(hook(&server, &pane, "claude", &input), "");
    let report = server.json(&["message-status", sent["message_id"].as_str().expect("an id")]);
    assert_eq!(report["receipts"][0]["how"], Value::Null, "whoever typed or pushed it says so");
    assert_ne!(hook(&server, &pane, "claude", &event("UserPromptSubmit")), "");
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
    for name in ["SessionStart", "UserPromptSubmit", "PermissionRequest", "PostToolUse", "Stop"] {
        assert_eq!(settings["hooks"][name], hook);
    }
}

/// A fake agent with an input field like Claude Code's. It reports the state written to its pipe, writes down each line
/// that it reads, and works on it.
const AGENT: &str = r#"
mkfifo say; exec 3<>say; echo unknown >now; : >lines
rule=────────────────────────
field() { printf '\033[2J\033[H%s\r\n❯ \r\n%s\r\n  ? for shortcuts\033[2;3H' "$rule" "$rule"; }
while read -r state <&3; do echo "$state" >now; printf '\033]7501;state=%s:app=claude-code\007' "$state"; done &
field
while read -r line; do
  echo "$(cat now): $line" >>lines
  if [ "$line" = show ]; then cat dialog; else field; fi
  echo working >say
done
"#;

struct Played {
    server: TestServer,
    pane: String,
}

impl Played {
    fn new() -> Self {
        let server = test_server();
        let size = ["new", "-d", "-s", "to", "--size", "200x24", "--", "sh", "-c", AGENT];
        let pane = server.json(&size)["pane_id"].as_str().expect("an id").to_owned();
        server.wait_for(&pane, "for shortcuts");
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
        let text = std::fs::read_to_string(self.server.path().join("lines")).expect("the lines");
        text.lines().map(str::to_owned).collect()
    }

    /// A user at a terminal.
    fn user(&self) -> impl FnMut(&str) {
        let mut user = UnixStream::connect(self.server.socket()).expect("the daemon is running");
        let id: PaneId = self.pane.parse().expect("an id");
        let hello = messages::greeting(Hello::new(Role::Terminal, None)).expect("a frame");
        user.write_all(&hello).expect("sent");
        move |keys| user.write_all(&messages::keys(id, keys.as_bytes())).expect("sent")
    }

    fn shows(&self, text: &str) {
        until(text, || self.server.text(&self.pane).contains(text));
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
    let mut user = agent.user();
    user("half a");
    agent.shows("❯ half a");
    let second = agent.send();
    user(" line\r");
    agent.becomes("working");
    agent.set_state("idle");
    until("the second is typed", || agent.how(&second) == "typed");
    let expected = [format!("idle: {ONE}"), "idle: half a line".into(), format!("idle: {ONE}")];
    assert_eq!(agent.lines_read(), expected);
}

#[test]
fn what_a_user_types_while_the_agent_works_is_not_submitted_with_a_notification() {
    let agent = Played::new();
    agent.server.ok(&["subscribe-orchestration", "-s", "to", "--deliver", "type"]);
    agent.set_state("working");
    let mut user = agent.user();
    user("precious");
    agent.shows("❯ precious");
    let message = agent.send();
    agent.set_state("idle");
    // The keyboard is free again, and nothing is typed after the draft.
    let pane = agent.pane.clone();
    let free = agent.server.json(&["wait", "-t", &pane, "--until", "idle", "--idle-ms", "4000"]);
    assert_eq!(free["outcome"], "idle");
    assert!(agent.lines_read().is_empty() && agent.how(&message) != "typed");
    user("\r");
    agent.becomes("working");
    agent.set_state("idle");
    until("the message is announced", || agent.how(&message) == "typed");
    assert_eq!(agent.lines_read(), ["idle: precious".to_owned(), format!("idle: {ONE}")]);
}

#[test]
fn a_turn_too_short_to_be_seen_counts_as_taken() {
    let agent = Played::new();
    agent.server.ok(&["subscribe-orchestration", "-s", "to", "--deliver", "type"]);
    agent.set_state("idle");
    let message = agent.send();
    until("it is announced", || agent.how(&message) == "typed");
    assert_eq!(agent.lines_read(), [format!("idle: {ONE}")]);
}

#[test]
fn a_notification_is_not_typed_into_a_dialog_even_if_the_agent_says_that_it_is_idle() {
    let agent = Played::new();
    agent.server.ok(&["subscribe-orchestration", "-s", "to", "--deliver", "type"]);
    let dialog =
        "\u{1b}[2J\u{1b}[H Do you trust this folder?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Enter to confirm";
    std::fs::write(agent.server.path().join("dialog"), dialog).expect("a dialog");
    agent.server.ok(&["send-input", "-t", &agent.pane, "show", "--submit"]);
    agent.becomes("working");
    agent.set_state("idle");
    let message = agent.send();
    let pane = agent.pane.clone();
    agent.server.json(&["wait", "-t", &pane, "--until", "idle", "--idle-ms", "3500"]);
    assert!(agent.how(&message) != "typed", "{:?}", agent.lines_read());
    assert_eq!(agent.lines_read().len(), 1, "only what was typed by the test");
    let agent_of = &["send-input", "-t", &agent.pane, "1", "--submit"];
    let other = agent.server.session("other", &["sh"]);
    let refused = agent.server.command_for(&other, agent_of).output().expect("fugue runs");
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("asking the user for permission"),
        "{refused:?}"
    );
}
