//! What lines cost in memory, here and in tmux: `cargo bench -p fugue-screen --bench heap`. The thousand panes need
//! some 3 GB, and have a process of their own, so that nothing freed before is counted as theirs.

#![allow(unsafe_code, reason = "an allocator that counts can only be written this way")]

#[path = "heap/tmux.rs"]
mod tmux;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_screen::{Limits, Screen, Size};

/// As many as a pane keeps, screen and all: tmux throws away a tenth of its history as soon as one line is too many.
const LINES: usize = 10_000;
const COLUMNS: usize = 200;
const PANES: usize = 1_000;

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

    /// Said here since the one by default never grows in place, and a process' size is measured, too.
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        IN_USE.fetch_add(size, Ordering::Relaxed);
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Writes the line of a number: letters that repeat as little as text can.
type Line = fn(usize, &mut Vec<u8>);

/// The lines, and the most bytes one of them may take.
const KINDS: [(&str, Line, usize); 2] = [("plain", plain, 220), ("styled", styled, 300)];

fn main() {
    let words: Vec<_> = std::env::args().collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "panes", name] => println!("{}", thousand(name)),
        _ => tables(),
    }
}

fn tables() {
    println!("an idle pane: {} bytes (at most {})", heap(b"$ ls\r\na b c\r\n$ "), 100 * 1024);
    println!("\nbytes a line, of {LINES} with {COLUMNS} columns");
    println!(
        "{:<8} {:>8} {:>8} {:>8} {:>8}  {:<8} at rest",
        "", "at most", "fugue", "at rest", "tmux", "ratio"
    );
    for (name, line, most) in KINDS {
        println!("{name:<8} {most:>8} {}", beside_tmux(name, &lines(line)));
    }
    println!("\n{PANES} such panes in one process, as its resident size grows");
    println!("{:<8} {:>8} {:>8}", "", "MB", "a line");
    for (name, ..) in KINDS {
        let told = child(name).map_or("?".into(), |bytes| {
            format!("{:>8.0} {:>8.0}", bytes as f64 / 1e6, bytes as f64 / (PANES * LINES) as f64)
        });
        println!("{name:<8} {told}");
    }
}

/// What a line takes while a pane is busy and when it has been quiet, and how much more it is in tmux.
fn beside_tmux(name: &str, text: &[u8]) -> String {
    let [busy, rest] = [heap(text), heap_at_rest(text)].map(|bytes| bytes as f64 / LINES as f64);
    match tmux::growth(name, text, LINES).map(|bytes| bytes as f64 / LINES as f64) {
        Ok(tmux) => {
            format!("{busy:>8.0} {rest:>8.0} {tmux:>8.0}  1/{:<6.1} 1/{:.1}", tmux / busy, tmux / rest)
        }
        Err(why) => format!("{busy:>8.0} {rest:>8.0} {why:>8}"),
    }
}

/// Heap of a screen that was fed so, in bytes.
fn heap(bytes: &[u8]) -> usize {
    cost(|| fed(bytes))
}

/// The same once the daemon has tidied it, as it does when a pane is quiet.
fn heap_at_rest(bytes: &[u8]) -> usize {
    cost(|| {
        let mut screen = fed(bytes);
        screen.compact();
        screen
    })
}

fn cost(make: impl FnOnce() -> Screen) -> usize {
    let before = IN_USE.load(Ordering::Relaxed);
    let screen = make();
    let after = IN_USE.load(Ordering::Relaxed);
    drop(black_box(screen));
    after - before
}

fn fed(bytes: &[u8]) -> Screen {
    let mut screen = Screen::new(Size { cols: COLUMNS as u16, rows: 50 }, Limits::default());
    // As a daemon reads from a PTY.
    bytes.chunks(4096).for_each(|chunk| screen.feed(chunk));
    screen
}

fn child(name: &str) -> Option<usize> {
    let told = Command::new(std::env::current_exe().ok()?).args(["panes", name]).output().ok()?;
    String::from_utf8(told.stdout).ok()?.trim().parse().ok()
}

/// What a thousand panes add to this process, in bytes.
fn thousand(name: &str) -> usize {
    let Some((_, line, _)) = KINDS.into_iter().find(|(known, ..)| *known == name) else { return 0 };
    let text = lines(line);
    let before = tmux::resident("self");
    let panes: Vec<_> = (0..PANES).map(|_| fed(&text)).collect();
    let after = tmux::resident("self");
    drop(black_box(panes));
    after.zip(before).map_or(0, |(after, before)| after - before)
}

fn lines(line: Line) -> Vec<u8> {
    let mut text = Vec::new();
    for n in 0..LINES {
        line(n, &mut text);
        // No newline after the last, so that as many lines are kept as were written.
        text.extend_from_slice(if n + 1 < LINES { b"\r\n" } else { b"" });
    }
    text
}

fn plain(n: usize, text: &mut Vec<u8>) {
    text.extend(letters(n));
}

fn styled(n: usize, text: &mut Vec<u8>) {
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
