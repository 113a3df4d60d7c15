//! Looking back, searching and copying.

use insta::assert_snapshot;

use crate::{attached, house};

#[test]
fn what_scrolled_away_is_found_selected_copied_and_pasted() {
    let house = house();
    let mut terminal = attached(&house, 80, 24);
    terminal.send("seq 1000 1100\r");
    terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("?1042\r");
    terminal.until("the match", |terminal| terminal.picture().starts_with("1042 "));
    assert_snapshot!("copy-search", terminal.picture());
    terminal.send("vey");
    terminal.shows("characters copied");
    let coded = "\x1b]52;c;MTA0Mg==\x07";
    assert!(String::from_utf8_lossy(&terminal.written).contains(coded), "the clipboard is told");
    terminal.prefix("]");
    terminal.shows("$ 1042");
}

#[test]
fn the_wheel_looks_back_and_returns() {
    let house = house();
    let mut terminal = attached(&house, 80, 24);
    terminal.send("seq 1000 1100\r");
    terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
    terminal.send("\x1b[<64;5;5M");
    terminal.shows("[3/");
    terminal.send("\x1b[<65;5;5M");
    terminal.until("the present", |terminal| {
        !terminal.picture().contains("[3/") && terminal.picture().contains("1100\n$")
    });
}
