//! Several clients of one session, each with its own current window and pane.

use crate::{attached, test_server};

#[test]
fn the_session_in_which_somebody_typed_last_is_the_one_that_commands_are_about() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["new", "-d", "-s", "logs", "--", "cat"]);
    let current = || server.ok(&["display-message", "-p", "#S"]);
    assert_eq!(current(), "logs\n");
    // The client may learn of the other session only after the first key.
    let is_used = (0..1_000).any(|_| {
        terminal.send("x");
        current() == "work\n"
    });
    assert!(is_used, "{}", current());
}

#[test]
fn each_client_has_its_own_window_and_its_own_pane() {
    let server = test_server();
    let mut one = attached(&server, 80, 24);
    one.prefix("c");
    one.shows("1:sh*");
    let mut other = server.terminal(&["attach", "work"], 80, 24);
    other.shows("1:sh*");
    other.prefix("0");
    other.shows("0:sh*");
    one.send("echo still here\r");
    one.until("the echo in its own window", |one| {
        one.picture().matches("still here").count() == 2 && one.picture().contains("1:sh*")
    });
    // In one window, each types into its own pane.
    other.prefix("1");
    other.shows("1:sh*");
    other.prefix("%");
    crate::shows_panes(&mut other, 2);
    other.until("its cursor in the new pane", |other| other.screen().cursor().col > 40);
    crate::shows_panes(&mut one, 2);
    one.until("its cursor where it was", |one| one.screen().cursor().col < 40);
    one.send("echo left\r");
    one.until("the echo at the left", |one| one.picture().lines().any(|row| row.starts_with("left ")));
    // All clients follow the request of an agent or a script.
    server.ok(&["select-window", "-s", "work", "-w", "0"]);
    one.shows("0:sh*");
    other.shows("0:sh*");
}

#[test]
fn clients_are_counted_listed_and_detached() {
    let server = test_server();
    let mut one = attached(&server, 80, 24);
    let mut watcher = server.terminal(&["attach", "--read-only", "work"], 80, 24);
    crate::shows_panes(&mut watcher, 1);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane (2 clients)\n");
    assert!(server.ok(&["list-clients"]).contains("work 80x24 (read-only)"));
    watcher.send("x");
    watcher.shows("Read-only client");
    watcher.prefix("%");
    watcher.shows("Read-only client");
    one.prefix("D");
    one.shows("╭─ Detach client");
    one.send("read-only\r");
    assert_eq!(watcher.wait_for_exit(), 0);
    assert!(watcher.picture().contains("[detached by another client]"));
    let mut last = server.terminal(&["attach", "-d", "work"], 80, 24);
    assert_eq!(one.wait_for_exit(), 0);
    crate::shows_panes(&mut last, 1);
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane (1 client)\n");
}
