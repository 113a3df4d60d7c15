//! Pastes: into which pane they go, and what becomes of one that a program does not read.

use crate::{attached, shows_panes, test_server};

/// The bytes of a paste that the daemon takes in several parts, and that do not fit while a program reads nothing.
const LONG: usize = 12 << 20;

/// The bytes of one that is read.
const READ: usize = 3_000_000;

fn paste(bytes: usize) -> String {
    format!("\x1b[200~{}\x1b[201~", "a".repeat(bytes))
}

#[test]
fn a_middle_click_pastes_into_the_pane_that_was_clicked() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    shows_panes(&mut terminal, 2);
    terminal.until("a prompt at the right", |terminal| terminal.screen().cursor().col > 40);
    terminal.send("echo pa''sted");
    terminal.shows("echo pa''sted");
    terminal.send("\x15");
    server.ok(&["set-buffer", "clicked"]);
    // The left pane, without the keyboard.
    terminal.send("\x1b[<1;3;5M\x1b[<1;3;5m");
    terminal.shows("$ clicked");
    let rows: Vec<String> = terminal.picture().lines().map(str::to_owned).collect();
    assert!(rows.iter().any(|row| row.starts_with("$ clicked")), "{rows:?}");
    assert!(!rows.iter().any(|row| row.contains("│$ clicked")), "{rows:?}");
}

#[test]
fn a_paste_that_nobody_reads_does_not_keep_keys_from_another_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&[
        "create-pane",
        "-s",
        "work",
        "--right",
        "--",
        "sh",
        "-c",
        "stty raw -echo; echo deaf; exec sleep 1000",
    ]);
    terminal.shows("deaf");
    terminal.until("the keyboard at the right", |terminal| terminal.picture().contains('▸'));
    terminal.send(paste(LONG));
    terminal.shows("does not read its input");
    terminal.prefix("o");
    terminal.until("the keyboard at the left", |terminal| terminal.picture().contains('◂'));
    terminal.send("echo he''ard\r");
    terminal.shows("heard");
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(terminal.picture().contains("bytes of a paste were not sent"), "{}", terminal.picture());
}

#[test]
fn a_paste_arrives_though_the_client_detaches_at_once() {
    let server = test_server();
    let script = format!("stty raw -echo; echo ready; head -c {READ} | wc -c; exec sleep 1000");
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh", "-c", &script], 80, 24);
    terminal.shows("ready");
    terminal.send(paste(READ) + "\x02d");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(!terminal.picture().contains("not sent"), "{}", terminal.picture());
    let list = server.json(&["list-sessions"]);
    let pane = list["sessions"][0]["windows"][0]["panes"][0]["pane_id"].as_str().expect("a pane");
    server.wait_for(pane, &READ.to_string());
}
