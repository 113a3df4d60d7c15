//! What tmux's commands print of panes: captured lines, options of several panes, and empty lines. Each expectation is what
//! tmux 3.3a prints.

use std::process::Command;
use std::thread;

use fugue_testkit::{TestServer, until};

use super::BINARY;

/// A pane of 40 columns and 10 rows that shows `line 24` to `line 30` and a line that fills one row and a half.
fn numbered_pane(server: &TestServer) -> String {
    let script = "i=1; while [ $i -le 30 ]; do echo line $i; i=$((i+1)); done; \
                  echo AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDDEEEEEEEEEE; exec cat";
    let new = ["tmux", "new-session", "-d", "-s", "w", "-x", "40", "-y", "10", script];
    server.ok(&new);
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "EEEEEEEEEE");
    pane
}

#[test]
fn captured_lines_are_counted_from_the_top_of_the_screen() {
    let server = TestServer::new(BINARY);
    numbered_pane(&server);
    let capture = |range: &str| {
        let words = ["tmux", "capture-pane", "-p", "-t", "w"].into_iter().chain(range.split_whitespace());
        server.ok(&words.collect::<Vec<_>>())
    };
    let lines = |numbers: std::ops::RangeInclusive<u32>| {
        numbers.map(|number| format!("line {number}\n")).collect::<String>()
    };
    for (range, expected) in [
        ("-S -3 -E -1", lines(21..=23)),
        ("-S 0 -E 2", lines(24..=26)),
        ("-S 0 -E -2", lines(22..=24)),
        ("-S 3 -E 1", lines(25..=27)),
        ("-S - -E -23", lines(1..=1)),
        ("-S -100 -E -22", lines(1..=2)),
        ("-E -22", lines(2..=24)),
        ("-S 100", "\n".into()),
        ("-S x -E 0", lines(24..=24)),
        ("-S 7 -E 8", format!("{}\nEEEEEEEEEE\n", "AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDDDDDDDDD")),
        ("-S 9 -E 9", "\n".into()),
    ] {
        assert_eq!(capture(range), expected, "{range}");
    }
}

#[test]
fn a_format_has_the_options_of_the_pane_that_it_is_about() {
    let server = TestServer::new(BINARY);
    server.ok(&["tmux", "new-session", "-d", "-s", "w", "cat"]);
    server.ok(&["tmux", "split-window", "-d", "-t", "w", "cat"]);
    for (target, flag, name, value) in [
        ("w.0", "-p", "@x", "one"),
        ("w.1", "-p", "@x", "two"),
        ("w", "-w", "@y", "window"),
        ("w", "-q", "@z", "session"),
        ("w", "-g", "@y", "all"),
        ("w", "-g", "@e", ""),
    ] {
        server.ok(&["tmux", "set-option", flag, "-t", target, name, value]);
    }
    let list = |flags: &[&str]| server.ok(&[&["tmux", "list-panes", "-t", "w"], flags].concat());
    assert_eq!(
        list(&["-F", "#{pane_index} #{@x} #{@y} #{@z}<#{@e}>"]),
        "0 one window session<>\n1 two window session<>\n"
    );
    assert_eq!(list(&["-f", "#{==:#{@x},two}", "-F", "#{pane_index}"]), "1\n");
    let shown = |format: &str| server.ok(&["tmux", "display-message", "-p", "-t", "w.1", format]);
    assert_eq!(shown("#{P:#{pane_index}=#{@x} }"), "0=one 1=two \n");
    assert_eq!(shown("#{@x}"), "two\n");
}

#[test]
fn an_empty_line_of_output_is_printed() {
    let server = TestServer::new(BINARY);
    server.ok(&["tmux", "new-session", "-d", "-s", "a", "cat"]);
    server.ok(&["tmux", "new-session", "-d", "-s", "b", "cat"]);
    server.ok(&["tmux", "set-option", "-g", "@e", ""]);
    assert_eq!(server.ok(&["tmux", "display-message", "-p", ""]), "\n");
    assert_eq!(server.ok(&["tmux", "show-options", "-gv", "@e"]), "\n");
    assert_eq!(server.ok(&["tmux", "list-sessions", "-F", ""]), "\n\n");
    assert_eq!(server.ok(&["tmux", "show-options", "-v", "-t", "a"]), "");
}

#[test]
fn of_two_pipes_that_are_started_at_once_one_is_left() {
    let server = TestServer::new(BINARY);
    let pane = server.session("w", &["cat"]);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| server.ok(&["tmux", "pipe-pane", "-t", "w", "cat >/dev/null"]));
        }
    });
    let pipes = || {
        let found =
            Command::new("pgrep").args(["-fc", &format!("tmux-pipe {pane}")]).output().expect("pgrep runs");
        String::from_utf8_lossy(&found.stdout).trim().to_owned()
    };
    assert_eq!(pipes(), "1");
    server.ok(&["tmux", "pipe-pane", "-t", "w"]);
    until("the pipe has ended", || pipes() == "0");
}
