//! Memory per line of history, here and in tmux: `cargo bench -p fugue-screen --bench heap`. The thousand panes need
//! about 3 GB. They run in a separate process, so that memory freed earlier is not counted.

#[path = "../tests/memory/heap_size.rs"]
mod heap_size;
#[path = "heap/tmux.rs"]
mod tmux;

use std::hint::black_box;
use std::process::Command;

use heap_size::{COLUMNS, LineWriter, at_rest, cost, fed, lines, plain, styled};

/// The number of lines that a pane keeps, screen included. tmux drops a tenth of its history as soon as there is one
/// line too many.
const LINES: usize = 10_000;
const PANES: usize = 1_000;

/// The kinds of lines, and the most bytes that one of them may take.
const KINDS: [(&str, LineWriter, usize); 2] = [("plain", plain, 220), ("styled", styled, 300)];

fn main() {
    let words: Vec<_> = std::env::args().collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "panes", name] => println!("{}", thousand(name)),
        _ => tables(),
    }
}

fn tables() {
    println!("an idle pane: {} bytes (at most {})", cost(|| fed(b"$ ls\r\na b c\r\n$ ")), 100 * 1024);
    println!("\nbytes a line, of {LINES} with {COLUMNS} columns");
    println!(
        "{:<8} {:>8} {:>8} {:>8} {:>8}  {:<8} at rest",
        "", "at most", "fugue", "at rest", "tmux", "ratio"
    );
    for (name, line, most) in KINDS {
        println!("{name:<8} {most:>8} {}", beside_tmux(name, &lines(LINES, line)));
    }
    println!("\n{PANES} such panes in one process, as its resident size grows");
    println!("{:<8} {:>8} {:>8}", "", "MB", "a line");
    for (name, ..) in KINDS {
        let output = child(name).map_or("?".into(), |bytes| {
            format!("{:>8.0} {:>8.0}", bytes as f64 / 1e6, bytes as f64 / (PANES * LINES) as f64)
        });
        println!("{name:<8} {output}");
    }
}

/// Returns what a line takes in a busy pane and in a quiet one, and how much more it takes in tmux.
fn beside_tmux(name: &str, text: &[u8]) -> String {
    let [busy, rest] = [cost(|| fed(text)), cost(|| at_rest(text))].map(|bytes| bytes as f64 / LINES as f64);
    match tmux::growth(name, text, LINES).map(|bytes| bytes as f64 / LINES as f64) {
        Ok(tmux) => {
            format!("{busy:>8.0} {rest:>8.0} {tmux:>8.0}  1/{:<6.1} 1/{:.1}", tmux / busy, tmux / rest)
        }
        Err(why) => format!("{busy:>8.0} {rest:>8.0} {why:>8}"),
    }
}

fn child(name: &str) -> Option<usize> {
    let output = Command::new(std::env::current_exe().ok()?).args(["panes", name]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Returns what a thousand panes add to this process, in bytes.
fn thousand(name: &str) -> usize {
    let Some((_, line, _)) = KINDS.into_iter().find(|(known, ..)| *known == name) else { return 0 };
    let text = lines(LINES, line);
    let before = tmux::resident("self");
    let panes: Vec<_> = (0..PANES).map(|_| fed(&text)).collect();
    let after = tmux::resident("self");
    drop(black_box(panes));
    after.zip(before).map_or(0, |(after, before)| after - before)
}
