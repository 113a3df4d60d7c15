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
