//! What the status line says when something did not go as the person wanted.

use fugue_testkit::TestTerminal;

use crate::{attached, test_server};

/// Types a line at the command prompt.
fn command(terminal: &mut TestTerminal, line: &str) {
    terminal.prefix(":");
    terminal.until("the prompt", |terminal| terminal.picture().contains("\n :"));
    terminal.send(format!("{line}\r"));
}

fn last_row(terminal: &TestTerminal) -> String {
    terminal.screen().screen_rows().pop().unwrap_or_default()
}

#[test]
fn a_window_whose_program_cannot_start_says_so() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "new-window nosuchcmd");
    terminal.shows("`nosuchcmd` exited immediately (exit code 127)");
    command(&mut terminal, "create-window -- nosuchcmd");
    terminal.shows("Cannot start `nosuchcmd`: No such file or directory");
}

#[test]
fn a_window_moved_beyond_the_last_one_says_where_it_is_if_there_are_no_gaps() {
    let server = test_server();
    let directory = server.path().join("config/fugue");
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(directory.join("config.toml"), "renumber_windows = true\n").expect("a file");
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("c");
    terminal.shows("1:sh*");
    terminal.prefix("p");
    terminal.shows("0:sh*");
    terminal.prefix(".");
    terminal.shows("Move window to:");
    terminal.send("99\r");
    terminal.shows("Windows have no gaps between them; moved to 1");
}

#[test]
fn mistakes_at_the_prompt_are_told_in_a_short_line_with_the_margin_of_other_messages() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    for (line, message) in [
        ("swap-windows", " ✗  `swap-windows` needs --with"),
        ("zoom-pane --loud", " ✗  `zoom-pane` has no option `--loud`"),
        ("nosuch", " ✗  Unknown command `nosuch`; C-b P finds commands"),
        ("last-window foo", " ✗  command last-window: too many arguments (need at most 0)"),
        ("say hello", " hello"),
    ] {
        command(&mut terminal, line);
        terminal.until(message, |terminal| last_row(terminal) == message);
    }
}

#[test]
fn the_hints_after_the_prefix_are_whole_at_any_width() {
    for cols in [40, 80, 200] {
        let server = test_server();
        let mut terminal = attached(&server, cols, 24);
        terminal.prefix("");
        terminal.shows("C-b …   ? all keys");
        let row = last_row(&terminal);
        let all = " C-b …   ? all keys   % split right   \" split below   c new window   n next   z zoom   [ copy mode   \
                   d detach   P palette   w tree   a next agent   b sidebar   u messages   : command";
        let rest = all.strip_prefix(row.as_str()).unwrap_or_else(|| panic!("{row}"));
        assert!(rest.is_empty() || rest.starts_with("   "), "{row}");
    }
}

#[test]
fn inside_tmux_the_person_is_told_how_to_press_the_prefix() {
    let server = test_server();
    let tmux = [("TMUX", "/tmp/tmux-1/default,1,0")];
    let mut terminal = server.terminal_with(&["new", "-s", "work", "--", "sh"], 80, 24, &tmux);
    terminal.shows(" tmux intercepts C-b: press it twice, or set another prefix in config.toml");
}
