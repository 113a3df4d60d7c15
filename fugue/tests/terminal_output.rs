//! What fugue prints: names, titles, metadata and messages from agents and programs never command the terminal.

use fugue_protocol::escape::is_unsafe;
use fugue_testkit::{TestServer, until};
use serde_json::Value;

/// A C1 sequence that would color the terminal, bidi overrides, and characters without width.
const HOSTILE: &str = "a\u{9b}31m\u{85}\u{202e}gpj\u{2066}\u{200b}\u{feff}\u{7f}z";

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// A server on which everything that can be named has a hostile name.
fn hostile_server() -> TestServer {
    let server = test_server();
    let script =
        format!("printf '\\033]0;{HOSTILE}\\007\\033]7;file:///tmp/{HOSTILE}\\007{HOSTILE}\\n'; exec cat");
    let pane = server.session("work", &["sh", "-c", &script]);
    server.wait_for(&pane, "gpj");
    server.ok(&["set-metadata", "-s", "work", "task", HOSTILE]);
    server.ok(&["set-environment", "-s", "work", "TASK", HOSTILE]);
    let payload = serde_json::json!({ "text": HOSTILE }).to_string();
    server.ok(&["send-orchestration", "-s", "work", "note", &payload]);
    // Names may be refused; then the refusal must be safe.
    server.run(&["rename-pane", "-t", &pane, HOSTILE]);
    server.run(&["rename-window", "-s", "work", HOSTILE]);
    server.run(&["set-tags", "-s", "work", "--add", HOSTILE]);
    server
}

fn assert_safe(what: &str, text: &str) {
    let found = text.chars().find(|c| is_unsafe(*c) && !matches!(c, '\n' | '\t'));
    assert_eq!(found, None, "{what}: {text:?}");
}

#[test]
fn nothing_that_a_command_prints_controls_the_terminal() {
    let server = hostile_server();
    let commands: &[&[&str]] = &[
        &["ls"],
        &["list-panes"],
        &["get-metadata", "-s", "work"],
        &["get-metadata", "-s", "work", "task"],
        &["get-environment", "-s", "work"],
        &["get-tags", "-s", "work"],
        &["list-messages"],
        &["messages"],
        &["events"],
        &["explain", "-s", "work"],
        &["server-status"],
        &["list-clients"],
        &["list-leases"],
        &["show-waits"],
        &["set-metadata", "-s", "work", "other", HOSTILE],
        &["export-layout", "-s", "work"],
        &["config"],
        // Refusals and usage errors.
        &["rename-session", "-s", "work", HOSTILE],
        &["send-input", "-t", HOSTILE, "x"],
        &["get-output", "-s", HOSTILE],
        &["get-output", "-s", "work", "--grep", "(\u{9b}"],
        &["ls", "--\u{9b}31m\u{202e}"],
        &["\u{9b}31m\u{202e}"],
        &["--server", HOSTILE, "ls"],
    ];
    for words in commands {
        let plain = server.run(words);
        assert_safe(&format!("{words:?}"), &(plain.out + &plain.err));
        let json = server.run(&[*words, &["--json"]].concat());
        assert_safe(&format!("{words:?} --json"), &(json.out.clone() + &json.err));
        for line in json.out.lines().filter(|_| json.code == 0 && words[0] != "export-layout") {
            serde_json::from_str::<Value>(line).unwrap_or_else(|why| panic!("{words:?}: {why}: {line}"));
        }
    }
    let kept = server.json(&["get-metadata", "-s", "work", "task"]);
    assert!(kept.to_string().contains(HOSTILE), "an escaped value means the same: {kept}");
}

#[test]
fn program_output_is_printed_safely_on_a_terminal() {
    let server = hostile_server();
    for words in [&["get-output", "-s", "work"] as &[&str], &["get-output", "-s", "work", "--mode", "screen"]]
    {
        let mut person = server.terminal(words, 80, 24);
        assert_eq!(person.wait_for_exit(), 0);
        let written = String::from_utf8_lossy(&person.written).replace('\r', "");
        assert!(written.contains("gpj"), "{written:?}");
        assert_safe("get-output", &written);
    }
}

#[test]
fn the_daemons_log_has_no_control_characters() {
    let server = test_server();
    server.session("work", &["cat"]);
    let config = server.path().join("config/fugue");
    std::fs::create_dir_all(&config).expect("a directory");
    let unknown = HOSTILE.replace('\u{7f}', "");
    std::fs::write(config.join("config.toml"), format!("\"{unknown}\" = 1\n")).expect("written");
    let log = || std::fs::read_to_string(server.state_dir().join("log")).unwrap_or_default();
    until("the mistake is logged", || log().contains("gpj"));
    assert_safe("the log", &log());
}
