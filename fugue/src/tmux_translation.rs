//! tmux's command lines: what fugue does not understand may be one of them, and is translated.

use std::ffi::OsString;

use clap::{ArgMatches, Command};
use fugue_client::{CallError, StartPolicy};
use fugue_protocol::SessionId;
use fugue_protocol::verbs::{GetTags, ListSessions, VerbInfo};
use fugue_protocol::views::SessionView;

use crate::context::{self, CommandFailure};

/// Translates a command line that failed as wrong usage, if it is one of tmux's; otherwise the failure stands.
pub(crate) fn translate(
    words: &[OsString],
    failure: CommandFailure,
) -> Result<Vec<OsString>, CommandFailure> {
    let (global, line) = split_global_flags(words);
    let known = line.first().is_some_and(|name| fugue_tui::is_tmux(name));
    match (failure, known) {
        (CommandFailure::Usage(error), true) => match translate_line(&global, &line)? {
            Some(line) => Ok(global.into_iter().chain(line).collect()),
            None => Err(CommandFailure::Usage(error)),
        },
        (failure, _) => Err(failure),
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

/// The line as a verb; `None` if tmux does not know it either.
fn translate_line(global: &[OsString], line: &[String]) -> Result<Option<Vec<OsString>>, CommandFailure> {
    let args = context::with_global_flags(Command::new("fugue")).try_get_matches_from(global)?;
    // Without a session there is nothing such a line could act on.
    let Ok((here, sessions)) = sessions(&args) else { return Ok(None) };
    let words = fugue_tui::from_tmux(line, here, sessions).transpose().map_err(CallError::Local)?;
    let Some(words) = words else { return Ok(None) };
    if words.first().is_some_and(|name| VerbInfo::by_name_or_alias(name).is_some()) {
        return Ok(Some(words.into_iter().map(OsString::from).collect()));
    }
    let why = format!(
        "`{}` works only in an attached client\nhint: attach with `fugue`, then use the command prompt",
        line[0]
    );
    Err(CallError::Local(why).into())
}

/// The default session and all sessions.
fn sessions(args: &ArgMatches) -> Result<(SessionId, Vec<SessionView>), CallError> {
    let mut connection = context::open(args, StartPolicy::Never)?;
    let here = connection.call(&GetTags::default())?.session_id;
    Ok((here, connection.call(&ListSessions::default())?.sessions))
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
