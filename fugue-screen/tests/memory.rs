//! What a pane costs. Its own process, since it counts what the allocator hands out.

#![allow(unsafe_code, reason = "an allocator that counts can only be written this way")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_screen::{Limits, Screen, Size};

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Heap of a screen after `fill`, in bytes.
fn cost(fill: impl FnOnce(&mut Screen)) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    let mut screen = Screen::new(Size { cols: 200, rows: 50 }, Limits::default());
    fill(&mut screen);
    IN_USE.load(Ordering::Relaxed) - before
}

/// Text that repeats as little as text can.
fn letters(seed: usize, count: usize) -> impl Iterator<Item = u8> {
    let mut state = seed as u64 * 0x9E37_79B9 + 1;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b' ' + ((state >> 33) % 94) as u8
    })
}

fn plain(screen: &mut Screen) {
    for n in 0..10_060 {
        let line: Vec<u8> = letters(n, 200).chain(*b"\r\n").collect();
        screen.feed(&line);
    }
}

fn styled(screen: &mut Screen) {
    for n in 0..10_060 {
        let mut line = Vec::new();
        for (at, letter) in letters(n, 200).enumerate() {
            if at % 10 == 0 {
                line.extend_from_slice(format!("\x1b[38;5;{}m", (n + at) % 40).as_bytes());
            }
            line.push(letter);
        }
        screen.feed(&line);
        screen.feed(b"\x1b[0m\r\n");
    }
}

/// One test, since two at once would count each other's memory.
#[test]
fn panes_are_small() {
    let idle = cost(|screen| screen.feed(b"$ ls\r\na b c\r\n$ "));
    let (text, styles) = (cost(plain), cost(styled));
    let at_rest = cost(|screen| {
        styled(screen);
        screen.compact();
    });
    println!(
        "idle {idle}, a line {}, styled {}, at rest {}",
        text / 10_000,
        styles / 10_000,
        at_rest / 10_000
    );
    assert!(idle < 100 * 1024, "an idle pane takes {idle} bytes");
    assert!(text <= 220 * 10_000, "a full line of 200 columns takes {} bytes", text / 10_000);
    assert!(styles <= 300 * 10_000, "a styled line takes {} bytes", styles / 10_000);
}
