//! Runs a command of tmux by its row, or else in an attached client.

use super::clients;
use super::shim::{Outcome, Shim};

/// The commands that hide and show panes. They would take a teammate out of its session, so a team ignores them.
const MOVES: [&str; 2] = ["break-pane", "join-pane"];

/// The full name of a command; the names of several that begin so are the error.
fn full_name(name: &str) -> Result<&'static str, String> {
    let begun: Vec<_> = fugue_tui::tmux_names().filter(|full| full.starts_with(name)).collect();
    match fugue_tui::tmux_full_name(name) {
        Some(full) => Ok(full),
        None if begun.is_empty() => Err(format!("unknown command: {name}")),
        None => Err(format!("ambiguous command: {name}, could be: {}", begun.join(", "))),
    }
}

/// Runs a command.
pub(super) fn run(shim: &mut Shim, words: &[String]) -> Outcome {
    let (name, rest) = words.split_first().ok_or("no command")?;
    let full = full_name(name)?;
    if shim.team && MOVES.contains(&full) {
        return Ok(String::new());
    }
    match shim.commands.iter().find(|row| row.names.contains(&full)) {
        Some(row) => (row.run)(shim, &row.parse(rest)?),
        None => clients::run_in_client(shim, &[&[full.to_owned()], rest].concat()),
    }
}
