//! The setting `tmux_link`: in every pane, `tmux` means fugue.

use std::fs;

use fugue_testkit::{TestServer, signal, until};
use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

fn server(settings: &str) -> TestServer {
    let server = TestServer::new(BINARY);
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), settings).expect("settings");
    server
}

/// A program that prints what `tmux` says about its pane, and stays.
const ASKS: &str = "echo \"$TMUX_PANE is $(tmux display-message -p '#D of #S') on ${TMUX%%,*}\"; exec cat";

/// Waits until a pane shows its own number and session.
fn knows_itself(server: &TestServer, pane: &str, session: &str) {
    let list = server.json(&["list-panes"]);
    let panes = list["panes"].as_array().expect("panes");
    let view = panes.iter().find(|view| view["pane_id"] == pane).expect("the pane");
    let number = view["number"].as_u64().expect("a number");
    server.wait_for(pane, &format!("^%{number} is %{number} of {session} on {}$", server.socket().display()));
}

fn id(reply: &Value) -> String {
    reply["pane_id"].as_str().expect("a pane").to_owned()
}

#[test]
fn tmux_means_fugue_in_every_pane_however_it_was_opened() {
    let server = server("tmux_link = true\n");
    let first = server.session("work", &["sh", "-c", ASKS]);
    knows_itself(&server, &first, "work");
    let split = id(&server.json(&["create-pane", "-s", "work", "--", "sh", "-c", ASKS]));
    knows_itself(&server, &split, "work");
    let window = id(&server.json(&["create-window", "-s", "work", "--", "sh", "-c", ASKS]));
    knows_itself(&server, &window, "work");
    server.ok(&["respawn-pane", "-k", "-t", &split, "--", "sh", "-c", &format!("echo again; {ASKS}")]);
    server.wait_for(&split, "^again$");
    knows_itself(&server, &split, "work");
}

#[test]
fn tmux_means_fugue_in_shell_commands_of_bindings() {
    let server =
        server("tmux_link = true\n[keys]\n\"prefix u\" = \"run-shell 'tmux new-window -n made cat'\"\n");
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "cat"], 80, 24);
    terminal.shows("0:cat*");
    terminal.send("\u{2}u");
    terminal.shows("1:made*");
    assert_eq!(server.ok(&["run-shell", "-t", "work", "tmux display -p '#S #W'"]), "work made\n");
    server.ok(&["if-shell", "tmux has-session -t work", "rename-window found"]);
    terminal.shows("1:found*");
}

#[test]
fn tmux_means_fugue_in_restored_panes() {
    let server = server("tmux_link = true\nrestore_programs = \"all\"\n");
    let pane = server.session("work", &["sh", "-c", ASKS]);
    knows_itself(&server, &pane, "work");
    let processes = [server.keeper_pid(), server.daemon_pid()];
    for name in ["STOP", "KILL"] {
        processes.iter().for_each(|process| signal(name, *process));
    }
    until("nobody listens", || std::os::unix::net::UnixStream::connect(server.socket()).is_err());
    server.ok(&["list-sessions"]);
    until("the program is started again", || server.json(&["list-panes"])["panes"][0]["state"] == "running");
    knows_itself(&server, &pane, "work");
}

#[test]
fn a_shell_finds_the_link_first_even_if_its_files_set_the_path() {
    let server = server("tmux_link = true\n");
    let home = server.path().join("home");
    fs::create_dir_all(&home).expect("a directory");
    fs::write(home.join(".bashrc"), "PATH=/usr/bin:/bin\n").expect("a file");
    server.ok(&["new", "-d", "-s", "work", "-e", &format!("HOME={}", home.display()), "--", "bash"]);
    let ran = server.json(&["run", "-t", "work:0.0", "command -v tmux; tmux display -p '#S'"]);
    let output = ran["output"].as_str().expect("output");
    assert!(output.ends_with("tmux-bin/tmux\nwork"), "{output}");
}

#[test]
fn a_pane_has_no_such_link_by_default() {
    let server = server("");
    let pane = server.session("work", &["sh", "-c", "echo \"${TMUX-none} ${TMUX_PANE-none}\"; exec cat"]);
    server.wait_for(&pane, "^none none$");
}
