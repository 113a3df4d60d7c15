//! The fugue binary: one word says what it is. A verb is called and its reply printed; `keeper` and `daemon` are the
//! processes behind, `mcp` serves an agent; the rest helps people.

mod asciicast;
mod attach;
mod behind;
mod cli;
mod events;
mod help;
mod hook;
mod letters;
mod messages;
mod print;
mod project;
mod record;
mod repeats;
mod tmux;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    match words.get(1).and_then(|word| word.to_str()) {
        Some("keeper") => behind::keeper(&words),
        Some("daemon") => behind::daemon(&words),
        Some("mcp") => fugue_mcp::run(&words),
        _ => cli::run(words),
    }
}
