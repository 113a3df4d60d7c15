//! A selection that is dragged to the edge of its pane.

use fugue_testkit::{TestServer, TestTerminal};

use crate::{attached, test_server};

/// A client whose pane has more lines than it shows.
fn with_history(server: &TestServer) -> TestTerminal {
    let mut terminal = attached(server, 80, 24);
    terminal.send("seq 1000 1060\r");
    terminal.until("the end", |terminal| terminal.picture().contains("1060\n$"));
    terminal
}

#[test]
fn a_selection_that_is_held_at_an_edge_scrolls_to_the_end_of_the_history() {
    let server = test_server();
    let mut terminal = with_history(&server);
    terminal.send("\x1b[<0;3;10M\x1b[<32;3;5M");
    terminal.shows("[0/");
    // One event at the edge; the rest is a matter of time.
    terminal.send("\x1b[<32;1;1M");
    terminal.until("the first line", |terminal| terminal.picture().contains("seq 1000 1060"));
    terminal.send("\x1b[<32;1;12M\x1b[<32;1;23M");
    terminal.until("the last line", |terminal| terminal.picture().contains("1060\n$"));
    terminal.send("\x1b[<0;1;23m");
    terminal.shows("Copied");
}

#[test]
fn a_line_at_the_edge_is_selected_without_scrolling() {
    let server = test_server();
    let mut terminal = with_history(&server);
    terminal.send("\x1b[<0;1;1M\x1b[<32;3;1M");
    terminal.shows("[0/");
    terminal.send("\x1b[<32;4;1M\x1b[<0;4;1m");
    terminal.shows("Copied 4 characters");
}
