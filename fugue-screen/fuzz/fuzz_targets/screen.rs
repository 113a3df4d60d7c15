//! Feeds any bytes, split anywhere, with resizes and snapshots in between: no panic, and the same screen as without the
//! splits.
//!
//! `cargo +stable fuzz run -s none screen -- -max_len=4096`

#![no_main]

use fugue_screen::{Limits, Mirror, Screen, Size, Update};
use libfuzzer_sys::fuzz_target;

fn new() -> Screen {
    Screen::new(Size { cols: 20, rows: 6 }, Limits { lines: 50, bytes: 1 << 20 })
}

fn seen(screen: &mut Screen) -> (Mirror, Vec<fugue_screen::TextLine>) {
    screen.end_sync();
    let mut mirror = Mirror::default();
    mirror.apply(&screen.update_since(0));
    mirror.revision = 0;
    (mirror, screen.lines(0, u64::MAX))
}

fuzz_target!(|data: &[u8]| {
    let Some((&head, stream)) = data.split_first() else { return };
    let (mut whole, mut parts) = (new(), new());
    let mut mirror = Mirror::default();
    let step = usize::from(head % 61) + 1;
    for (at, chunk) in stream.chunks(step).enumerate() {
        whole.feed(chunk);
        let (first, second) = chunk.split_at(chunk.len() / 2);
        parts.feed(first);
        if at % 4 == 1 {
            parts = Screen::restore(&parts.snapshot()).expect("our own snapshot");
        }
        parts.feed(second);
        if head & 0x80 != 0 && at % 3 == 2 {
            let size = Size { cols: u16::from(chunk[0] % 40), rows: u16::from(chunk[chunk.len() - 1] % 12) };
            whole.resize(size);
            parts.resize(size);
        }
        let update = whole.encode_update_since(mirror.revision);
        mirror.apply(&Update::decode(&update).expect("our own update"));
        let (cursor, size) = (whole.cursor(), whole.size());
        assert!(cursor.row < size.rows && cursor.col < size.cols);
    }
    assert_eq!(seen(&mut whole), seen(&mut parts));
    mirror.apply(&whole.update_since(mirror.revision));
    mirror.revision = 0;
    assert_eq!(mirror, seen(&mut whole).0);
    whole.compact();
    let _ = (whole.end(), whole.last_command(), whole.screen_html(), whole.lines_ansi(0, u64::MAX), whole.repaint());
});
