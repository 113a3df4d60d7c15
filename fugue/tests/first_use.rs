//! The first visits of a person: hints that go away, and one offer to connect agents.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::{TestServer, TestTerminal};

const HINT: &str = "fugue tutor";

const OFFER: &str = "Connect now? [y/N]";

fn newcomer() -> TestServer {
    TestServer::of_newcomer(env!("CARGO_BIN_EXE_fugue"))
}

/// Runs `fugue` in a terminal, in which only these programs and the system's are installed.
fn visit(server: &TestServer, agents: &[&str]) -> TestTerminal {
    let bin = server.path().join("bin");
    fs::create_dir_all(&bin).expect("a directory");
    for agent in agents {
        fs::write(bin.join(agent), "#!/bin/sh\n").expect("written");
        fs::set_permissions(bin.join(agent), fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    server.terminal_with(&[], 80, 24, &[("PATH", &path)])
}

fn leave(mut terminal: TestTerminal) {
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn hints_are_shown_on_the_first_five_visits() {
    let server = newcomer();
    for number in 1..=6 {
        let mut terminal = visit(&server, &[]);
        terminal.shows("0:sh");
        // The first visit begins with a box of keys, which the first key closes.
        if number == 1 {
            terminal.shows("Welcome to fugue");
            terminal.send(" ");
        }
        if number <= 5 {
            terminal.shows(HINT);
        } else {
            let picture = terminal.picture();
            assert!(!picture.contains(HINT), "{picture}");
        }
        leave(terminal);
    }
}

#[test]
fn a_setting_turns_hints_off() {
    let server = newcomer();
    fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    fs::write(server.path().join("config/fugue/config.toml"), "[client]\nhints = false\n").expect("written");
    let mut terminal = visit(&server, &[]);
    terminal.shows("Welcome to fugue");
    terminal.send(" ");
    terminal.until("the box is closed", |terminal| !terminal.picture().contains("Welcome"));
    assert!(!terminal.picture().contains(HINT), "{}", terminal.picture());
}

#[test]
fn setup_is_offered_once_and_never_again() {
    let server = newcomer();
    let mut terminal = visit(&server, &["claude", "codex"]);
    terminal.shows("claude and codex are installed but not connected to fugue.");
    terminal.shows(OFFER);
    terminal.send("n\n");
    terminal.shows("0:sh");
    leave(terminal);
    assert!(!server.path().join(".claude.json").exists(), "nobody agreed");
    let mut again = visit(&server, &[]);
    again.shows("0:sh");
    let written = String::from_utf8_lossy(&again.written).into_owned();
    assert!(!written.contains(OFFER), "{written}");
}

#[test]
fn setup_is_run_if_the_offer_is_accepted_and_asks_with_a_summary() {
    let server = newcomer();
    let mut terminal = visit(&server, &["claude"]);
    terminal.shows(OFFER);
    terminal.send("y\n");
    terminal.shows("Make these changes? [y/N, d for the diff]");
    let summary = terminal.picture();
    assert!(summary.contains("claude    ~/.claude.json: create the file, add mcpServers.fugue"), "{summary}");
    assert!(summary.contains("`fugue setup --undo` undoes this."), "{summary}");
    assert!(!summary.contains("+++"), "the diff is shown on demand: {summary}");
    terminal.send("y\n");
    terminal.shows("0:sh");
    assert!(server.path().join(".claude.json").exists());
}

#[test]
fn nothing_is_offered_without_an_agent_a_terminal_or_if_all_are_connected() {
    let server = newcomer();
    let mut none = visit(&server, &[]);
    none.shows("0:sh");
    leave(none);
    let ran = server.run(&[]);
    assert!(ran.code == 2 && !ran.err.contains("connected"), "{ran:?}");
}
