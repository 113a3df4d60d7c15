//! A shell command of the user that the daemon runs: in a group of its own, without input, for a limited time.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::MemfdFlags;
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::program_start::spawn_environment::is_passed_on;

/// The end of its output in which the last line is searched.
const TAIL_BYTES: u64 = 4 << 10;

/// A command that runs.
pub(crate) struct UserCommand {
    child: Child,
    output: File,
}

/// How a command ended.
pub(crate) struct EndedCommand {
    /// Its status; none if it took too long and was killed.
    pub(crate) status: Option<ExitStatus>,
    /// The last line of its output, which says why it failed.
    pub(crate) last_line: String,
}

/// A shell that runs a command, without the variables of the daemon's own start and of the terminal in which that was: its
/// `TMUX_PANE` would name a pane of this daemon.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    for (name, _) in std::env::vars_os().filter(|(name, _)| !is_passed_on(name)) {
        shell.env_remove(name);
    }
    shell.args(["-c", command]);
    shell
}

impl UserCommand {
    /// Starts a command.
    pub(crate) fn start(mut command: Command) -> io::Result<Self> {
        let output = File::from(rustix::fs::memfd_create("output", MemfdFlags::CLOEXEC)?);
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
        Ok(Self { child: command.process_group(0).spawn()?, output })
    }

    /// The process id. No other process gets it before [`Self::end`].
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it ends, on a thread that may block. Returns whether it did in time.
    pub(crate) fn ends_within(&self, limit: Duration) -> io::Result<bool> {
        let process = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty())?;
        let deadline = Instant::now() + limit;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            let remaining = Timespec::try_from(remaining).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&remaining)) {
                Err(Errno::INTR) => {}
                ready => return Ok(ready? > 0),
            }
        }
    }

    /// Takes its status, or kills it with what it started if it did not end in time.
    pub(crate) fn end(mut self, in_time: bool) -> io::Result<EndedCommand> {
        if !in_time && let Some(group) = Pid::from_raw(self.child.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = self.child.wait()?;
        let last_line = last_line(&mut self.output).unwrap_or_default();
        Ok(EndedCommand { status: in_time.then_some(status), last_line })
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
