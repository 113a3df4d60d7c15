//! Type-ahead: keys that follow a command at once go where the command leads.

use fugue_testkit::{TestServer, TestTerminal, signal};

use crate::outer_terminal::is_stopped;
use crate::{attached, test_server};

/// Waits until a window's first pane shows the text.
fn typed_into(server: &TestServer, window: usize, text: &str) {
    let windows = server.json(&["list-sessions"])["sessions"][0]["windows"].clone();
    let pane = windows[window]["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, text);
}

/// Asserts that the first window did not receive the text.
fn not_typed_before(terminal: &TestTerminal, text: &str) {
    assert!(!terminal.picture().contains(text), "{}", terminal.picture());
}

#[test]
fn keys_after_a_new_window_command_are_typed_into_it() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("\x02cecho th''ere\r\x02ntrue he''re\r\x02\x02");
    terminal.shows("true he''re");
    typed_into(&server, 1, "there");
    not_typed_before(&terminal, "there");
}

#[test]
fn keys_after_a_split_are_typed_into_the_new_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    for at in 1..8 {
        terminal.send(format!("\x02\"echo pa''ne{at}\r\x02 "));
    }
    for at in 1..8 {
        terminal.shows(&format!("pane{at}"));
    }
    let panes = server.json(&["list-panes"])["panes"].as_array().expect("panes").clone();
    let texts: Vec<String> =
        panes.iter().map(|pane| server.text(pane["pane_id"].as_str().expect("an id"))).collect();
    let lines = |text: &String| text.matches("pane").count();
    assert_eq!(texts.iter().map(lines).sum::<usize>(), 7, "{texts:?}");
    assert!(texts.iter().all(|text| lines(text) <= 1), "one line in each new pane: {texts:?}");
}

#[test]
fn keys_after_opening_copy_mode_a_list_or_a_popup_go_there() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf 'one\\ntwo\\n'\r");
    terminal.until("the lines", |terminal| terminal.picture().contains("\ntwo\n"));
    // Move up one line, copy it, and show the copied text.
    terminal.send("\x02[kVy\x02D\x1b[27u\x02u\x1b[27u\x02:display-popup -- cat\rlett''ers\r\x02x");
    terminal.until("the popup is gone", |terminal| terminal.picture().contains("0:sh*"));
    terminal.send("echo do''ne\r");
    terminal.until("the end", |terminal| terminal.picture().contains("done\n"));
    assert!(
        !terminal.picture().contains("kVy") && !terminal.picture().contains("lett"),
        "{}",
        terminal.picture()
    );
}

#[test]
fn a_command_for_a_killed_daemon_is_sent_to_the_next_one_before_later_keys() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let before = server.daemon_pid();
    signal("STOP", terminal.process());
    fugue_testkit::until("the client is stopped", || is_stopped(terminal.process()));
    terminal.send("\x02cecho th''ere\r");
    signal("KILL", before);
    let is_gone = || !std::path::Path::new(&format!("/proc/{before}")).exists();
    fugue_testkit::until("the old daemon is gone", is_gone);
    signal("CONT", terminal.process());
    terminal.until("the new window", |terminal| terminal.picture().contains("there\n"));
    assert!(terminal.picture().contains("1:sh*"), "{}", terminal.picture());
}

/// A terminal that has requested a window and then typed a line, and the hanging daemon.
fn typed_at_a_daemon_that_stands_still(server: &TestServer) -> (TestTerminal, u32) {
    let mut terminal = attached(server, 80, 24);
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    fugue_testkit::until("the daemon is stopped", || is_stopped(daemon));
    terminal.send("\x02cecho th''ere\r");
    terminal.shows("Daemon is not responding");
    (terminal, daemon)
}

#[test]
fn keys_wait_for_a_hanging_daemon_and_the_user_can_still_detach() {
    let server = test_server();
    let (mut terminal, daemon) = typed_at_a_daemon_that_stands_still(&server);
    terminal.send("\x02d");
    assert_eq!(terminal.wait_for_exit(), 0);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(written.contains("daemon did not respond; discarded"), "{written}");
    signal("CONT", daemon);
}

#[test]
fn keys_held_for_a_hanging_daemon_arrive_when_it_resumes() {
    let server = test_server();
    let (mut terminal, daemon) = typed_at_a_daemon_that_stands_still(&server);
    signal("CONT", daemon);
    terminal.until("the line", |terminal| terminal.picture().contains("there\n"));
    assert!(terminal.picture().contains("1:sh*"), "{}", terminal.picture());
}

/// Whether a text is another one with parts missing.
fn is_part_of(text: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    text.chars().all(|wanted| rest.any(|c| c == wanted))
}

#[test]
fn keys_typed_while_the_daemon_is_killed_arrive_once() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("stty -echo; printf 'rea%s\\n' dy; sed '/END/q' > got; stty echo; printf 'do%s\\n' ne\r");
    terminal.until("ready", |terminal| terminal.picture().contains("\nready"));
    let mut typed = String::new();
    for line in 0..300 {
        if line % 60 == 30 {
            let before = server.daemon_pid();
            signal("KILL", before);
        }
        terminal.send(format!("{line}\r"));
        typed.push_str(&format!("{line}\n"));
        if line % 60 == 59 {
            // The client has reconnected and shows what was typed meanwhile.
            terminal.until("the client has reconnected", |terminal| terminal.picture().contains("0:sed*"));
        }
    }
    terminal.send("END\r");
    terminal.until("done", |terminal| terminal.picture().contains("done\n"));
    typed.push_str("END\n");
    let got = std::fs::read_to_string(server.path().join("got")).expect("the received text");
    // If the daemon is killed just while writing, it is uncertain which keys arrived; this is reported.
    let is_reported =
        String::from_utf8_lossy(&terminal.written).contains("Daemon restarted while you were typing");
    assert!(got == typed || is_reported && is_part_of(&got, &typed), "reported: {is_reported}\n{got}");
}
