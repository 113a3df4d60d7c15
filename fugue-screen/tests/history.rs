//! How much history is kept, and that nothing is dropped too early.

use fugue_screen::{Limits, Screen, Size};

fn filled(limits: Limits, lines: u64) -> Screen {
    let mut screen = Screen::new(Size { cols: 40, rows: 5 }, limits);
    for n in 0..lines {
        screen.feed(format!("\x1b[3{}mline {n}\x1b[0m\r\n", n % 8).as_bytes());
    }
    screen
}

#[test]
fn history_keeps_exactly_as_many_lines_as_its_limit() {
    let screen = filled(Limits { lines: 1000, bytes: usize::MAX }, 5000);
    // Five rows are on the screen, the last of them empty.
    assert_eq!(screen.first_line(), 5000 - 4 - 1000);
    let lines = screen.lines(0, u64::MAX);
    assert_eq!((lines.len(), lines[0].text.as_str()), (1005, "line 3996"));
    assert_eq!(lines[0].number, 3996);
}

#[test]
fn history_stays_within_its_limit_in_bytes() {
    let screen = filled(Limits { lines: usize::MAX, bytes: 100_000 }, 50_000);
    let kept = screen.lines(0, u64::MAX).len();
    assert!((2_000..30_000).contains(&kept), "{kept} lines");
}

#[test]
fn an_endless_line_is_bounded() {
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits { lines: 10, bytes: 1 << 20 });
    for _ in 0..10_000 {
        screen.feed(&[b'x'; 1000]);
    }
    let bytes: usize = screen.lines(0, u64::MAX).iter().map(|line| line.text.len()).sum();
    assert!(bytes < 2 << 20, "{bytes} bytes");
}

#[test]
fn an_endless_string_is_bounded_and_can_be_ended() {
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
    screen.feed(b"\x1b]52;c;");
    for _ in 0..10_000 {
        screen.feed(&[b'A'; 1000]);
    }
    assert!(screen.snapshot().len() < 1 << 20);
    screen.feed(b"\x07after");
    assert_eq!(screen.screen_rows()[0], "after");
    assert_eq!(screen.take_events(), []);
}

#[test]
fn thousands_of_colors_and_clusters_are_compacted() {
    let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits { lines: 100, bytes: 1 << 20 });
    for n in 0..200_000_u32 {
        let [_, r, g, b] = n.wrapping_mul(2_654_435_761).to_be_bytes();
        screen.feed(format!("\x1b[38;2;{r};{g};{b}mx").as_bytes());
        let mark = char::from_u32(0x300 + n % 0x6f).unwrap_or('x');
        screen.feed(format!("{}{mark}", char::from_u32(0x4e00 + n % 20_000).unwrap_or('x')).as_bytes());
    }
    assert!(screen.snapshot().len() < 1 << 20);
    let last = screen.rows().into_iter().rev().find(|row| !row.spans.is_empty()).expect("text");
    let [_, r, g, b] = 199_999_u32.wrapping_mul(2_654_435_761).to_be_bytes();
    assert_eq!(last.spans.last().expect("a span").style.fg, fugue_screen::Color::Rgb(r, g, b));
}

#[test]
fn compressed_history_reads_and_reflows_like_any_other() {
    let limits = Limits::default();
    let (plain, mut packed) = (filled(limits, 3000), filled(limits, 3000));
    packed.compact();
    assert_eq!(packed.lines(0, u64::MAX), plain.lines(0, u64::MAX));
    assert_eq!(packed.lines_ansi(100, 105), plain.lines_ansi(100, 105));
    packed.resize(Size { cols: 7, rows: 700 });
    assert_eq!(packed.lines(0, u64::MAX), plain.lines(0, u64::MAX));
    // 349 lines of two rows, and the second half of the line before.
    assert_eq!(packed.screen_rows()[..3], ["50", "line 26", "51"]);
    packed.clear_history();
    assert_eq!(packed.lines(0, u64::MAX).last(), plain.lines(0, u64::MAX).last());
}
