//! tmux's command lines on ours: what is no command of fugue's, or has no such flags, may be one that fingers know.

use std::ffi::OsString;

use clap::{ArgMatches, Command};
use fugue_client::{CallError, StartPolicy};
use fugue_protocol::SessionId;
use fugue_protocol::verbs::{GetTags, ListSessions};
use fugue_protocol::views::SessionView;

use crate::cli::{self, Failure};

/// Does what a line means that makes no sense to us, if it is one of tmux's.
pub(crate) fn instead(words: &[OsString], failure: Failure) -> Result<(), Failure> {
    let (common, line) = parted(words);
    let known = line.first().is_some_and(|name| fugue_tui::is_tmux(name));
    match (failure, known) {
        (Failure::Usage(error), true) => match ours(&common, &line)? {
            Some(line) => cli::dispatch(common.into_iter().chain(line).collect()),
            None => Err(Failure::Usage(error)),
        },
        (failure, _) => Err(failure),
    }
}

/// The flags that every command has, and the line after them.
fn parted(words: &[OsString]) -> (Vec<OsString>, Vec<String>) {
    let mut count = 1;
    while let Some(word) =
        words.get(count).and_then(|word| word.to_str()).filter(|word| word.starts_with("--"))
    {
        count += if word == "--server" { 2 } else { 1 };
    }
    let (common, line) = words.split_at(count.min(words.len()));
    (common.to_vec(), line.iter().map(|word| word.to_string_lossy().into_owned()).collect())
}

/// The line in our words; nothing where it is none of tmux's after all.
fn ours(common: &[OsString], line: &[String]) -> Result<Option<Vec<OsString>>, Failure> {
    let args = cli::with_common(Command::new("fugue")).try_get_matches_from(common)?;
    // Where there is no session, there is nothing to do such a thing to.
    let Ok((here, sessions)) = tree(&args) else { return Ok(None) };
    let words = fugue_tui::from_tmux(line, here, sessions).transpose().map_err(CallError::Local)?;
    let Some(words) = words else { return Ok(None) };
    if words.first().is_some_and(|name| cli::verb_name(name).is_some()) {
        return Ok(Some(words.into_iter().map(OsString::from).collect()));
    }
    let why = format!("`{}` is done in a terminal that shows a session: C-b : takes it there", line[0]);
    Err(CallError::Local(why).into())
}

/// The session that is meant when none is named, and all there are.
fn tree(args: &ArgMatches) -> Result<(SessionId, Vec<SessionView>), CallError> {
    let mut connection = cli::open(args, StartPolicy::Never)?;
    let here = connection.call(&GetTags::default())?.session_id;
    Ok((here, connection.call(&ListSessions {})?.sessions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_all_have_stand_before_the_line() {
        let parted = |line: &str| {
            let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            let (common, line) = parted(&words);
            (common.len(), line.join(" "))
        };
        assert_eq!(parted("fugue --server last neww -n x"), (3, "neww -n x".into()));
        assert_eq!(parted("fugue --json splitw -h"), (2, "splitw -h".into()));
        assert_eq!(parted("fugue --server"), (2, String::new()));
    }
}
