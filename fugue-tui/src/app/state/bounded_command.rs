//! A shell command with a time limit, run on a thread of its own. What it prints is bounded, and it is killed with its
//! process group when its time is over or when nobody wants its output any more.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// The most output that is kept: more than a line of any terminal.
const BYTES: usize = 16 << 10;

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct BoundedCommand {
    /// The command line, for `sh -c`.
    pub(crate) line: String,
    /// What it reads.
    pub(crate) input: Vec<u8>,
    pub(crate) timeout: Duration,
    /// A variable that it gets besides the client's.
    pub(crate) variable: (&'static str, std::ffi::OsString),
}

/// What it printed, or why it failed.
pub(crate) type CommandEnd = Result<String, String>;

/// A command under way. Dropping this kills it.
#[derive(Debug)]
pub(crate) struct CommandRun(Arc<Mutex<RunState>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunState {
    Starting,
    /// The leader of the process group.
    Running(Pid),
    Ended,
    Cancelled,
}

impl BoundedCommand {
    /// Starts it, and tells `done` how it ended.
    pub(crate) fn start(self, done: impl FnOnce(CommandEnd) + Send + 'static) -> CommandRun {
        let state = Arc::new(Mutex::new(RunState::Starting));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || done(self.run(&shared)));
        CommandRun(state)
    }

    fn run(self, state: &Mutex<RunState>) -> CommandEnd {
        let mut command = Command::new("sh");
        command.arg("-c").arg(&self.line).env(self.variable.0, &self.variable.1).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let child = {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if *state == RunState::Cancelled {
                return Err("cancelled".into());
            }
            let child = command.spawn().map_err(|why| format!("cannot run sh: {why}"))?;
            *state = RunState::Running(Pid::from_child(&child));
            child
        };
        let mut session = ChildSession { child, input: self.input, output: Vec::new() };
        let in_time = session.converse(Instant::now() + self.timeout);
        // Until it is reaped, its number means no other process.
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if !in_time {
            let _ = kill_process_group(Pid::from_child(&session.child), Signal::KILL);
        }
        let status = session.child.wait();
        *state = RunState::Ended;
        match status {
            _ if !in_time => Err(format!("took longer than {} s", self.timeout.as_secs())),
            Ok(status) if status.success() => Ok(session.text()),
            Ok(status) => Err(status.to_string()),
            Err(why) => Err(why.to_string()),
        }
    }
}

impl CommandRun {
    pub(crate) fn has_ended(&self) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == RunState::Ended
    }
}

impl Drop for CommandRun {
    fn drop(&mut self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *state {
            RunState::Running(leader) => drop(kill_process_group(leader, Signal::KILL)),
            RunState::Starting => *state = RunState::Cancelled,
            RunState::Ended | RunState::Cancelled => {}
        }
    }
}

/// A child that is written to and read from until it ends.
struct ChildSession {
    child: Child,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl ChildSession {
    /// Writes and reads until the child ends. Returns whether it did before the deadline. Processes that it leaves in the
    /// background may outlive it.
    fn converse(&mut self, deadline: Instant) -> bool {
        let Ok(process) = pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()) else { return false };
        let pipes = (
            self.child.stdin.as_ref().map(ioctl_nonblocking),
            self.child.stdout.as_ref().map(ioctl_nonblocking),
        );
        if pipes != (Some(true), Some(true)) {
            return false;
        }
        loop {
            self.write();
            let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
            else {
                return false;
            };
            let mut fds = vec![PollFd::new(&process, PollFlags::IN)];
            fds.extend(self.child.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
            fds.extend(self.child.stdin.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
            let _ = poll(&mut fds, Timespec::try_from(left).ok().as_ref());
            let ended = !fds[0].revents().is_empty();
            drop(fds);
            self.read();
            if ended {
                return true;
            }
        }
    }

    /// Writes what fits; the pipe is closed after the last byte, or if nobody reads it.
    fn write(&mut self) {
        let Some(pipe) = &mut self.child.stdin else { return };
        while !self.input.is_empty() {
            match pipe.write(&self.input) {
                Ok(count) => drop(self.input.drain(..count)),
                Err(why) if why.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(_) => break,
            }
        }
        self.child.stdin = None;
    }

    /// Reads what there is, and keeps as much of it as is wanted.
    fn read(&mut self) {
        /// The most reads in a row: a program that writes without end must not keep the deadline from being checked.
        const READS: usize = 64;
        let Some(pipe) = &mut self.child.stdout else { return };
        let mut bytes = [0; 4096];
        for _ in 0..READS {
            match pipe.read(&mut bytes) {
                Ok(0) => {
                    self.child.stdout = None;
                    return;
                }
                Ok(count) => {
                    let room = BYTES.saturating_sub(self.output.len());
                    self.output.extend_from_slice(&bytes[..count.min(room)]);
                }
                Err(_) => return,
            }
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}

fn ioctl_nonblocking(pipe: impl std::os::fd::AsFd) -> bool {
    ioctl_fionbio(pipe, true).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn command(line: &str, input: &[u8], seconds: u64) -> BoundedCommand {
        let (timeout, variable) = (Duration::from_secs(seconds), ("FUGUE_X", "some value".into()));
        BoundedCommand { line: line.into(), input: input.to_vec(), timeout, variable }
    }

    fn end_of(line: &str, input: &[u8], seconds: u64) -> CommandEnd {
        let (sender, receiver) = channel();
        let _run = command(line, input, seconds).start(move |end| sender.send(end).unwrap());
        receiver.recv().expect("it ends")
    }

    /// Whether a process runs.
    fn runs(pid: &str) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    }

    #[test]
    fn the_output_of_a_command_is_bounded_and_its_failure_is_told() {
        assert_eq!(end_of("tr a-z A-Z; echo $FUGUE_X", b"hi ", 60), Ok("HI some value\n".into()));
        let much = vec![b'x'; 1 << 20];
        assert_eq!(end_of("cat", &much, 60).map(|text| text.len()), Ok(BYTES));
        assert_eq!(end_of("true", &much, 60), Ok(String::new()), "nobody reads the input");
        assert_eq!(end_of("echo out; exit 3", b"", 60), Err("exit status: 3".into()));
        let left = end_of("sleep 600 & echo $!", b"", 60).expect("what it left is not waited for");
        fugue_testkit::signal("KILL", left.trim().parse().expect("its process"));
    }

    #[test]
    fn a_command_is_killed_with_its_group_when_its_time_is_over_or_nobody_wants_it() {
        let directory = std::env::temp_dir().join(format!("fugue-bounded-{}", std::process::id()));
        let line = format!("sleep 600 & echo $! > {0}.new; mv {0}.new {0}; wait; yes", directory.display());
        assert_eq!(end_of(&line, b"", 1), Err("took longer than 1 s".into()));
        let sleeper = std::fs::read_to_string(&directory).expect("its number");
        fugue_testkit::until("the group is gone", || !runs(sleeper.trim()));
        std::fs::remove_file(&directory).expect("the file");
        let (sender, receiver) = channel();
        let run = command(&line, b"", 600).start(move |end| sender.send(end).unwrap());
        fugue_testkit::until("it has started", || directory.exists());
        drop(run);
        assert!(receiver.recv().expect("it ends").is_err());
        let _ = std::fs::remove_file(&directory);
    }
}
