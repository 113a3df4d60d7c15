//! tmux's command lines at a shell: what fugue does not understand may be one of them, and is run as such.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};
use fugue_protocol::verbs::VerbInfo;

use crate::context::{self, CommandFailure};
use crate::{own_commands, tmux_shim};

/// Names that mean something else in tmux: a mistake in such a line must not run anything.
const OURS: [&str; 2] = ["run", "wait"];

/// Names that fugue and tmux share, but whose words mean keys to tmux and text to fugue.
const TMUX_FIRST: [&str; 2] = ["send-keys", "send"];

/// Runs a line as tmux's if its words mean something else to fugue. Returns `None` if it is not such a line.
pub(crate) fn run_first(words: &[OsString]) -> Option<Result<(), CommandFailure>> {
    let (global, line) = split_global_flags(words);
    let name = line.first()?;
    let is_so = TMUX_FIRST.contains(&name.as_str()) && !has_long_flags(&line);
    (is_so && tmux_shim::understands(&line)).then(|| run(&global, line))
}

/// Runs a command line that failed as wrong usage, if it is one of tmux's; otherwise the failure stands.
pub(crate) fn run_failed(words: &[OsString], failure: CommandFailure) -> Result<(), CommandFailure> {
    let (global, line) = split_global_flags(words);
    let Some(name) = line.first() else { return Err(failure) };
    let is_tmux = tmux_shim::is_command(name) && !OURS.contains(&name.as_str()) && !has_long_flags(&line);
    let is_ours = VerbInfo::by_name_or_alias(name).is_some() || own_commands::find(name).is_some();
    match failure {
        CommandFailure::Usage(error)
            if is_tmux && !is_bad_value(&error) && (!is_ours || tmux_shim::understands(&line)) =>
        {
            run(&global, line)
        }
        failure => Err(failure),
    }
}

/// Whether fugue understands a line, but not a value in it. Only sizes in percent are tmux's.
fn is_bad_value(error: &clap::Error) -> bool {
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    error.kind() == ErrorKind::ValueValidation && !value.ends_with('%')
}

/// Long flags are fugue's: tmux has none.
fn has_long_flags(line: &[String]) -> bool {
    line.iter().take_while(|word| *word != "--").any(|word| word.len() > 2 && word.starts_with("--"))
}

fn run(global: &[OsString], line: Vec<String>) -> Result<(), CommandFailure> {
    let args = context::with_global_flags(Command::new("fugue")).try_get_matches_from(global)?;
    match tmux_shim::run_for_person(line, args.get_one::<String>("server").map(String::as_str)) {
        0 => Ok(()),
        code => Err(CommandFailure::ExitCode(code)),
    }
}

/// The program's name with its global flags, and the command line after them.
fn split_global_flags(words: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let mut count = 1;
    while let Some(word) =
        words.get(count).and_then(|word| word.to_str()).filter(|word| word.starts_with("--"))
    {
        count += if word == "--server" { 2 } else { 1 };
    }
    let (global, line) = words.split_at(count.min(words.len()));
    (global.to_vec(), line.iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn global_flags_precede_the_line() {
        let split = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let (global, line) = split_global_flags(&words);
            (global.len(), line.join(" "))
        };
        assert_eq!(split("fugue --server last neww -n x"), (3, "neww -n x".into()));
        assert_eq!(split("fugue --json splitw -h"), (2, "splitw -h".into()));
        assert_eq!(split("fugue --server"), (2, String::new()));
    }
}
