//! What programs set (titles, names, lines for a client) is never a command of the person.

use std::fs;

use fugue_testkit::{TestServer, until};

use super::BINARY;

/// A session whose only pane has this title.
fn titled(title: &str) -> TestServer {
    let server = TestServer::new(BINARY);
    let print = "printf '\\033]2;%s\\007' \"$TITLE\"; exec cat";
    let variable = format!("TITLE={title}");
    server.ok(&["new", "-d", "-s", "work", "--env", &variable, "--", "sh", "-c", print]);
    until("the pane has its title", || {
        server.ok(&["tmux", "display-message", "-p", "-t", "work", "#{pane_title}"]).trim_end() == title
    });
    server
}

#[test]
fn a_title_is_only_a_word_of_a_shell_command() {
    let server = titled("x; touch made '; touch made \"$(touch made)");
    let log = server.path().join("log");
    server.ok(&["run-shell", "-t", "work", "echo #{pane_title} >log"]);
    assert_eq!(fs::read_to_string(&log).expect("its output"), "x touch made touch made touch made\n");
    server.ok(&["run-shell", "-t", "work", "echo '#{pane_title}'"]);
    server.ok(&["if-shell", "-t", "work", "echo '#{pane_title}'", "display-message -p yes"]);
    server.ok(&["tmux", "run-shell", "-C", "-t", "work", "display-message -p '#{pane_title}'"]);
    server.ok(&["pipe-pane", "-t", "work", "echo '#{pane_title}' >piped"]);
    until("the pipe runs", || server.path().join("piped").exists());
    server.ok(&["pipe-pane", "-t", "work"]);
    assert!(!server.path().join("made").exists(), "the title became a command");
}

#[test]
fn a_title_that_is_expanded_once_more_runs_nothing() {
    let server = titled("#(touch made)#{pane_id}");
    let print = |format: &str| server.ok(&["tmux", "display-message", "-p", "-t", "work", format]);
    assert_eq!(print("#{E:pane_title}"), "%0\n");
    print("#{T:pane_title}");
    assert_eq!(print("#(echo out)"), "out\n", "what the caller writes runs");
    assert!(!server.path().join("made").exists(), "the title became a command");
}

#[test]
fn a_line_that_a_program_sends_to_a_client_starts_nothing() {
    let server = TestServer::new(BINARY);
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "cat"], 100, 24);
    terminal.shows("work");
    let made = server.path().join("made");
    let touch = format!("touch {}", made.display());
    for line in [
        format!("display-popup -T '#({touch})' -E true"),
        format!("display-popup -t work -E '{touch}'"),
        format!("run-shell '{touch}'"),
        format!("display-message '#({touch})'"),
        format!("if-shell '{touch}' ''"),
        format!("tmux run-shell '{touch}'"),
    ] {
        server.ok(&["run-in-client", &line]);
        server.ok(&["run-in-client", "say after"]);
        terminal.shows("after");
        terminal.prefix("~");
        terminal.shows("A program tried to start");
        terminal.send("\x1b[27u");
    }
    // The answer to a question of a program is not a command of the person.
    server.ok(&["run-in-client", &format!("ask 'Name: ' '' 'run-shell \"{touch} {{answer}}\"'")]);
    terminal.shows("Name:");
    terminal.send("me\r");
    terminal.shows("A program tried to start `run-shell` in your name; ignored");
    server.ok(&["run-in-client", &format!("confirm \"run-shell '{touch}'\"")]);
    terminal.shows("?");
    terminal.send("y");
    terminal.shows("A program tried to start `run-shell` in your name; ignored");
    assert!(!made.exists(), "a program's line ran a command");
}

#[test]
fn a_program_in_a_pane_cannot_have_a_client_resize_or_close_a_pane_as_a_popup() {
    let server = TestServer::new(BINARY);
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "cat"], 100, 24);
    terminal.shows("work");
    let victim = server.json(&["new", "-d", "-s", "victim", "--", "cat"]);
    let (pane, window) =
        (victim["pane_id"].as_str().expect("an id"), victim["window_id"].as_str().expect("an id"));
    for after in ["after one", "after two"] {
        server.ok(&["run-in-client", &format!("display-popup --pane {pane} --window {window}")]);
        server.ok(&["run-in-client", &format!("say '{after}'")]);
        terminal.shows(after);
        assert!(!terminal.picture().contains('╭'), "it is shown as a popup");
    }
    assert_eq!(server.ok(&["tmux", "list-panes", "-t", "victim", "-F", "#{pane_width}"]), "80\n");
}
