//! From a command line to the command it names. Only that command's own command line is built, so that a one-shot
//! command is quick.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use fugue_client::{CallError, HostName};
use fugue_protocol::escape::escape_lines;
use fugue_protocol::verbs::VerbInfo;
use fugue_protocol::wording::without_codes;

use crate::context::{CommandFailure, names_host};
use crate::hosts::configured;
use crate::own_commands::{self, CommandAction, OwnCommand, WorksOn};
use crate::{attach, help, tmux_translation, unknown_command, usage_error, verb_command};

/// Runs a command line; one that makes no sense may still be one of tmux's.
pub(crate) fn run(words: Vec<OsString>) -> ExitCode {
    attach::restore_terminal();
    let usual = || dispatch(words.clone()).or_else(|failure| tmux_translation::run_failed(&words, failure));
    match tmux_translation::run_first(&words).unwrap_or_else(usual) {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandFailure::ExitCode(code)) => ExitCode::from(code),
        Err(CommandFailure::Usage(error)) => {
            if !error.use_stderr() {
                let _ = error.print();
                return ExitCode::SUCCESS;
            }
            let unknown = unknown_command::describe(&error, &words);
            print_error(&unknown.unwrap_or_else(|| usage_error::worded(&error, &words)));
            ExitCode::from(2)
        }
        Err(CommandFailure::Call(error)) => {
            print_error(&error.to_string());
            ExitCode::from(if matches!(error, CallError::Refused(_)) { 1 } else { 2 })
        }
    }
}

fn print_error(error: &str) {
    let _ = writeln!(std::io::stderr(), "fugue: {}", escape_lines(&without_codes(error)));
}

/// A command, found by a word of the command line.
enum Named {
    Verb(&'static VerbInfo),
    Own(&'static OwnCommand),
}

fn dispatch(words: Vec<OsString>) -> Result<(), CommandFailure> {
    if attach::is_bare(&words) {
        return attach::last_or_first(words);
    }
    match command_in(&words) {
        Some((at, Named::Verb(verb))) => verb_command::run(verb, words, at),
        Some((at, Named::Own(own))) => {
            check_host(own, &words[..own.end_of_flags(&words, at)])?;
            match own.action {
                CommandAction::Run(run) => run(words),
                CommandAction::Describe(run) => run(words, help::command_line()),
            }
        }
        None => help::run(words),
    }
}

/// The first word that names a command, and its place: flags and their values may precede it.
fn command_in(words: &[OsString]) -> Option<(usize, Named)> {
    let is_value = |at: usize| matches!(words[at - 1].to_str(), Some("--server" | "--host"));
    let mut candidates = words.iter().enumerate().skip(1).filter(|(at, _)| !is_value(*at));
    candidates.find_map(|(at, word)| Some((at, named(word.to_str()?)?)))
}

/// Refuses `--host` for a command that works with files or programs of this host.
fn check_host(own: &OwnCommand, words: &[OsString]) -> Result<(), CallError> {
    if own.works_on == WorksOn::AnyHost || !names_host(words) {
        return Ok(());
    }
    let (name, host) = (own.name, named_host(words).map_or_else(|| "HOST".into(), |host| host.address));
    // A shell that runs one command over ssh has read no profile.
    let line = format!("ssh {host} 'PATH=\"$HOME/.local/bin:$PATH\" fugue {name}'");
    Err(CallError::Local(format!("`fugue {name}` does not support --host\nhint: use `{line}`")))
}

/// The host that a command line names.
fn named_host(words: &[OsString]) -> Option<HostName> {
    let mut words = words.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
    let name = words.find_map(|word| match word {
        "--host" => Some(None),
        word => word.strip_prefix("--host=").map(Some),
    })?;
    name.or_else(|| words.next()).map(configured::named)
}

fn named(word: &str) -> Option<Named> {
    let verb = VerbInfo::by_name_or_alias(word).map(Named::Verb);
    verb.or_else(|| own_commands::find(word).map(Named::Own))
}
