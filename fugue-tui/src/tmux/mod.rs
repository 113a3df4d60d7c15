//! tmux's command lines, which people know by heart: each becomes a fugue command, or an error that says what to do
//! instead.

mod command_table;
mod flags;
mod targets;
#[cfg(test)]
mod tests_parity;

use crate::command::client_commands::is_own;
use crate::tree::Tree;
pub(crate) use command_table::COMMANDS;
use command_table::{Operands, TmuxCommand, TmuxFlag, Translation};
use flags::ParsedFlags;

/// Translates a tmux command line. Returns `None` for a line that is fugue's own.
pub(crate) fn translate(
    words: &[String],
    tree: &Tree,
    is_ours: impl Fn(&str) -> bool,
) -> Option<Result<Vec<String>, String>> {
    let (name, rest) = words.split_first()?;
    if rest.is_empty() && is_own(name) {
        return None;
    }
    // Long flags are fugue's: tmux has none.
    if rest.iter().take_while(|word| *word != "--").any(|word| word.len() > 2 && word.starts_with("--")) {
        return None;
    }
    let row = COMMANDS.iter().find(|row| row.names.contains(&name.as_str()))?;
    let Translation::Line(line) = row.becomes else { return Some(Err(no_counterpart(row, rest))) };
    match flags::read(rest, row.flags) {
        Ok(given) => TmuxLine { row, given, tree }.fugue_words(line).transpose(),
        Err(_) if is_ours(name) => None,
        Err(flag) => Some(Err(format!("`{name} {flag}` is not supported: use `{line}`"))),
    }
}

/// The tmux commands that have a counterpart.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    let done = |row: &&TmuxCommand| matches!(row.becomes, Translation::Line(_));
    COMMANDS.iter().filter(done).map(|row| row.names[0])
}

/// The tmux commands that have none, and what to do instead.
#[cfg(test)]
pub(crate) fn omitted() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.iter().filter_map(|row| match row.becomes {
        Translation::Nothing(why) => Some((row.names[0], why)),
        Translation::Setting => Some((row.names[0], command_table::SETTING)),
        Translation::Line(_) => None,
    })
}

/// The error for a command without a counterpart.
fn no_counterpart(row: &TmuxCommand, rest: &[String]) -> String {
    let option = rest.iter().find(|word| !word.starts_with('-')).map(String::as_str);
    match (row.becomes, option.and_then(command_table::option)) {
        (Translation::Setting, Some((name, instead))) => format!("`{name}`: {instead}"),
        (Translation::Setting, None) => command_table::SETTING.into(),
        (Translation::Nothing(why), _) => format!("fugue has no `{}`: {why}", row.names[0]),
        (Translation::Line(_), _) => String::new(),
    }
}

/// A parsed tmux command line.
struct TmuxLine<'a> {
    row: &'static TmuxCommand,
    given: ParsedFlags<'a>,
    tree: &'a Tree,
}

impl TmuxLine<'_> {
    /// The fugue command. Returns `None` if the line is fugue's own after all.
    fn fugue_words(&self, line: &str) -> Result<Option<Vec<String>>, String> {
        let instead = self.given.flags.iter().find_map(|(_, flag, _)| match flag {
            TmuxFlag::Instead(line) => Some(*line),
            _ => None,
        });
        let mut words: Vec<String> = split(instead.unwrap_or(line));
        for (_, flag, value) in &self.given.flags {
            words.extend(self.flag(flag, value)?);
        }
        words.extend(self.defaults());
        if self.given.has(&TmuxFlag::Before) {
            words.iter_mut().for_each(reverse_side);
        }
        Ok(self.rest()?.map(|rest| words.into_iter().chain(rest).collect()))
    }

    /// The words for omitted flags.
    fn defaults(&self) -> Vec<String> {
        let given = |letter: char| self.given.flags.iter().any(|(given, ..)| *given == letter);
        let defaults = self.row.defaults.iter().filter(|(letter, _)| !given(*letter));
        defaults.flat_map(|(_, words)| split(words)).collect()
    }

    fn flag(&self, flag: &TmuxFlag, value: &str) -> Result<Vec<String>, String> {
        let with = |name: &str, value: String| Ok(split(name).into_iter().chain([value]).collect());
        match flag {
            TmuxFlag::Is(words) => Ok(split(words)),
            TmuxFlag::With(name) => with(name, value.to_owned()),
            TmuxFlag::Pane(name) => with(name, targets::pane(value, self.tree)?),
            TmuxFlag::Window(name) => with(name, targets::window(value, self.tree)?),
            TmuxFlag::Session(name) => with(name, targets::session(value)),
            TmuxFlag::Into(name) => with(name, targets::into(value, self.tree)?),
            TmuxFlag::Place => targets::place(value),
            TmuxFlag::Share => with("--percent", targets::share(value, self.tree, &self.given)?),
            TmuxFlag::Before | TmuxFlag::Instead(_) | TmuxFlag::Idle | TmuxFlag::IdleWith => Ok(Vec::new()),
        }
    }

    /// The operands. Returns `None` if only fugue's own command takes some.
    fn rest(&self) -> Result<Option<Vec<String>>, String> {
        let rest: Vec<String> = self.given.rest.to_vec();
        Ok(match (self.row.rest, rest.as_slice()) {
            (_, []) => Some(Vec::new()),
            (Operands::None, _) => None,
            (Operands::Words, _) => Some(rest),
            (Operands::Name, _) => Some(split("--").into_iter().chain(rest).collect()),
            (Operands::Amount, [amount, ..]) => Some(vec!["--by".into(), amount.clone()]),
            (Operands::Program, [line]) => Some(vec!["--command".into(), line.clone()]),
            (Operands::Boxed, [line]) if line.contains(' ') => {
                Some(split("-- sh -c").into_iter().chain([line.clone()]).collect())
            }
            (Operands::Program | Operands::Boxed, _) => Some(split("--").into_iter().chain(rest).collect()),
            (Operands::Keys, _) => Some(flags::keys(&rest)?),
            (Operands::Text, _) => Some(vec![rest.join(" ")]),
        })
    }
}

fn split(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Turns a side around for `-b`: before, not after.
fn reverse_side(word: &mut String) {
    for (after, before) in [("--right", "--left"), ("--below", "--above")] {
        if word == after {
            before.clone_into(word);
            return;
        }
    }
}
