#![allow(clippy::unwrap_used)]

use crate::{Limits, Screen, Size};

#[test]
fn a_restored_screen_continues_in_the_middle_of_a_sequence() {
    let stream =
        "one\r\n\x1b[1;38;2;1;2;3mtwo \u{1f468}\u{200d}\u{1f469} \x1b]2;title\x07\x1b[?1049hvim\x1b[4 q"
            .as_bytes();
    for cut in 0..stream.len() {
        let mut whole = Screen::new(Size { cols: 10, rows: 3 }, Limits::default());
        whole.feed(stream);
        let mut first = Screen::new(Size { cols: 10, rows: 3 }, Limits::default());
        first.feed(&stream[..cut]);
        let mut second = Screen::restore(&first.snapshot()).unwrap();
        second.feed(&stream[cut..]);
        assert_eq!(second.screen_rows(), whole.screen_rows(), "cut at {cut}");
        assert_eq!(second.cursor(), whole.cursor(), "cut at {cut}");
        assert_eq!(second.lines(0, 99), whole.lines(0, 99), "cut at {cut}");
    }
}

#[test]
fn compressed_and_raw_history_are_restored_alike() {
    let mut screen = Screen::new(Size { cols: 40, rows: 3 }, Limits::default());
    (0..5000).for_each(|n| screen.feed(format!("line \x1b[3{}m{n}\x1b[m of many\r\n", n % 8).as_bytes()));
    let raw = screen.snapshot();
    let lines = screen.lines_ansi(0, 5000);
    screen.compact();
    let packed = screen.snapshot();
    assert!(packed.len() < raw.len() / 2, "{} after {}", packed.len(), raw.len());
    for snapshot in [raw, packed] {
        let mut again = Screen::restore(&snapshot).unwrap();
        assert_eq!(again.lines_ansi(0, 5000), lines);
        again.feed(b"and on\r\n\n\n\n");
        assert_eq!(again.lines(5000, 5001)[0].text, "and on");
    }
}

#[test]
fn the_tail_of_a_screen_fits_its_limit_and_has_the_newest_lines() {
    let mut screen = Screen::new(Size { cols: 40, rows: 3 }, Limits::default());
    (0..5000).for_each(|n| screen.feed(format!("line {n} of many\r\n").as_bytes()));
    let whole = screen.snapshot().len();
    for most in [whole + 100, whole / 2, 20_000, 10_000] {
        let tail = screen.snapshot_tail(most).unwrap();
        assert!(tail.len() <= most, "{} of {most}", tail.len());
        let again = Screen::restore(&tail).unwrap();
        assert_eq!(again.screen_rows(), screen.screen_rows());
        let first = again.first_line();
        assert_eq!(again.lines(first, 5000), screen.lines(first, 5000), "the same numbers");
        assert_eq!(first == 0, most > whole, "{most}");
    }
    let least = (0..whole).find(|most| screen.snapshot_tail(*most).is_some()).unwrap();
    let alone = Screen::restore(&screen.snapshot_tail(least).unwrap()).unwrap();
    assert_eq!(alone.screen_rows(), screen.screen_rows());
    assert_eq!(alone.first_line(), 4998, "only the rows of the screen");
    assert_eq!(screen.snapshot_tail(least - 1), None);
}

#[test]
fn the_tail_of_a_full_screen_program_is_its_screen() {
    let mut screen = Screen::new(Size { cols: 40, rows: 3 }, Limits::default());
    (0..50).for_each(|n| screen.feed(format!("line {n}\r\n").as_bytes()));
    screen.feed(b"\x1b[?1049h\x1b[Hvim");
    let again = Screen::restore(&screen.snapshot_tail(1 << 20).unwrap()).unwrap();
    assert_eq!(again.screen_rows(), screen.screen_rows());
    assert_eq!(again.first_line(), 48);
}

#[test]
fn damaged_snapshots_are_refused_or_harmless() {
    let mut screen = Screen::new(Size { cols: 10, rows: 3 }, Limits::default());
    screen.feed(b"one\r\ntwo\r\n\x1b[31mthree\r\nfour\r\n");
    let good = screen.snapshot();
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x55;
        if let Ok(mut screen) = Screen::restore(&bad) {
            screen.feed(b"\x1b[2J\x1b[Hhello\r\n\n\n\n");
            screen.resize(Size { cols: 4, rows: 9 });
            screen.screen_rows();
        }
        assert!(Screen::restore(&good[..at]).is_err());
    }
}

#[test]
fn a_snapshot_of_version_1_is_restored() {
    let old = Screen::restore(include_bytes!("../../tests/snapshots/version-1")).unwrap();
    let text = |n| format!("plain redbold and link {n}");
    assert_eq!(
        old.lines(1, 9).into_iter().map(|line| line.text).collect::<Vec<_>>(),
        [0, 1, 2, 3, 4, 5, 6, 7].map(text)
    );
    assert_eq!(
        old.lines_ansi(1, 2),
        ["plain \x1b[0;30mred\x1b[0;1;30mbold\x1b[0m and \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ 0"]
    );
    let make = old.last_command().unwrap();
    assert_eq!((make.command_line.as_str(), make.exit), ("make", Some(2)));
}

/// Found by fuzzing: the bytes of an incomplete character may turn out to be invalid.
#[test]
fn a_damaged_snapshot_in_vt52_mode_places_the_cursor_on_the_screen() {
    let mut screen = Screen::new(Size { cols: 10, rows: 3 }, Limits::default());
    screen.feed("\x1b[?2l\x1bY\u{e9}".as_bytes());
    screen.feed(b"\x1bY\xc3");
    let good = screen.snapshot();
    let at = good.windows(2).position(|pair| pair == [1, 0xc3]).unwrap() + 1;
    for byte in 0..=255 {
        let mut bad = good.clone();
        bad[at] = byte;
        if let Ok(mut screen) = Screen::restore(&bad) {
            screen.feed(b"\xa9\x01\x02 x");
            assert!(screen.cursor().row < 3 && screen.cursor().col < 10);
        }
    }
}
