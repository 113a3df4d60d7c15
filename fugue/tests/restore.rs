//! The machine restarts: the keeper and the daemon are killed at the same instant, and programs are lost with them. What
//! is left is shown, and `fugue restore` starts the programs again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_screen::Screen;
use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// Kills keeper and daemon while neither can act, as a power failure does.
fn reboot(server: &TestServer) {
    let processes = [server.keeper_pid(), server.daemon_pid()];
    for name in ["STOP", "KILL"] {
        processes.iter().for_each(|process| signal(name, *process));
    }
    until("both are gone", || processes.iter().all(|process| is_gone(*process)));
    // A thread of theirs may hold the socket for a moment longer.
    until("nobody listens", || UnixStream::connect(server.socket()).is_err());
}

fn is_gone(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

fn pane(server: &TestServer, id: &str) -> Value {
    let list = server.json(&["list-panes"]);
    let panes = list["panes"].as_array().expect("panes");
    panes.iter().find(|pane| pane["pane_id"] == id).unwrap_or_else(|| panic!("no {id} in {list}")).clone()
}

fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).expect("a number")
}

fn screen_file(server: &TestServer, pane: &str) -> PathBuf {
    server.state_dir().join("screens").join(pane)
}

/// The header of a saved screen and its checksum.
const HEADER: usize = b"fugue-last-screen 1\n".len() + 4;

/// Waits until the saved screen of a pane shows a text.
fn until_saved(server: &TestServer, pane: &str, text: &str) {
    let shows = |file: Vec<u8>| {
        let screen = Screen::restore(file.get(HEADER..)?).ok()?;
        screen.lines(0, u64::MAX).iter().any(|line| line.text.contains(text)).then_some(())
    };
    until("the screen is saved", || fs::read(screen_file(server, pane)).ok().and_then(shows).is_some());
}

/// Waits until the journal has an event with these words.
fn until_stored(server: &TestServer, words: &[&str]) {
    let stored = |line: &str| words.iter().all(|word| line.contains(word));
    until("the event is stored", || server.ok(&["events"]).lines().any(stored));
}

/// A shell that changes its title and directory, and shows a text.
fn busy_shell(server: &TestServer, directory: &Path) -> String {
    fs::create_dir(directory).expect("a directory");
    let id = server.session("work", &["sh"]);
    let line =
        format!("cd {} && printf '\\033]2;my title\\007' && echo shown $((40+2))", directory.display());
    server.ok(&["send-input", "-t", &id, &line, "--submit"]);
    server.wait_for(&id, "^shown 42");
    until_stored(server, &["pane_noted", "my title", &directory.display().to_string()]);
    id
}

#[test]
fn after_a_reboot_everything_but_the_programs_is_back_and_lost_panes_say_what_they_were() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    server.ok(&["set-tags", "-s", "work", "--add", "kept"]);
    server.ok(&["set-metadata", "-s", "work", "goal", "ship"]);
    server.ok(&["set-environment", "-s", "work", "COLOR", "green"]);
    server.ok(&["rename-window", "-s", "work", "editing"]);
    let other = server.json(&["create-pane", "-s", "work", "--right", "--name", "side", "--", "cat"]);
    server.ok(&["send-orchestration", "-s", "work", "task.assigned", "{\"n\":1}"]);
    until_saved(&server, &id, "shown 42");
    let before = server.json(&["list-panes"]);
    reboot(&server);

    let session = &server.json(&["ls"])["sessions"][0];
    assert_eq!((&session["name"], &session["tags"]), (&json!("work"), &json!(["kept"])));
    assert_eq!((&session["metadata"], &session["unread"]), (&json!({ "goal": "ship" }), &json!(1)));
    assert_eq!(session["windows"][0]["name"], "editing");
    assert_eq!(server.json(&["get-environment", "-s", "work"])["entries"]["COLOR"], "green");
    let after = server.json(&["list-panes"]);
    for (before, after) in
        before["panes"].as_array().into_iter().flatten().zip(after["panes"].as_array().into_iter().flatten())
    {
        assert_eq!((&before["pane_id"], &before["place"]), (&after["pane_id"], &after["place"]));
        assert_eq!(after["state"], "lost");
    }
    let lost = pane(&server, &id);
    assert_eq!(lost["title"], "my title");
    assert_eq!(lost["cwd"], directory.to_str().expect("a path"));
    assert_eq!(lost["lost"]["restart"], "sh");
    assert!(server.text(&id).contains("shown 42"), "the last screen");
    assert!(server.ok(&["list-panes"]).contains(&format!("lost sh in {}", directory.display())));
    assert_eq!(pane(&server, other["pane_id"].as_str().expect("a pane"))["name"], "side");
}

#[test]
fn restore_starts_a_shell_in_its_last_directory_with_its_environment_in_the_same_pane() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    server.ok(&["set-environment", "-s", "work", "COLOR", "green"]);
    until_saved(&server, &id, "shown 42");
    reboot(&server);

    let restored = server.json(&["restore", "-s", "work"]);
    assert_eq!(restored["skipped"], json!([]));
    assert_eq!(restored["restored"][0]["pane_id"], *id);
    assert_eq!(restored["restored"][0]["cwd"], directory.to_str().expect("a path"));
    server.ok(&["send-input", "-t", &id, "echo in $(pwd) with $COLOR in $FUGUE_PANE_ID", "--submit"]);
    server.wait_for(&id, &format!("^in {} with green in {id}", directory.display()));
    assert!(server.text(&id).contains("shown 42"), "the old screen is above");
    assert_eq!(pane(&server, &id)["state"], "running");
    assert_eq!(server.ok(&["restore", "-s", "work"]), "no lost panes\n");
}

#[test]
fn a_directory_that_is_gone_is_replaced_by_another_one_and_the_reply_says_so() {
    let server = test_server();
    let directory = server.path().join("project");
    let id = busy_shell(&server, &directory);
    reboot(&server);
    fs::remove_dir(&directory).expect("removed");
    let restored = server.json(&["restore", "-t", &id]);
    let restored = &restored["restored"][0];
    assert_eq!(restored["cwd"], server.path().to_str().expect("a path"), "where it was started");
    let note = format!("its last directory {} no longer exists", directory.display());
    assert_eq!(restored["notes"], json!([note]));
}

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

#[test]
fn a_command_of_run_is_not_started_again() {
    let server = test_server();
    server.session("work", &["sh"]);
    let marker = server.path().join("ran");
    let command = format!("echo once >> {}; exec cat", marker.display());
    let ran = server.run(&["run", "-s", "work", "--timeout-ms", "500", &command, "--json"]);
    assert!(marker.exists(), "{ran:?}");
    reboot(&server);
    let restored = server.json(&["restore", "-s", "work"]);
    assert_eq!(restored["restored"].as_array().map(Vec::len), Some(1), "only the shell");
    let why = restored["skipped"][0]["why"].as_str().expect("a reason");
    assert!(why.starts_with("it ran a single command"), "{why}");
    assert_eq!(fs::read_to_string(&marker).expect("a file"), "once\n");
}

#[test]
fn shells_are_started_by_themselves_if_the_user_wants_that() {
    let server = test_server();
    let shell = server.session("work", &["sh"]);
    let other = server.json(&["create-pane", "-s", "work", "--", "cat"]);
    reboot(&server);
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "restore_programs = \"shells\"\n")
        .expect("written");
    until("the shell runs", || pane(&server, &shell)["state"] == "running");
    assert_eq!(pane(&server, other["pane_id"].as_str().expect("a pane"))["state"], "lost");
}

#[test]
fn screens_are_private_and_are_not_saved_if_the_user_turns_saving_off() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "echo secret; exec cat"]);
    until_saved(&server, &id, "secret");
    let file = screen_file(&server, &id);
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().expect("a directory"))), (0o600, 0o700));
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "save_screens = false\n").expect("written");
    until("the files are deleted", || !server.state_dir().join("screens").exists());
    let other = server.session("other", &["sh", "-c", "echo more; exec cat"]);
    server.wait_for(&other, "^more$");
    // A daemon that is asked to end saves all screens that are to be saved.
    terminate_daemon(&server);
    assert!(!server.state_dir().join("screens").exists());
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    assert!(server.refused(&["get-output", "-t", &id]).contains("exited"));
}

/// Ends the daemon by SIGTERM and waits for the next one.
fn terminate_daemon(server: &TestServer) {
    let daemon = server.daemon_pid();
    signal("TERM", daemon);
    until("the daemon is gone", || is_gone(daemon));
    assert_ne!(server.daemon_pid(), daemon);
}

#[test]
fn a_daemon_that_is_asked_to_end_saves_the_newest_screens_first() {
    let server = test_server();
    let id = server.session("work", &["cat"]);
    server.ok(&["send-input", "-t", &id, "first", "--submit"]);
    until_saved(&server, &id, "first");
    server.ok(&["send-input", "-t", &id, "last words", "--submit"]);
    server.wait_for(&id, "^last words$");
    terminate_daemon(&server);
    let file = fs::read(screen_file(&server, &id)).expect("it is there");
    let screen = Screen::restore(&file[HEADER..]).expect("a screen");
    assert!(screen.lines(0, u64::MAX).iter().any(|line| line.text == "last words"));
}

#[test]
fn panes_whose_programs_end_while_the_machine_shuts_down_are_lost_and_not_closed() {
    let server = test_server();
    let panes = ["first", "second"].map(|name| server.session(name, &["cat"]));
    server.ok(&["send-input", "-t", &panes[0], "last words", "--submit"]);
    server.wait_for(&panes[0], "^last words$");
    let programs = panes.each_ref().map(|id| number(&pane(&server, id)["pid"]));
    let processes = [server.keeper_pid(), server.daemon_pid(), programs[0], programs[1]];
    processes.iter().for_each(|process| signal("TERM", *process));
    until("all are gone", || processes.iter().all(|process| is_gone(*process)));
    until("nobody listens", || UnixStream::connect(server.socket()).is_err());
    for id in &panes {
        assert_eq!(pane(&server, id)["state"], "lost");
    }
    assert!(server.text(&panes[0]).contains("last words"));
    assert_eq!(server.json(&["restore", "--all"])["restored"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_torn_screen_file_is_ignored_and_everything_else_is_intact() {
    let server = test_server();
    let torn = server.session("torn", &["sh", "-c", "echo torn text; exec cat"]);
    let whole = server.session("whole", &["sh", "-c", "echo whole text; exec cat"]);
    until_saved(&server, &torn, "torn text");
    until_saved(&server, &whole, "whole text");
    reboot(&server);
    let file = screen_file(&server, &torn);
    let bytes = fs::read(&file).expect("a file");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("written");
    assert!(server.text(&whole).contains("whole text"));
    assert!(server.refused(&["get-output", "-t", &torn]).contains("exited"));
    assert_eq!(pane(&server, &torn)["lost"]["restart"], "sh -c 'echo torn text; exec cat'");
    assert_eq!(server.json(&["restore", "--all"])["restored"].as_array().map(Vec::len), Some(2));
    server.wait_for(&torn, "^torn text$");
}

#[test]
fn a_long_history_is_saved_up_to_its_limit_and_a_closed_pane_leaves_no_file() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "seq 1 200000; echo done; exec cat"]);
    server.session("other", &["cat"]);
    until_saved(&server, &id, "done");
    let size = fs::metadata(screen_file(&server, &id)).expect("a file").len();
    assert!(size > 1_000 && size <= (256 << 10) + HEADER as u64, "{size}");
    reboot(&server);
    let text = server.text(&id);
    let numbers: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(numbers.len() > 100, "{} lines", numbers.len());
    assert_eq!(numbers.last(), Some(&200_000));
    server.ok(&["close-pane", "-t", &id]);
    until("its file is gone", || !screen_file(&server, &id).exists());
    server.ok(&["shutdown"]);
    assert!(!server.state_dir().join("screens").exists(), "the sessions ended for good");
}

#[test]
fn a_process_that_ignored_the_hangup_is_named_and_left_alone() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "trap '' HUP; echo ready; while :; do sleep 1; done"]);
    server.wait_for(&id, "^ready$");
    let process = pane(&server, &id)["pid"].as_u64().expect("a process").to_string();
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    let warning = format!("pid {process} (sh -c trap");
    until("it is found", || server.ok(&["server-status"]).contains(&warning));
    assert!(server.ok(&["server-status"]).contains("is still running without a terminal"));
    assert_eq!(pane(&server, &id)["lost"]["survivors"][0]["pid"].to_string(), process);
    assert!(server.ok(&["list-panes"]).contains("still running without a terminal"));
    signal("KILL", process.parse().expect("a process"));
    until("it is no longer named", || !server.ok(&["server-status"]).contains(&warning));
}

#[test]
fn an_attached_client_shows_a_lost_pane_as_it_was_and_a_key_starts_it_again() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "echo last screen; exec cat"]);
    until_saved(&server, &id, "last screen");
    reboot(&server);
    let mut terminal = server.terminal(&["attach", "work"], 80, 24);
    terminal.shows("last screen");
    terminal.shows("Lost in a restart. Press C-b R to run it again: sh -c");
    terminal.shows(" 1 lost ");
    // It is not an agent.
    terminal.prefix("A");
    terminal.shows("No agents yet");
    terminal.send("\x03");
    terminal.prefix("R");
    until("it runs", || pane(&server, &id)["state"] == "running");
    terminal.until("the line is gone", |terminal| !terminal.picture().contains("Lost in a restart"));
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_restored_shell_begins_on_a_line_of_its_own() {
    let server = test_server();
    let id = server.session("work", &["sh", "-c", "printf 'first$ '; exec cat"]);
    until_saved(&server, &id, "first$");
    reboot(&server);
    let restored = server.ok(&["restore", "-s", "work"]);
    assert!(restored.starts_with("work %0: started sh -c "), "{restored}");
    until("it runs", || pane(&server, &id)["state"] == "running");
    until("its prompt", || server.text(&id).matches("first$").count() == 2);
    assert_eq!(server.text(&id).trim_end(), "first$\nfirst$", "{}", server.text(&id));
}

#[test]
fn the_scan_for_survivors_names_no_process_of_another_pane() {
    let server = test_server();
    let id = server.session("work", &["cat"]);
    let mut other =
        Command::new("sleep").arg("60").env("FUGUE_PANE_ID", "not-an-id").spawn().expect("it starts");
    reboot(&server);
    assert_eq!(pane(&server, &id)["state"], "lost");
    assert!(pane(&server, &id)["lost"].get("survivors").is_none());
    other.kill().expect("killed");
    other.wait().expect("gone");
}
