//! Commands typed at the `:` prompt, in tmux's syntax and in fugue's.

use std::fs;

use fugue_testkit::{TestServer, TestTerminal};

use crate::{attached, test_server};

fn command(terminal: &mut TestTerminal, line: &str) {
    terminal.prefix(":");
    terminal.until("the prompt", |terminal| {
        terminal.screen().screen_rows().last().is_some_and(|row| row.starts_with(" :"))
    });
    terminal.send(format!("{line}\r"));
}

/// The text of the status line.
fn status_line(terminal: &TestTerminal) -> String {
    terminal.screen().screen_rows().last().cloned().unwrap_or_default()
}

#[test]
fn tmux_command_lines_work_at_the_prompt() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "split-window -h");
    crate::shows_panes(&mut terminal, 2);
    terminal.until("its cursor at the right", |terminal| terminal.screen().cursor().col > 40);
    command(&mut terminal, "select-pane -R");
    terminal.until("its cursor at the left, wrapped around", |terminal| terminal.screen().cursor().col < 40);
    command(&mut terminal, "resize-pane -t 0 -x 20");
    terminal
        .until("a narrow pane", |terminal| terminal.picture().lines().any(|row| row.find('│') == Some(20)));
    command(&mut terminal, "resize-pane -Z");
    terminal.shows("*Z");
    command(&mut terminal, "neww -n logs");
    terminal.shows("1:logs*");
    command(&mut terminal, "select-window -t :0");
    terminal.shows("0:sh*");
    command(&mut terminal, "join-pane -v -s :1.0 -t 1");
    crate::shows_panes(&mut terminal, 3);
    command(&mut terminal, "set -g mouse off");
    terminal.shows("mouse = false in ");
    command(&mut terminal, "set -g lock-command x");
    terminal.shows("fugue has no lock-command");
}

#[test]
fn formats_conditions_and_lists_of_tmux_work_at_the_prompt_and_in_bindings() {
    let server = test_server();
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    let keys = "[keys]\n\"M-i\" = \"if-shell -F '#{==:#W,sh}' 'rename-window plain' 'choose-tree'\"\n";
    fs::write(directory.join("config.toml"), keys).expect("the file");
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "display-message 'this is #S:#I.#P'");
    terminal.shows("this is work:0.0");
    command(&mut terminal, "neww -d -n logs; list-windows -F 'window #W'");
    terminal.shows("window logs");
    terminal.send("\x03");
    terminal.send("\x1bi");
    terminal.shows("0:plain*");
    // The other branch is a command of the client itself.
    terminal.send("\x1bi");
    terminal.shows("Windows");
    terminal.send("\x03");
    command(&mut terminal, "splitw -h");
    crate::shows_panes(&mut terminal, 2);
    command(&mut terminal, "kill-pane -a");
    crate::shows_panes(&mut terminal, 1);
}

#[test]
fn blocks_within_blocks_work_at_the_prompt_and_in_bindings() {
    let server = test_server();
    let directory = server.path().join("config/fugue");
    fs::create_dir_all(&directory).expect("a directory");
    let line = "if -F 1 { if -F 0 { rename-window no } { rename-window inner } } { rename-window no }";
    fs::write(directory.join("config.toml"), format!("[keys]\n\"M-i\" = \"{line}\"\n")).expect("the file");
    let mut terminal = attached(&server, 80, 24);
    terminal.send("\x1bi");
    terminal.shows("0:inner*");
    command(&mut terminal, "if -F 0 { kill-pane } { rename-window 'a; b'; splitw -h }");
    terminal.shows("0:a; b*");
    crate::shows_panes(&mut terminal, 2);
}

#[test]
fn commands_in_a_shell_reach_the_client() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["new", "-d", "-s", "other", "--", "cat"]);
    server.ok(&["display-message", "-t", "work", "hello from #S"]);
    terminal.shows("hello from work");
    server.ok(&["switch-client", "-t", "other"]);
    terminal.shows(" other ");
    server.ok(&["run-in-client", "choose-tree"]);
    terminal.shows("Windows");
    terminal.send("\x03");
    server.ok(&["set-buffer", "copied in a shell"]);
    terminal.prefix("]");
    terminal.shows("copied in a shell");
}

#[test]
fn the_reply_to_a_command_is_shown() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "ls");
    terminal.shows(" work: 1 window, 1 pane (1 client)");
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    command(&mut terminal, "list-panes");
    terminal.until("both panes", |terminal| terminal.picture().matches(" pid ").count() == 2);
    terminal.send("\x03");
    terminal.until("the panes again", |terminal| !terminal.picture().contains(" pid "));
}

#[test]
fn output_that_comes_while_the_person_types_does_not_take_the_keyboard() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let go = server.path().join("go");
    let wait = format!("until test -e {}; do sleep 0.05; done; seq 30 32", go.display());
    command(&mut terminal, &format!("run-shell \"{wait}\""));
    terminal.until("the prompt is closed", |terminal| !status_line(terminal).starts_with(" :"));
    terminal.send("typed");
    terminal.shows("typed");
    fs::write(&go, "").expect("written");
    terminal.shows("run-shell printed 3 lines");
    assert!(!terminal.picture().contains('╭'), "{}", terminal.picture());
    terminal.prefix("~");
    terminal.until("its output in order", |terminal| {
        let picture = terminal.picture();
        let place = |number: &str| picture.find(&format!("  {number}"));
        place("30").is_some() && place("30") < place("31") && place("31") < place("32")
    });
}

#[test]
fn the_question_before_a_shutdown_names_what_would_end() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    server.session("other", &["cat"]);
    // The list shows the sessions that the client knows.
    terminal.prefix("w");
    terminal.shows("other");
    terminal.send("\x1b");
    terminal.until("the list is closed", |terminal| !terminal.picture().contains('╭'));
    command(&mut terminal, "kill-server");
    terminal.shows("“default”? 2 sessions, 2 panes.");
    terminal.send("n");
    assert_eq!(server.ok(&["ls"]).lines().count(), 2);
}

#[test]
fn creating_a_session_at_the_prompt_switches_to_it() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "new-session -s more");
    terminal.until("the new session", |terminal| status_line(terminal).starts_with(" more "));
    command(&mut terminal, "new-session -d -s third");
    // The tree shows the sessions that the client knows.
    let listed = (0..100).any(|_| {
        terminal.prefix("w");
        terminal.shows("╭─ Windows");
        let listed = terminal.picture().contains("third");
        terminal.send("\x1b[27u");
        terminal.until("the list is gone", |terminal| !terminal.picture().contains("╭─ Windows"));
        listed
    });
    assert!(listed, "{}", terminal.picture());
    command(&mut terminal, "switch-client -t work");
    terminal.until("the first session", |terminal| status_line(terminal).starts_with(" work "));
    command(&mut terminal, "switch-client -t third");
    terminal.until("the last session", |terminal| status_line(terminal).starts_with(" third "));
}

/// A client that shows three panes side by side.
fn three_panes(server: &TestServer) -> TestTerminal {
    server.ok(&["new", "-d", "-s", "work", "--size", "90x20", "--", "sh", "-c", "echo Aaa; exec cat"]);
    server.ok(&["create-pane", "--right", "--", "sh", "-c", "echo Bbb; exec cat"]);
    server.ok(&["create-pane", "--right", "--", "sh", "-c", "echo Ccc; exec cat"]);
    let mut terminal = server.terminal(&["attach", "work"], 90, 21);
    terminal.until("all three", |terminal| order(terminal) == "ABC");
    terminal
}

/// The order of the three panes.
fn order(terminal: &TestTerminal) -> String {
    let row = terminal.screen().screen_rows().first().cloned().unwrap_or_default();
    row.chars().filter(char::is_ascii_uppercase).collect()
}

#[test]
fn panes_rotate_as_in_tmux() {
    let server = test_server();
    let mut terminal = three_panes(&server);
    terminal.prefix("\x0f");
    terminal.until("each pane one position back", |terminal| order(terminal) == "BCA");
    terminal.prefix("\x1bo");
    terminal.until("and back", |terminal| order(terminal) == "ABC");
}

#[test]
fn the_marked_pane_is_the_same_for_a_key_for_every_client_and_at_a_shell() {
    let server = test_server();
    let mut terminal = three_panes(&server);
    terminal.prefix("m");
    terminal.shows("Pane marked");
    fugue_testkit::until("a shell knows it", || {
        server.ok(&["list-panes", "-F", "#{pane_marked}"]) == "0\n0\n1\n"
    });
    let mut other = server.terminal(&["attach", "work"], 90, 21);
    command(&mut other, "display-message 'marked: #{pane_marked_set}'");
    other.until("another client knows it", |other| status_line(other).contains("marked: 1"));
    server.ok(&["select-pane", "-m", "-t", "work:0.0"]);
    command(&mut terminal, "swap-pane");
    terminal.until("the newly marked pane in the place of this one", |terminal| order(terminal) == "CBA");
    terminal.prefix("M");
    fugue_testkit::until("no pane is marked", || {
        server.ok(&["list-panes", "-F", "#{pane_marked}"]) == "0\n0\n0\n"
    });
}

#[test]
fn panes_are_swapped_with_the_marked_one_as_in_tmux() {
    let server = test_server();
    let mut terminal = three_panes(&server);
    command(&mut terminal, "swap-pane -s 0");
    terminal.until("the source in the place of this pane", |terminal| order(terminal) == "CBA");
    command(&mut terminal, "select-pane -m; select-pane -t 2; swap-pane");
    terminal.until("the marked pane in the place of this one", |terminal| order(terminal) == "ABC");
    command(&mut terminal, "select-pane -t 1; swap-pane -D");
    terminal.until("the next pane in the place of this one", |terminal| order(terminal) == "ACB");
    // The mark is gone with its pane: nothing is swapped, and nothing is wrong.
    command(&mut terminal, "kill-pane -t 1");
    terminal.until("two panes", |terminal| order(terminal) == "AB");
    command(&mut terminal, "swap-pane; say done");
    terminal.until("the end", |terminal| status_line(terminal) == " done");
    assert_eq!((order(&terminal).as_str(), terminal.status_showed("✗")), ("AB", false));
    command(&mut terminal, "resize-pane -t 0 -x 20%");
    terminal.until("a fifth of the columns", |terminal| {
        terminal.picture().lines().any(|row| row.chars().position(|cell| cell == '│') == Some(18))
    });
}

#[test]
fn a_key_that_cannot_act_says_why() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("\x1b[D");
    terminal.until("the reason", |terminal| status_line(terminal) == " ✗  There is no pane on that side");
    terminal.prefix("!");
    terminal
        .until("the reason", |terminal| status_line(terminal) == " ✗  Already the only pane in its window");
    // As in tmux, a key that would move a border where there is none does nothing.
    terminal.prefix("\x1b[1;5D");
    command(&mut terminal, "select-window -t 9");
    terminal.until("the reason", |terminal| {
        status_line(terminal) == " ✗  Window not found: 9; C-b w lists sessions and their windows"
    });
    assert!(!terminal.status_showed("border"));
    command(&mut terminal, "resize-pane -L");
    terminal.shows("This pane spans all columns of the window, so it has no border to move");
}

#[test]
fn a_sourced_file_runs_and_its_skipped_settings_are_named() {
    let server = test_server();
    let file = server.path().join("more.conf");
    fs::write(&file, "rename-window sourced\nset -g mouse off\n").expect("a file");
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, &format!("source-file {}", file.display()));
    terminal.shows("Settings and key bindings were skipped (1)");
    terminal.shows("0:sourced*");
}

#[test]
fn a_key_that_resizes_a_zoomed_pane_shows_the_others_again() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(&mut terminal, "split-window -h ; resize-pane -Z");
    terminal.shows("zoomed +1");
    terminal.prefix("\x1b[1;5D");
    terminal.until("the pane is not zoomed", |terminal| !status_line(terminal).contains("zoomed"));
}

#[test]
fn each_command_in_a_sequence_runs_where_the_previous_one_leads() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    command(
        &mut terminal,
        "new-window -n logs; split-window -h ; split-window -v \\; resize-pane -Z; send-keys 'echo th' Enter",
    );
    terminal.shows("1:logs*Z");
    terminal.shows("zoomed +2");
    // The line and its output, before or after the shell's first prompt.
    let ends = |row: &str| row.trim_end().ends_with("th");
    terminal
        .until("what was typed", |terminal| terminal.picture().lines().filter(|row| ends(row)).count() == 2);
    let pane = server.json(&["list-panes"])["panes"].as_array().map(|panes| panes.len());
    assert_eq!(pane, Some(4));
}

#[test]
fn lines_that_tmux_users_type_do_what_they_do_in_tmux() {
    let server = test_server();
    fs::write(server.path().join("text"), "from a file").expect("written");
    let mut terminal = attached(&server, 80, 24);
    // `run` is `run-shell`: nothing is typed into the pane.
    command(&mut terminal, "run 'echo ran-#{pane_index}'");
    terminal.until("the output", |terminal| status_line(terminal).contains("ran-0"));
    // A tilde is the home directory.
    command(&mut terminal, "load-buffer ~/text ; show-buffer");
    terminal.until("the buffer", |terminal| status_line(terminal).contains("from a file"));
    // All commands after `\\;` belong to the key.
    command(&mut terminal, r"bind y rename-window one \; rename-session two");
    terminal.shows("config.toml");
    terminal.prefix("y");
    terminal.shows("0:one*");
    terminal.shows("two");
    // Only what was typed at the prompt can be recalled.
    terminal.prefix("&");
    terminal.shows("(y/N)");
    terminal.send("n");
    terminal.prefix(":");
    terminal.send("\x1b[A");
    terminal.shows("\n :bind y rename-window one");
}
