//! Programs that the client runs in the background: tmux commands that it does not translate, and the person's own. Each has a thread that
//! waits for its output, and wakes the event loop.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};

use rustix::event::{EventfdFlags, eventfd};

use super::bounded_command::{BoundedCommand, CommandRun};

/// The most programs that run at a time: a key that repeats must not start more.
const RUNNING: usize = 16;

/// The most output that is shown.
const BYTES: usize = 256 << 10;

/// What a program said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JobOutput {
    /// The command that was run.
    pub(crate) name: &'static str,
    pub(crate) succeeded: bool,
    pub(crate) text: String,
}

/// The programs that run.
pub(crate) struct Jobs {
    sender: Sender<JobOutput>,
    receiver: Receiver<JobOutput>,
    wake: OwnedFd,
    running: usize,
    /// Commands with a time limit, which end with the client.
    bounded: Vec<CommandRun>,
}

impl Jobs {
    pub(crate) fn new() -> io::Result<Self> {
        let (sender, receiver) = channel();
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { sender, receiver, wake, running: 0, bounded: Vec::new() })
    }

    /// The descriptor that is readable when a program has ended.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// Starts a program.
    pub(crate) fn start(&mut self, name: &'static str, mut command: Command) -> Result<(), String> {
        if self.running == RUNNING {
            return Err(too_many());
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|why| format!("Cannot run {name}: {why}"))?;
        let wake = self.wake.try_clone().map_err(|why| why.to_string())?;
        let sender = self.sender.clone();
        self.running += 1;
        std::thread::spawn(move || {
            let output = child.wait_with_output();
            let succeeded = output.as_ref().is_ok_and(|output| output.status.success());
            let bytes = output.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(BYTES)]).into_owned();
            let _ = sender.send(JobOutput { name, succeeded, text });
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        });
        Ok(())
    }

    /// Starts a command with a time limit. It says nothing unless it fails.
    pub(crate) fn start_bounded(
        &mut self,
        name: &'static str,
        command: BoundedCommand,
    ) -> Result<(), String> {
        if self.running == RUNNING {
            return Err(too_many());
        }
        let wake = self.wake.try_clone().map_err(|why| why.to_string())?;
        let sender = self.sender.clone();
        self.running += 1;
        self.bounded.retain(|run| !run.has_ended());
        self.bounded.push(command.start(move |end| {
            let text = end.as_ref().err().map(|why| format!("{name} failed: {why}")).unwrap_or_default();
            let _ = sender.send(JobOutput { name, succeeded: end.is_ok(), text });
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        }));
        Ok(())
    }

    /// The programs that have ended.
    pub(crate) fn ended(&mut self) -> Vec<JobOutput> {
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        let ended: Vec<_> = self.receiver.try_iter().collect();
        self.running -= ended.len();
        ended
    }
}

/// The refusal of one more program.
fn too_many() -> String {
    format!("Too many shell commands ({RUNNING} are running); try again when one has finished")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{PollFd, PollFlags, poll};

    #[test]
    fn the_output_of_a_program_wakes_the_loop() {
        let mut jobs = Jobs::new().expect("an eventfd");
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        jobs.start("x", command).expect("it starts");
        let fd = jobs.fd();
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], None).expect("poll");
        let text = "out\nerr\n".to_owned();
        assert_eq!(jobs.ended(), [JobOutput { name: "x", succeeded: false, text }]);
        assert_eq!(jobs.ended(), []);
    }

    #[test]
    fn only_so_many_programs_run_at_a_time() {
        let mut jobs = Jobs::new().expect("an eventfd");
        for _ in 0..RUNNING {
            jobs.start("x", Command::new("true")).expect("it starts");
        }
        assert!(jobs.start("x", Command::new("true")).is_err());
    }
}
