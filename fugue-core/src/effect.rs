//! Effects: commands from the machine to the edge, which has the processes, screens and clocks.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::Launch;
use fugue_protocol::verbs::NewWorktree;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{ConfinementName, MessageId, PaneId, RunId, SessionId, SessionName, Size, WindowId};

use crate::agents::AgentSummary;
use crate::edge_request::{AnswerRequest, EdgeRequest};

/// The number of a request that awaits its reply.
pub type Ticket = u64;

/// A command to the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are documented and their fields are named by type")]
pub enum Effect {
    /// Start these programs and report the outcome.
    Start { ticket: Ticket, children: Vec<ChildSpec> },
    /// Kill programs that were started for a request that failed afterwards.
    Kill { runs: Vec<RunId> },
    /// Attach a started program to its pane: read its output, keep its screen.
    Host { pane: PaneId, run: RunId, size: Size },
    /// Set the size of a pane.
    Resize { pane: PaneId, size: Size },
    /// The program of a pane has ended and the exit is recorded: reply to the requests that wait for it.
    ReportExit { pane: PaneId, exit: ExitStatus },
    /// Set the state of the agent in a pane; none when the agent is gone.
    SetAgent { pane: PaneId, agent: Option<AgentSummary> },
    /// Remove a pane: kill its program, drop its screen.
    DropPane { pane: PaneId },
    /// Type a notification into a pane once its agent is idle and nobody is typing; none withdraws it.
    Notify { pane: PaneId, notification: Option<Notification> },
    /// Give the answer that a rule of the user names to the dialog in a pane.
    AnswerDialog { pane: PaneId, answer: Box<AnswerRequest> },
    /// Carry out a request that only the edge can answer, and reply.
    Request { ticket: Ticket, request: EdgeRequest },
}

/// A program to start in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct ChildSpec {
    pub pane: PaneId,
    /// The numbers of its pane and session in tmux's notation; set when the child is started.
    pub numbers: TmuxNumbers,
    pub run: RunId,
    pub window: WindowId,
    pub session: SessionId,
    pub session_name: SessionName,
    pub launch: Launch,
    /// The session's environment; the variables of the launch override it.
    pub environment: BTreeMap<String, String>,
    /// The pane whose working directory is the default, and the base of a relative one.
    pub comes_from: Option<PaneId>,
    pub size: Size,
    /// The worktree that is made first, in which the program starts.
    pub worktree: Option<NewWorktree>,
    /// Whether an existing worktree of the branch is used instead.
    pub reuses_worktree: bool,
    /// The command that sets the worktree up before the program is started. The edge finds it.
    pub setup: Option<String>,
    /// The agent that is started: it must be installed, or nothing is created.
    pub agent: Option<String>,
    /// The profiles by which it is confined; set when the decision is checked.
    pub confined_by: BTreeSet<ConfinementName>,
    /// Set if a lost program is started again. Then the directory may be gone, and the others of the same request are
    /// started even if this one cannot be.
    pub restored: Option<RestoredChild>,
}

/// The numbers by which programs that drive tmux know their place: `%PANE` and `$SESSION`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TmuxNumbers {
    pub pane: u64,
    pub session: u64,
}

/// How a lost program is started again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredChild {
    /// The directory to use if that of the launch no longer exists.
    pub fallback_cwd: Option<String>,
}

/// A line to type into a pane, and the messages it announces.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct Notification {
    pub session: SessionId,
    pub messages: Vec<MessageId>,
    pub text: String,
}
