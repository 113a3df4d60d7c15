//! Orders to a pane's task, and the state that the manager publishes to it.

use std::rc::Rc;

use fugue_core::PaneRequest;
use fugue_core::agents::AgentSummary;
use fugue_core::edge_request::{AnswerRequest, RunRequest, WaitRequest};
use fugue_core::effect::Notification;
use fugue_protocol::views::{ExitStatus, PaneOutput, RunResult, WaitResult};
use fugue_protocol::{Refusal, Size};
use tokio::sync::oneshot;

use super::subscribers::recording_buffer::{RecordingPosition, RecordingSlice};
use super::subscribers::subscriber::{ScreenUpdate, Subscriber};
use super::terminal::client_terminal::ClientTerminal;
use crate::input_ledger::InputReceipt;
use crate::replies::reply::{FrameQueue, Reply};

/// The sender of a wait's result. If the receiver is dropped, the wait ends.
pub(super) type WaitSender = oneshot::Sender<Result<WaitResult, Refusal>>;

/// The sender of a command's result. If the receiver is dropped, nobody waits for the command any more.
pub(super) type RunSender = oneshot::Sender<Result<RunResult, Refusal>>;

/// An order to a pane's task. Large parts are boxed, since every order in a queue takes the room of the largest.
pub(crate) enum PaneOrder {
    /// Type or read.
    Request(Box<(PaneRequest, Reply)>),
    /// Wait for something.
    Wait(Box<WaitRequest>, WaitSender),
    /// Run a command in the pane's shell, or wait for the command that is the pane's program.
    Run { running: Box<RunRequest>, is_program: bool, answer: RunSender },
    /// Interrupt the command that was run for a caller that cancelled its request.
    StopCommand,
    /// Read the last lines of the text.
    LastLines { lines: usize, answer: oneshot::Sender<PaneOutput> },
    /// Keys from a person will follow.
    ExpectKeys,
    /// Keys from a person.
    Keys(Box<TypedKeys>),
    /// Type this notification as soon as that disturbs nobody; `None` withdraws it.
    Notification(Option<Box<Notification>>),
    /// Give the answer that a rule of the user names.
    AnswerDialog(Box<AnswerRequest>, RuleOutcome),
    /// Save the screen to disk.
    SaveScreen,
    /// Notify this subscriber whenever the screen changes.
    Watch(Rc<Subscriber>),
    /// Notify this subscriber whenever there is more output.
    Record(Rc<Subscriber>),
    /// Read the recording from a position on.
    RecordingSlice { from: RecordingPosition, answer: oneshot::Sender<RecordingSlice> },
    /// Read what changed on the screen since a revision.
    Update { since: u64, answer: oneshot::Sender<ScreenUpdate> },
}

/// Where it is told whether the agent took the answer of a rule.
pub(crate) type RuleOutcome = oneshot::Sender<Result<(), Refusal>>;

/// Keys from a person. A refusal goes to the outbox as a notice.
pub(crate) struct TypedKeys {
    pub(crate) bytes: Vec<u8>,
    pub(crate) receipt: Option<InputReceipt>,
    pub(crate) outbox: FrameQueue,
}

/// The state that the manager publishes to a pane's task. Only the newest value counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PaneStatus {
    pub(super) size: Size,
    /// How the program ended; its last output may still be unread.
    pub(super) exited: Option<ExitStatus>,
    /// How the program ended, once that is stored and published.
    pub(super) exit_recorded: Option<ExitStatus>,
    /// The state of the agent in the pane.
    pub(super) agent: Option<AgentSummary>,
    /// The terminal in which the pane is shown.
    pub(super) terminal: ClientTerminal,
}
