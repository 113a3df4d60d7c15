//! tmux's command lines, which people know by heart: each becomes a fugue command, or an error that says what to do
//! instead.

mod command_row;
mod command_table;
mod flags;
mod questions;
mod targets;
#[cfg(test)]
mod tests_parity;

use fugue_tmux::command_table::{self as table, CommandRow};
use fugue_tmux::commands::allowed_name;

use crate::command::client_commands::is_own;
use crate::tree::Tree;
use command_row::{Operands, TmuxCommand, TmuxFlag, Translation};
pub(crate) use command_table::COMMANDS;
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
    let row = match is_ours(name) {
        true => exact_row(name)?,
        false => row_of(name)?,
    };
    let line = match row.becomes {
        Translation::Line(line) => line,
        Translation::Job => return Some(Ok(synchronization(words).unwrap_or_else(|| job(words)))),
        Translation::Nothing(_) => return refusal(words).map(Err),
    };
    if let Some(why) = lacking(&row, rest) {
        return Some(Err(why));
    }
    let given = flags::read(rest, row.flags);
    let operands = given.as_ref().map_or(0, |given| given.rest.len());
    let translated = given.and_then(|given| TmuxLine { row, given, tree }.fugue_words(line));
    match (translated, run_by_fugue_tmux(row)) {
        (Ok(Some(words)), _) => Some(Ok(words)),
        (Ok(None), _) if is_ours(name) => None,
        (Ok(None), Some(known)) => Some(known.check_operands(operands).map(|()| job(words))),
        (Ok(None), None) => Some(Err(format!("command {}: too many arguments (need at most 0)", row.name))),
        // fugue has a command of this name, with flags of its own.
        (Err(_), None) if is_ours(name) => None,
        (Err(_), Some(known)) if is_ours(name) && !has_only(rest, known.flags) => None,
        (Err(_), Some(_)) => Some(Ok(job(words))),
        (Err(flag), None) => Some(Err(format!("`{name} {flag}` is not supported: use `{line}`"))),
    }
}

/// The client's command that has `fugue tmux` run a line.
fn job(words: &[String]) -> Vec<String> {
    let is_binding = matches!(words.first().map(String::as_str), Some("bind" | "bind-key"));
    let mut job = vec!["tmux".to_owned()];
    for word in words {
        // A semicolon at the end of a word is part of the command; unescaped, it would end the command.
        match word.strip_suffix(';') {
            Some(rest) if is_binding && !rest.is_empty() => job.extend([rest.to_owned(), "\\;".to_owned()]),
            Some(rest) => job.push(format!("{rest}\\;")),
            None => job.push(word.clone()),
        }
    }
    job
}

/// The client's command for `set-window-option synchronize-panes`. Run by the client itself, it has taken effect when the
/// next command of a binding runs.
fn synchronization(words: &[String]) -> Option<Vec<String>> {
    let words: Vec<_> = words.iter().map(String::as_str).filter(|word| *word != "-w").collect();
    let value = match words.as_slice() {
        ["set" | "set-option" | "setw" | "set-window-option", "synchronize-panes", value @ ..] => value,
        _ => return None,
    };
    let line = match value {
        [] => "sync-panes",
        ["on" | "yes" | "1"] => "sync-panes on",
        ["off" | "no" | "0"] => "sync-panes off",
        _ => return None,
    };
    Some(split(line))
}

/// Whether each flag of a line is one of these.
fn has_only(rest: &[String], known: &str) -> bool {
    let flags = rest.iter().take_while(|word| *word != "--").filter_map(|word| word.strip_prefix('-'));
    flags.filter_map(|word| word.chars().next()).all(|letter| known.contains(letter))
}

/// The command of this name or abbreviation.
fn exact_row(name: &str) -> Option<TmuxCommand> {
    named(table::named(name)?)
}

/// What a command becomes: what its row here says, or else it is run as tmux's.
fn named(command: &CommandRow) -> Option<TmuxCommand> {
    let row = COMMANDS.iter().find(|row| row.name == command.name()).copied();
    row.or_else(|| (!command.is_of_client()).then(|| command_row::job(command.name())))
}

/// The command that a row translates, if `fugue tmux` runs it.
fn run_by_fugue_tmux(row: TmuxCommand) -> Option<&'static CommandRow> {
    table::named(row.name).filter(|command| !command.is_of_client())
}

/// The command that a name, an abbreviation or an unambiguous beginning of a name means.
fn row_of(name: &str) -> Option<TmuxCommand> {
    named(table::find(name).ok()?)
}

/// Why a command, or one of its flags, has no counterpart.
pub(crate) fn refusal(words: &[String]) -> Option<String> {
    let (name, rest) = words.split_first()?;
    let row = row_of(name)?;
    match row.becomes {
        Translation::Nothing(why) => Some(format!("fugue has no `{}`: {why}", row.name)),
        Translation::Line(_) | Translation::Job => lacking(&row, rest),
    }
}

/// Why fugue lacks a flag or an operand of a command.
fn lacking(row: &TmuxCommand, rest: &[String]) -> Option<String> {
    let given = match flags::read(rest, row.flags) {
        Ok(given) => given,
        Err(flag) => return row.lacking(&flag),
    };
    let name = row.name;
    match (row.rest, given.rest) {
        (Operands::Template, [command, ..]) if command.contains('%') => {
            Some(format!("fugue has no `{name}` with a command: fugue's lists have fixed actions"))
        }
        (Operands::Question, _) => {
            let what = questions::words(&given).err()?;
            Some(format!("fugue has no `{name}` {what}: use `ask`, which prompts for one value"))
        }
        _ => None,
    }
}

/// The tmux commands that have a counterpart.
pub(crate) fn known() -> impl Iterator<Item = &'static str> {
    let is_done = |row: &TmuxCommand| !matches!(row.becomes, Translation::Nothing(_));
    table::COMMANDS.iter().filter_map(named).filter(is_done).map(|row| row.name)
}

/// The tmux commands that have none, and what to do instead.
#[cfg(test)]
pub(crate) fn omitted() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMMANDS.iter().filter_map(|row| match row.becomes {
        Translation::Nothing(why) => Some((row.name, why)),
        Translation::Line(_) | Translation::Job => None,
    })
}

/// A parsed tmux command line.
struct TmuxLine<'a> {
    row: TmuxCommand,
    given: ParsedFlags<'a>,
    tree: &'a Tree,
}

impl TmuxLine<'_> {
    /// The fugue command. Returns `None` if the line is fugue's own after all.
    fn fugue_words(&self, line: &str) -> Result<Option<Vec<String>>, String> {
        let instead = self.given.flags.iter().find_map(|(_, flag, _)| match flag {
            TmuxFlag::Instead(line) | TmuxFlag::InsteadWith(line) => Some(*line),
            _ => None,
        });
        if self.row.rest == Operands::Question {
            return questions::words(&self.given).map(Some);
        }
        let mut words: Vec<String> = split(instead.unwrap_or(line));
        for (_, flag, value) in &self.given.flags {
            words.extend(self.flag(flag, value)?);
        }
        if instead.is_none() {
            words.extend(self.defaults());
        }
        if self.given.has(&TmuxFlag::Before) {
            words.iter_mut().for_each(reverse_side);
            // Without `-h` and `-v`, the new pane is above.
            if !words.iter().any(|word| ["--left", "--above"].contains(&word.as_str())) {
                words.push("--above".to_owned());
            }
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
            TmuxFlag::InsteadWith(_) => Ok(vec![value.to_owned()]),
            // `fugue tmux` expands formats.
            TmuxFlag::Name(_) if value.contains('#') => Err("a format".into()),
            TmuxFlag::Name(name) => with(name, value.to_owned()),
            TmuxFlag::SessionName(name) => with(name, allowed_name(value)),
            TmuxFlag::Directory => targets::directory(value),
            TmuxFlag::PaneDirectory => targets::pane_directory(value),
            TmuxFlag::Pane(name) => Ok(with_target(name, targets::pane(value, self.tree))),
            TmuxFlag::Window(name) => Ok(with_target(name, targets::window(value, self.tree))),
            TmuxFlag::Session(name) => Ok(with_target(name, targets::session(value, self.tree))),
            TmuxFlag::Into(name) => with(name, targets::into(value, self.tree)?),
            TmuxFlag::Place => targets::place(value, self.tree),
            TmuxFlag::Share | TmuxFlag::Percent => targets::share(value, &self.given),
            TmuxFlag::Before | TmuxFlag::Instead(_) | TmuxFlag::Idle | TmuxFlag::IdleWith => Ok(Vec::new()),
        }
    }

    /// The operands. Returns `None` if only fugue's own command takes some.
    fn rest(&self) -> Result<Option<Vec<String>>, String> {
        let rest: Vec<String> = self.given.rest.to_vec();
        Ok(match (self.row.rest, rest.as_slice()) {
            (_, []) => Some(Vec::new()),
            (Operands::None, _) => None,
            // `fugue tmux` reads a layout as `#{window_layout}` has it.
            (Operands::Layout, _) if rest.iter().any(|word| word.contains(',')) => {
                return Err("a layout".into());
            }
            (Operands::Words | Operands::Layout | Operands::Template | Operands::Question, _) => Some(rest),
            (Operands::Name, _) => Some(split("--").into_iter().chain(rest).collect()),
            (Operands::SessionName, _) => {
                let names = rest.iter().map(|name| allowed_name(name));
                Some(split("--").into_iter().chain(names).collect())
            }
            (Operands::Amount, [amount]) => Some(vec!["--by".into(), amount.clone()]),
            (Operands::Amount, _) => return Err("with several numbers".into()),
            (Operands::Program, [line]) => Some(vec!["--command".into(), line.clone()]),
            (Operands::Boxed, [line]) if line.contains(' ') => {
                Some(split("-- sh -c").into_iter().chain([line.clone()]).collect())
            }
            (Operands::Program | Operands::Boxed, _) => Some(split("--").into_iter().chain(rest).collect()),
            (Operands::Keys, _) => Some(flags::keys(&rest)?),
            (Operands::Plain, _) if rest.iter().any(|word| word.contains(['#', '%'])) => {
                return Err("a format".into());
            }
            (Operands::Plain, _) => Some(vec![rest.join(" ")]),
        })
    }
}

/// A flag and its target. One such as `-1`, the window before, would be taken for a flag of its own.
fn with_target(name: &str, target: String) -> Vec<String> {
    let mut words = split(name);
    match words.last_mut().filter(|_| target.starts_with('-')) {
        Some(flag) => *flag += &format!("={target}"),
        None => words.push(target),
    }
    words
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
