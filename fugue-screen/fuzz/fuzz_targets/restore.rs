//! Decodes any bytes as a snapshot or an update: they are refused, or lead to a screen that works.

#![no_main]

use fugue_screen::{Screen, Size, Update};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(update) = Update::decode(data) {
        fugue_screen::Mirror::default().apply(&update);
    }
    // The header, the end marker and the compression of version 1 are not under test.
    let packed = lz4_flex::block::compress_prepend_size(data);
    for parts in [[b"fugue-screen 1\n", &packed[..], b""], [b"fugue-screen 2\n", data, b"end\n"]] {
        let Ok(mut screen) = Screen::restore(&parts.concat()) else { continue };
        screen.feed(b"\x1b[2J\x1b[Hhello\r\n\x1b[31mworld\x1b[5;5r\x1b[L\x1bM\n\n\n\n");
        screen.resize(Size { cols: 7, rows: 30 });
        let _ = (
            screen.end(),
            screen.encode_update_since(0),
            screen.lines_ansi(0, u64::MAX),
            screen.last_command(),
        );
    }
});
