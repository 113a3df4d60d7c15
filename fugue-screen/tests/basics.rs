//! The basics of a terminal.

use fugue_screen::{Limits, Mirror, Screen, ScreenEvent, Size, Update};

fn screen(cols: u16, rows: u16, text: &str) -> Screen {
    let mut screen = Screen::new(Size { cols, rows }, Limits::default());
    screen.feed(text.as_bytes());
    screen
}

fn text(screen: &Screen) -> Vec<String> {
    screen.lines(0, u64::MAX).into_iter().map(|line| line.text).collect()
}

#[test]
fn lines_that_scroll_off_can_still_be_read() {
    let screen = screen(10, 2, "one\r\ntwo\r\nthree\r\nfour");
    assert_eq!(screen.screen_rows(), ["three", "four"]);
    assert_eq!(text(&screen), ["one", "two", "three", "four"]);
}

#[test]
fn a_long_line_is_one_line_at_any_width() {
    let mut screen = screen(10, 3, "$ echo\r\nabcdefghijklmnopqrstuvwxyz\r\n$ ");
    assert_eq!(screen.screen_rows(), ["klmnopqrst", "uvwxyz", "$"]);
    let lines = text(&screen);
    for cols in [5, 40, 3, 80, 10] {
        screen.resize(Size { cols, rows: 3 });
        assert_eq!(text(&screen), lines, "at {cols} columns");
    }
    assert_eq!(screen.screen_rows(), ["klmnopqrst", "uvwxyz", "$"]);
    assert_eq!((screen.cursor().row, screen.cursor().col), (2, 2));
}

#[test]
fn blank_rows_at_the_end_stay_when_the_width_changes() {
    let mut screen = screen(6, 4, "one\r\nabcdef\r\n");
    assert_eq!(screen.screen_rows(), ["one", "abcdef", "", ""]);
    screen.resize(Size { cols: 3, rows: 4 });
    assert_eq!(screen.screen_rows(), ["abc", "def", "", ""]);
    assert_eq!((screen.cursor().row, screen.cursor().col), (2, 0));
    screen.resize(Size { cols: 6, rows: 4 });
    assert_eq!(screen.screen_rows(), ["one", "abcdef", "", ""]);
    screen.resize(Size { cols: 6, rows: 3 });
    assert_eq!(screen.screen_rows(), ["one", "abcdef", ""], "a lower screen loses them first");
}

#[test]
fn a_taller_screen_gets_lines_back_from_history() {
    let mut screen = screen(10, 2, "one\r\ntwo\r\nthree\r\nfour");
    screen.resize(Size { cols: 10, rows: 4 });
    assert_eq!(screen.screen_rows(), ["one", "two", "three", "four"]);
    assert_eq!(screen.cursor().row, 3);
    screen.resize(Size { cols: 10, rows: 1 });
    assert_eq!(text(&screen), ["one", "two", "three", "four"]);
}

#[test]
fn text_since_a_position_is_what_followed() {
    let mut screen = screen(10, 2, "$ ");
    let start = screen.end();
    screen.feed(b"ls\r\na.txt\r\nb.txt\r\n$ ");
    assert_eq!(screen.text_since(start), "ls\na.txt\nb.txt\n$");
}

#[test]
fn a_cleared_screen_goes_to_history_and_keeps_its_line_numbers() {
    let mut screen = screen(10, 3, "one\r\ntwo\r\n");
    let end = screen.end();
    screen.feed(b"\x1b[H\x1b[2Jthree");
    assert_eq!(screen.screen_rows(), ["three", "", ""]);
    assert_eq!(text(&screen), ["one", "two", "three"]);
    assert_eq!(screen.text_since(end), "three");
}

#[test]
fn the_alternate_screen_leaves_no_trace() {
    let screen = screen(10, 2, "$ vim\r\n\x1b[?1049h\x1b[Hvim vim\x1b[?1049l$ ");
    assert_eq!(screen.screen_rows(), ["$ vim", "$"]);
    assert!(!screen.on_alternate());
}

#[test]
fn queries_are_answered_and_everything_else_is_silent() {
    let mut screen =
        screen(80, 24, "\x1b[c\x1b[6n\x1b[>q\x1b]7501;?\x1b\\\x1b]52;c;?\x07\x1b[21t\x05\x1b]1337;x\x07");
    let replies = String::from_utf8(screen.take_replies()).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        replies,
        format!("\x1b[?64;1;6;15;18;21;22;28;52c\x1b[1;1R\x1bP>|fugue {version}\x1b\\\x1b]7501;?\x1b\\")
    );
    assert_eq!(screen.screen_rows()[0], "");
}

#[test]
fn titles_and_other_reports_cause_events() {
    let mut screen =
        screen(80, 24, "\x1b]2;hi\x07\x07\x1b]7;file://h/tmp/a%20b\x07\x1b]52;c;aGk=\x07\x1b]9;4;1;50\x07");
    assert_eq!(
        screen.take_events(),
        [
            ScreenEvent::Title("hi".into()),
            ScreenEvent::Bell,
            ScreenEvent::Cwd("/tmp/a b".into()),
            ScreenEvent::Clipboard { selection: 'c', text: "hi".into() },
            ScreenEvent::Progress(fugue_screen::ProgressReport::Percent(50)),
        ]
    );
}

#[test]
fn a_mirror_that_applies_updates_matches_a_new_one() {
    let mut screen = screen(20, 4, "");
    let mut mirror = Mirror::default();
    for step in [
        "hello\r\n",
        "\x1b[31mred\x1b[0m 漢字\r\n",
        "\x1b[1;1HJ",
        "\n\n\n\n\nend",
        "\x1b[?1049hx",
        "\x1b]2;t\x07",
    ] {
        screen.feed(step.as_bytes());
        let update = screen.update_since(mirror.revision);
        let sent = Update::decode(&screen.encode_update_since(mirror.revision)).expect("an update decodes");
        assert_eq!(sent, update);
        mirror.apply(&sent);
        let mut fresh = Mirror::default();
        fresh.apply(&screen.update_since(0));
        assert_eq!(mirror, fresh, "after {step:?}");
    }
}

#[test]
fn viewers_see_no_change_until_a_synchronized_update_ends() {
    let mut screen = screen(20, 2, "old");
    let seen = screen.revision();
    screen.feed(b"\x1b[?2026h\x1b[Hnew");
    assert!(screen.sync_since().is_some());
    assert!(screen.update_since(seen).rows.is_empty());
    screen.feed(b"\x1b[?2026l");
    assert_eq!(screen.update_since(seen).rows.len(), 1);
}

#[test]
fn one_more_line_of_output_updates_one_row() {
    let mut screen = screen(20, 4, "a\r\nb\r\nc\r\nd");
    let mut mirror = Mirror::default();
    mirror.apply(&screen.update_since(0));
    screen.feed(b"\r\ne");
    let update = screen.update_since(mirror.revision);
    assert_eq!((update.scrolled, update.rows.len()), (1, 1));
    mirror.apply(&update);
    let rows: Vec<String> = mirror.rows.iter().map(fugue_screen::RowView::text).collect();
    assert_eq!(rows, ["b", "c", "d", "e"]);
}

#[test]
fn history_can_be_searched_from_both_ends() {
    let mut screen = screen(20, 4, "");
    for n in 0..1000 {
        screen.feed(format!("line {n}\r\n").as_bytes());
    }
    screen.compact();
    let found = |line: &fugue_screen::TextLine| line.text.ends_with("77");
    assert_eq!(screen.iter_lines(0, u64::MAX).find(found).map(|line| line.number), Some(77));
    assert_eq!(screen.iter_lines_back(0, u64::MAX).find(found).map(|line| line.number), Some(977));
    assert_eq!(screen.iter_lines(0, u64::MAX).count(), 1001);
}

#[test]
fn a_program_that_asked_gets_reports_of_a_new_size_and_new_colors() {
    let mut screen = screen(20, 4, "\x1b[?2048;2031h");
    assert_eq!(screen.take_replies(), b"\x1b[48;4;20;64;160t");
    screen.resize(Size { cols: 30, rows: 5 });
    let mut light = fugue_screen::TerminalPalette::default();
    light.background = (255, 255, 255);
    screen.set_colors(light);
    assert_eq!(screen.take_replies(), b"\x1b[48;5;30;80;240t\x1b[?997;2n");
}

#[test]
fn a_resize_during_a_full_screen_program_keeps_the_prompt_in_place() {
    let mut screen = screen(20, 4, "a line of twenty-five....\r\nsecond\r\n$ vim");
    screen.feed(b"\x1b[?1049hvim");
    screen.resize(Size { cols: 30, rows: 6 });
    screen.feed(b"\x1b[?1049l\r\n$ ");
    assert_eq!(screen.screen_rows()[..4], ["a line of twenty-five....", "second", "$ vim", "$"]);
    assert_eq!((screen.cursor().row, screen.cursor().col), (3, 2));
}

#[test]
fn a_smaller_pane_keeps_the_cursor_line_visible() {
    let mut screen = screen(20, 6, "1\r\n2\r\n3\r\n4\r\n5\r\n$ ");
    screen.resize(Size { cols: 20, rows: 3 });
    assert_eq!(screen.screen_rows(), ["4", "5", "$"]);
    screen.resize(Size { cols: 20, rows: 6 });
    assert_eq!(screen.screen_rows(), ["1", "2", "3", "4", "5", "$"]);
    screen.feed(b"\x1b[H\x1b[2J$ ");
    screen.resize(Size { cols: 20, rows: 8 });
    assert_eq!(screen.screen_rows()[0], "$", "cleared text does not reappear");
}
