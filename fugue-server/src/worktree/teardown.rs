//! The teardown command of a worktree, which runs before the worktree is removed.

use std::path::Path;
use std::time::Duration;

use fugue_config::ProjectFileProblem;
use fugue_protocol::refusal::KeptBecause;

use crate::program_start::spawn_environment;
use crate::user_command::{self, EndedCommand, UserCommand};

/// How long the command may take: it stops containers or drops a database.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Runs the teardown command of a repository, if it has one, in a worktree.
pub(super) fn run(state: &Path, repository: &Path, worktree: &Path) -> Result<(), KeptBecause> {
    let commands = fugue_config::worktree_commands(state, repository).map_err(|problem| match problem {
        ProjectFileProblem::NotTrusted(path) => {
            KeptBecause::TeardownNotTrusted { path: spawn_environment::text(&path) }
        }
        ProjectFileProblem::Unreadable(why) => KeptBecause::git_refused(why),
    })?;
    commands.teardown.map_or(Ok(()), |command| run_command(&command, worktree, TIMEOUT))
}

fn run_command(command: &str, worktree: &Path, timeout: Duration) -> Result<(), KeptBecause> {
    let failed = |exit: String, last_line: String| KeptBecause::TeardownFailed { exit, last_line };
    let ended = finish(command, worktree, timeout).map_err(|why| failed(why.to_string(), String::new()))?;
    match ended.status {
        Some(status) if status.success() => Ok(()),
        status => {
            let exit = status.map_or_else(|| "it took too long".to_owned(), |status| status.to_string());
            Err(failed(exit, ended.last_line))
        }
    }
}

fn finish(command: &str, worktree: &Path, timeout: Duration) -> std::io::Result<EndedCommand> {
    let mut shell = user_command::shell(command);
    shell.current_dir(worktree).env("PWD", worktree);
    let command = UserCommand::start(shell)?;
    let in_time = command.ends_within(timeout)?;
    command.end(in_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_or_hangs_is_reported_with_its_last_line() {
        let run = |command: &str, timeout| run_command(command, Path::new("/"), timeout);
        assert_eq!(run("echo done", TIMEOUT), Ok(()));
        let failed = |exit: &str, line: &str| {
            Err(KeptBecause::TeardownFailed { exit: exit.into(), last_line: line.into() })
        };
        assert_eq!(run("echo first; echo last >&2; exit 4", TIMEOUT), failed("exit status: 4", "last"));
        let short = Duration::from_millis(100);
        assert_eq!(run("echo begun; sleep 600", short), failed("it took too long", "begun"));
    }
}
