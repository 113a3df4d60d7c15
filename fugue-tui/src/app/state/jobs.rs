//! Programs that the client runs in the background: tmux commands that it does not translate, and the person's own. Each has a thread that
//! waits for its output, and wakes the event loop.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use rustix::event::{EventfdFlags, eventfd};

use super::bounded_command::{BoundedCommand, CommandRun};

/// The most programs that run at a time: a key that repeats must not start more.
const RUNNING: usize = 16;

/// The most output that is kept and shown. A program that runs for hours may print any amount.
const BYTES: usize = 256 << 10;

/// What a program said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JobOutput {
    /// The command that was run.
    pub(crate) name: &'static str,
    /// When it was started.
    pub(crate) started: Instant,
    pub(crate) succeeded: bool,
    /// The beginning of its output. If there was more, the last line says so.
    pub(crate) text: String,
}

/// The output of a program until its end, as far as it is kept.
fn read_output(mut output: PipeReader) -> String {
    let mut kept = Vec::new();
    let _ = output.by_ref().take(BYTES as u64).read_to_end(&mut kept);
    // What does not fit is read all the same: the program must not wait for a reader.
    let dropped = io::copy(&mut output, &mut io::sink()).unwrap_or_default();
    let mut text = String::from_utf8_lossy(&kept).into_owned();
    if dropped > 0 {
        text.push_str(&format!("\n[{dropped} more bytes of output were dropped]"));
    }
    text
}

/// Starts a program whose output and errors go into one pipe.
fn spawn(mut command: Command) -> io::Result<(Child, PipeReader)> {
    let (output, into) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(into.try_clone()?).stderr(into);
    Ok((command.spawn()?, output))
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
    pub(crate) fn start(&mut self, name: &'static str, command: Command) -> Result<(), String> {
        if self.running == RUNNING {
            return Err(too_many());
        }
        let cannot = |why: io::Error| format!("Cannot run {name}: {why}");
        let wake = self.wake.try_clone().map_err(cannot)?;
        let (sender, started) = (self.sender.clone(), Instant::now());
        // The thread is there before the program, so that each program that starts is waited for.
        let (give, given) = channel::<(Child, PipeReader)>();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let wait = move || {
            let Ok((mut child, output)) = given.recv() else { return };
            let text = read_output(output);
            let succeeded = child.wait().is_ok_and(|status| status.success());
            let _ = sender.send(JobOutput { name, started, succeeded, text });
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        };
        thread.spawn(wait).map_err(cannot)?;
        let _ = give.send(spawn(command).map_err(cannot)?);
        self.running += 1;
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
        let (sender, started) = (self.sender.clone(), Instant::now());
        self.running += 1;
        self.bounded.retain(|run| !run.has_ended());
        self.bounded.push(command.start(move |end| {
            let text = end.as_ref().err().map(|why| format!("{name} failed: {why}")).unwrap_or_default();
            let _ = sender.send(JobOutput { name, started, succeeded: end.is_ok(), text });
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

    /// Runs a shell command to its end.
    fn ran(jobs: &mut Jobs, line: &str) -> JobOutput {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        jobs.start("x", command).expect("it starts");
        let fd = jobs.fd();
        poll(&mut [PollFd::new(&fd, PollFlags::IN)], None).expect("poll");
        jobs.ended().pop().expect("it ended")
    }

    #[test]
    fn the_output_of_a_program_wakes_the_loop() {
        let mut jobs = Jobs::new().expect("an eventfd");
        let output = ran(&mut jobs, "echo out; echo err >&2; exit 3");
        assert_eq!((output.name, output.succeeded, output.text.as_str()), ("x", false, "out\nerr\n"));
        assert_eq!(jobs.ended(), []);
    }

    #[test]
    fn a_program_that_prints_without_end_takes_a_bounded_amount_and_that_is_said() {
        let mut jobs = Jobs::new().expect("an eventfd");
        let output = ran(&mut jobs, "head -c 50000000 /dev/zero");
        let said = format!("\n[{} more bytes of output were dropped]", 50_000_000 - BYTES);
        assert!(output.text.ends_with(&said), "{}", &output.text[BYTES..]);
        assert_eq!(output.text.len(), BYTES + said.len());
    }

    #[test]
    fn a_program_that_does_not_exist_leaves_nothing_behind() {
        let mut jobs = Jobs::new().expect("an eventfd");
        assert!(jobs.start("x", Command::new("/nowhere/x")).is_err());
        assert_eq!((jobs.ended(), jobs.running), (Vec::new(), 0));
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
