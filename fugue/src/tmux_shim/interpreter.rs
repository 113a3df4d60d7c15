//! Runs a command of tmux by its row, or else in an attached client.

use super::shim::{Outcome, Shim, ShimCommand};
use super::{clients, flags};

/// The commands that hide and show panes. They would take a teammate out of its session, so a team ignores them.
const MOVES: [&str; 4] = ["break-pane", "breakp", "join-pane", "joinp"];

/// The command of a name, an abbreviation or an unambiguous beginning; the beginnings of several are the error.
fn find(commands: &'static [ShimCommand], name: &str) -> Option<Result<&'static ShimCommand, String>> {
    if let Some(row) = commands.iter().find(|row| row.names.contains(&name)) {
        return Some(Ok(row));
    }
    let begins = |names: &[&'static str]| names.iter().copied().find(|full| full.starts_with(name));
    let own: Vec<_> = commands.iter().filter(|row| begins(row.names).is_some()).collect();
    let all: Vec<_> = fugue_tui::tmux_names().filter(|full| full.starts_with(name)).collect();
    match (own.as_slice(), all.as_slice()) {
        ([row], [] | [_]) => Some(Ok(row)),
        (_, [_, _, ..]) => Some(Err(format!("ambiguous command: {name}, could be: {}", all.join(", ")))),
        _ => None,
    }
}

/// Runs a command.
pub(super) fn run(shim: &mut Shim, words: &[String]) -> Outcome {
    let (name, rest) = words.split_first().ok_or("no command")?;
    if shim.team && MOVES.contains(&name.as_str()) {
        return Ok(String::new());
    }
    let exact = shim.commands.iter().find(|row| row.names.contains(&name.as_str()));
    match exact.map(Ok).or_else(|| if fugue_tui::is_tmux(name) { None } else { find(shim.commands, name) }) {
        Some(row) => {
            let row = row?;
            (row.run)(shim, &flags::parse(row.names[0], row.flags(), rest)?)
        }
        None if fugue_tui::is_tmux(name) => clients::run_in_client(shim, words),
        None => Err(format!("unknown command: {name}")),
    }
}
