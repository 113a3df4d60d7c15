//! The window list of the status line: more windows than it has room for, and the mark of the last window.

use fugue_testkit::TestTerminal;
use insta::assert_snapshot;

use crate::{attached, test_server};

/// The status line.
fn status(terminal: &TestTerminal) -> String {
    terminal.picture().lines().rev().nth(1).unwrap_or_default().to_owned()
}

/// The status line, once it contains this.
fn status_with(terminal: &mut TestTerminal, part: &str) -> String {
    terminal.until(&format!("`{part}` on the status line"), |terminal| status(terminal).contains(part));
    status(terminal)
}

#[test]
fn the_current_window_is_on_the_status_line_however_many_there_are() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    for _ in 0..20 {
        server.ok(&["create-window", "-s", "work", "-n", "files", "--background", "--", "cat"]);
    }
    // The list shows when the client knows the last window.
    terminal.prefix("w");
    terminal.shows("╭─ Windows");
    terminal.send("20");
    terminal.shows("20: files");
    terminal.send("\x03");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains("╭─ Windows"));
    let mut seen = vec![status_with(&mut terminal, "6:files >")];
    terminal.prefix("p");
    seen.push(status_with(&mut terminal, "20:files*"));
    terminal.prefix("'10\r");
    seen.push(status_with(&mut terminal, "10:files*"));
    // A click on an entry selects that window, and the list scrolls with it.
    terminal.send("\x1b[<0;12;24M\x1b[<0;12;24m");
    seen.push(status_with(&mut terminal, "8:files*"));
    terminal.resize(40, 10);
    seen.push(status_with(&mut terminal, "8:files* "));
    assert_snapshot!("many-windows", seen.join("\n"));
}

#[test]
fn a_window_is_found_by_its_name_its_title_or_the_text_on_its_screen() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["create-window", "-s", "work", "-n", "logs", "--background", "--", "cat"]);
    let program = ["--", "sh", "-c", "echo a needle in the hay; exec cat"];
    server.ok(&[&["create-window", "-s", "work", "-n", "hay", "--background"], &program[..]].concat());
    terminal.shows("2:hay");
    let pane = server.json(&["list-panes"])["panes"][2]["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "needle");
    terminal.prefix("f");
    terminal.shows("Find:");
    terminal.send("needle\r");
    terminal.shows("╭─ Find “needle” ─");
    terminal.until("the line that contains it", |terminal| {
        terminal.picture().contains("work  2:hay  a needle in the hay")
    });
    assert!(!terminal.picture().contains("work  1:logs"), "{}", terminal.picture());
    terminal.send("\r");
    terminal.shows("2:hay*");
    terminal.prefix("f");
    terminal.send("log\r");
    terminal.shows("work  1:logs");
    terminal.send("\r");
    terminal.shows("1:logs*");
    terminal.prefix("f");
    terminal.send("nowhere\r");
    terminal.shows("No window contains “nowhere”");
}

#[test]
fn the_last_window_and_the_last_pane_are_known_after_a_detach() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    terminal.until("its cursor at the right", |terminal| terminal.screen().cursor().col > 40);
    server.ok(&["new-window", "-t", "work:", "-n", "logs"]);
    status_with(&mut terminal, "0:sh-  1:logs*");
    terminal.prefix("0");
    status_with(&mut terminal, "0:sh*  1:logs-");
    terminal.prefix("d");
    terminal.wait_for_exit();
    let mut terminal = server.terminal(&["attach"], 80, 24);
    status_with(&mut terminal, "0:sh*  1:logs-");
    terminal.prefix(";");
    terminal.until("its cursor at the left", |terminal| terminal.screen().cursor().col < 40);
    terminal.prefix("l");
    status_with(&mut terminal, "0:sh-  1:logs*");
}

#[test]
fn the_last_window_is_the_one_used_before_when_a_window_is_closed() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    for name in ["logs", "build"] {
        server.ok(&["new-window", "-t", "work:", "-n", name]);
        status_with(&mut terminal, &format!(":{name}*"));
    }
    server.ok(&["kill-window", "-t", "work:2"]);
    status_with(&mut terminal, "0:sh-  1:logs* ");
    server.ok(&["kill-window", "-t", "work:1"]);
    status_with(&mut terminal, "0:sh* ");
}

#[test]
fn a_window_is_moved_to_another_session_or_to_an_index_there() {
    let server = test_server();
    server.session("logs", &["cat"]);
    let mut terminal = attached(&server, 80, 24);
    for (name, target) in [("one", "logs:"), ("two", "logs:7")] {
        server.ok(&["new-window", "-t", "work:", "-n", name]);
        status_with(&mut terminal, &format!("1:{name}*"));
        terminal.prefix(".");
        terminal.shows("Move window to:");
        terminal.send("0\r");
        terminal.shows("index in use: 0");
        terminal.prefix(".");
        terminal.shows("Move window to:");
        terminal.send(format!("{target}\r"));
        status_with(&mut terminal, "0:sh* ");
    }
    let windows = server.ok(&["list-windows", "-t", "logs", "-F", "#I:#W"]);
    assert_eq!(windows.lines().collect::<Vec<_>>(), ["0:cat", "1:one", "7:two"]);
}
