//! The git repositories of sessions, derived from the directories of their panes.

use std::path::Path;
use std::process::Command;

use fugue_testkit::{TestServer, until};
use serde_json::Value;

use crate::test_server;

fn git(directory: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"];
    let done = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(identity)
        .args(arguments)
        .output()
        .expect("git runs");
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Creates a repository with a worktree next to it.
fn repository(server: &TestServer) {
    std::fs::create_dir(server.path().join("app")).expect("a directory");
    let app = server.path().join("app");
    git(&app, &["init", "-q"]);
    git(&app, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&app, &["worktree", "add", "-q", "../fix", "-b", "fix"]);
}

fn session(server: &TestServer, name: &str, directory: &str) -> String {
    server.json(&["new", "-d", "-s", name, "-c", directory, "--", "sh"])["pane_id"]
        .as_str()
        .expect("a pane")
        .to_owned()
}

fn sessions(server: &TestServer) -> Vec<Value> {
    server.json(&["ls"])["sessions"].as_array().expect("sessions").clone()
}

/// Runs a command in a pane and waits for a marker that cannot be confused with the typed line.
fn run(server: &TestServer, pane: &str, command: &str) {
    server.ok(&["send-input", "-t", pane, &format!("{command}; echo do''ne $?"), "--submit"]);
    server.wait_for(pane, "done [0-9]+");
}

#[test]
fn a_broadcast_reaches_the_worktrees_of_one_repository_even_after_a_move() {
    let server = test_server();
    repository(&server);
    let binary = env!("CARGO_BIN_EXE_fugue");
    let lead = session(&server, "lead", "app");
    session(&server, "fixer", "fix");
    let roamer = session(&server, "roamer", ".");
    // The directory of a shell that does not report it is found too.
    run(&server, &roamer, "cd app && mkdir -p src && cd src");
    until("the repositories are known", || {
        let view =
            |at: usize, what: &str| sessions(&server)[at][what].as_str().unwrap_or_default().to_owned();
        view(0, "branch") == "main" && view(1, "branch") == "fix" && view(2, "worktree").ends_with("/app")
    });
    let repositories: Vec<_> =
        sessions(&server).iter().map(|session| session["repository"].clone()).collect();
    assert!(repositories.iter().all(|repository| repository == &repositories[0]), "{repositories:?}");
    run(&server, &lead, &format!("{binary} broadcast stop"));
    assert!(server.text(&lead).contains("to fixer, roamer"), "{}", server.text(&lead));
    git(&server.path().join("app"), &["worktree", "move", "../fix", "../moved"]);
    let moved = server.path().join("moved").display().to_string();
    let to = |path: &str| server.run(&["send-orchestration", "--worktree", path, "note", "--json"]);
    let sent: Value = serde_json::from_str(&to(&moved).out).expect("sent");
    assert_eq!(sent["recipients"][0]["session_name"], "fixer");
    let missing = to(&server.path().join("fix").display().to_string());
    assert_eq!(missing.code, 1, "{}", missing.out);
    assert!(missing.err.contains("No recipients: no session is in worktree"), "{}", missing.err);
}

#[test]
fn a_broadcast_from_outside_every_repository_is_refused() {
    let server = test_server();
    let pane = session(&server, "alone", ".");
    run(&server, &pane, &format!("{} broadcast hello", env!("CARGO_BIN_EXE_fugue")));
    let text = server.text(&pane);
    assert!(text.contains("No repository: session `alone` is not in a git repository"), "{text}");
}

#[test]
fn a_status_that_nobody_is_told_of_is_set_all_the_same() {
    let server = test_server();
    let pane = server.session("alone", &["cat"]);
    let output = server.command_for(&pane, &["report-status", "working"]).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "status set; nobody was notified (no recipients: no other session is tagged `orchestrator`)\n"
    );
    let state = || server.json(&["list-panes", "-s", "alone"])["panes"][0]["agent"]["state"].clone();
    until("the pane has the state", || state() == "working");
}
