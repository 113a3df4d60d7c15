//! Running git: with a time limit, bounded output, and without the variables that would make it act on another
//! repository or ask somebody.

use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// How long git may take to look something up: longer means that it hangs on a file system that does not respond.
pub(crate) const LOOKUP: Duration = Duration::from_secs(2);

/// The most of git's error messages that is kept.
const MAX_ERRORS: usize = 16 << 10;

/// The most characters of a reason that is passed on.
const REASON_CHARS: usize = 300;

/// A command of git.
#[derive(Clone, Copy)]
pub(crate) struct GitCommand<'a> {
    pub(crate) directory: &'a Path,
    pub(crate) timeout: Duration,
    /// The most output that is read; more is a failure.
    pub(crate) max_output: usize,
}

impl GitCommand<'_> {
    /// Runs git to its end. Returns its output, or the reason that it gave for failing.
    pub(crate) fn run<Word: AsRef<OsStr>>(
        self,
        words: impl IntoIterator<Item = Word>,
    ) -> Result<String, String> {
        let bytes = self.run_raw(words)?;
        String::from_utf8(bytes).map_err(|_| "git printed text that is not UTF-8".to_owned())
    }

    /// The same, with output that may be any bytes.
    pub(crate) fn run_raw<Word: AsRef<OsStr>>(
        self,
        words: impl IntoIterator<Item = Word>,
    ) -> Result<Vec<u8>, String> {
        let Finished { output, errors, success } = self.finish(words)?;
        if success { Ok(output) } else { Err(reason(&String::from_utf8_lossy(&errors))) }
    }

    /// Runs git to its end, whether it succeeds or not. Returns what it printed.
    pub(crate) fn output<Word: AsRef<OsStr>>(self, words: impl IntoIterator<Item = Word>) -> Option<String> {
        String::from_utf8(self.finish(words).ok()?.output).ok()
    }

    fn finish<Word: AsRef<OsStr>>(self, words: impl IntoIterator<Item = Word>) -> Result<Finished, String> {
        let mut git = self.command(words).spawn().map_err(|why| format!("git cannot be started: {why}"))?;
        let read = self.read(&mut git);
        // A git that is given up is killed with its hooks.
        if read.is_err()
            && let Some(group) = Pid::from_raw(git.id().cast_signed())
        {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let success = git.wait().is_ok_and(|status| status.success());
        read.map(|(output, errors)| Finished { output, errors, success })
    }

    fn command<Word: AsRef<OsStr>>(self, words: impl IntoIterator<Item = Word>) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.directory).args(words);
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("GIT_") || text.starts_with("FUGUE_") {
                git.env_remove(&name);
            }
        }
        // English, because its reason is passed on, and no question that nobody would answer.
        git.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        git
    }

    /// Reads what git prints until it closes both pipes or exits: a process that a hook left in the background may keep
    /// them open.
    fn read(self, git: &mut Child) -> Result<(Vec<u8>, Vec<u8>), String> {
        let (Some(mut out), Some(mut err)) = (git.stdout.take(), git.stderr.take()) else {
            return Err("git's output cannot be read".to_owned());
        };
        let unreadable = |why: Errno| format!("git cannot be waited for: {why}");
        let exit = pidfd_open(Pid::from_child(git), PidfdFlags::empty()).map_err(unreadable)?;
        let deadline = Instant::now() + self.timeout;
        let (mut output, mut errors) = (Vec::new(), Vec::new());
        let (mut open, mut exited) = ((true, true), false);
        while open.0 || open.1 {
            // What it wrote before it exited is in the pipes.
            let until = if exited { Instant::now() } else { deadline };
            let ready = GitReady::wait([(&out, open.0), (&err, open.1), (&exit, !exited)], until)?;
            if ready == GitReady::default() {
                break;
            }
            open.0 &= !ready.out || take(&mut out, &mut output);
            open.1 &= !ready.err || take(&mut err, &mut errors);
            exited |= ready.exit;
            errors.truncate(MAX_ERRORS);
            if output.len() > self.max_output {
                return Err("git printed too much output".to_owned());
            }
            if Instant::now() >= deadline {
                return Err("git took too long".to_owned());
            }
        }
        match exited || !(open.0 || open.1) {
            true => Ok((output, errors)),
            false => Err("git took too long".to_owned()),
        }
    }
}

/// What a git that has ended printed.
struct Finished {
    output: Vec<u8>,
    errors: Vec<u8>,
    success: bool,
}

/// Reads one piece; returns false at the end of the pipe.
fn take(pipe: &mut impl Read, whole: &mut Vec<u8>) -> bool {
    let mut piece = [0; 8192];
    match pipe.read(&mut piece) {
        Ok(count) => {
            whole.extend_from_slice(&piece[..count]);
            count > 0
        }
        Err(why) => why.kind() == ErrorKind::Interrupted,
    }
}

/// What git has done: it printed something or closed a pipe, or it exited. Nothing if the time is up.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct GitReady {
    out: bool,
    err: bool,
    exit: bool,
}

impl GitReady {
    /// Waits for one of the descriptors that are wanted: output, errors, exit. One that is closed would always be ready.
    fn wait(descriptors: [(&dyn AsFd, bool); 3], until: Instant) -> Result<Self, String> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(|_| "git took too long".to_owned())?;
            let wanted = descriptors.iter().filter(|(_, wanted)| *wanted);
            let polled = wanted.map(|(fd, _)| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN));
            let mut polled: Vec<_> = polled.collect();
            match poll(&mut polled, Some(&left)) {
                Ok(_) => {
                    let mut ready = polled.iter().map(|fd| !fd.revents().is_empty());
                    let [out, err, exit] =
                        descriptors.map(|(_, wanted)| wanted && ready.next().unwrap_or_default());
                    return Ok(Self { out, err, exit });
                }
                Err(Errno::INTR) => {}
                Err(why) => return Err(why.to_string()),
            }
        }
    }
}

/// The reason among git's messages: the last that it calls fatal or an error, else the last line.
fn reason(messages: &str) -> String {
    let lines = || messages.lines().map(str::trim).filter(|line| !line.is_empty());
    let given = |line: &str| {
        let given = line.strip_prefix("fatal: ").or_else(|| line.strip_prefix("error: "));
        given.map(|given| given.trim().to_owned())
    };
    let found = lines().rev().find_map(given).or_else(|| lines().next_back().map(str::to_owned));
    let found = found.unwrap_or_else(|| "git failed without an error message".to_owned());
    found.trim_end_matches('.').chars().take(REASON_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_what_git_calls_fatal() {
        assert_eq!(reason("Preparing worktree\nfatal: 'x' is already used\n"), "'x' is already used");
        assert_eq!(reason("error: no room\nhint: make some\n"), "no room");
        assert_eq!(reason("something\n"), "something");
        assert_eq!(reason(""), "git failed without an error message");
    }

    /// A hook of git may start one.
    #[test]
    fn a_process_that_a_hook_left_in_the_background_is_not_waited_for() {
        let git =
            GitCommand { directory: Path::new("/"), timeout: Duration::from_secs(5), max_output: 1 << 20 };
        let left = "alias.leave=!sleep 10 & echo done";
        assert_eq!(git.run(["-c", left, "leave"]), Ok("done\n".to_owned()));
    }

    #[test]
    fn a_command_that_prints_too_much_or_hangs_is_ended() {
        let git = GitCommand { directory: Path::new("/"), timeout: Duration::from_secs(20), max_output: 10 };
        assert_eq!(git.run(["--version"]), Err("git printed too much output".to_owned()));
        let git = GitCommand { timeout: Duration::from_millis(50), max_output: 1 << 20, ..git };
        assert_eq!(git.run(["-c", "alias.hang=!sleep 600", "hang"]), Err("git took too long".to_owned()));
    }
}
