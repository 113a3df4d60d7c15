//! Popups: no client lists one among the windows, and a program that opens one waits for it.

use std::fs;

use crate::{attached, test_server};

/// The names of the session's windows.
fn windows(server: &fugue_testkit::TestServer) -> Vec<String> {
    let list = server.json(&["list-sessions"]);
    let windows = list["sessions"][0]["windows"].as_array().expect("windows").clone();
    windows.iter().map(|window| window["name"].as_str().expect("a name").to_owned()).collect()
}

fn popups(server: &fugue_testkit::TestServer) -> usize {
    server.json(&["list-sessions"])["sessions"][0]["popups"].as_array().map_or(0, Vec::len)
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
    terminal.shows("╭─ Windows");
    assert!(!terminal.picture().contains("popup"), "{}", terminal.picture());
}

#[test]
fn a_popup_ends_when_its_client_detaches() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    assert_eq!((windows(&server), popups(&server)), (vec!["sh".to_owned()], 1));
    terminal.prefix("d");
    assert_eq!(terminal.wait_for_exit(), 0);
    fugue_testkit::until("the popup is closed", || popups(&server) == 0);
}

#[test]
fn a_popup_ends_when_its_client_is_killed() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    fugue_testkit::signal("KILL", terminal.process());
    fugue_testkit::until("the popup is closed", || popups(&server) == 0);
}

#[test]
fn another_client_and_its_lists_do_not_show_a_popup() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let mut other = server.terminal(&["attach", "work"], 80, 24);
    other.shows("0:sh*");
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exec cat'\r");
    terminal.shows("│in a box");
    other.prefix("c");
    other.shows("1:sh*");
    assert!(!other.picture().contains("2:"), "{}", other.picture());
    other.prefix("w");
    other.shows("╭─ Windows");
    for picture in [other.picture(), server.ok(&["list-windows"]), server.ok(&["list-sessions"])] {
        assert!(!picture.contains("popup") && !picture.contains("in a box"), "{picture}");
    }
}

#[test]
fn a_popup_stays_after_its_program_until_escape_unless_it_is_to_close() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -- sh -c 'echo in a box; exit 3'\r");
    terminal.shows("╭─ exit code 3 ─");
    assert!(terminal.picture().contains("│in a box"), "{}", terminal.picture());
    terminal.send("\x1b[27u");
    terminal.until("the panes alone", |terminal| !terminal.picture().contains('╭'));
    assert_eq!(popups(&server), 0);
}

#[test]
fn a_program_that_opens_a_popup_gets_its_exit_code() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.shows("0:sh*");
    assert_eq!(server.run(&["display-popup", "-E", "exit 3"]).code, 3);
    fugue_testkit::until("the popup is closed", || popups(&server) == 0);
    assert_eq!(server.run(&["popup", "-EE", "exit 3"]).code, 3);
    terminal.shows("exit code 3");
    terminal.send("\x1b[27u");
    fugue_testkit::until("the popup is closed", || popups(&server) == 0);
    let opened = server.command(&["display-popup", "-T", "Question", "echo in a box; exec cat"]).spawn();
    let mut opened = opened.expect("it runs");
    terminal.shows("│in a box");
    assert!(terminal.picture().contains("Question"), "{}", terminal.picture());
    server.ok(&["display-popup", "-C"]);
    assert_eq!(opened.wait().expect("it ends").code(), Some(129), "closed as if hung up");
}

#[test]
fn without_a_client_that_can_show_it_a_popup_is_refused() {
    let server = test_server();
    server.session("work", &["cat"]);
    let refused = server.run(&["display-popup", "-E", "true"]);
    assert_eq!((refused.code, refused.err.as_str()), (1, "no current client\n"));
    let mut watcher = server.terminal(&["attach", "work", "--read-only"], 80, 24);
    watcher.shows("work");
    let refused = server.run(&["display-popup", "-E", "true"]);
    assert_eq!((refused.code, refused.err.as_str()), (1, "client is read-only\n"));
    assert_eq!(popups(&server), 0);
}

#[test]
fn the_directory_and_the_title_of_a_popup_are_formats_wherever_it_is_opened() {
    let server = test_server();
    let directory = server.path().join("here");
    let conf = server.path().join("tmux.conf");
    fs::create_dir(&directory).expect("a directory");
    let popup = "display-popup -d '#{pane_current_path}' -T ' #{session_name} git ' -E 'pwd; exec cat'";
    fs::write(&conf, format!("bind g {popup}\n")).expect("a file");
    server.ok(&["import-tmux", "--write", conf.to_str().expect("a path")]);
    let mut terminal = attached(&server, 100, 24);
    terminal.send(format!("cd {}; pwd\r", directory.display()));
    terminal.shows(&format!("\n{}\n", directory.display()));
    let known = || server.json(&["list-panes"])["panes"][0]["cwd"] == directory.display().to_string();
    fugue_testkit::until("its directory is known", known);
    let shown = format!("│{} ", directory.display());
    let opened = |terminal: &mut fugue_testkit::TestTerminal| {
        terminal.shows(&shown);
        assert!(terminal.picture().contains("╭─ work git ─"), "{}", terminal.picture());
        terminal.send("\u{4}");
        terminal.until("it closed", |terminal| !terminal.picture().contains('╭'));
    };
    terminal.prefix("g");
    opened(&mut terminal);
    terminal.prefix(":");
    terminal.send(format!("{popup}\r"));
    opened(&mut terminal);
    let words = ["-d", "#{pane_current_path}", "-T", " #{session_name} git ", "-E", "pwd; exec cat"];
    let mut shell = server.command(&[&["display-popup"][..], &words].concat()).spawn().expect("it runs");
    opened(&mut terminal);
    assert!(shell.wait().expect("it ends").success());
    let refused = server.run(&["display-popup", "-T", "a\u{202e}b", "cat"]);
    assert!(refused.code == 1 && refused.err.contains("invalid title"), "{refused:?}");
    assert_eq!(popups(&server), 0, "bad input changes nothing");
}
