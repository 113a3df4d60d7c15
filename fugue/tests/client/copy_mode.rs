//! Copy mode: scrolling back, searching and copying.

use insta::assert_snapshot;

use crate::{SIZES, THREE_SIZES, attached, test_server};

#[test]
fn scrollback_is_searched_selected_copied_and_pasted() {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        terminal.send("seq 1000 1100\r");
        terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
        terminal.prefix("[");
        terminal.shows("[0/");
        assert_snapshot!(format!("copy-{cols}x{rows}"), terminal.picture());
        terminal.send("?1042\r");
        terminal.until("the match", |terminal| is_on(terminal, "1042", rows_above(rows)));
        assert_snapshot!(format!("search-{cols}x{rows}"), terminal.picture());
        terminal.send("ve");
        terminal.until("the end of the word", |terminal| terminal.screen().cursor().col == 3);
        assert_snapshot!(format!("selected-{cols}x{rows}"), styled_row(&terminal));
        terminal.send("y");
        terminal.shows("Copied 4 characters");
        let coded = "\x1b]52;c;MTA0Mg==\x07";
        assert!(
            String::from_utf8_lossy(&terminal.written).contains(coded),
            "the text is sent to the clipboard"
        );
        terminal.prefix("]");
        terminal.shows("$ 1042");
    }
}

/// The rows above a match that was above the screen.
fn rows_above(terminal_rows: u16) -> u16 {
    (terminal_rows - 1) / 4
}

/// Whether the cursor is on this row of the screen, and the row has this text.
fn is_on(terminal: &fugue_testkit::TestTerminal, text: &str, row: u16) -> bool {
    let rows = terminal.screen().screen_rows();
    terminal.screen().cursor().row == row
        && rows.get(usize::from(row)).is_some_and(|row| row.trim_end() == text)
}

/// The row of the cursor with its colors.
fn styled_row(terminal: &fugue_testkit::TestTerminal) -> String {
    let row = usize::from(terminal.screen().cursor().row);
    let row = terminal.screen().screen_ansi().get(row).cloned().unwrap_or_default();
    row.escape_debug().to_string()
}

#[test]
fn inside_tmux_copying_does_not_claim_to_reach_the_clipboard() {
    let server = test_server();
    let tmux = [("TMUX", "/tmp/tmux-1/default,1,0")];
    let mut terminal = server.terminal_with(&["new", "-s", "work", "--", "sh"], 100, 24, &tmux);
    terminal.shows("\n[cursor 0,2]");
    print_words(&mut terminal);
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("kVy");
    terminal.shows(" characters to tmux (reaches the clipboard only if tmux's set-clipboard option is on)");
}

#[test]
fn the_wheel_enters_and_leaves_copy_mode() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("seq 1000 1100\r");
    terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
    terminal.send("\x1b[<64;5;5M");
    terminal.shows("[3/");
    terminal.send("\x1b[<65;5;5M");
    terminal.until("the live screen", |terminal| {
        !terminal.picture().contains("[3/") && terminal.picture().contains("1100\n$")
    });
}

/// Prints some words on the screen.
fn print_words(terminal: &mut fugue_testkit::TestTerminal) {
    terminal.send("clear; echo one two-three four; echo last\r");
    terminal.until("the words", |terminal| terminal.picture().starts_with("one two-three four\nlast\n$"));
}

/// The clipboard sequences sent so far, newest last.
fn copied(terminal: &fugue_testkit::TestTerminal) -> Vec<String> {
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    let coded = written.split("\x1b]52;c;").skip(1).filter_map(|rest| rest.split_once('\x07'));
    coded.map(|(coded, _)| coded.to_owned()).collect()
}

#[test]
fn the_mouse_selects_and_copies_within_a_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    print_words(&mut terminal);
    terminal.send("\x1b[<0;5;1M\x1b[<32;11;1M");
    terminal.send("\x1b[<32;13;1M\x1b[<0;13;1m");
    terminal.shows("Copied 9 characters");
    assert_eq!(copied(&terminal), ["dHdvLXRocmVl"], "two-three");
    terminal.until("the live screen", |terminal| !terminal.picture().contains("[0/"));
    // A double click selects a word, a triple click a line.
    terminal.send("\x1b[<0;10;1M\x1b[<0;10;1m\x1b[<0;10;1M\x1b[<0;10;1m");
    terminal.shows("Copied 5 characters");
    terminal.send("\x1b[<0;2;2M\x1b[<0;2;2m\x1b[<0;2;2M\x1b[<0;2;2m\x1b[<0;2;2M\x1b[<0;2;2m");
    terminal.until("the line", |terminal| copied(terminal).last().is_some_and(|coded| coded == "bGFzdA=="));
    terminal.prefix("=");
    terminal.shows("buffer2: last");
    terminal.shows("5 characters");
    terminal.send("two\r");
    terminal.shows("$ two-three\n");
}

#[test]
fn a_buffer_that_does_not_exist_is_named() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["set-buffer", "-b", "cap", "captured"]);
    terminal.prefix(":paste-buffer -b nope\r");
    terminal.shows("✗  No buffer nope; C-b = lists buffers");
}

#[test]
fn a_panes_history_is_opened_in_the_editor() {
    let server = test_server();
    let editor = [("EDITOR", "less"), ("VISUAL", "tail -n +1 -f")];
    let mut terminal = server.terminal_with(&["new", "-s", "work", "--", "sh"], 80, 24, &editor);
    terminal.shows("\n[cursor 0,2]");
    terminal.send("seq 100 110\r");
    terminal.until("the end", |terminal| terminal.picture().contains("110\n$"));
    terminal.prefix("e");
    terminal.shows("1:history*");
    terminal.until("the history", |terminal| terminal.picture().starts_with("$ seq 100 110\n100\n"));
}

#[test]
fn copy_mode_in_an_oversized_window_starts_at_the_visible_part() {
    let server = test_server();
    let mut large = attached(&server, 100, 30);
    large.send("seq 100 200\r");
    large.until("the end", |terminal| terminal.picture().contains("200\n$"));
    let mut small = server.terminal(&["attach", "--read-only", "work"], 60, 12);
    small.until("the end", |terminal| terminal.picture().contains("200\n$"));
    small.prefix("q");
    small.until("the pane number", |terminal| terminal.picture().contains(" █████\n"));
    small.send("x");
    small.until("no pane number", |terminal| !terminal.picture().contains('█'));
    small.prefix("[");
    small.shows("[0/");
    small.send("g");
    small.until("the beginning", |terminal| {
        terminal.picture().starts_with("$ seq 100 200") && terminal.picture().ends_with("[cursor 0,0]")
    });
    small.send("/190\r");
    small.until("the match", |terminal| terminal.picture().contains("190"));
    small.send("?nowhere\r");
    small.shows("Not found: nowhere");
}

#[test]
fn an_empty_list_says_so() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("=");
    terminal.shows("Nothing copied yet");
    terminal.send("\x03");
    terminal.prefix("u");
    terminal.shows("No messages yet; agents send them with fugue's tools");
}

#[test]
fn buffers_are_listed_found_and_pasted_by_name() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["set-buffer", "-b", "the cap", "echo captured"]);
    server.ok(&["set-buffer", "echo newest"]);
    terminal.prefix("=");
    terminal.shows("buffer0: echo newest");
    terminal.shows("the cap: echo captured");
    terminal.send("cap\r");
    terminal.shows("$ echo captured");
}

#[test]
fn copy_mode_over_a_popup_shows_the_popups_scrollback() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("echo beh''ind\r");
    terminal.until("the line behind the popup", |terminal| terminal.picture().contains("\nbehind\n"));
    terminal.prefix(":display-popup -w 40 -h 5 -- sh -c 'seq 101 150; exec cat'\r");
    terminal.shows("150");
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("g");
    terminal.shows("101");
    assert_snapshot!("popup-past", terminal.picture());
    terminal.send("Vy");
    terminal.shows("Copied 4 characters");
    // The wheel scrolls the popup, and the pane behind it does not move.
    terminal.send("\x1b[<64;40;12M");
    terminal.until("the scrollback by the wheel", |terminal| terminal.picture().contains("[3/"));
    terminal.send("q\x04");
    terminal.until("the popup is gone", |terminal| terminal.picture().contains("\nbehind\n$"));
}

#[test]
fn copy_mode_stays_open_in_its_pane_while_another_pane_is_used() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("seq 1000 1100\r");
    terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("g");
    terminal.until("the top", |terminal| terminal.picture().contains("\n1000"));
    // Another window is active, and nothing of copy mode covers it.
    terminal.prefix("cecho th''ere\r");
    terminal.until("the other window", |terminal| terminal.picture().contains("there\n"));
    assert!(!terminal.picture().contains("1000"), "{}", terminal.picture());
    terminal.prefix("p");
    terminal.until("the top", |terminal| terminal.picture().contains("\n1000"));
    // The same for a neighboring pane; a list over both does not close copy mode.
    terminal.prefix("%echo si''de\r");
    terminal.until("the pane next to it", |terminal| terminal.picture().contains("side"));
    terminal.until("copy mode next to it", |terminal| terminal.picture().contains("\n1000"));
    terminal.prefix("o");
    terminal.until("the cursor in copy mode", |terminal| terminal.screen().cursor().col < 40);
    terminal.prefix("?");
    terminal.shows("type to filter");
    terminal.send("\x1b[27u");
    terminal.until("copy mode again", |terminal| terminal.picture().contains("\n1000"));
    terminal.send("q");
    terminal.until("the prompt", |terminal| terminal.picture().contains("\n1100"));
}

#[test]
fn copy_mode_reflows_when_its_pane_is_resized() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '%s' aaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbb cccccccccc; echo\r");
    terminal.until("the line", |terminal| terminal.picture().contains("bcccccccccc\n"));
    terminal.prefix("[");
    terminal.shows("[0/0]");
    terminal.resize(40, 24);
    terminal
        .until("the line in two rows", |terminal| terminal.picture().contains("\nbbbbbbbbbbcccccccccc\n"));
    assert!(terminal.picture().contains("[0/0]"), "{}", terminal.picture());
    terminal.send("q");
    terminal.until("the live screen", |terminal| !terminal.picture().contains("[0/0]"));
}

/// The rows of the pane with their colors, without the status line, which shows the time.
fn styled_screen(terminal: &fugue_testkit::TestTerminal) -> String {
    let mut rows = terminal.screen().screen_ansi();
    rows.pop();
    rows.iter().map(|row| row.escape_debug().to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_regular_expression_is_searched_while_it_is_typed_and_its_matches_are_counted() {
    for (cols, rows) in THREE_SIZES {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        terminal.send("clear; seq 1000 1100\r");
        terminal.until("the end", |terminal| terminal.picture().contains("1100\n$"));
        terminal.prefix("[");
        terminal.shows("[0/");
        terminal.send("?10[4-6]2$");
        terminal.shows("3 of 3  copy [");
        terminal.shows("?10[4-6]2$");
        terminal.send("\rn");
        terminal.shows("2 of 3  copy [");
        terminal.until("the match", |terminal| is_on(terminal, "1052", rows_above(rows)));
        assert_snapshot!(format!("matches-{cols}x{rows}"), styled_screen(&terminal));
        // An invalid pattern moves nothing.
        terminal.send("/10(");
        terminal.shows("/10(  (invalid pattern: unclosed group)");
        terminal.send("\r");
        terminal.shows(" Invalid pattern: unclosed group");
        assert!(is_on(&terminal, "1052", rows_above(rows)), "{}", terminal.picture());
        // Capitals in a pattern are capitals in the text; lowercase letters are both.
        terminal.send("/SEQ\r");
        terminal.shows("Not found: SEQ");
        // Escape goes back to where the search was begun.
        terminal.send("/^1000$");
        terminal.shows("1 of 1  copy [");
        terminal.send("\x1b");
        terminal.until("the place before", |terminal| is_on(terminal, "1052", rows_above(rows)));
    }
}

#[test]
fn a_long_history_is_searched_and_its_many_matches_are_counted_up_to_a_limit() {
    let server = test_server();
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    std::fs::write(server.path().join("config/fugue/config.toml"), "history_lines = 100000\n")
        .expect("a file");
    let mut terminal = attached(&server, 80, 24);
    terminal.send("clear; seq 1 90000\r");
    terminal.until("the end", |terminal| terminal.picture().contains("\n90000\n$"));
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("?^17$\r");
    terminal.shows("1 of 1  copy [");
    terminal.until("the match", |terminal| is_on(terminal, "17", rows_above(24)));
    terminal.send("/7\r");
    terminal.shows("of 10000+  copy [");
}

/// A session whose shell has marked two commands, and shows its third prompt.
const MARKED: &str = r#"
mark() { printf '\033]133;%s\007' "$1"; }
run() { mark A; printf '$ '; mark B; echo "$1"; mark C; eval "$1"; mark 'D;0'; }
run 'seq 1000 1040'; run 'echo one; echo two'; mark A; printf '$ '; mark B
exec cat
"#;

#[test]
fn the_keyboard_goes_from_prompt_to_prompt_and_copies_a_commands_output() {
    for (cols, rows) in THREE_SIZES {
        let server = test_server();
        let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh", "-c", MARKED], cols, rows);
        terminal.shows("one\ntwo\n$");
        terminal.prefix("[");
        terminal.shows("[0/");
        terminal.send("[");
        terminal.until("the second command", |terminal| {
            let row = usize::from(terminal.screen().cursor().row);
            terminal.screen().screen_rows()[row].starts_with("$ echo one; echo two")
        });
        terminal.send("s");
        terminal.until("the end of its output", |terminal| {
            let row = usize::from(terminal.screen().cursor().row);
            terminal.screen().screen_rows()[row].starts_with("two")
        });
        assert_snapshot!(format!("output-{cols}x{rows}"), styled_screen(&terminal));
        terminal.send("y");
        terminal.shows("Copied 7 characters");
        assert_eq!(copied(&terminal).last().map(String::as_str), Some("b25lCnR3bw=="), "one and two");
        // The first command is above the screen, and comes to its top.
        terminal.prefix("[");
        terminal.shows("[0/");
        terminal.send("[[");
        terminal.until("the first command", |terminal| terminal.picture().starts_with("$ seq 1000 1040"));
        terminal.send("Y");
        terminal.shows("Copied 204 characters");
    }
}

#[test]
fn a_shell_without_marks_is_reported() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("[");
    terminal.shows("No prompts found: the shell in this pane emits no prompt marks (OSC 133)");
}

#[test]
fn a_bash_started_by_fugue_has_prompts_to_go_to() {
    let server = test_server();
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "bash"], 80, 24);
    terminal.until("a prompt", |terminal| terminal.picture().lines().next().is_some_and(|row| row.len() > 1));
    terminal.send("echo first''; echo second''\r");
    terminal.shows("\nfirst\nsecond\n");
    terminal.until("a prompt", |terminal| terminal.screen().cursor().col > 0);
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.send("Y");
    terminal.shows("Copied 12 characters");
    assert_eq!(copied(&terminal).last().map(String::as_str), Some("Zmlyc3QKc2Vjb25k"), "first and second");
}

#[test]
fn the_prefix_pressed_twice_is_a_key_of_copy_mode() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("seq 100\r");
    terminal.until("the end", |terminal| terminal.picture().contains("100\n$"));
    terminal.prefix("[");
    terminal.shows("[0/");
    terminal.prefix("\u{2}");
    terminal.shows("[23/");
    terminal.send("qecho mar''k\r");
    terminal.until("the line", |terminal| terminal.picture().contains("\nmark\n"));
    assert!(!terminal.picture().contains("^B"), "{}", terminal.picture());
}
