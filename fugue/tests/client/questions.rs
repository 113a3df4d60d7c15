//! Questions and menus: what they are about does not change while they are open.

use fugue_testkit::{TestServer, TestTerminal};

use crate::{attached, shows_panes, test_server};

/// A client with two panes that are named A and B, and the keyboard in A.
fn two_panes(server: &TestServer) -> TestTerminal {
    let mut terminal = attached(server, 80, 24);
    server.ok(&["rename-pane", "-s", "work", "--", "A"]);
    server.ok(&["create-pane", "-s", "work", "--right", "--name", "B", "--", "sh"]);
    shows_panes(&mut terminal, 2);
    server.ok(&["focus-pane", "-t", "A"]);
    terminal.until("the keyboard in A", |terminal| terminal.screen().cursor().col < 40);
    terminal
}

fn panes(server: &TestServer) -> Vec<String> {
    let list = server.json(&["list-sessions"]);
    let panes = list["sessions"][0]["windows"][0]["panes"].as_array().expect("panes");
    panes.iter().map(|pane| pane["name"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_question_closes_the_pane_that_it_names_wherever_the_focus_moves() {
    let server = test_server();
    let mut terminal = two_panes(&server);
    terminal.prefix("x");
    terminal.shows("Close pane “A”?");
    server.ok(&["focus-pane", "-t", "B"]);
    terminal.until("the keyboard in B", |terminal| terminal.picture().contains('▸'));
    terminal.send("y");
    shows_panes(&mut terminal, 1);
    assert_eq!(panes(&server), ["B"]);
}

#[test]
fn a_question_about_a_pane_that_has_gone_closes_no_other() {
    let server = test_server();
    let mut terminal = two_panes(&server);
    terminal.prefix("x");
    terminal.shows("Close pane “A”?");
    server.ok(&["close-pane", "-t", "A"]);
    terminal.until("A is gone", |terminal| !terminal.picture().contains(['◂', '▸', '│']));
    terminal.send("y");
    terminal.shows("Pane “A” is gone; nothing was done");
    assert_eq!(panes(&server), ["B"]);
}

#[test]
fn a_new_name_is_for_the_window_that_was_shown_when_it_was_asked_for() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["create-window", "-s", "work", "--name", "two", "--", "sh"]);
    server.ok(&["select-window", "-s", "work", "-w", "0"]);
    terminal.shows("0:sh*");
    terminal.prefix(",");
    terminal.shows("Rename window: sh");
    server.ok(&["select-window", "-s", "work", "-w", "1"]);
    terminal.send("\x15first\r");
    terminal.shows("0:first");
    terminal.shows("1:two*");
}

#[test]
fn a_menu_is_about_the_pane_in_its_title() {
    let server = test_server();
    let mut terminal = two_panes(&server);
    terminal.prefix(">");
    terminal.shows("╭─ A");
    server.ok(&["focus-pane", "-t", "B"]);
    terminal.send("mark or\r");
    terminal.shows("The focus moved to another pane; `mark` was not run");
    server.ok(&["focus-pane", "-t", "A"]);
    terminal.until("the keyboard in A", |terminal| terminal.screen().cursor().col < 40);
    terminal.prefix(">");
    terminal.shows("╭─ A");
    server.ok(&["focus-pane", "-t", "B"]);
    terminal.send("close\r");
    terminal.shows("Close pane “A”?");
    terminal.send("y");
    shows_panes(&mut terminal, 1);
    assert_eq!(panes(&server), ["B"]);
}
