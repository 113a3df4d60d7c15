//! A pane whose output makes the daemon die is set aside, so that the other panes can be used.

use std::fs;
use std::process::Command;

use fugue_testkit::{TestServer, until};

/// The memory that the daemon may use beyond what it needs, in bytes. The pane's history takes more.
const ROOM: u64 = 192 << 20;

fn address_space(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("its size");
    line.trim().trim_end_matches("kB").trim().parse::<u64>().expect("a number") << 10
}

/// Limits the memory of a process and of those that it will start.
fn limit_memory(process: u32, bytes: u64) {
    let limited =
        Command::new("prlimit").args([format!("--pid={process}"), format!("--as={bytes}")]).status();
    assert!(limited.is_ok_and(|limited| limited.success()), "prlimit of {process}");
}

/// A server that keeps so much history that a flood takes all of its memory.
fn server_with_endless_history() -> TestServer {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    let text = "history_lines = 1_000_000_000\nhistory_bytes = 1_000_000_000_000\n";
    fs::write(directory.join("config.toml"), text).expect("written");
    server
}

fn warnings(server: &TestServer) -> String {
    let status = server.run(&["server-status", "--json"]).out;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap_or_default();
    status["warnings"].to_string()
}

#[test]
fn a_pane_whose_output_makes_the_daemon_die_is_set_aside_and_the_others_live() {
    let server = server_with_endless_history();
    let other = server.session("other", &["cat"]);
    let flood = server.session("flood", &["sh"]);
    let (daemon, keeper) = (server.daemon_pid(), server.keeper_pid());
    let most = address_space(daemon) + ROOM;
    limit_memory(keeper, most);
    limit_memory(daemon, most);
    server.ok(&["send-input", "-t", &flood, "base64 -w 200 /dev/urandom", "--submit"]);
    until("the pane is set aside", || warnings(&server).contains("is quarantined"));
    assert!(warnings(&server).contains(&flood), "{}", warnings(&server));
    assert_ne!(server.daemon_pid(), daemon, "the daemon died");
    let shown = server.ok(&["get-output", "-t", &flood, "--mode", "screen"]).replace('\n', " ");
    assert!(shown.contains("This pane is quarantined"), "{shown}");
    server.ok(&["send-input", "-t", &other, "still here", "--submit"]);
    server.wait_for(&other, "still here");
    let (survivor, panes) = (server.daemon_pid(), server.json(&["list-panes"]));
    let states = panes["panes"].as_array().expect("panes").iter().map(|pane| pane["exit"].clone());
    assert!(states.into_iter().all(|exit| exit.is_null()), "both programs are running: {panes}");
    server.ok(&["respawn-pane", "-t", &flood, "--kill"]);
    server.ok(&["send-input", "-t", &flood, "echo again-$((1 + 1))", "--submit"]);
    server.wait_for(&flood, "again-2");
    let status = server.json(&["server-status"]);
    assert_eq!((&status["warnings"], &status["pid"]), (&serde_json::Value::Null, &survivor.into()));
}

#[test]
fn kills_from_outside_set_no_pane_aside() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let flood = server.session("flood", &["sh", "-c", "base64 -w 200 /dev/urandom"]);
    for _ in 0..6 {
        fugue_testkit::signal("KILL", server.daemon_pid());
    }
    assert_eq!(server.json(&["server-status"])["warnings"], serde_json::Value::Null);
    let before = server.json(&["get-output", "-t", &flood])["cursor"].clone();
    until("the flood goes on", || server.json(&["get-output", "-t", &flood])["cursor"] != before);
}
