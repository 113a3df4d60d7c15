//! Instructions per byte of output, counted by valgrind. The count does not depend on the load of the machine, so two
//! versions can be compared where times cannot. `cargo bench -p fugue-screen --bench instructions`.

mod corpora;

use std::hint::black_box;
use std::process::Command;

use corpora::{CORPORA, filled};
use fugue_screen::{Limits, Screen, Size};

/// The size of a daemon's reads from a PTY.
const CHUNK: usize = 4096;
/// The first pass fills the history of the pane and is not counted.
const TIMES: usize = 2;

struct Null;
impl vte::Perform for Null {}

fn main() {
    let words: Vec<_> = std::env::args().collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "run", name, subject, times] => run(name, subject, times.parse().unwrap_or(0)),
        _ => table(),
    }
}

fn table() {
    println!("{:<26} {:>8} {:>8}  instructions a byte", "", "vte", "screen");
    for (name, add) in CORPORA {
        let bytes = filled(add).len();
        let counts = ["vte", "screen"].map(|subject| count(name, subject, bytes));
        let [vte, screen] = counts.map(|count| count.map_or("?".into(), |count| format!("{count:.1}")));
        println!("{name:<26} {vte:>8} {screen:>8}");
    }
}

/// Returns the cost of feeding the corpus without the cost of starting, or `None` where instructions cannot be counted.
fn count(name: &str, subject: &str, bytes: usize) -> Option<f64> {
    let whole = instructions(name, subject, TIMES)?;
    let start = instructions(name, subject, TIMES - 1)?;
    Some((whole - start) / bytes as f64)
}

fn instructions(name: &str, subject: &str, times: usize) -> Option<f64> {
    let own = std::env::current_exe().ok()?;
    let counted = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(own)
        .args(["run", name, subject, &times.to_string()])
        .output()
        .ok()?;
    let output = String::from_utf8_lossy(&counted.stderr).into_owned();
    output.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

fn run(name: &str, subject: &str, times: usize) {
    let Some((_, add)) = CORPORA.into_iter().find(|(known, _)| *known == name) else { return };
    let corpus = filled(add);
    let mut screen = Screen::new(Size { cols: 200, rows: 50 }, Limits::default());
    let mut parser = vte::Parser::new();
    for chunk in (0..times).flat_map(|_| corpus.chunks(CHUNK)) {
        match subject {
            "vte" => parser.advance(black_box(&mut Null), chunk),
            _ => screen.feed(chunk),
        }
    }
    black_box(&screen);
}
