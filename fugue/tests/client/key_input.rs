//! Keys: what reaches a program, and what fugue takes for itself.

use crate::{attached, test_server};

#[test]
fn an_escape_and_a_letter_in_one_packet_reach_the_program_as_they_came() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    // A program such as vim, which asks for keys in xterm's other form.
    terminal.send("stty raw -echo; printf '\\033[>4;2mready\\r\\n'; cat -v\r");
    terminal.shows("\nready\n");
    terminal.send("\x1bo");
    terminal.shows("^[o");
    // A key that the terminal itself reports with Meta is passed on in the form that the program asked for.
    terminal.send("\x1b[112;3u");
    terminal.shows("^[o^[[27;3;112~");
}

#[test]
fn going_to_another_pane_from_a_zoomed_one_moves_the_keyboard() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let first = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    terminal.prefix("z");
    terminal.shows("0:sh*Z");
    terminal.prefix("\x1b[D");
    terminal.until("it is unzoomed", |terminal| !terminal.picture().contains("*Z"));
    terminal.send("echo le''ft\r");
    server.wait_for(&first, "^left$");
}

#[test]
fn a_key_is_described_and_not_run_with_the_prefix_or_without() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    for keys in ["\x02%", "%"] {
        terminal.prefix("/");
        terminal.shows("Press a key to see what it does");
        terminal.send(keys);
        terminal.shows("C-b %: split: new pane on the right (create-pane --right)");
    }
    assert_eq!(server.json(&["list-panes"])["panes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn enter_does_not_confirm() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    terminal.prefix("x");
    terminal.shows("(y/N)");
    terminal.send("\r");
    terminal.until("the question is gone", |terminal| !terminal.picture().contains("(y/N)"));
    terminal.send("echo sti''ll\r");
    terminal.shows("still");
    assert_eq!(server.json(&["list-panes", "-s", "work"])["panes"].as_array().map(Vec::len), Some(2));
    terminal.prefix("x");
    terminal.shows("(y/N)");
    terminal.send("y");
    crate::shows_panes(&mut terminal, 1);
}

#[test]
fn pane_numbers_disappear_and_the_next_key_is_typed() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    terminal.prefix("q");
    terminal.shows(" ▓▓▓▓▓ ");
    terminal.until("they are gone by themselves", |terminal| !terminal.picture().contains(['▓', '█']));
    terminal.prefix("q");
    terminal.shows(" ▓▓▓▓▓ ");
    terminal.send("echo ty''ped\r");
    terminal.shows("typed");
}
