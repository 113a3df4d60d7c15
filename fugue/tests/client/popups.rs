//! Popups and windows: a popup is none of them.

use crate::{attached, test_server};

/// The names of the session's windows.
fn windows(server: &fugue_testkit::TestServer) -> Vec<String> {
    let list = server.json(&["list-sessions"]);
    let windows = list["sessions"][0]["windows"].as_array().expect("windows").clone();
    windows.iter().map(|window| window["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_popup_is_not_among_the_windows() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("c");
    terminal.shows("1:sh*");
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    for current in ["0:sh*", "1:sh*"] {
        terminal.prefix("n");
        terminal.shows(current);
        assert!(terminal.picture().contains("│in a box"), "{}", terminal.picture());
    }
    terminal.prefix("w");
    terminal.shows("╭─ Go to");
    assert!(!terminal.picture().contains("popup"), "{}", terminal.picture());
}

#[test]
fn a_popup_ends_when_its_client_detaches() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    assert_eq!(windows(&server), ["sh", "popup"]);
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    fugue_testkit::until("the popup is closed", || windows(&server) == ["sh"]);
}
