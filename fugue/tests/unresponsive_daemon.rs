//! Whoever asks a daemon that cannot start, or that does not answer, is told the reason soon.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fugue_testkit::{TestServer, expect_namespaces, signal, until};

/// The promise is 3 s; the rest is for a machine that is busy with other tests.
const SOON: Duration = Duration::from_secs(15);

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// A process that is stopped until this is dropped.
struct Stopped(u32);

impl Stopped {
    fn new(process: u32) -> Self {
        signal("STOP", process);
        let stat = || fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        until("it is stopped", || stat().rsplit(") ").next().is_some_and(|rest| rest.starts_with('T')));
        Self(process)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        signal("CONT", self.0);
    }
}

/// Runs a command that must fail soon, and returns its error message.
fn fails_soon(server: &TestServer, words: &[&str]) -> String {
    let begun = Instant::now();
    let run = server.run(words);
    assert!(begun.elapsed() < SOON, "{words:?} took {:?}: {}", begun.elapsed(), run.err);
    assert_ne!(run.code, 0, "{words:?}: {}", run.out);
    run.err
}

/// Writes a journal of a format that this version does not know: an empty SQLite database with another user version.
fn write_newer_journal(server: &TestServer) {
    let mut page = vec![0; 4_096];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
    for (at, number) in [(24, 1), (28, 1), (40, 1), (44, 4), (56, 1), (60, 9_999), (92, 1)] {
        page[at..at + 4].copy_from_slice(&u32::to_be_bytes(number));
    }
    // An empty leaf page: its content begins at the end of the page.
    (page[100], page[105]) = (0x0d, 0x10);
    fs::create_dir_all(server.state_dir()).expect("a directory");
    fs::write(journal(server), page).expect("written");
}

fn journal(server: &TestServer) -> PathBuf {
    server.state_dir().join("journal.db")
}

#[test]
fn a_journal_of_a_newer_version_is_the_reason_that_every_command_gives() {
    let server = test_server();
    write_newer_journal(&server);
    for words in [["ls"].as_slice(), &["new", "-d"], &["create-window"]] {
        let error = fails_soon(&server, words);
        assert!(error.contains("The daemon cannot start: "), "{error}");
        assert!(error.contains("written by a newer fugue (format 9999"), "{error}");
        let log = server.state_dir().join("log");
        assert!(
            error.contains(&format!("hint: see the log at {}", log.display())),
            "no program is running: {error}"
        );
    }
    for extension in ["shells", "tmux-bin", "answers"] {
        let path = server.socket().with_extension(extension);
        assert!(!path.exists(), "a daemon that cannot start leaves {} alone", path.display());
    }
}

#[test]
fn in_namespace_a_full_disk_is_the_reason_that_the_first_command_gives() {
    let namespaces = ["--user", "--map-root-user", "--mount"];
    expect_namespaces(&namespaces);
    let server = test_server();
    let script = r#"
        mount -t tmpfs -o size=64k none "$XDG_STATE_HOME" || exit 9
        head -c 1000000 /dev/zero >"$XDG_STATE_HOME/filler" 2>/dev/null
        "$0" new -d -s work && exit 8
        rm "$XDG_STATE_HOME/filler" && mount -o remount,size=16m "$XDG_STATE_HOME" || exit 9
        "$0" new -d -s work && "$0" ls && "$0" shutdown"#;
    fs::create_dir_all(server.path().join("state")).expect("a directory");
    let words = [&namespaces[..], &["sh", "-c", script, env!("CARGO_BIN_EXE_fugue")]].concat();
    let output = server.command_from(Path::new("unshare"), &words).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(err.contains("The daemon cannot start: database or disk is full\nhint: "), "{err}");
    assert!(
        output.status.success() && out.contains("\nwork: 1 window, 1 pane\nShut down daemon"),
        "{out}{err}"
    );
}

/// The processes that were started for this server: their command lines name its state directory.
fn processes_of(server: &TestServer) -> Vec<String> {
    let state = server.state_dir().display().to_string();
    let processes = fs::read_dir("/proc").expect("processes").filter_map(Result::ok);
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(&state))
        .collect()
}

#[test]
fn nothing_is_left_running_if_no_daemon_can_be_started_and_no_program_runs() {
    let server = test_server();
    fs::create_dir_all(journal(&server)).expect("a directory");
    let error = fails_soon(&server, &["new", "-d", "-s", "work"]);
    let log = server.state_dir().join("log");
    assert!(error.contains(&format!("\nhint: see the log at {}", log.display())), "{error}");
    until("the keeper and its parent are gone", || processes_of(&server).is_empty());
}

#[test]
fn in_namespace_a_session_that_cannot_be_stored_on_a_full_disk_is_refused_at_once() {
    let namespaces = ["--user", "--map-root-user", "--mount"];
    expect_namespaces(&namespaces);
    let server = test_server();
    let script = r#"
        mount -t tmpfs -o size=1m none "$XDG_STATE_HOME" || exit 9
        "$0" new -d -s first -- cat || exit 8
        head -c 2000000 /dev/zero >"$XDG_STATE_HOME/filler" 2>/dev/null
        "$0" new -d -s second -- cat && exit 7
        rm "$XDG_STATE_HOME/filler"
        "$0" ls && "$0" shutdown"#;
    fs::create_dir_all(server.path().join("state")).expect("a directory");
    let words = [&namespaces[..], &["sh", "-c", script, env!("CARGO_BIN_EXE_fugue")]].concat();
    let output = server.command_from(Path::new("unshare"), &words).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(
        err.contains("Cannot store the change: database or disk is full\nhint: free up disk space"),
        "{err}"
    );
    assert!(
        output.status.success() && out.contains("\nfirst: 1 window, 1 pane\nShut down daemon"),
        "{out}{err}"
    );
}

#[test]
fn a_journal_that_is_a_directory_is_the_reason_that_a_command_gives() {
    let server = test_server();
    fs::create_dir_all(journal(&server)).expect("a directory");
    let error = fails_soon(&server, &["ls"]);
    assert!(error.contains("The daemon cannot start: "), "{error}");
    assert!(error.contains("journal"), "{error}");
}

#[test]
fn a_daemon_starts_for_the_first_client_after_the_reason_is_gone() {
    let server = test_server();
    fs::create_dir_all(journal(&server)).expect("a directory");
    // Each command makes the keeper try again: its pauses are long by then.
    for _ in 0..6 {
        assert!(fails_soon(&server, &["ls"]).contains("cannot start"));
    }
    fs::remove_dir(journal(&server)).expect("a directory");
    let begun = Instant::now();
    server.session("work", &["cat"]);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

/// A command of another binary in the environment of this server.
fn command_of(binary: &Path, server: &TestServer, words: &[&str]) -> Command {
    let template = server.command(words);
    let mut command = Command::new(binary);
    command.args(words).current_dir(server.path()).env_clear();
    command.envs(template.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command
}

#[test]
fn a_broken_binary_at_the_path_keeps_no_daemon_from_starting() {
    let place = test_server();
    let (binary, working) = (place.path().join("fugue"), place.path().join("working"));
    fs::copy(env!("CARGO_BIN_EXE_fugue"), &binary).expect("a copy");
    let server = TestServer::new(binary.to_str().expect("a path"));
    let pane = server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    fs::rename(&binary, &working).expect("renamed");
    fs::write(&binary, "#!/bin/sh\nexit 3\n").expect("a script");
    fs::set_permissions(&binary, fs::Permissions::from_mode(0o700)).expect("its mode");
    signal("KILL", daemon);
    let begun = Instant::now();
    let listed = command_of(&working, &server, &["ls"]).output().expect("it runs");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    assert_eq!(String::from_utf8_lossy(&listed.stdout), "work: 1 window, 1 pane\n");
    fs::rename(&working, &binary).expect("renamed");
    let found = server.json(&["list-panes"]);
    assert_eq!(found["panes"][0]["pane_id"], pane.as_str(), "{found}");
    assert_eq!(found["panes"][0]["state"], "running", "{found}");
}

#[test]
fn a_stopped_daemon_is_named_with_the_command_that_continues_it() {
    let server = test_server();
    server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let stopped = Stopped::new(daemon);
    let error = fails_soon(&server, &["ls"]);
    assert_eq!(
        error,
        format!(
            "fugue: The daemon (pid {daemon}) is stopped\nhint: run `kill -CONT {daemon}` to resume it\n"
        )
    );
    drop(stopped);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}

#[test]
fn a_command_that_waits_notices_that_the_daemon_is_stopped() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let mut wait = server.command(&["wait", "-t", &pane, "--match", "never", "--timeout-ms", "600000"]);
    let child = wait.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let child = child.spawn().expect("fugue starts");
    until("it waits", || server.json(&["server-status"])["connections"] == 2);
    let _stopped = Stopped::new(daemon);
    let begun = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains(&format!("The daemon (pid {daemon}) is stopped")), "{error}");
}

#[test]
fn a_line_that_was_sent_to_a_stopped_daemon_is_not_reported_as_refused() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let daemon = server.daemon_pid();
    let _stopped = Stopped::new(daemon);
    let error = fails_soon(&server, &["send-input", "-t", &pane, "in flight", "--submit"]);
    assert_eq!(
        error,
        format!(
            "fugue: The daemon (pid {daemon}) is stopped; the request may have taken effect\n\
             hint: run `kill -CONT {daemon}` to resume it\n"
        )
    );
}
