//! The keeper is killed: its daemon starts a successor, and programs notice nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use fugue_keeper::ProcessStat;
use fugue_testkit::{TestServer, signal, until};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// Counts until the file `enough` exists.
const COUNTING: &str =
    "i=0; while [ ! -e enough ]; do i=$((i+1)); echo line $i; done; echo counted $i; exec cat";

fn pane(server: &TestServer, id: &str) -> Value {
    let panes = server.json(&["list-panes"]);
    let panes = panes["panes"].as_array().expect("panes");
    panes.iter().find(|pane| pane["pane_id"] == id).expect("the pane").clone()
}

/// Kills the keeper and waits until its successor holds everything.
fn kill_keeper(server: &TestServer) {
    let killed = server.keeper_pid();
    signal("KILL", killed);
    until("a successor has taken over", || server.keeper_pid() != killed);
}

fn warnings(server: &TestServer) -> Value {
    server.json(&["server-status"])["warnings"].clone()
}

fn kill_daemon(server: &TestServer) {
    let killed = server.daemon_pid();
    signal("KILL", killed);
    assert_ne!(server.daemon_pid(), killed);
}

fn start_writers(server: &TestServer) -> Vec<String> {
    let names = ["one", "two", "three", "four"];
    names.map(|name| server.session(name, &["sh", "-c", COUNTING])).to_vec()
}

#[test]
fn every_line_arrives_once_when_the_keeper_is_killed_under_four_writers() {
    let server = TestServer::new(BINARY);
    let writers = start_writers(&server);
    let pids: Vec<_> = writers.iter().map(|id| pane(&server, id)["pid"].clone()).collect();
    let daemon = server.daemon_pid();
    (0..5).for_each(|_| kill_keeper(&server));
    assert_eq!(server.daemon_pid(), daemon);
    assert_eq!(writers.iter().map(|id| pane(&server, id)["pid"].clone()).collect::<Vec<_>>(), pids);
    fs::write(server.path().join("enough"), "").expect("a file");
    writers.iter().for_each(|id| server.check_count(id));
    assert_eq!(warnings(&server), Value::Null);
}

#[test]
fn twenty_alternating_kills_of_keeper_and_daemon_lose_nothing() {
    let server = TestServer::new(BINARY);
    let writers = start_writers(&server);
    for _ in 0..10 {
        kill_keeper(&server);
        kill_daemon(&server);
    }
    fs::write(server.path().join("enough"), "").expect("a file");
    writers.iter().for_each(|id| server.check_count(id));
}

#[test]
fn an_exit_code_is_kept_when_the_program_ends_after_its_keeper() {
    let server = TestServer::new(BINARY);
    let start = |name: &str| {
        let words = ["new", "-d", "-s", name, "--on-exit", "keep", "--", "sh", "-c", "read x; exit 37"];
        server.json(&words)["pane_id"].as_str().expect("a pane").to_owned()
    };
    let (during, after) = (start("during"), start("after"));
    let killed = server.keeper_pid();
    signal("KILL", killed);
    server.ok(&["send-input", "-t", &during, "\n"]);
    until("a successor has taken over", || server.keeper_pid() != killed);
    server.ok(&["send-input", "-t", &after, "\n"]);
    for id in [during, after] {
        assert_eq!(server.ok(&["wait", "-t", &id, "--until", "exit"]), reported_exit());
    }
}

#[test]
fn the_daemon_keeps_answering_when_programs_end_right_after_their_keeper() {
    let server = TestServer::new(BINARY);
    let start = |number: usize| {
        let (name, script) =
            (format!("ends-{number}"), "while [ ! -e enough ]; do sleep 0.01; done; exit 37");
        let words = ["new", "-d", "-s", &name, "--on-exit", "keep", "--", "sh", "-c", script];
        server.json(&words)["pane_id"].as_str().expect("a pane").to_owned()
    };
    let panes: Vec<_> = (0..4).map(start).collect();
    let programs: Vec<_> = panes.iter().map(|id| pane(&server, id)["pid"].to_string()).collect();
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    let is_gone = |process: &str| !Path::new("/proc").join(process).exists();
    // The terminals hang up before the daemon has noticed the end of the keeper, and it opens them again after that.
    signal("STOP", daemon);
    signal("KILL", keeper);
    until("the keeper is gone", || is_gone(&keeper.to_string()));
    fs::write(server.path().join("enough"), "").expect("a file");
    until("the programs are gone", || programs.iter().all(|program| is_gone(program)));
    signal("CONT", daemon);
    until("a successor has taken over", || server.keeper_pid() != keeper);
    assert_eq!(server.daemon_pid(), daemon);
    for id in &panes {
        assert_eq!(server.ok(&["wait", "-t", id, "--until", "exit"]), reported_exit());
    }
}

/// The report of exit code 37 by a keeper that is not the parent of the program.
fn reported_exit() -> &'static str {
    if kernel_keeps_exits() { "exited, exit code 37\n" } else { "exited, exit status unknown\n" }
}

/// Whether the kernel keeps the exit status of a process that another one has reaped (Linux 6.15).
fn kernel_keeps_exits() -> bool {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").expect("a version");
    let mut numbers = release.split(['.', '-']).map_while(|number| number.trim().parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(6), Some(15))
}

#[test]
fn panes_start_and_close_right_after_the_keeper_is_killed() {
    let server = TestServer::new(BINARY);
    server.session("first", &["cat"]);
    for round in 0..5 {
        signal("KILL", server.keeper_pid());
        let name = format!("round-{round}");
        let id = server.session(&name, &["cat"]);
        server.ok(&["send-input", "-t", &id, "here\n"]);
        server.wait_for(&id, "here");
        let pid = pane(&server, &id)["pid"].as_u64().expect("a pid");
        let killed = server.keeper_pid();
        signal("KILL", killed);
        server.ok(&["kill-session", "-s", &name]);
        until("a successor has taken over", || server.keeper_pid() != killed);
        until("the program has ended", || !Path::new(&format!("/proc/{pid}")).exists());
    }
}

#[test]
fn daemons_start_at_the_first_attempt_after_kills_and_the_last_keeper_ends_cleanly() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    kill_daemon(&server);
    kill_keeper(&server);
    kill_daemon(&server);
    let keeper = server.keeper_pid();
    server.ok(&["shutdown"]);
    until("the keeper has ended", || ProcessStat::of(keeper).is_none());
    let log = fs::read_to_string(server.state_dir().join("log")).expect("the log");
    assert!(!log.contains("Cannot start the daemon") && !log.contains("IO Safety violation"), "{log}");
}

#[test]
fn a_stopped_reaper_does_not_delay_the_next_daemon() {
    let server = TestServer::new(BINARY);
    server.session("work", &["cat"]);
    let reaper = ProcessStat::of(server.keeper_pid()).expect("the keeper").parent;
    // The next keeper is not the daemon's parent, so it has to wait for the reaper.
    kill_keeper(&server);
    signal("STOP", reaper);
    kill_daemon(&server);
    server.ok(&["server-status"]);
    let log = fs::read_to_string(server.state_dir().join("log")).expect("the log");
    assert!(log.contains("The reaper was stopped and is continued"), "{log}");
}

#[test]
fn signals_other_than_kill_do_not_end_the_keeper() {
    let server = TestServer::new(BINARY);
    let id = server.session("work", &["cat"]);
    let keeper = server.keeper_pid();
    for name in ["TERM", "USR1", "USR2", "HUP", "INT", "QUIT", "PIPE", "ALRM"] {
        signal(name, keeper);
    }
    let second = server.session("second", &["cat"]);
    for id in [id, second] {
        server.ok(&["send-input", "-t", &id, "here\n"]);
        server.wait_for(&id, "here");
    }
    assert_eq!(server.keeper_pid(), keeper);
}

/// Runs a command with another copy of the binary.
fn run_with(binary: &Path, server: &TestServer, words: &[&str]) {
    let output = server.command_from(binary, words).output().expect("the copy runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
}

/// The size and the memory of a process's largest segment.
fn largest_segment(process: u32) -> (u64, u64) {
    let fds = fs::read_dir(format!("/proc/{process}/fd")).expect("its descriptors");
    let is_segment = |path: &Path| {
        fs::read_link(path).is_ok_and(|name| name.to_string_lossy().contains("memfd:fugue-segment"))
    };
    let paths = fds.filter_map(|fd| Some(fd.ok()?.path())).filter(|path| is_segment(path));
    let sizes = paths.filter_map(|path| fs::metadata(path).ok());
    sizes.map(|file| (file.len(), file.blocks() * 512)).max().unwrap_or_default()
}

#[test]
fn a_flood_stays_bounded_and_the_status_tells_while_no_keeper_can_be_started() {
    let server = TestServer::new(BINARY);
    let copy = server.path().join("fugue-copy");
    fs::copy(BINARY, &copy).expect("a copy");
    run_with(&copy, &server, &["new", "-d", "-s", "flood", "--", "sh", "-c", "while :; do seq 100000; done"]);
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    // The daemon's own executable can no longer be executed, so no successor starts.
    set_mode(&copy, 0o600);
    signal("KILL", keeper);
    let begin = largest_segment(daemon).0;
    until("the flood goes on", || largest_segment(daemon).0 > begin + (24 << 20));
    let (_, memory) = largest_segment(daemon);
    assert!(memory < 16 << 20, "{memory} bytes");
    let warning = warnings(&server)[0].to_string();
    assert!(warning.contains("The keeper was killed and cannot be restarted"), "{warning}");
    let refused = server.refused(&["new", "-d", "-s", "other", "--", "cat"]);
    assert!(refused.contains("the keeper was killed and cannot be restarted"), "{refused}");
    set_mode(&copy, 0o755);
    until("a successor has taken over", || server.keeper_pid() != keeper);
    assert_eq!(warnings(&server), Value::Null);
    server.session("other", &["cat"]);
    kill_daemon(&server);
    assert_eq!(server.json(&["ls"])["sessions"].as_array().map(Vec::len), Some(2));
}

/// The processes whose arguments contain this word.
fn processes_with(word: &str) -> usize {
    let processes = fs::read_dir("/proc").expect("processes").filter_map(|entry| Some(entry.ok()?.path()));
    let has_word = |path: &Path| {
        let arguments = fs::read(path.join("cmdline")).unwrap_or_default();
        arguments.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes())
    };
    processes.filter(|path| has_word(path)).count()
}

#[test]
fn no_program_is_leaked_or_doubled_when_the_keeper_is_killed_while_it_starts_fifty() {
    let server = TestServer::new(BINARY);
    server.session("first", &["cat"]);
    let word = format!("fugue-test-{}", std::process::id());
    let script = "trap '' HUP; while :; do sleep 0.2; done";
    let start = |number: usize| {
        let name = format!("many-{number}");
        server.run(&["new", "-d", "-s", &name, "--", "sh", "-c", script, &word])
    };
    let outcomes = std::thread::scope(|scope| {
        let starters: Vec<_> = (0..5)
            .map(|part| scope.spawn(move || (part * 10..part * 10 + 10).map(start).collect::<Vec<_>>()))
            .collect();
        for _ in 0..6 {
            let killed = server.keeper_pid();
            signal("KILL", killed);
            until("a successor has taken over", || server.keeper_pid() != killed);
        }
        starters.into_iter().flat_map(|starter| starter.join().expect("all start")).collect::<Vec<_>>()
    });
    let (started, refused): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|outcome| outcome.code == 0);
    for outcome in &refused {
        assert!(outcome.err.contains("the keeper was killed while starting the program"), "{outcome:?}");
    }
    let sessions = server.json(&["ls"])["sessions"].as_array().map(Vec::len);
    assert_eq!(sessions, Some(started.len() + 1));
    until("each has its program", || processes_with(&word) == started.len());
}

#[test]
fn a_keeper_cannot_be_started_by_hand() {
    let server = TestServer::new(BINARY);
    let paths = ["--socket", "socket", "--state", "state", "--config", "config"];
    for words in [&["keeper"][..], &["keeper", "--adopt"]] {
        let ran = server.run(&[words, &paths].concat());
        let told = "fugue: The keeper cannot be started by hand\nhint: run any fugue command to start it\n";
        assert_eq!((ran.code, ran.err.as_str()), (2, told));
    }
}
