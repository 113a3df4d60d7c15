//! The keeper hangs: whoever asks is told or served within three seconds, and it is replaced.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, signal, until};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// How long nobody may be left without an answer.
const SILENCE: Duration = Duration::from_secs(3);

/// Runs a command, which must not take longer than the silence that is allowed.
fn in_time(server: &TestServer, words: &[&str]) -> String {
    let begun = Instant::now();
    let out = server.ok(words);
    assert!(begun.elapsed() < SILENCE, "{words:?} took {:?}", begun.elapsed());
    out
}

fn is_gone(process: u32) -> bool {
    !Path::new(&format!("/proc/{process}")).exists()
}

fn pid_of(server: &TestServer, pane: &str) -> u32 {
    let panes = server.json(&["list-panes"]);
    let pane = panes["panes"].as_array().expect("panes").iter().find(|one| one["pane_id"] == pane);
    u32::try_from(pane.expect("the pane")["pid"].as_u64().expect("a pid")).expect("a pid")
}

#[test]
fn a_session_starts_while_the_keeper_is_stopped_and_the_stopped_one_never_acts_again() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (keeper, daemon, program) = (server.keeper_pid(), server.daemon_pid(), pid_of(&server, &id));
    signal("STOP", keeper);
    in_time(&server, &["new", "-d", "-s", "second", "--", "cat"]);
    assert!(is_gone(keeper), "there is one keeper");
    assert_ne!(server.keeper_pid(), keeper);
    assert_eq!((server.daemon_pid(), pid_of(&server, &id)), (daemon, program));
    server.ok(&["send-input", "-t", &id, "here\n"]);
    server.wait_for(&id, "here");
    let told = format!("The keeper (process {keeper}) was stopped by a signal and was replaced");
    let warnings = server.json(&["server-status"])["warnings"].to_string();
    assert!(warnings.contains(&told), "{warnings}");
    let log = std::fs::read_to_string(server.state_dir().join("log")).expect("a log");
    assert!(log.contains(&told), "{log}");
}

#[test]
fn the_status_tells_that_the_keeper_was_stopped() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let keeper = server.keeper_pid();
    signal("STOP", keeper);
    let status: Value = serde_json::from_str(&in_time(&server, &["server-status", "--json"])).expect("JSON");
    assert!(status["warnings"].to_string().contains("was stopped by a signal"), "{status}");
    assert_ne!(status["keeper_pid"], keeper);
}

#[test]
fn an_exit_is_noticed_while_the_keeper_is_stopped() {
    let server = TestServer::new(BINARY);
    let words = ["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", "read x; exit 37"];
    let id = server.json(&words)["pane_id"].as_str().expect("a pane").to_owned();
    signal("STOP", server.keeper_pid());
    server.ok(&["send-input", "-t", &id, "\n"]);
    let exit = in_time(&server, &["wait", "-t", &id, "--until", "exit"]);
    assert!(exit.starts_with("exited"), "{exit}");
}

#[test]
fn a_command_ends_with_its_exit_code_although_the_keeper_was_stopped_before_it_started() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    signal("STOP", server.keeper_pid());
    let begun = Instant::now();
    let ran = server.run(&["run", "exit 7"]);
    assert!(begun.elapsed() < SILENCE, "{:?}: {ran:?}", begun.elapsed());
    assert_eq!(ran.code, 7, "{ran:?}");
}

#[test]
fn the_death_of_the_reaper_is_told() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let reaper = fugue_keeper::ProcessStat::of(server.keeper_pid()).expect("a keeper").parent;
    signal("KILL", reaper);
    let told = format!("The reaper (process {reaper}) was killed");
    until("it is told", || server.json(&["server-status"])["warnings"].to_string().contains(&told));
    assert_eq!(server.run(&["run", "exit 7"]).code, 7);
}

#[test]
fn exit_codes_are_known_while_the_reaper_is_stopped() {
    let server = TestServer::new(BINARY);
    let words = ["new", "-d", "-s", "work", "--on-exit", "keep", "--", "sh", "-c", "read x; exit 37"];
    let id = server.json(&words)["pane_id"].as_str().expect("a pane").to_owned();
    let reaper = fugue_keeper::ProcessStat::of(server.keeper_pid()).expect("a keeper").parent;
    let killed = server.keeper_pid();
    signal("KILL", killed);
    until("a successor has taken over", || server.keeper_pid() != killed);
    signal("STOP", reaper);
    server.ok(&["send-input", "-t", &id, "\n"]);
    let exit = in_time(&server, &["wait", "-t", &id, "--until", "exit"]);
    assert!(["exited, exit code 37\n", "exited, exit status unknown\n"].contains(&exit.as_str()), "{exit}");
}

#[test]
fn a_stopped_keeper_does_not_keep_the_server_from_shutting_down() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let (keeper, program) = (server.keeper_pid(), pid_of(&server, &id));
    signal("STOP", keeper);
    server.ok(&["shutdown"]);
    until("keeper and program are gone", || is_gone(keeper) && is_gone(program));
    server.session("again", &["cat"]);
}

#[test]
fn a_command_that_ends_after_the_keeper_got_a_sigterm_still_tells_its_exit_code() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let mut command = server.command(&["run", "echo up > up; read go < go; exit 7"]);
    let go = server.path().join("go");
    assert!(std::process::Command::new("mkfifo").arg(&go).status().expect("mkfifo runs").success());
    let run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a command");
    until("the command runs", || server.path().join("up").exists());
    signal("TERM", server.keeper_pid());
    std::fs::write(&go, "\n").expect("a reader");
    let begun = Instant::now();
    let status = run.wait_with_output().expect("it ends").status;
    assert_eq!(status.code(), Some(7));
    assert!(begun.elapsed() < 2 * SILENCE, "{:?}", begun.elapsed());
}
