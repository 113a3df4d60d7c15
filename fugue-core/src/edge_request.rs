//! Requests that only the edge can answer, because it has the screens, clocks and processes. Each gets one reply.

use fugue_protocol::agents::AgentState;
use fugue_protocol::dialogs::Dialog;
use fugue_protocol::verbs::{Format, Mode, OutputCursor, Until};
use fugue_protocol::views::{
    OnExit, PaneView, ParallelRuns, PendingPayloads, SpawnedAgent, WaitOutcome, WorktreeView,
};
use fugue_protocol::worktree::Worktree;
use fugue_protocol::{Event, LeaseName, PaneId, RgbColor, RunId, SessionId, Size, Timestamp};

use crate::world::World;

/// A request for the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub enum EdgeRequest {
    /// A request for one pane.
    Pane(PaneId, PaneRequest),
    /// A wait for any or all of several panes, or for events.
    Panes(PanesWait),
    /// The stream of events after this one.
    Events(Option<u64>),
    /// Attach this client to a session.
    Attach {
        /// The session.
        session: SessionId,
        /// The terminal's size.
        size: Size,
        /// Whether the client is read-only.
        read_only: bool,
        /// The terminal's device.
        tty: Option<String>,
        /// What the terminal reported about itself.
        terminal: TerminalReport,
    },
    /// The status of the daemon.
    Status,
    /// Shut the daemon down.
    Shutdown,
    /// The payloads of the messages in a reply.
    Payloads(Box<PendingPayloads>),
    /// The graph of waits.
    Waits,
    /// The states of worktrees.
    Worktrees(Vec<WorktreeView>),
    /// Remove a worktree.
    RemoveWorktree(Box<WorktreeRemoval>),
    /// What is only known to the edge about an agent that was started: its last lines or words.
    Spawned(Box<SpawnReport>),
    /// The last output lines of parallel commands, whose panes are then closed unless they are kept.
    #[allow(missing_docs, reason = "the variant is documented")]
    Outputs { told: ParallelRuns, lines: usize },
}

/// A worktree to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct WorktreeRemoval {
    pub worktree: Worktree,
    /// The session that is changed by it: the one it was made for, or else the one that asked for it.
    pub owner: Option<SessionId>,
    pub delete_branch: bool,
    pub force: bool,
}

/// The reply for an agent that was started, to be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct SpawnReport {
    pub told: SpawnedAgent,
    /// The name of the agent.
    pub agent: String,
    /// The run of its pane's program.
    pub run: Option<RunId>,
    /// When the agent was started.
    pub begun: Timestamp,
    /// Whether the last message of the agent is wanted.
    pub wants_message: bool,
}

/// What a terminal reported about itself: its colors, where they are known, the size of a cell in pixels, which is 0 if it
/// is unknown, and the images that it can show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct TerminalReport {
    pub foreground: Option<RgbColor>,
    pub background: Option<RgbColor>,
    pub palette: Vec<RgbColor>,
    pub cell: (u16, u16),
    pub kitty_images: bool,
    pub sixel_images: bool,
}

/// A request for a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneRequest {
    /// Type into it.
    Type(TypeRequest),
    /// Read its text.
    Read(ReadRequest),
    /// Wait for something in it.
    Wait(WaitRequest),
    /// Have its shell run a command.
    Run(RunRequest),
    /// Report the result of a command that is the pane's own program, and whether the pane can be closed.
    Finish(RunRequest),
    /// Answer the dialog on its screen.
    Answer(Box<AnswerRequest>),
    /// Delete its scrollback.
    ClearHistory,
    /// Capture its screen.
    Picture(Format),
    /// Stream its screen and every change.
    Watch,
    /// Stop streaming its screen.
    Unwatch,
    /// Stream its output; this is the pane.
    Record(Box<PaneView>),
}

/// Input to type into a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct TypeRequest {
    pub text: String,
    pub keys: Vec<String>,
    pub submit: bool,
    pub by_agent: bool,
    /// Whether it may answer a dialog that asks a person.
    pub may_answer: bool,
    /// The key under which the caller may repeat the request.
    pub key: Option<String>,
}

/// An answer to a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRequest {
    /// The dialog that was shown to whoever answers.
    pub dialog: Dialog,
    /// The number of the choice, counted from 1.
    pub choice: usize,
    /// The text to type into the choice, if it is a field.
    pub text: Option<String>,
    /// Who answers, for others who want to answer the same dialog.
    pub by: String,
}

/// Text to read from a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct ReadRequest {
    pub lines: usize,
    pub since: Option<OutputCursor>,
    pub before: Option<OutputCursor>,
    /// Nothing for what the pane shows: lines, or the screen of a full-screen program.
    pub mode: Option<Mode>,
    pub grep: Option<String>,
    pub context: usize,
    pub ansi: bool,
    /// Whether the reply says where commands and their output are.
    pub commands: bool,
    /// Whether the reply says where the cursor is and how long the history is.
    pub screen_state: bool,
}

/// A condition to wait for in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct WaitRequest {
    pub until: Until,
    pub pattern: Option<String>,
    pub since: Option<OutputCursor>,
    pub idle_ms: u64,
    pub states: Vec<AgentState>,
    pub timeout_ms: u64,
}

/// A wait for several panes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct PanesWait {
    /// Each pane, and the cursor after which its output counts.
    pub panes: Vec<(PaneId, Option<OutputCursor>)>,
    pub waiting: WaitRequest,
    pub all: bool,
    pub events: AwaitedEvents,
}

/// The events that end a wait besides its condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AwaitedEvents {
    /// An unread message of this session.
    pub message: Option<SessionId>,
    /// The end of this lease.
    pub lease: Option<LeaseName>,
    /// The bell of one of the panes.
    pub bell: bool,
}

impl AwaitedEvents {
    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The outcome if one of them is already so.
    pub fn met(&self, world: &World) -> Option<WaitOutcome> {
        let message = self.message.filter(|session| world.unread_in_sight(*session) > 0);
        let lease = self.lease.as_ref().filter(|name| !world.leases.held.contains_key(*name));
        message.map(|_| WaitOutcome::Message).or(lease.map(|_| WaitOutcome::Lease))
    }

    /// The pane whose bell rang, if that ends the wait.
    pub fn rung_by(&self, event: &Event, panes: &[PaneId]) -> Option<PaneId> {
        match event {
            Event::PaneRang { pane } if self.bell && panes.contains(pane) => Some(*pane),
            _ => None,
        }
    }
}

/// A command to run in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named by type")]
pub struct RunRequest {
    pub by_agent: bool,
    pub command: String,
    pub lines: usize,
    pub timeout_ms: u64,
    /// The key under which the caller may repeat the request.
    pub key: Option<String>,
    /// What becomes of the pane if its shell exits.
    pub on_exit: OnExit,
}
