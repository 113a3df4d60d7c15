use super::*;
use fugue_screen::{Limits, Screen};

fn rows_of(screen: &Screen) -> Vec<String> {
    screen.screen_rows()
}

#[test]
fn successive_frames_are_drawn_correctly() {
    let size = Size::new(12, 3);
    let mut terminal =
        Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, Limits::default());
    let mut painter = Painter::new(ColorDepth::True);
    for lines in
        [["one", "漢字かな", "three"], ["one", "漢x字かな", ""], ["full to here", "", "漢字漢字漢字"]]
    {
        let mut canvas = Canvas::new(size);
        for (row, line) in (0..).zip(lines) {
            canvas.text(row, 0, size.cols, line, Style::default());
        }
        terminal.feed(&painter.paint(canvas, None));
        assert_eq!(rows_of(&terminal), lines);
    }
}

#[test]
fn without_utf8_lines_are_ascii_and_every_column_keeps_its_place() {
    let size = Size::new(16, 2);
    let screen_size = fugue_screen::Size { cols: size.cols, rows: size.rows };
    let mut terminal = Screen::new(screen_size, Limits::default());
    let mut painter = Painter::new(ColorDepth::True);
    painter.set_charset(TerminalCharset::Ascii);
    for _ in 0..2 {
        let mut canvas = Canvas::new(size);
        canvas.text(0, 0, size.cols, "╭─ 漢字 ─╮ é", Style::default());
        canvas.text(1, 0, size.cols, "│ \u{2601}\u{fe0f}x …   │", Style::default());
        let painted = painter.paint(canvas, None);
        assert!(painted.is_ascii());
        terminal.feed(&painted);
        assert_eq!(rows_of(&terminal), ["+- ____ -+ _", "| __x .   |"]);
        painter.forget();
    }
}

#[test]
fn no_old_text_remains_behind_a_cluster_the_terminal_draws_narrow() {
    let mut painter = Painter::new(ColorDepth::True);
    let mut canvas = Canvas::new(Size::new(10, 1));
    canvas.text(0, 0, 10, "abcdefghij", Style::default());
    painter.paint(canvas.clone(), None);
    canvas.text(0, 2, 10, "\u{2601}\u{fe0f}", Style::default());
    assert_eq!(
        String::from_utf8_lossy(&painter.paint(canvas, None)),
        "\x1b[?2026h\x1b[1;3H  \x1b[1;3H\u{2601}\u{fe0f}\x1b[1;5He\x1b[?2026l"
    );
}

#[test]
fn a_terminal_with_different_character_widths_is_drawn_correctly() {
    let mut painter = Painter::new(ColorDepth::True);
    let mut paint = |text: &str| {
        let mut canvas = painter.begin(Size::new(8, 1), Rc::default(), DirtyRows::All);
        canvas.text(0, 0, 8, text, Style::default());
        String::from_utf8_lossy(&painter.paint(canvas, None)).into_owned()
    };
    assert!(paint("\u{2630}ab").contains("\x1b[1;1H  \x1b[1;1H\u{2630}\x1b[1;3Hab"), "each has its place");
    let gone = paint("  ab");
    assert!(gone.contains("  a"), "what it may have covered is written again: {gone:?}");
    let mut canvas = Canvas::new(Size::new(2, 1));
    canvas.put(0, 1, 2, CanvasCell::of_text("\u{1f1e9}\u{1f1ea}", Style::default(), 1));
    let flag = Painter::new(ColorDepth::True).paint(canvas, None);
    assert!(!String::from_utf8_lossy(&flag).contains('\u{1f1e9}'), "a flag needs two columns");
}

#[test]
fn adding_one_letter_sends_only_a_few_bytes() {
    let mut painter = Painter::new(ColorDepth::True);
    let mut canvas = Canvas::new(Size::new(80, 24));
    painter.paint(canvas.clone(), None);
    canvas.text(3, 5, 80, "x", Style::default());
    assert_eq!(
        String::from_utf8_lossy(&painter.paint(canvas.clone(), None)),
        "\x1b[?2026h\x1b[4;6Hx\x1b[?2026l"
    );
    assert!(painter.paint(canvas, None).is_empty(), "nothing changed");
}

#[test]
fn a_partial_frame_leaves_the_other_rows_unchanged() {
    let size = Size::new(12, 3);
    let mut terminal =
        Screen::new(fugue_screen::Size { cols: size.cols, rows: size.rows }, Limits::default());
    let mut painter = Painter::new(ColorDepth::True);
    let mut show = |rows: DirtyRows, words: &str| {
        let mut canvas = painter.begin(size, Rc::default(), rows);
        for row in 0..3 {
            canvas.text(row, 0, size.cols, words, Style::default());
        }
        canvas.fill(Rect { col: 8, row: 0, cols: 1, rows: 3 }, &CanvasCell::of('|', Style::default()));
        terminal.feed(&painter.paint(canvas, None));
        rows_of(&terminal)
    };
    let second = || {
        let mut rows = DirtyRows::none(3);
        rows.add(1);
        rows
    };
    assert_eq!(show(second(), "one"), ["one     |"; 3], "a terminal that is not known is painted whole");
    assert_eq!(show(second(), "two"), ["one     |", "two     |", "one     |"]);
    assert_eq!(show(DirtyRows::none(3), "three"), ["one     |", "two     |", "one     |"]);
    assert_eq!(show(DirtyRows::All, "four"), ["four    |"; 3]);
    assert_eq!(show(second(), "漢字"), ["four    |", "漢字    |", "four    |"]);
}

#[test]
fn control_characters_of_a_screen_do_not_reach_the_terminal() {
    let mut canvas = Canvas::new(Size::new(10, 1));
    for (col, text) in (0..).zip(["\x1b", "\u{9b}", "a\x1b]0;b\x07", "x"]) {
        canvas.put(0, col, 10, CanvasCell::of_text(text, Style::default(), 1));
    }
    let written = String::from_utf8_lossy(&Painter::new(ColorDepth::True).paint(canvas, None)).into_owned();
    let has_control = written.contains(['\u{9b}', '\x07']) || written.contains("\x1b]0;");
    assert!(!has_control && written.ends_with("\x1b[1;3H \x1b[1;4Hx\x1b[?2026l"), "{written:?}");
}
