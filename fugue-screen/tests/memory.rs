//! Memory per pane. A separate test binary, since it counts all allocations.

#[path = "memory/heap_size.rs"]
mod heap_size;

use fugue_screen::Screen;
use heap_size::{at_rest, cost, fed, lines, plain, styled};

/// More lines than history keeps, so that it is full.
const WRITTEN: usize = 10_060;
const KEPT: usize = 10_000;

/// A pane with that many characters, each with a link of its own that is nearly as long as a link may be.
fn fed_long_links(count: usize) -> Screen {
    let mut screen = fed(b"");
    let long = "a".repeat(2_000);
    (0..count).for_each(|n| screen.feed(format!("\x1b]8;;http://x/{n}/{long}\x07x").as_bytes()));
    screen
}

/// One test, since two at the same time would count each other's memory.
#[test]
fn panes_are_small() {
    let idle = cost(|| fed(b"$ ls\r\na b c\r\n$ "));
    let [plain, styled] = [lines(WRITTEN, plain), lines(WRITTEN, styled)];
    let text = cost(|| fed(&plain)) / KEPT;
    let styles = cost(|| fed(&styled)) / KEPT;
    let rest = cost(|| at_rest(&styled)) / KEPT;
    let links = cost(|| fed_long_links(40_000));
    println!("idle {idle}, a line {text}, styled {styles}, at rest {rest}, links {links}");
    // A prompt and a few lines: the rows below them take none.
    let own = size_of::<Screen>();
    assert!(idle <= 600 && own <= 1_700, "an idle pane takes {own} + {idle} bytes");
    assert!(text <= 220, "a full line of 200 columns takes {text} bytes");
    // A quarter of what tmux takes for the same line; see CONFORMANCE.md.
    assert!(styles <= 262, "a styled line takes {styles} bytes");
    assert!(rest <= 240, "a styled line at rest takes {rest} bytes");
    // 4 MiB of addresses in the interner, 8 MiB of history that is not compressed yet, and 32 MiB that is.
    assert!(links < 44 << 20, "long links take {links} bytes");
}
