//! The status line by configuration: parts, position, lines, commands, marks, and how often it wakes the client.

use std::fs;

use fugue_testkit::{TestServer, TestTerminal, switches, switches_since, until};
use insta::assert_snapshot;

use crate::{attached, test_server};

fn write(server: &TestServer, text: &str) {
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    fs::write(directory.join("config.toml"), text).expect("the file");
}

/// A row of the terminal.
fn row(terminal: &TestTerminal, at: usize) -> String {
    terminal.screen().screen_rows().get(at).cloned().unwrap_or_default()
}

/// Waits until a row contains a text.
fn row_shows(terminal: &mut TestTerminal, at: usize, text: &str) {
    terminal.until(&format!("`{text}` in row {at}"), |terminal| row(terminal, at).contains(text));
}

/// A line with a part of each kind that looks the same everywhere, at the top, and a second one.
const TWO_LINES: &str = r##"
[status]
position = "top"
left = ["session", "windows"]
center = ["pane #{pane_id}"]
right = ["!echo from a command", "#{?window_zoomed_flag,zoomed,whole}"]
[status.second_line]
left = ["#[bold]second#[default] line of #S"]
right = ["panes"]
"##;

#[test]
fn the_line_is_shown_live_while_the_file_is_edited() {
    for (cols, rows) in [(80, 24), (200, 50), (40, 10)] {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        write(&server, TWO_LINES);
        row_shows(&mut terminal, 1, "second line of work");
        if cols > 40 {
            row_shows(&mut terminal, 0, "from a command");
        }
        terminal.send("echo he''re\r");
        terminal.until("the echo", |terminal| row(terminal, 3) == "here");
        assert_snapshot!(format!("status-top-{cols}x{rows}"), terminal.picture());
        write(&server, &TWO_LINES.replace("\"top\"", "\"bottom\""));
        row_shows(&mut terminal, usize::from(rows) - 1, "second line of work");
        assert_snapshot!(format!("status-bottom-{cols}x{rows}"), terminal.picture());
        write(&server, "");
        row_shows(&mut terminal, usize::from(rows) - 1, "0:sh*");
        assert!(!row(&terminal, 0).contains("work"), "it is at the bottom alone");
    }
}

#[test]
fn a_mistake_keeps_the_last_good_line_and_is_reported() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    write(&server, "[status]\nleft = [\"session\", \"mine: #S\"]\n");
    row_shows(&mut terminal, 23, "mine: work");
    write(&server, "[status]\nleft = [\"sesion\", \"other: #S\"]\n");
    let mistake = "config.toml, line 2: \"left\" has an unknown part \"sesion\"; did you mean \"session\"?";
    terminal.until("the mistake", |terminal| terminal.status_showed(mistake));
    row_shows(&mut terminal, 23, "mine: work");
    write(&server, "[status]\nleft = [\"session\", \"other: #S\"]\n");
    row_shows(&mut terminal, 23, "other: work");
}

#[test]
fn keys_and_the_mouse_reach_their_panes_below_a_line_at_the_top() {
    let server = test_server();
    write(&server, "[status]\nposition = \"top\"\n");
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh"], 80, 24);
    row_shows(&mut terminal, 0, "0:sh*");
    terminal.prefix("\"");
    crate::shows_panes(&mut terminal, 2);
    terminal.send("echo lo''wer\r");
    terminal.until("the lower pane", |terminal| terminal.picture().contains("\nlower"));
    // A click into the upper pane, whose first row is the terminal's second.
    terminal.send("\x1b[<0;3;2M\x1b[<0;3;2m");
    terminal.send("echo up''per\r");
    terminal.until("the upper pane", |terminal| row(terminal, 2) == "upper");
    // A click on the session's name.
    terminal.send("\x1b[<0;3;1M\x1b[<0;3;1m");
    terminal.shows("Windows");
    terminal.send("\x1b");
    terminal.until("closed", |terminal| !terminal.picture().contains("Windows"));
    terminal.prefix(":");
    row_shows(&mut terminal, 0, ":");
    terminal.send("display-message shown\r");
    terminal.until("the message", |terminal| row(terminal, 0).trim() == "shown");
}

#[test]
fn a_command_that_fails_or_hangs_keeps_its_last_output_with_a_mark() {
    let server = test_server();
    let file = server.path().join("value");
    fs::write(&file, "12 mails").expect("a file");
    let command = format!("cat {0} || exec sleep 600", file.display());
    let config =
        format!("[status]\nright = [{{ command = \"{command}\", interval = 1, timeout = 1 }}, \"!false\"]\n");
    write(&server, &config);
    let mut terminal = attached(&server, 80, 24);
    row_shows(&mut terminal, 23, "12 mails  false ✗");
    fs::remove_file(&file).expect("the file");
    row_shows(&mut terminal, 23, "12 mails ✗");
    // The client was never blocked by it.
    terminal.send("echo st''ill\r");
    terminal.until("the echo", |terminal| terminal.picture().contains("\nstill"));
    fs::write(&file, "13 mails").expect("a file");
    row_shows(&mut terminal, 23, "13 mails  ");
}

#[test]
fn the_exit_code_of_the_last_command_is_shown() {
    let server = test_server();
    write(&server, "shell = \"/bin/bash\"\n[status]\nright = [\"exit\"]\n");
    let mut terminal = server.terminal(&["new", "-s", "work"], 80, 24);
    row_shows(&mut terminal, 23, "0:bash*");
    terminal.send("(exit 3)\r");
    row_shows(&mut terminal, 23, "exit 3");
    terminal.send("true\r");
    row_shows(&mut terminal, 23, "exit 0");
    assert_eq!(server.json(&["list-panes"])["panes"][0]["last_exit"], 0);
}

#[test]
fn an_idle_client_is_not_woken_by_its_status_line() {
    let server = test_server();
    // The clock alone would wake it, once a minute.
    write(&server, "[client]\nclock = false\n");
    let mut terminal = attached(&server, 80, 24);
    row_shows(&mut terminal, 23, "0:sh*");
    let woken = |terminal: &TestTerminal| {
        let within = |seconds| {
            let before = switches(terminal.process());
            std::thread::sleep(std::time::Duration::from_secs(seconds));
            switches_since(terminal.process(), &before)
        };
        until("the client has nothing left to do", || within(1) == 0);
        within(10)
    };
    assert_eq!(woken(&terminal), 0, "wake-ups with the default line");
    let parts =
        "left = [\"session\", \"windows\", \"#S #{pane_id}\"]\nright = [\"load\", \"host\", \"!date\"]\n";
    write(&server, &format!("[client]\nclock = false\n[status]\ninterval = 600\n{parts}"));
    row_shows(&mut terminal, 23, "load ");
    assert_eq!(woken(&terminal), 0, "wake-ups between two intervals");
}

#[test]
fn windows_and_panes_are_numbered_from_the_base_index_everywhere() {
    let server = test_server();
    write(&server, "base_index = 1\n");
    let mut terminal = attached(&server, 80, 24);
    row_shows(&mut terminal, 23, "1:sh*");
    server.ok(&["create-window", "-s", "work", "-n", "logs", "--background", "--", "cat"]);
    row_shows(&mut terminal, 23, "2:logs");
    assert_eq!(server.ok(&["tmux", "list-windows", "-t", "work", "-F", "#I:#W.#P"]), "1:sh.1\n2:logs.1\n");
    terminal.prefix("2");
    row_shows(&mut terminal, 23, "2:logs*");
    terminal.prefix("'1\r");
    row_shows(&mut terminal, 23, "1:sh*");
    server.ok(&["send-input", "-t", "work:2.1", "typed", "--submit"]);
    until("it is typed", || server.ok(&["get-output", "-t", "work:2.1"]).contains("typed"));
    assert!(!server.run(&["get-output", "-t", "work:0.0"]).err.is_empty());
    server.ok(&["move-window", "-s", "work", "-w", "2", "--index", "1"]);
    row_shows(&mut terminal, 23, "1:logs");
    // The number is a setting: it changes at once.
    write(&server, "base_index = 0\n");
    row_shows(&mut terminal, 23, "0:logs");
}

#[test]
fn windows_keep_their_indexes_unless_they_are_renumbered() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["create-window", "-s", "work", "-n", "logs", "--background", "--", "cat"]);
    server.ok(&["create-window", "-s", "work", "-n", "build", "--background", "--", "cat"]);
    row_shows(&mut terminal, 23, "2:build");
    server.ok(&["kill-window", "-t", "work:logs"]);
    row_shows(&mut terminal, 23, "0:sh*  2:build ");
    terminal.prefix("2");
    row_shows(&mut terminal, 23, "0:sh-  2:build*");
    terminal.prefix(".");
    row_shows(&mut terminal, 23, "Move window to:");
    terminal.send("9\r");
    row_shows(&mut terminal, 23, "0:sh-  9:build*");
    // The setting closes the gaps at once.
    write(&server, "renumber_windows = true\n");
    row_shows(&mut terminal, 23, "0:sh-  1:build*");
    assert_eq!(server.ok(&["tmux", "display", "-p", "-t", "work:1", "#W"]), "build\n");
    write(&server, "renumber_windows = false\n");
    until("the setting is applied", || {
        server.ok(&["move-window", "-s", "work", "-w", "build", "--index", "9"]).contains("9: build")
    });
    row_shows(&mut terminal, 23, "9:build*");
    terminal.prefix("c");
    row_shows(&mut terminal, 23, "1:sh*  9:build-");
    server.ok(&["tmux", "move-window", "-r", "-t", "work"]);
    row_shows(&mut terminal, 23, "2:build");
}

#[test]
fn activity_and_silence_mark_a_window_that_is_not_shown() {
    let server = test_server();
    write(&server, "monitor_activity = true\n[client]\nactivity_action = \"message\"\n");
    let mut terminal = attached(&server, 80, 24);
    let script = "while read line; do echo $line; done";
    let pane =
        server.ok(&["create-window", "-s", "work", "-n", "logs", "--background", "--", "sh", "-c", script]);
    assert!(!pane.is_empty());
    row_shows(&mut terminal, 23, "1:logs");
    server.ok(&["send-input", "-t", "work:logs", "news", "--submit"]);
    terminal.until("the message", |terminal| terminal.status_showed("Activity in window 1:logs"));
    row_shows(&mut terminal, 23, "1:logs# ");
    terminal.prefix("w");
    terminal.until("the mark in the tree", |terminal| {
        terminal.screen().screen_rows().iter().any(|row| row.contains("1: logs# "))
    });
    terminal.send("\x1b");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains("╭─ Windows"));
    terminal.prefix("1");
    row_shows(&mut terminal, 23, "1:logs* ");
    terminal.prefix("0");
    row_shows(&mut terminal, 23, "0:sh* ");
    write(&server, "monitor_silence = 1\n");
    row_shows(&mut terminal, 23, "1:logs-~ ");
}

/// Whether the terminal was sent this.
fn was_sent(terminal: &TestTerminal, bytes: &str) -> bool {
    String::from_utf8_lossy(&terminal.written).contains(bytes)
}

#[test]
fn the_terminals_title_follows_the_session_and_is_given_back() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    assert!(!was_sent(&terminal, "\x1b]2;"), "not unless it is wanted");
    write(&server, "[client]\nset_titles = true\ntitles_format = \"#S - #W\"\n");
    terminal.until("the title", |terminal| terminal.screen().title() == "work - sh");
    server.ok(&["rename-window", "-s", "work", "logs"]);
    terminal.until("the new title", |terminal| terminal.screen().title() == "work - logs");
    terminal.prefix("d");
    terminal.wait_for_exit();
    assert_eq!(terminal.screen().title(), "");
}

#[test]
fn copied_text_is_also_given_to_the_copy_command() {
    let server = test_server();
    let file = server.path().join("copied");
    let config = |command: &str| format!("[client]\ncopy_command = \"{command}\"\n");
    write(&server, &config(&format!("cat > {0}.new; mv {0}.new {0}", file.display())));
    let mut terminal = attached(&server, 80, 24);
    terminal.send("echo some words\r");
    terminal.until("the echo", |terminal| terminal.picture().contains("\nsome words\n$"));
    let copy = |terminal: &mut TestTerminal| {
        terminal.prefix("[");
        terminal.shows("[0/");
        terminal.send("kV\r");
    };
    copy(&mut terminal);
    until("the text", || fs::read_to_string(&file).is_ok_and(|text| text.trim() == "some words"));
    write(&server, &config("exit 7"));
    copy(&mut terminal);
    let failure = "copy_command failed: exit status: 7";
    terminal.until("the failure", |terminal| terminal.status_showed(failure));
}
