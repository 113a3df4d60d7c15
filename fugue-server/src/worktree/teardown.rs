//! The teardown command of a worktree, which runs before the worktree is removed.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use fugue_config::ProjectFileProblem;
use fugue_protocol::refusal::KeptBecause;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::spawn_environment;

/// How long the command may take: it stops containers or drops a database.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The end of its output in which the last line is searched.
const TAIL_BYTES: u64 = 4 << 10;

/// Runs the teardown command of a repository, if it has one, in a worktree.
pub(super) fn run(state: &Path, repository: &Path, worktree: &Path) -> Result<(), KeptBecause> {
    let commands = fugue_config::worktree_commands(state, repository).map_err(|problem| match problem {
        ProjectFileProblem::NotTrusted(path) => {
            KeptBecause::TeardownNotTrusted { path: spawn_environment::text(&path) }
        }
        ProjectFileProblem::Unreadable(why) => KeptBecause::git(why),
    })?;
    commands.teardown.map_or(Ok(()), |command| run_command(&command, worktree, TIMEOUT))
}

fn run_command(command: &str, worktree: &Path, timeout: Duration) -> Result<(), KeptBecause> {
    let failed = |why: String| KeptBecause::TeardownFailed { exit: why, last_line: String::new() };
    let mut output: File = rustix::fs::memfd_create("teardown", MemfdFlags::CLOEXEC)
        .map_err(|why| failed(why.to_string()))?
        .into();
    let status = finish(command, worktree, &output, timeout).map_err(|why| failed(why.to_string()))?;
    match status {
        Some(status) if status.success() => Ok(()),
        status => {
            let exit = status.map_or_else(|| "it took too long".to_owned(), |status| status.to_string());
            Err(KeptBecause::TeardownFailed { exit, last_line: last_line(&mut output).unwrap_or_default() })
        }
    }
}

/// Runs the command to its end. Returns nothing if it took too long; then it is killed with what it started.
fn finish(
    command: &str,
    worktree: &Path,
    output: &File,
    timeout: Duration,
) -> std::io::Result<Option<ExitStatus>> {
    let mut shell = Command::new("/bin/sh");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("FUGUE_")) {
        shell.env_remove(name);
    }
    shell.args(["-c", command]).current_dir(worktree).env("PWD", worktree).process_group(0);
    shell.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let mut child = shell.spawn()?;
    if ends(&child, timeout)? {
        return child.wait().map(Some);
    }
    if let Some(group) = Pid::from_raw(child.id().cast_signed()) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    child.wait()?;
    Ok(None)
}

/// Waits until a process ends. Returns whether it did in time.
fn ends(child: &Child, timeout: Duration) -> std::io::Result<bool> {
    let process = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let deadline = Instant::now() + timeout;
    loop {
        let remaining = deadline.saturating_duration_since(Instant::now());
        let remaining = Timespec::try_from(remaining).map_err(std::io::Error::other)?;
        match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&remaining)) {
            Err(Errno::INTR) => {}
            ready => return Ok(ready? > 0),
        }
    }
}

fn last_line(output: &mut File) -> Option<String> {
    let length = output.metadata().ok()?.len();
    output.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).ok()?;
    let mut tail = Vec::new();
    output.take(TAIL_BYTES).read_to_end(&mut tail).ok()?;
    let tail = String::from_utf8_lossy(&tail).into_owned();
    tail.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
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
