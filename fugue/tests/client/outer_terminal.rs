//! How the client handles its terminal: modes, signals, pastes, focus, and a daemon that exits.

use fugue_testkit::{TestTerminal, signal};
use insta::assert_snapshot;

use crate::{SIZES, attached, test_server};

/// Asserts that all modes are reset, the shell's lines are back, and the cursor is visible.
fn is_restored(terminal: &mut TestTerminal) {
    terminal.until("the alternate screen is left", |terminal| {
        let modes = terminal.screen().modes();
        !terminal.screen().on_alternate() && modes.cursor_visible() && !modes.bracketed_paste()
    });
    let modes = terminal.screen().modes();
    assert!(!terminal.is_raw(), "the terminal is no longer in raw mode");
    assert_eq!(modes.kitty_keyboard(), 0);
    assert_eq!(modes.mouse(), fugue_screen::Mouse::Off);
}

#[test]
fn the_terminal_is_restored_however_the_client_exits() {
    for name in ["TERM", "HUP", "INT", "QUIT", "USR1", "USR2"] {
        let server = test_server();
        let mut terminal = attached(&server, 80, 24);
        assert!(terminal.screen().on_alternate(), "the client uses the alternate screen");
        signal(name, terminal.process());
        terminal.wait_for_exit();
        is_restored(&mut terminal);
    }
}

#[test]
fn the_next_client_restores_a_terminal_whose_client_was_killed() {
    for signal_name in ["KILL", "ABRT"] {
        let server = test_server();
        let fugue = env!("CARGO_BIN_EXE_fugue");
        let script = format!(
            "{fugue} new -s work -- sh; : > killed; while [ ! -e go ]; do sleep 0.01; done; {fugue} attach work; exec cat"
        );
        let mut command = server.command(&[]);
        let environment: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        command = std::process::Command::new("sh");
        command.args(["-c", &script]).env_clear().envs(environment).current_dir(server.path());
        let mut terminal = TestTerminal::spawn(command, 80, 24);
        terminal.shows("\n[cursor 0,2]");
        let shell = terminal.process();
        let children =
            std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("children");
        signal(signal_name, children.trim().parse().expect("the client"));
        fugue_testkit::until("the client is gone", || server.path().join("killed").exists());
        assert!(terminal.is_raw() && terminal.screen().on_alternate(), "nobody restored the terminal");
        std::fs::write(server.path().join("go"), "").expect("the script continues");
        terminal.until("the terminal is restored first", |terminal| {
            let written = String::from_utf8_lossy(&terminal.written).into_owned();
            written.find("\x1b[?1049l").is_some_and(|at| written[at..].contains("\x1b[?1049h"))
        });
        crate::shows_panes(&mut terminal, 1);
        terminal.prefix("d");
        is_restored(&mut terminal);
        let left = std::fs::read_dir(server.path().join("run/fugue")).expect("the runtime directory");
        let records = left.filter_map(|file| file.ok()?.file_name().into_string().ok());
        assert_eq!(records.filter(|name| name.starts_with("terminal-")).count(), 0, "no record is left");
    }
}

#[test]
fn any_command_restores_a_terminal_whose_client_was_killed() {
    let server = test_server();
    let fugue = env!("CARGO_BIN_EXE_fugue");
    let waits = "while [ ! -e go ]; do sleep 0.01; done";
    let script = format!("{fugue} new -s work -- sh; : > killed; {waits}; {fugue} ls; exec cat");
    let with_environment = server.command(&[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script]).env_clear().current_dir(server.path());
    command.envs(with_environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = TestTerminal::spawn(command, 80, 24);
    terminal.shows("\n[cursor 0,2]");
    let shell = terminal.process();
    let children = std::fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).expect("children");
    signal("KILL", children.trim().parse().expect("the client"));
    fugue_testkit::until("the client is gone", || server.path().join("killed").exists());
    assert!(terminal.is_raw() && terminal.screen().on_alternate(), "nobody restored the terminal");
    std::fs::write(server.path().join("go"), "").expect("the script continues");
    terminal.shows("work: 1 window");
    is_restored(&mut terminal);
}

#[test]
fn the_client_exits_with_its_session() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("exit\r");
    assert_eq!(terminal.wait_for_exit(), 0);
    is_restored(&mut terminal);
    assert!(terminal.picture().contains("[session ended]"), "{}", terminal.picture());
}

#[test]
fn a_killed_daemon_is_restarted_and_the_client_reconnects() {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        terminal.send("echo before\r");
        terminal.until("the echo", |terminal| terminal.picture().matches("before").count() == 2);
        signal("KILL", server.daemon_pid());
        terminal.until("the reconnect message", |terminal| terminal.status_showed("reconnecting"));
        crate::shows_panes(&mut terminal, 1);
        terminal.send("echo after\r");
        terminal.until("the echo", |terminal| terminal.picture().matches("after").count() == 2);
        assert_snapshot!(format!("daemon-killed-{cols}x{rows}"), terminal.picture());
    }
}

#[test]
fn input_during_a_daemon_restart_arrives_once() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let before = server.daemon_pid();
    signal("STOP", terminal.process());
    fugue_testkit::until("the client is stopped", || is_stopped(terminal.process()));
    terminal.send("echo ke''pt\r");
    signal("KILL", before);
    let is_gone = || !std::path::Path::new(&format!("/proc/{before}")).exists();
    fugue_testkit::until("the old daemon is gone", is_gone);
    // The keys and the end of the old daemon now reach the client at the same time.
    signal("CONT", terminal.process());
    terminal.until("the line", |terminal| terminal.picture().contains("\nkept\n"));
    terminal.send("echo af''ter\r");
    terminal.until("the next line", |terminal| terminal.picture().contains("\nafter\n"));
    assert_eq!(terminal.picture().matches("kept").count(), 1, "{}", terminal.picture());
}

#[test]
fn a_hanging_daemon_is_reported_when_keys_are_typed() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    fugue_testkit::until("the daemon is stopped", || is_stopped(daemon));
    terminal.send("echo wai''ted\r");
    terminal
        .shows(&format!("Daemon is not responding: run `kill -CONT {daemon}` to resume it; keys are queued"));
    signal("CONT", daemon);
    terminal.until("the line", |terminal| {
        terminal.picture().contains("\nwaited\n") && terminal.picture().contains("0:sh*")
    });
}

#[test]
fn a_daemon_that_cannot_be_started_again_is_reported_with_the_reason_until_it_can() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let (daemon, journal, kept) =
        (server.daemon_pid(), server.state_dir().join("journal.db"), server.state_dir().join("kept.db"));
    std::fs::rename(&journal, &kept).expect("a journal");
    std::fs::create_dir(&journal).expect("a directory");
    signal("KILL", daemon);
    terminal.shows("The daemon cannot start: ");
    std::fs::remove_dir(&journal).expect("an empty directory");
    std::fs::rename(&kept, &journal).expect("renamed");
    crate::shows_panes(&mut terminal, 1);
    terminal.send("echo a''gain\r");
    terminal.until("the line", |terminal| terminal.picture().contains("\nagain\n"));
}

#[test]
fn a_paste_of_ten_megabytes_arrives_complete_and_in_order() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("stty raw -echo; printf 'ready\\n'; head -c 10000000 | cksum; stty sane\r");
    terminal.until("ready", |terminal| terminal.picture().lines().any(|row| row.trim() == "ready"));
    let line: Vec<u8> = (0..99).map(|at| b'a' + at % 26).chain([b'\r']).collect();
    let text = line.repeat(100_000);
    let expected = std::process::Command::new("cksum");
    let sum = cksum(expected, &text);
    terminal.send("\x1b[200~");
    terminal.send(&text);
    terminal.send("\x1b[201~");
    terminal.shows(&sum);
}

#[test]
fn a_megabyte_of_typed_input_arrives_complete() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("stty raw -echo; printf 'ready\\n'; head -c 1000000 | cksum; stty sane\r");
    terminal.until("ready", |terminal| terminal.picture().lines().any(|row| row.trim() == "ready"));
    let line: Vec<u8> = (0..99).map(|at| b'a' + at % 26).chain([b'\r']).collect();
    let text = line.repeat(10_000);
    let sum = cksum(std::process::Command::new("cksum"), &text);
    terminal.send(&text);
    terminal.shows(&sum);
}

fn cksum(mut command: std::process::Command, bytes: &[u8]) -> String {
    use std::io::Write;
    use std::process::Stdio;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("cksum");
    child.stdin.take().expect("its input").write_all(bytes).expect("written");
    let output = child.wait_with_output().expect("its sum");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn a_client_inside_a_pane_is_refused() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    terminal.send(format!("{} attach; echo code $?\r", env!("CARGO_BIN_EXE_fugue")));
    terminal.shows("Already inside fugue");
    terminal.shows("code 2");
}

#[test]
fn a_client_of_another_daemon_may_run_in_a_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 100, 24);
    let fugue = env!("CARGO_BIN_EXE_fugue");
    terminal.send(format!("{fugue} --server inner new -s within -- cat\r"));
    // Its window, which the line that was typed does not name.
    terminal.shows("0:cat*");
    terminal.send("typed in the inner one");
    terminal.shows("typed in the inner one");
    server.ok(&["tmux", "-L", "inner", "kill-server"]);
    terminal.shows("[session ended]\n$");
    terminal.send("echo o''uter\r");
    terminal.shows("\nouter");
}

#[test]
fn a_dumb_terminal_is_refused() {
    let server = test_server();
    let mut terminal = server.terminal_with(&["new", "-s", "work"], 80, 24, &[("TERM", "dumb")]);
    assert_ne!(terminal.wait_for_exit(), 0);
    assert!(
        terminal.picture().contains("A dumb terminal (TERM=dumb) cannot show panes"),
        "{}",
        terminal.picture()
    );
    assert!(!server.socket().exists(), "nothing was started");
}

#[test]
fn a_terminal_of_no_known_type_is_refused() {
    let server = test_server();
    for (term, why) in [
        ("", "fugue: TERM is not set\n"),
        ("stranger", "fugue: `stranger` (TERM) is not a known terminal type\n"),
    ] {
        for words in [["new", "-s", "work"].as_slice(), &["new", "-A", "-s", "work"], &["attach"], &[]] {
            let mut terminal = server.terminal_with(words, 110, 24, &[("TERM", term)]);
            assert_ne!(terminal.wait_for_exit(), 0, "{words:?}");
            let picture = terminal.picture();
            let why = if words.contains(&"-A") { why.trim_start_matches("fugue: ") } else { why };
            assert!(picture.contains(why) && picture.contains("TERM=xterm-256color"), "{words:?}: {picture}");
        }
    }
    let mut terminal = server.terminal_with(&["new", "-s", "work"], 80, 24, &[("TERM", "screen.xterm-new")]);
    terminal.shows("0:sh*");
}

#[test]
fn in_a_locale_without_utf8_boxes_are_drawn_in_ascii() {
    for locale in [[("LANG", "C"), ("TERM", "xterm")], [("LC_ALL", "POSIX"), ("TERM", "xterm")]] {
        let server = test_server();
        let mut terminal = server.terminal_with(&["new", "-s", "work", "--", "sh"], 80, 24, &locale);
        terminal.shows("\n[cursor 0,2]");
        terminal.prefix("%");
        terminal.shows(">");
        terminal.prefix("w");
        terminal.shows("+- Windows -");
        let picture = terminal.picture();
        assert!(picture.is_ascii() && picture.contains("\n|") || picture.contains(" | "), "{picture}");
        assert!(terminal.written.is_ascii(), "{locale:?}");
    }
}

#[test]
fn dragging_moves_a_border_and_clicking_focuses_a_pane() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    crate::shows_panes(&mut terminal, 2);
    terminal.until("the cursor at the right", |terminal| terminal.screen().cursor().col > 40);
    terminal.send("\x1b[<0;41;5M\x1b[<32;31;5M\x1b[<0;31;5m");
    terminal.until("the border where it was dragged to", |terminal| {
        terminal.picture().lines().next().and_then(|row| row.chars().position(|c| c == '│')) == Some(30)
    });
    terminal.send("\x1b[<0;5;5M\x1b[<0;5;5m");
    terminal.until("the cursor at the left", |terminal| terminal.screen().cursor().col < 30);
}

#[test]
fn shift_enter_reaches_a_program_that_asked_for_it() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '\\033[>1u'; stty raw -echo; printf ready; head -c 7 | od -c; stty sane\r");
    terminal
        .until("ready", |terminal| terminal.picture().lines().any(|row| row.trim_end().ends_with("ready")));
    terminal.send("\x1b[13;2u");
    terminal.shows("033   [   1   3   ;   2   u");
}

/// Stalls the terminal of a client while a program writes endlessly.
fn stall(terminal: &mut TestTerminal) {
    terminal.stop_reading();
    terminal.send("i=0; while [ $i -lt 4000 ]; do echo $i filler filler filler filler filler; i=$((i+1)); done; echo newest; exec cat\r");
}

#[test]
fn a_stalled_terminal_blocks_neither_the_program_nor_detaching() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    stall(&mut terminal);
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "^newest$");
    signal("TERM", terminal.process());
    assert_eq!(terminal.wait_for_exit(), 0);
}

#[test]
fn a_terminal_that_resumes_skips_to_the_newest_screen() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    stall(&mut terminal);
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    server.wait_for(&pane, "^newest$");
    let before = terminal.written.len();
    terminal.resume_reading();
    terminal.until("the newest", |terminal| terminal.picture().contains("\nnewest\n"));
    // The content of the system's buffer, the frame being written, and the newest one.
    let written = terminal.written.len() - before;
    assert!(written < 64 << 10, "{written} bytes for one screen");
}

#[test]
fn a_suspended_client_restores_the_terminal_and_redraws_when_resumed() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("\x1a");
    is_restored(&mut terminal);
    signal("CONT", terminal.process());
    terminal.until("its own screen again", |terminal| {
        terminal.screen().on_alternate() && terminal.picture().contains("0:sh*")
    });
    terminal.send("echo awake\r");
    terminal.until("the echo", |terminal| terminal.picture().matches("awake").count() == 2);
}

#[test]
fn a_client_stopped_by_a_signal_redraws_when_continued() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    signal("STOP", terminal.process());
    fugue_testkit::until("the client is stopped", || is_stopped(terminal.process()));
    // As a shell does when it is in the foreground again.
    terminal.set_cooked_mode();
    let before = terminal.written.len();
    signal("CONT", terminal.process());
    terminal.until("its own screen again", |terminal| {
        terminal.written.len() > before && terminal.is_raw() && terminal.picture().contains("0:sh*")
    });
    terminal.send("echo awake\r");
    terminal.until("the echo", |terminal| terminal.picture().matches("awake").count() == 2);
    signal("TERM", terminal.process());
    terminal.wait_for_exit();
    is_restored(&mut terminal);
}

/// Whether a process is stopped.
pub(crate) fn is_stopped(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}

#[test]
fn the_client_exits_when_the_daemon_is_shut_down() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    server.ok(&["shutdown"]);
    terminal.wait_for_exit();
    is_restored(&mut terminal);
}

#[test]
fn focus_events_reach_a_program_that_asked_for_them() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send("printf '\\033[?1004h'; stty raw -echo; printf ready; head -c 3 | od -c; stty sane\r");
    terminal
        .until("ready", |terminal| terminal.picture().lines().any(|row| row.trim_end().ends_with("ready")));
    terminal.send("\x1b[O");
    terminal.shows("033   [   O");
}

#[test]
fn links_and_curly_underlines_reach_the_outer_terminal() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send(
        "printf '\\033]8;;https://example.org\\033\\\\link\\033]8;;\\033\\\\ \\033[4:3mcurly\\033[m\\n'\r",
    );
    terminal.until("the text", |terminal| terminal.picture().contains("link curly"));
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(written.contains("\x1b]8;;https://example.org\x1b\\link"), "the link");
    assert!(written.contains(";4:3m"), "the underline");
}

#[test]
fn bytes_that_are_not_utf8_are_pasted_unchanged() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.send(
        "stty raw -echo; printf 'ready\\r\\n'; head -c 4 | od -c; head -c 1000000 | cksum; stty sane\r",
    );
    terminal.until("ready", |terminal| terminal.picture().lines().any(|row| row.trim() == "ready"));
    terminal.send(b"\x1b[200~a\xff\xfeb\x1b[201~");
    terminal.shows("a 377 376   b");
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|at| 0x80 | (at % 127) as u8).collect();
    terminal.send("\x1b[200~");
    terminal.send(&bytes);
    terminal.send("\x1b[201~");
    terminal.shows(&cksum(std::process::Command::new("cksum"), &bytes));
}

#[test]
fn reverse_video_mode_swaps_light_and_dark() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let is_reverse = |terminal: &TestTerminal| {
        let spans = terminal.screen().rows().into_iter().next().unwrap_or_default().spans;
        spans.iter().any(|span| span.style.attrs.contains(fugue_screen::Attrs::REVERSE))
    };
    terminal.send("printf '\\033[?5h'\r");
    terminal.until("dark on light", is_reverse);
    terminal.send("printf '\\033[?5l'\r");
    terminal.until("light on dark", |terminal| !is_reverse(terminal));
}

#[test]
fn an_invalid_name_is_refused_with_the_reason() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(",");
    terminal.shows("Rename window: sh");
    terminal.send("\x15\r");
    terminal.shows("Nothing was typed, so nothing was changed");
    terminal.prefix(",");
    terminal.shows("Rename window: sh");
    terminal.send("\x15-x\r");
    terminal.shows("a window name cannot begin with `-`");
    terminal.prefix("x");
    terminal.shows("Close pane “sh”? (y/N)");
}
