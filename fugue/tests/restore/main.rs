//! The machine restarts: the keeper and the daemon are killed at the same instant, and programs are lost with them. What
//! is left is shown, and `fugue restore` starts the programs again.

mod agents;
mod lost_panes;
mod programs;
mod saved_screens;
mod shutdown;

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use fugue_screen::Screen;
use fugue_testkit::{TestServer, signal, until};
use serde_json::Value;

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

/// Ends the daemon by SIGTERM and waits for the next one.
fn terminate_daemon(server: &TestServer) {
    let daemon = server.daemon_pid();
    signal("TERM", daemon);
    until("the daemon is gone", || is_gone(daemon));
    assert_ne!(server.daemon_pid(), daemon);
}
