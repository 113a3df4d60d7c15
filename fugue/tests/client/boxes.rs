//! What is drawn over the panes: boxes that leave the rest in sight, long messages, and the border of the active pane.

use std::collections::BTreeSet;

use fugue_screen::Color;
use fugue_testkit::TestTerminal;

use crate::{attached, shows_panes, test_server};

/// The color of the character between two panes in a row.
fn color_of_border(terminal: &TestTerminal, row: u16) -> Option<Color> {
    let rows = terminal.screen().update_since(0).rows;
    rows[usize::from(row)]
        .1
        .spans
        .iter()
        .find(|span| span.text.contains(['│', '◂', '▸']))
        .map(|span| span.style.fg)
}

fn rows(terminal: &TestTerminal) -> Vec<String> {
    terminal.screen().screen_rows()
}

#[test]
fn a_right_click_opens_the_menu_at_the_pointer_and_a_click_beside_it_closes_it() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("echo behind the menu\r");
    terminal.shows("\nbehind the menu\n");
    terminal.send("\x1b[<2;6;5M\x1b[<2;6;5m");
    terminal.shows("╭─ sh · ");
    assert_eq!(rows(&terminal)[4].chars().position(|c| c == '╭'), Some(5), "{}", terminal.picture());
    assert!(terminal.picture().contains("\nbehind the menu\n"), "{}", terminal.picture());
    terminal.send("\x1b[<0;80;1M\x1b[<0;80;1m");
    terminal.until("the menu is gone", |terminal| !terminal.picture().contains('╭'));
}

#[test]
fn the_menu_of_a_pane_without_the_keyboard_is_titled_with_that_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["create-pane", "-s", "work", "--right", "-n", "logs", "--", "cat"]);
    shows_panes(&mut terminal, 2);
    terminal.send("\x1b[<2;6;5M\x1b[<2;6;5m");
    terminal.shows("╭─ sh · ");
    terminal.send("\x1b");
    terminal.until("the menu is gone", |terminal| !terminal.picture().contains('╭'));
    terminal.send("\x1b[<2;60;5M\x1b[<2;60;5m");
    terminal.shows("╭─ logs · ");
}

#[test]
fn keys_are_grouped_by_task_and_window_numbers_take_one_row() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 50);
    terminal.prefix("?");
    terminal.shows("│ Layouts and sizes");
    terminal.send("window number");
    terminal.shows("C-b 0…9");
    assert!(!terminal.picture().contains("│ Layouts and sizes"), "{}", terminal.picture());
}

#[test]
fn a_long_message_is_wrapped() {
    let server = test_server();
    let mut terminal = attached(&server, 40, 12);
    terminal.prefix(":");
    terminal.send("say one two three four five six seven eight nine ten eleven twelve\r");
    terminal.until("all of it", |terminal| {
        let rows = rows(terminal);
        rows[10].starts_with(" one two three") && rows[11].ends_with("eleven twelve")
    });
}

#[test]
fn with_two_panes_an_arrow_on_the_border_points_at_the_active_one() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    let arrows = |terminal: &TestTerminal| {
        rows(terminal)[..23].concat().chars().filter(|c| "◂▸▴▾".contains(*c)).collect::<String>()
    };
    terminal.until("the right one", |terminal| arrows(terminal) == "▸");
    terminal.prefix("\x1b[D");
    terminal.until("the left one", |terminal| arrows(terminal) == "◂");
    // As in tmux, the upper half of the border has the color of the left pane, if that is active.
    let colors = |rows: std::ops::Range<u16>| -> BTreeSet<String> {
        rows.map(|row| format!("{:?}", color_of_border(&terminal, row))).collect()
    };
    let (upper, lower) = (colors(0..12), colors(12..23));
    assert_eq!((upper.len(), lower.len()), (1, 1), "{upper:?} {lower:?}");
    assert_ne!(upper, lower);
    terminal.prefix("\x1b2");
    terminal.until("the upper one", |terminal| arrows(terminal) == "▴");
}

#[test]
fn while_a_popup_is_open_no_border_has_the_color_of_the_active_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    shows_panes(&mut terminal, 2);
    // The lower half is that of the right pane, which is active.
    let active = color_of_border(&terminal, 22);
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    terminal.until("another color", |terminal| color_of_border(terminal, 22) != active);
    terminal.prefix("x");
    terminal.until("the popup is gone", |terminal| !terminal.picture().contains('╭'));
    assert_eq!(color_of_border(&terminal, 22), active, "{}", terminal.picture());
}

#[test]
fn the_list_of_sessions_contains_those_created_just_before_and_while_it_is_open() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["new", "-d", "-s", "before", "--", "cat"]);
    server.ok(&["run-in-client", "choose-tree"]);
    terminal.shows("before");
    server.ok(&["new", "-d", "-s", "later", "--", "cat"]);
    terminal.shows("later");
    server.ok(&["kill-session", "-s", "before"]);
    terminal.until("it is gone from the list", |terminal| !terminal.picture().contains("before"));
}

#[test]
fn the_menu_of_a_window_in_the_status_line_is_about_that_window() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["create-window", "-s", "work", "-n", "other", "--", "cat"]);
    terminal.shows("1:other*");
    let line = rows(&terminal).pop().expect("the status line");
    let col = line.chars().count() - line.split_once("0:sh").expect("a tab").1.chars().count();
    terminal.send(format!("\x1b[<2;{col};24M\x1b[<2;{col};24m"));
    terminal.shows("╭─ 0:sh ");
}

#[test]
fn x_kills_what_is_selected_in_the_tree_after_a_question() {
    let server = test_server();
    server.ok(&["new", "-d", "-s", "alpha", "--", "cat"]);
    server.ok(&["new", "-d", "-s", "omega", "--", "cat"]);
    server.ok(&["create-window", "-s", "omega", "-n", "second", "--", "cat"]);
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("s");
    terminal.shows("x kill  / filter");
    // The session that is shown is selected; `alpha` was created first.
    terminal.send("\x1b[H");
    terminal.send("x");
    terminal.shows("Kill session “alpha”? (y/N)");
    terminal.send("n");
    terminal.shows("x kill");
    terminal.send("x");
    terminal.shows("Kill session “alpha”?");
    terminal.send("y");
    terminal.until("the list without it", |terminal| {
        terminal.picture().contains("╭─ Sessions") && !terminal.picture().contains("alpha")
    });
    terminal.send("x");
    terminal.shows("Kill session “omega”? 2 windows. (y/N)");
    terminal.send("n\x1b");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains('╭'));
    terminal.prefix("w");
    terminal.shows("1: second*");
    terminal.send("/x");
    terminal.shows("> x");
}
