//! Agents resume their conversations.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::TestServer;
use serde_json::{Value, json};

use super::{pane, reboot, test_server, until_stored};

/// Installs a stand-in for Claude Code that records its arguments, and reports its conversation with its hook.
fn install_agent(server: &TestServer, session_id: Option<&str>) -> String {
    let programs = server.path().join("programs");
    fs::create_dir(&programs).expect("a directory");
    let input = json!({ "hook_event_name": "SessionStart", "session_id": session_id, "cwd": "/" });
    let hook = session_id.map(|_| format!("echo '{input}' | '{}' hook claude", env!("CARGO_BIN_EXE_fugue")));
    let script = format!("#!/bin/sh\n{}\necho started with \"$*\"\nexec cat\n", hook.unwrap_or_default());
    let path = programs.join("claude");
    fs::write(&path, script).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
    format!("PATH={}:{}", programs.display(), std::env::var("PATH").unwrap_or_default())
}

fn start_agent(server: &TestServer, path: &str, command: &str) -> String {
    let new = server.json(&["new", "-d", "-s", "agent", "-e", path, "--command", command]);
    let id = new["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&id, "^started with");
    id
}

#[test]
fn an_agent_resumes_the_conversation_that_its_hook_reported() {
    let server = test_server();
    let path = install_agent(&server, Some("3f9f74a6-6b7c-4a3e-9e1d-2f1f0a9b8c7d"));
    let id = start_agent(&server, &path, "claude --model opus 'fix the tests'");
    until_stored(&server, &["conversation_reported", "3f9f74a6"]);
    reboot(&server);
    let resumed = "claude --resume 3f9f74a6-6b7c-4a3e-9e1d-2f1f0a9b8c7d --model opus";
    assert_eq!(pane(&server, &id)["lost"]["restart"], resumed);
    let restored = &server.json(&["restore", "-t", &id])["restored"][0];
    assert_eq!((&restored["command"], &restored["resumed"]), (&json!(resumed), &json!(true)));
    server.wait_for(&id, "^started with --resume 3f9f74a6-6b7c-4a3e-9e1d-2f1f0a9b8c7d --model opus$");
}

#[test]
fn an_agent_that_reported_no_conversation_is_started_without_one_and_the_reply_says_so() {
    let server = test_server();
    let path = install_agent(&server, None);
    let id = start_agent(&server, &path, "claude --model opus");
    reboot(&server);
    let restored = &server.json(&["restore", "-t", &id])["restored"][0];
    assert_eq!(restored["command"], "claude --model opus");
    assert!(restored.get("resumed").is_none());
    let note = restored["notes"][0].as_str().expect("a note");
    assert!(note.contains("its conversation was not resumed"), "{note}");
    server.wait_for(&id, "^started with --model opus$");
}

#[test]
fn a_program_that_no_longer_exists_is_reported_and_the_others_are_started() {
    let server = test_server();
    let path = install_agent(&server, None);
    let shell = server.session("work", &["sh"]);
    let program = server.path().join("programs/claude");
    let gone =
        server.json(&["create-pane", "-s", "work", "-e", &path, "--", program.to_str().expect("a path")]);
    reboot(&server);
    fs::remove_file(&program).expect("removed");
    let ran = server.run(&["restore", "-s", "work", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let restored: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(restored["restored"][0]["pane_id"], *shell);
    assert_eq!(restored["skipped"][0]["pane_id"], gone["pane_id"]);
    let why = restored["skipped"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("No such file or directory"), "{why}");
}
