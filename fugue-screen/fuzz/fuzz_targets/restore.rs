//! Any bytes as a snapshot or an update: refused, or a screen that works.

#![no_main]

use fugue_screen::{Screen, Size, Update};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(update) = Update::decode(data) {
        fugue_screen::Mirror::default().apply(&update);
    }
    // The head and the compression are not what is to be tested.
    for head in [b"fugue-screen 1\n", b"fugue-screen 2\n"] {
        let packed = lz4_flex::block::compress_prepend_size(data);
        let Ok(mut screen) = Screen::restore(&[&head[..], &packed].concat()) else { continue };
        screen.feed(b"\x1b[2J\x1b[Hhello\r\n\x1b[31mworld\x1b[5;5r\x1b[L\x1bM\n\n\n\n");
        screen.resize(Size { cols: 7, rows: 30 });
        let _ = (
            screen.end(),
            screen.update_since(0).encode(),
            screen.lines_ansi(0, u64::MAX),
            screen.last_command(),
        );
    }
});
