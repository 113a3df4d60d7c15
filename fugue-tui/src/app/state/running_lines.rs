//! Lines of tmux's commands that run: each waits for the answer to its last step, and keeps what it printed. The threads
//! that carry out steps about this host wake the event loop.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use fugue_client::Paths;
use fugue_protocol::{PaneId, SessionId};
use fugue_tmux::Line;
use fugue_tmux::steps::{Step, StepReply};

use crate::attachment::LineSteps;
use crate::command::CommandOrigin;
use crate::tree::TreeSnapshot;

/// The most lines that run at a time: a key that repeats must not start more.
const RUNNING: usize = 16;

/// The most output of a line that is kept and shown.
const OUTPUT: usize = 256 << 10;

/// The outcome of a step; the error is for the person.
pub(crate) type StepAnswer = Result<StepReply, String>;

/// What a line waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineWait {
    /// The reply of the daemon to this verb.
    Reply(&'static str),
    /// A thread that carries out a step.
    Thread,
    /// The reply to this request for the tree, after which the client runs a line of its own.
    Tree(u64, String),
}

/// The part of a line after a command of tmux's, and where that was run.
#[derive(Debug)]
pub(crate) struct LineRest {
    pub(crate) text: String,
    pub(crate) from: Option<TreeSnapshot>,
    pub(crate) place: (SessionId, Option<PaneId>),
}

/// A line that runs.
pub(crate) struct RunningLine {
    pub(crate) number: u64,
    /// The name of its first command.
    pub(crate) name: &'static str,
    pub(crate) line: Line,
    pub(crate) origin: CommandOrigin,
    /// The host that was shown when it began: it is about the sessions there.
    pub(crate) host: Option<String>,
    pub(crate) started: Instant,
    pub(crate) output: LineOutput,
    pub(crate) rest: Option<LineRest>,
    pub(crate) awaited: Option<LineWait>,
}

/// What a line printed, as far as it is kept.
#[derive(Debug, Default)]
pub(crate) struct LineOutput {
    kept: Vec<u8>,
    dropped: usize,
}

impl LineOutput {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = OUTPUT - self.kept.len();
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.dropped += bytes.len().saturating_sub(room);
    }

    /// The text. If there was more, the last line says so.
    pub(crate) fn into_text(self) -> String {
        let mut text = String::from_utf8_lossy(&self.kept).into_owned();
        if self.dropped > 0 {
            text.push_str(&format!("\n[{} more bytes of output were dropped]", self.dropped));
        }
        text
    }
}

/// The lines that run, by their numbers.
pub(crate) struct RunningLines {
    lines: BTreeMap<u64, RunningLine>,
    next: u64,
    sender: Sender<(u64, StepAnswer)>,
    receiver: Receiver<(u64, StepAnswer)>,
    wake: OwnedFd,
}

impl RunningLines {
    /// Lines whose threads write to this eventfd.
    pub(crate) fn new(wake: OwnedFd) -> Self {
        let (sender, receiver) = channel();
        Self { lines: BTreeMap::new(), next: 0, sender, receiver, wake }
    }

    /// The number of a new line; an error if too many run.
    pub(crate) fn next_number(&mut self) -> Result<u64, String> {
        if self.lines.len() >= RUNNING {
            return Err(format!(
                "Too many commands ({RUNNING} are running); try again when one has finished"
            ));
        }
        self.next += 1;
        Ok(self.next)
    }

    /// Keeps a line until what it waits for is there.
    pub(crate) fn keep(&mut self, line: RunningLine) {
        self.lines.insert(line.number, line);
    }

    pub(crate) fn take(&mut self, number: u64) -> Option<RunningLine> {
        self.lines.remove(&number)
    }

    /// Takes the first line that this is true of.
    pub(crate) fn take_if(&mut self, is: impl Fn(&RunningLine) -> bool) -> Option<RunningLine> {
        let number = self.lines.values().find(|line| is(line))?.number;
        self.lines.remove(&number)
    }

    /// Carries out a step of a line on a thread of its own.
    pub(crate) fn carry_out(
        &self,
        number: u64,
        step: Step,
        steps: &Arc<dyn LineSteps>,
        paths: &Paths,
    ) -> Result<(), String> {
        let cannot = |why: std::io::Error| format!("Cannot start a thread: {why}");
        let wake = self.wake.try_clone().map_err(cannot)?;
        let (steps, paths, sender) = (Arc::clone(steps), paths.clone(), self.sender.clone());
        let work = move || {
            let _ = sender.send((number, steps.carry_out(&paths, step)));
            let _ = rustix::io::write(wake, &1_u64.to_ne_bytes());
        };
        std::thread::Builder::new().name("line-step".to_owned()).spawn(work).map_err(cannot)?;
        Ok(())
    }

    /// The answers that threads have found.
    pub(crate) fn answers(&mut self) -> Vec<(u64, StepAnswer)> {
        self.receiver.try_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_line_is_bounded_and_that_is_said() {
        let mut output = LineOutput::default();
        output.push(&vec![b'x'; OUTPUT - 1]);
        output.push(b"yz");
        let text = output.into_text();
        assert!(text.ends_with("xy\n[1 more bytes of output were dropped]"), "{}", &text[OUTPUT - 2..]);
    }
}
