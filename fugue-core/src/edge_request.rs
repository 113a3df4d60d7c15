//! What only the edge can answer: screens, clocks, processes. Each ask is answered once, by whoever it goes to.

use fugue_protocol::agents::AgentState;
use fugue_protocol::verbs::{Format, Mode, OutputCursor, Until};
use fugue_protocol::views::{PaneView, ParallelRuns, PendingBodies};
use fugue_protocol::{PaneId, RgbColor, SessionId, Size};

/// A question or a wish for the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum EdgeRequest {
    /// Of a pane.
    Pane(PaneId, PaneRequest),
    /// Of several panes: wait for something in one of them, or in all.
    Panes { panes: Vec<PaneId>, waiting: Waiting, all: bool },
    /// The stream of events, after this one.
    Events(Option<u64>),
    /// That this client shows a session.
    Attach {
        /// The session.
        session: SessionId,
        /// The terminal's size.
        size: Size,
        /// It only watches.
        read_only: bool,
        /// The terminal's colors, where it told them.
        colors: TerminalColors,
    },
    /// How the daemon is.
    Status,
    /// Its end.
    Shutdown,
    /// The bodies of the messages in a reply.
    Bodies(Box<PendingBodies>),
    /// Who waits for whom.
    Waits,
    /// The last lines of what commands wrote; then their panes are closed, unless they are kept.
    #[allow(missing_docs, reason = "the line above says it")]
    Outputs { told: ParallelRuns, lines: usize },
}

/// A terminal's own colors, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct TerminalColors {
    pub foreground: Option<RgbColor>,
    pub background: Option<RgbColor>,
    pub palette: Vec<RgbColor>,
}

/// Of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaneRequest {
    /// Type into it.
    Type(Typing),
    /// Read its text.
    Read(Reading),
    /// Wait for something in it.
    Wait(Waiting),
    /// Have its shell run a command.
    Run(Running),
    /// Its program is the command: say what came of it, and whether it may be closed.
    Finish(Running),
    /// Picture its screen.
    Picture(Format),
    /// Send its screen and what changes on it.
    Watch,
    /// Send nothing more of it.
    Unwatch,
    /// Send its output as it is written; this is the pane.
    Record(Box<PaneView>),
}

/// What is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Typing {
    pub text: String,
    pub keys: Vec<String>,
    pub submit: bool,
    pub by_agent: bool,
}

/// What is read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Reading {
    pub lines: usize,
    pub since: Option<OutputCursor>,
    pub before: Option<OutputCursor>,
    pub mode: Mode,
    pub grep: Option<String>,
    pub context: usize,
    pub ansi: bool,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Waiting {
    pub until: Until,
    pub pattern: Option<String>,
    pub since: Option<OutputCursor>,
    pub idle_ms: u64,
    pub states: Vec<AgentState>,
    pub timeout_ms: u64,
}

/// What is run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Running {
    pub by_agent: bool,
    pub command: String,
    pub lines: usize,
    pub timeout_ms: u64,
}
