//! The output of commands, exactly, for shells that mark their prompts.

use fugue_screen::{Limits, MarkedCommand, Position, Screen, ScreenEvent, ShellState, Size};

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size { cols, rows }, Limits::default())
}

/// Runs a command in a shell with prompt marks.
fn run(screen: &mut Screen, command: &str, output: &str, exit: i32) {
    screen.feed(b"\x1b]133;A\x07~/src $ \x1b]133;B\x07");
    screen.feed(command.as_bytes());
    screen.feed(b"\r\n\x1b]133;C\x07");
    screen.feed(output.replace('\n', "\r\n").as_bytes());
    screen.feed(format!("\x1b]133;D;{exit}\x07").as_bytes());
}

#[test]
fn the_output_of_the_last_command_is_exact() {
    let mut screen = screen(20, 5);
    run(&mut screen, "make", "cc a.c\ncc b.c\na warning that is longer than the screen is wide\n", 0);
    run(&mut screen, "make test", "ok\nFAILED\n", 2);
    screen.feed(b"\x1b]133;A\x07~/src $ \x1b]133;B\x07");
    let last = screen.last_command().expect("there is one");
    assert_eq!((last.command_line.as_str(), last.exit, last.running), ("make test", Some(2), false));
    assert_eq!(screen.command_output(&last), "ok\nFAILED");
    let first = screen.command(1).expect("there is another");
    assert_eq!(
        screen.command_output(&first),
        "cc a.c\ncc b.c\na warning that is longer than the screen is wide"
    );
    assert_eq!(screen.command(2), None);
}

#[test]
fn command_output_is_exact_after_a_resize_or_clear() {
    let mut screen = screen(20, 5);
    let long = (0..30).map(|n| format!("line {n} of something long enough to wrap\n")).collect::<String>();
    run(&mut screen, "seq", &long, 0);
    screen.resize(Size { cols: 7, rows: 12 });
    let seq = screen.last_command().expect("there is one");
    assert_eq!(screen.command_output(&seq), long.trim_end());
    screen.feed(b"\x1b[H\x1b[2J");
    screen.resize(Size { cols: 90, rows: 3 });
    let seq = screen.last_command().expect("there is one");
    assert_eq!((seq.command_line.as_str(), screen.command_output(&seq)), ("seq", long.trim_end().to_owned()));
}

#[test]
fn a_running_command_has_the_output_written_so_far() {
    let mut screen = screen(20, 5);
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07x\r\n\x1b]133;C;cmdline_url=sleep%209\x07one\r\ntwo");
    let last = screen.last_command().expect("there is one");
    assert_eq!((last.command_line.as_str(), last.running, last.exit), ("sleep 9", true, None));
    assert_eq!(screen.command_output(&last), "one\ntwo");
}

#[test]
fn output_without_a_final_newline_ends_at_the_prompt() {
    let mut screen = screen(20, 5);
    run(&mut screen, "printf x", "x", 0);
    screen.feed(b"\x1b]133;A\x07$ ");
    assert_eq!(screen.command_output(&screen.last_command().expect("there is one")), "x");
}

#[test]
fn prompts_and_commands_cause_events() {
    let mut screen = screen(20, 5);
    run(&mut screen, "false", "", 1);
    assert_eq!(
        screen.take_events(),
        [
            ScreenEvent::PromptStart { own: false },
            ScreenEvent::CommandStart { own: false },
            ScreenEvent::CommandEnd { exit: Some(1), own: false }
        ]
    );
}

#[test]
fn marks_survive_a_snapshot() {
    let mut screen = screen(20, 5);
    run(&mut screen, "ls", "a\nb\n", 0);
    let restored = Screen::restore(&screen.snapshot()).expect("our own snapshot");
    assert_eq!(restored.last_command(), screen.last_command());
}

#[test]
fn the_state_of_a_shell_follows_from_its_marks() {
    let mut screen = screen(20, 5);
    assert_eq!(screen.shell_state(), ShellState::Unmarked);
    screen.feed(b"\x1b]133;C\x07x\x1b]133;D;0\x07");
    assert_eq!(screen.shell_state(), ShellState::Unmarked, "a line that marks itself is no prompt");
    screen.feed(b"\r\n\x1b]133;A\x07$ \x1b]133;B\x07");
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: false, own: false });
    screen.feed(b"\x1b7 rm -rf\x1b8");
    assert_eq!(
        screen.shell_state(),
        ShellState::Prompt { draft: false, own: false },
        "a suggestion follows the cursor"
    );
    screen.feed(b"ls");
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: true, own: false });
    screen.feed(b"\r\n\x1b]133;C\x07");
    assert_eq!(screen.shell_state(), ShellState::Running);
    screen.feed(b"a\r\n\x1b]133;D;0\x07");
    assert_eq!(screen.shell_state(), ShellState::Between);
}

/// When a command began and ended, and how long it took.
fn times(screen: &Screen) -> (Option<u64>, Option<u64>, Option<u64>) {
    let last = screen.last_command().expect("there is one");
    (last.began, last.ended, last.took(9_000))
}

#[test]
fn the_duration_of_a_command_is_known_if_both_times_are() {
    let mut screen = screen(20, 5);
    screen.set_time(Some(1_000));
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07make\r\n\x1b]133;C\x07");
    assert_eq!(times(&screen), (Some(1_000), None, Some(8_000)), "it still runs");
    screen.set_time(Some(3_500));
    screen.feed(b"cc a.c\r\n\x1b]133;D;0\x07");
    assert_eq!(times(&screen), (Some(1_000), Some(3_500), Some(2_500)));
}

#[test]
fn an_unknown_time_gives_no_duration() {
    let mut before = screen(20, 5);
    run(&mut before, "ls", "a\n", 0);
    assert_eq!(times(&before), (None, None, None), "the time was never set");
    before.set_time(Some(1_000));
    before.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07make\r\n\x1b]133;C\x07");
    let mut after = Screen::restore(&before.snapshot()).expect("our own snapshot");
    let mut replayed = after.clone();
    replayed.feed(b"\x1b]133;D;0\x07");
    assert_eq!(times(&replayed), (Some(1_000), None, None), "it ended at an unknown time");
    after.set_time(Some(4_000));
    after.feed(b"\x1b]133;D;0\x07");
    assert_eq!(times(&after), (Some(1_000), Some(4_000), Some(3_000)), "only the daemon was replaced");
    before.set_time(Some(400));
    before.feed(b"\x1b]133;D;0\x07");
    assert_eq!(times(&before), (Some(1_000), Some(400), None), "the clock was set back");
}

/// Runs a command in a shell that has the key.
fn keyed(screen: &mut Screen, number: u64, output: &str) {
    screen.feed(format!("\x1b]133;A;k=secret.{number}\x07$ \x1b]133;B;k=secret\x07cat it\r\n").as_bytes());
    screen.feed(b"\x1b]133;C;k=secret\x07");
    screen.feed(output.as_bytes());
    screen.feed(format!("\x1b]133;D;3;k=secret.{}\x07", number + 1).as_bytes());
}

#[test]
fn marks_in_the_output_of_a_command_do_not_end_it() {
    let mut screen = screen(40, 9);
    screen.trust_marks("secret");
    keyed(&mut screen, 1, "first\r\n");
    screen.take_events();
    // Recordings of a shell with other marks, of one with another key, and of this very shell.
    let fakes = "a\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07b\r\n\
        \x1b]133;D;0;k=other.99\x07\x1b]133;D;0;k=secret.2\x07\x1b]133;A;k=secret.1\x07\x1b]133;D;0;k=secret\x07c";
    keyed(&mut screen, 3, fakes);
    let last = screen.last_command().expect("there is one");
    assert_eq!((last.command_line.as_str(), last.exit, last.running), ("cat it", Some(3), false));
    assert_eq!(screen.command_output(&last), "a\n$ ls\nb\nc");
    let own: Vec<_> = screen
        .take_events()
        .into_iter()
        .filter(|notice| matches!(notice, ScreenEvent::CommandEnd { own: true, .. }))
        .collect();
    assert_eq!(own, [ScreenEvent::CommandEnd { exit: Some(3), own: true }], "only the shell ends it");
    let restored = Screen::restore(&screen.snapshot()).expect("our own snapshot");
    assert_eq!(restored.last_command(), screen.last_command());
}

#[test]
fn a_prompt_marked_twice_is_one_prompt() {
    let mut screen = screen(40, 9);
    screen.trust_marks("secret");
    screen.feed(b"\x1b]133;A;k=secret.1\x07\x1b]133;A\x07$ \x1b]133;B\x07\x1b]133;B;k=secret\x07");
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: false, own: true });
    screen.feed(b"x\r\n\x1b]133;C;cmdline_url=really%20x\x07\x1b]133;C;k=secret\x07out\r\n");
    assert_eq!(screen.shell_state(), ShellState::Running);
    screen.feed(b"\x1b]133;D;1\x07\x1b]133;D;1;k=secret.2\x07\x1b]133;A\x07\x1b]133;A;k=secret.3\x07$ ");
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: false, own: true });
    let last = screen.last_command().expect("there is one");
    assert_eq!((last.command_line.as_str(), last.exit), ("really x", Some(1)));
    assert_eq!((screen.command_output(&last).as_str(), screen.command_count()), ("out", 1));
}

#[test]
fn a_nested_shell_can_mark_prompts_until_it_exits() {
    let mut screen = screen(40, 9);
    screen.trust_marks("secret");
    screen.feed(b"\x1b]133;A;k=secret.1\x07$ \x1b]133;B;k=secret\x07ssh far\r\n\x1b]133;C;k=secret\x07");
    run(&mut screen, "uname", "Far\n", 0);
    assert_eq!(screen.last_command().map(|last| last.command_line).as_deref(), Some("uname"));
    screen.feed(b"\x1b]133;A\x07> \x1b]133;B\x07");
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: false, own: false });
    screen.feed(b"exit\r\n\x1b]133;D;0;k=secret.2\x07");
    assert_eq!(screen.last_command().map(|last| last.command_line).as_deref(), Some("ssh far"));
}

#[test]
fn a_command_is_remembered_however_many_marks_it_writes() {
    let mut screen = screen(40, 9);
    screen.trust_marks("secret");
    keyed(&mut screen, 1, &"\x1b]133;A\x07\x1b]133;C\x07\x1b]133;D\x07".repeat(10_010));
    let last = screen.last_command().expect("there is one");
    assert_eq!((last.command_line.as_str(), last.exit, screen.command_count()), ("cat it", Some(3), 1));
}

/// A shell with a key runs a full-screen program, which is killed.
fn killed_full_screen_program(end: &[u8]) -> Screen {
    let mut screen = screen(20, 5);
    screen.trust_marks("key");
    screen.feed(b"\x1b]133;A;k=key.1\x07$ \x1b]133;B;k=key\x07agent\r\n\x1b]133;C;k=key\x07");
    screen.feed(b"\x1b[?1049h\x1b[?1000h\x1b[?1004h\x1b[>1u\x1b[?25lfull screen");
    screen.feed(end);
    screen
}

#[test]
fn a_shells_own_mark_ends_a_full_screen_program_that_was_killed() {
    let end = b"\x1b]133;D;137;k=key.2\x07\x1b]133;A;k=key.3\x07$ \x1b]133;B;k=key\x07";
    let screen = killed_full_screen_program(end);
    assert!(!screen.on_alternate());
    assert_eq!(screen.shell_state(), ShellState::Prompt { draft: false, own: true });
    assert_eq!(screen.screen_rows()[..2], ["$ agent", "$"]);
    assert_eq!(*screen.modes(), *self::screen(20, 5).modes());
    assert_eq!(screen.last_command().and_then(|command| command.exit), Some(137));
}

#[test]
fn marks_without_the_key_do_not_end_a_full_screen_program() {
    for end in [&b"\x1b]133;D;0\x07\x1b]133;A\x07"[..], b"\x1b]133;A;k=key.1\x07", b"\x1b]133;D;0;k=key\x07"]
    {
        let screen = killed_full_screen_program(end);
        assert!(screen.on_alternate(), "{end:?}");
        assert_eq!(screen.shell_state(), ShellState::Running);
    }
}

#[test]
fn all_prompts_are_listed_with_the_output_of_their_commands() {
    let mut screen = screen(20, 5);
    run(&mut screen, "make", "one\ntwo\n", 0);
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07sleep 9\r\n\x1b]133;C\x07still");
    let at = |line, offset| Position { line, offset };
    let made = MarkedCommand { prompt: at(0, 0), output: Some((at(1, 0), at(3, 0))) };
    let runs = MarkedCommand { prompt: at(3, 0), output: Some((at(4, 0), at(4, 5))) };
    assert_eq!(screen.marked_commands().collect::<Vec<_>>(), [made, runs]);
    screen.feed(b"\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07");
    let last = screen.marked_commands().last();
    assert_eq!(last, Some(MarkedCommand { prompt: at(5, 0), output: None }), "nothing was run there yet");
}

/// Rows that a killed program left below the cursor, which it had moved up.
fn with_leftovers(cols: u16, rows: u16) -> Screen {
    let mut screen = screen(cols, rows);
    screen.feed("\u{1b}[44mLEFT 全部 OVER 👩‍💻 LEFTOVER\u{1b}[m\r\n".repeat(6).as_bytes());
    screen.feed(b"\x1b[5A");
    screen
}

#[test]
fn rows_that_an_earlier_program_left_are_no_output() {
    for (cols, rows) in [(60, 20), (60, 8), (17, 30), (9, 8)] {
        let mut screen = with_leftovers(cols, rows);
        run(&mut screen, "echo hi; echo there", "hi\nthere\n", 0);
        let last = screen.last_command().expect("there is one");
        assert_eq!(screen.command_output(&last), "hi\nthere", "{cols}x{rows}");
        // What the program left above is still there.
        assert!(screen.text_since(Position::default()).starts_with("LEFT 全部"), "{cols}x{rows}");
        run(&mut screen, "printf", "no newline", 0);
        assert_eq!(screen.command_output(&screen.last_command().expect("there is one")), "no newline");
    }
}

#[test]
fn a_running_command_and_one_that_is_resized_has_no_leftovers_in_its_output() {
    let mut screen = with_leftovers(60, 20);
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07x\r\n\x1b]133;C\x07");
    let output = |screen: &Screen| screen.command_output(&screen.last_command().expect("there is one"));
    assert_eq!(output(&screen), "");
    screen.feed("one 👩‍💻 全部".as_bytes());
    assert_eq!(output(&screen), "one 👩‍💻 全部");
    for (cols, rows) in [(7, 20), (60, 4), (9, 9), (60, 20)] {
        screen.resize(Size { cols, rows });
        assert_eq!(output(&screen), "one 👩‍💻 全部", "{cols}x{rows}");
    }
    screen.feed(b"\r\ntwo");
    assert_eq!(output(&screen), "one 👩‍💻 全部\ntwo");
}

#[test]
fn the_output_begins_on_a_line_of_its_own_wherever_the_shell_left_the_cursor() {
    // The shell counted fewer columns than the terminal, as for some emoji: its cursor is above the end of what was typed.
    let mut screen = screen(20, 10);
    screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07");
    screen.feed("x".repeat(50).as_bytes());
    screen.feed(b"\x1b[A\r\n\x1b]133;C\x07hi\r\n\x1b]133;D;0\x07");
    let last = screen.last_command().expect("there is one");
    assert_eq!((screen.command_output(&last).as_str(), last.output_start.offset), ("hi", 0));
    assert_eq!(screen.text_since(last.output_start), "hi\n");
}

#[test]
fn text_below_the_cursor_is_output_until_the_prompt_overwrites_it() {
    for (output, text) in [
        ("100 %\r", "100 %"),
        ("a\nb\nc\n\x1b[3AX\n", "X\nb\nc"),
        ("10 %\r20 %\r\x1b[Kdone\r", "done"),
        ("a\nb\x1b[A", "a\nb"),
    ] {
        let mut screen = screen(20, 10);
        run(&mut screen, "x", "before\n", 0);
        let mut rest =
            format!("\x1b]133;A\x07$ \x1b]133;B\x07x\r\n\x1b]133;C\x07{output}").replace('\n', "\r\n");
        rest.push_str("\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07");
        let processed = screen.feed_turn(rest.as_bytes());
        assert!(rest[processed..].starts_with("\x1b]133;A"), "the turn ends with the command: {output:?}");
        let last = screen.last_command().expect("there is one");
        assert_eq!(screen.command_output(&last), text, "{output:?}");
        screen.feed(&rest.as_bytes()[processed..]);
        let last = screen.last_command().expect("there is one");
        assert_eq!(last.output_end, screen.last_prompt().expect("a prompt"), "{output:?}");
        // The caller that takes no turns loses nothing.
        let mut whole = self::screen(20, 10);
        run(&mut whole, "x", "before\n", 0);
        whole.feed(rest.as_bytes());
        assert_eq!(whole.text_since(Position::default()), screen.text_since(Position::default()));
    }
}

#[test]
fn a_screen_that_a_command_clears_keeps_what_it_printed_before() {
    for clear in ["\x1b[H\x1b[2J", "\x1b[H\x1b[J"] {
        let mut screen = with_leftovers(40, 10);
        run(&mut screen, "x", &format!("one\n{clear}two\n"), 0);
        assert_eq!(screen.command_output(&screen.last_command().expect("there is one")), "one\ntwo");
        run(&mut screen, "x", &format!("{clear}alone\n"), 0);
        assert_eq!(screen.command_output(&screen.last_command().expect("there is one")), "alone");
    }
}

#[test]
fn a_full_screen_program_leaves_nothing_in_the_output() {
    let mut screen = with_leftovers(40, 10);
    run(&mut screen, "vim", "before\n\x1b[?1049h\x1b[H\x1b[2Jfull screen\nmore\x1b[?1049lafter\n", 0);
    assert_eq!(screen.command_output(&screen.last_command().expect("there is one")), "before\nafter");
}

#[test]
fn the_command_of_the_shell_with_the_key_is_known_whatever_marks_it_writes() {
    let mut screen = screen(40, 10);
    screen.trust_marks("key");
    screen.feed(b"\x1b]133;A;k=key.1\x07$ \x1b]133;B;k=key\x07x\r\n\x1b]133;C;k=key\x07");
    let own = screen.last_own_command().expect("it runs").output_start;
    screen.feed(b"one\r\n\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07two");
    assert_eq!(screen.last_own_command().expect("it runs").output_start, own);
    assert!(screen.last_command().expect("the other one").output_start > own);
}
