#![allow(clippy::unwrap_used)]

use crate::{Limits, Screen, Size};

#[test]
fn a_restored_screen_goes_on_in_the_middle_of_a_sequence() {
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
