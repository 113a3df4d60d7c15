//! The heap size of a screen: an allocator that counts, and lines to fill a screen with. Used by the memory test and by
//! the benchmark against tmux.

#![allow(unsafe_code, reason = "an allocator that counts can only be written this way")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_screen::{Limits, Screen, Size};

pub(crate) const COLUMNS: usize = 200;

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }

    /// Defined here since the default never grows in place, and the resident size of the process is measured, too.
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size, Ordering::Relaxed);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The heap that a screen takes, in bytes.
pub(crate) fn cost(make: impl FnOnce() -> Screen) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    let screen = make();
    let after = IN_USE.load(Ordering::Relaxed);
    drop(black_box(screen));
    after - before
}

/// A pane of the usual size that was written to.
pub(crate) fn fed(bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(Size { cols: COLUMNS as u16, rows: 50 }, Limits::default());
    // The size of a daemon's reads from a PTY.
    bytes.chunks(4096).for_each(|chunk| screen.feed(chunk));
    screen
}

/// The same after compaction, which the daemon does when a pane is quiet.
pub(crate) fn at_rest(bytes: &[u8]) -> Screen {
    let mut screen = fed(bytes);
    screen.compact();
    screen
}

/// Writes the line with a number, made of letters that hardly repeat.
pub(crate) type LineWriter = fn(usize, &mut Vec<u8>);

pub(crate) fn lines(count: usize, line: LineWriter) -> Vec<u8> {
    let mut text = Vec::new();
    for n in 0..count {
        line(n, &mut text);
        // No newline after the last, so that as many lines are kept as were written.
        text.extend_from_slice(if n + 1 < count { b"\r\n" } else { b"" });
    }
    text
}

pub(crate) fn plain(n: usize, text: &mut Vec<u8>) {
    text.extend(letters(n));
}

/// A color for every ten columns.
pub(crate) fn styled(n: usize, text: &mut Vec<u8>) {
    for (at, letter) in letters(n).enumerate() {
        if at % 10 == 0 {
            text.extend_from_slice(format!("\x1b[38;5;{}m", (n + at) % 40).as_bytes());
        }
        text.push(letter);
    }
    text.extend_from_slice(b"\x1b[0m");
}

fn letters(seed: usize) -> impl Iterator<Item = u8> {
    let mut state = seed as u64 * 0x9E37_79B9 + 1;
    (0..COLUMNS).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b' ' + ((state >> 33) % 94) as u8
    })
}
