//! Inputs: what the machine is told, one at a time.

use fugue_agents::Front;
use fugue_protocol::agents::Evidence;
use fugue_protocol::dialogs::Dialog;
use fugue_protocol::events::{ActivityKind, ClientAttached, ProgramRun};
use fugue_protocol::views::{ExitStatus, Survivor};
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{MessageId, PaneId, Refusal, RunId, SessionId, Verb};

use crate::caller::Caller;
use crate::effect::Ticket;
use crate::request_context::Started;

/// A fact from outside: a request, or a report of the edge.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants are documented and their fields are named by type")]
pub enum Input {
    /// A caller sent a request. The seed is random.
    Request { ticket: Ticket, verb: Box<Verb>, caller: Caller, seed: u64 },
    /// The programs of [`Effect::Start`](crate::Effect::Start) were started, all of them or none.
    Started { ticket: Ticket, outcome: Result<Vec<Started>, Refusal> },
    /// A program ended, and all of its output has been read.
    Exited { run: RunId, exit: ExitStatus },
    /// A program set its title.
    TitleChanged { pane: PaneId, title: String },
    /// A program changed its working directory.
    DirectoryChanged { pane: PaneId, cwd: String },
    /// Another program is in the foreground of a pane; none if that is the pane's own program.
    ForegroundChanged { pane: PaneId, program: Option<String> },
    /// The last command of a pane's shell ended.
    CommandEnded { pane: PaneId, exit: Option<i32> },
    /// A pane that is monitored printed something, or has been silent for long.
    ActivitySeen { pane: PaneId, kind: ActivityKind },
    /// The settings for the numbers of windows and panes.
    NumbersSet { base: usize, renumber: bool },
    /// A program rang the bell.
    BellRang { pane: PaneId },
    /// A program sent a desktop notification.
    Notified { pane: PaneId, title: String, body: String },
    /// The foreground process of a pane, and all evidence of an agent's state there.
    AgentObserved { pane: PaneId, front: Front, evidence: Vec<Evidence> },
    /// The dialog on the screen of a pane's agent, and whether a person or a rule pressed a key since the one before.
    DialogObserved { pane: PaneId, dialog: Option<Dialog>, answered: bool },
    /// The time of [`Machine::wake_at`](crate::Machine::wake_at) has come.
    TimerFired,
    /// The runs that the keeper still holds when the daemon starts.
    RunsHeld { runs: Vec<RunId> },
    /// Running programs that the journal does not know because it was lost.
    RunsFound { runs: Vec<ProgramRun>, seed: u64 },
    /// Processes of lost panes that still run without a terminal.
    SurvivorsFound { found: Vec<(PaneId, Vec<Survivor>)> },
    /// Git reported the repository of a pane's working directory.
    Located { pane: PaneId, place: Option<GitLocation> },
    /// Callers have had time to repeat the requests that were lost with the previous daemon. Panes that were opened
    /// since then, or for requests that were repeated, are not concerned.
    RetriesOver {
        /// The panes that the previous daemon left.
        left: Vec<PaneId>,
    },
    /// The output of parallel commands has been read, so their panes can be closed.
    PanesReleased { panes: Vec<PaneId> },
    /// A notification about these messages was typed, and the agent accepted it.
    NotificationTyped { session: SessionId, messages: Vec<MessageId> },
    /// The caller of a pending request disconnected.
    CallerGone { ticket: Ticket },
    /// A client attached to a session.
    ClientAttached(ClientAttached),
    /// A client disconnected.
    ClientLeft { client: u64 },
    /// The result of a command that had its own pane was delivered.
    ResultDelivered { pane: PaneId },
    /// The edge found something that the user must know of.
    Warned { warning: String },
    /// A worktree was removed.
    WorktreeRemoved { path: String },
    /// The daemon shuts down.
    CloseAll,
}
