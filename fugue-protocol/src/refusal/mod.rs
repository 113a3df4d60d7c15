//! Refusals: a code for programs, one sentence that names what failed, and hints with the next step.

mod agent_quota;
mod agent_start;
mod argument;
mod hint;
mod hint_words;
mod nearest_name;
mod quota;
mod refusal_hints;
mod wire;
mod worktree;

use std::fmt::Display;

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::names::BadName;
use crate::views::ExitStatus;
use crate::{FleetHost, MessageId, PaneId, Size};

pub use agent_quota::{AgentQuota, AgentRate};
pub use agent_start::{AgentAbility, AgentStartProblem};
pub use argument::{ArgumentProblem, Quantity};
pub use hint::{Hint, HintArgument, HintText};
pub use hint_words::{CommandLineWords, HintWords};
pub use nearest_name::nearest;
pub use quota::Quota;
pub use wire::Refused;
pub use worktree::KeptBecause;

/// Why a caller without a pane is not inside fugue.
pub const PANE_ID_NOT_SET: &str = "FUGUE_PANE_ID environment variable not set";

/// Why a caller that names no possible pane is not inside fugue.
pub const PANE_ID_MALFORMED: &str = "FUGUE_PANE_ID is malformed: it is not a UUID";

/// The reason why the daemon did not do what was asked. The code is the variant's name.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each sentence says what its fields are")]
pub enum Refusal {
    #[error("Session not found: {session}")]
    SessionNotFound { session: String, nearest: Option<String> },
    #[error("Window not found: {window}")]
    WindowNotFound { window: String, nearest: Option<String> },
    #[error("Pane not found: {pane}")]
    PaneNotFound { pane: String, exit: Option<ExitStatus> },
    #[error("`{pane}` matches {count} panes")]
    AmbiguousPane { pane: String, count: usize },
    #[error("`{window}` matches {count} windows in the session")]
    AmbiguousWindow { window: String, count: usize },
    #[error("No sessions")]
    NoSession,
    #[error("Not running inside fugue")]
    NotInsideFugue { detail: String },
    #[error("Pane not found")]
    CallerGone { pane_id: PaneId },
    #[error("This process is running in pane {inside}, but FUGUE_PANE_ID names pane {claimed}")]
    IdentityContradiction { inside: PaneId, claimed: PaneId },
    #[error("Session already exists: {name}")]
    NameTaken { name: String },
    #[error("Invalid name: {why}")]
    BadName { why: String },
    #[error("{what}: {why}")]
    InvalidArgument {
        what: &'static str,
        #[serde(serialize_with = "as_text")]
        why: ArgumentProblem,
    },
    #[error("Not enough room: {why}")]
    NoRoom { why: String },
    #[error("Too many {what}: the limit is {limit}")]
    TooMany {
        #[serde(serialize_with = "as_text")]
        what: Quota,
        limit: usize,
    },
    #[error("{caller} has reached the limit of {limit} {what}")]
    QuotaReached {
        caller: String,
        #[serde(serialize_with = "as_text")]
        what: AgentQuota,
        limit: usize,
    },
    #[error("{caller} has reached the limit of {limit} {what}")]
    QuotaRate {
        caller: String,
        #[serde(serialize_with = "as_text")]
        what: AgentRate,
        limit: usize,
        retry_after_ms: u64,
    },
    #[error("Windows `{window}` and `{other}` are in different sessions")]
    DifferentSessions { window: String, other: String },
    #[error("Invalid size: {size}")]
    BadSize { size: Size },
    #[error("Cannot use directory `{cwd}`: {why}")]
    BadDirectory { cwd: String, why: String },
    #[error("Cannot start `{command}`: {why}")]
    CannotStart { command: String, why: String },
    #[error("Cannot start `{command}`: the daemon has reached its limit of open files")]
    TooManyFiles { command: String },
    #[error("Cannot start {agent}: {why}")]
    CannotSpawn {
        agent: String,
        #[serde(serialize_with = "as_text")]
        why: AgentStartProblem,
    },
    #[error("{path} has a setup command for worktrees, but is not trusted")]
    NotTrusted { path: String },
    #[error("The program in pane {pane} has exited ({exit})")]
    PaneEnded { pane: PaneId, exit: ExitStatus },
    #[error("The output of pane {pane} is no longer kept")]
    OutputNotKept { pane: String, exit: ExitStatus },
    #[error("The program in pane {pane} is still running")]
    PaneRunning { pane: PaneId },
    #[error("This client is attached read-only")]
    OnlyWatches,
    #[error("Unknown key: {key}")]
    BadKey { key: String, nearest: Option<String> },
    #[error("Input too large: {bytes} bytes (the limit is {limit})")]
    InputTooLarge { bytes: usize, limit: usize },
    #[error("The program in pane {pane} is not reading its input: {waiting} bytes are pending")]
    InputFull { pane: PaneId, waiting: usize },
    #[error("Pane {pane} is running {program}, not a shell at its prompt")]
    NoShell { pane: PaneId, program: String },
    #[error("The shell in pane {pane} is busy{}", with(command))]
    ShellBusy { pane: PaneId, command: String },
    #[error("The prompt in pane {pane} already contains typed text")]
    Draft { pane: PaneId },
    #[error("Text typed earlier in pane {pane} has not been submitted")]
    Unsubmitted { pane: PaneId },
    #[error("Pane {pane} is the caller's own pane")]
    OwnPane { pane: PaneId },
    #[error("Pane {pane} has no agent")]
    NoAgent { pane: PaneId },
    #[error("{agent} does not accept pushed messages")]
    NoInbox { agent: String },
    #[error("{agent} has no hooks")]
    NoHooks { agent: String },
    #[error("fugue cannot recognize {agent}'s input field, so it will not type there")]
    NoInputField { agent: String },
    #[error("The conversation id of the agent in pane {pane} is unknown")]
    NoConversation { pane: PaneId },
    #[error("The agent in pane {pane} was not started as the pane's program")]
    ResumeByHand { pane: PaneId, command: String },
    #[error("Pane {pane} is closed")]
    ResumeElsewhere { pane: PaneId, command: String },
    #[error("The shell in pane {pane} does not emit prompt marks")]
    NoMarks { pane: PaneId },
    #[error("The shell in pane {pane} stopped sending prompt marks")]
    MarksGone { pane: PaneId },
    #[error(
        "The daemon was killed while typing into pane {pane}: at least {typed} of {bytes} bytes were typed, and Enter was not pressed"
    )]
    InputInterrupted { pane: PaneId, typed: usize, bytes: usize },
    #[error("The daemon was killed while starting the command, which may have run briefly")]
    StartInterrupted,
    #[error("The user is typing in pane {pane}")]
    KeyboardHeld { pane: PaneId, remaining_ms: u64 },
    #[error("{agent} in pane {pane} is asking the user for permission")]
    PermissionPrompt { pane: PaneId, agent: String },
    #[error("{agent} in pane {pane} is waiting for the user")]
    WaitsForUser { pane: PaneId, agent: String },
    #[error("Only the user may answer an agent's dialog")]
    OnlyPeopleAnswer,
    #[error("Only the user may run `{command}` in a client")]
    OnlyPeopleCommand { command: String },
    #[error("Dialog not found: {dialog}")]
    DialogNotFound { dialog: String },
    #[error("The dialog in pane {pane} has changed; no answer was sent")]
    DialogChanged { pane: PaneId },
    #[error("The dialog has no option `{choice}`; its options are {}", choices.join(", "))]
    NoSuchChoice { choice: String, choices: Vec<String> },
    #[error("The agent in pane {pane} did not accept the answer: its dialog is still open")]
    AnswerNotTaken { pane: PaneId },
    #[error("The dialog has already been answered with `{choice}` by {by}")]
    AlreadyAnswered { choice: String, by: String },
    #[error("`{choice}` is a field for an answer of your own")]
    AnswerNeedsText { choice: String },
    #[error("The choice `{choice}` takes no text")]
    AnswerTakesNoText { choice: String, field: Option<String> },
    #[error("The field `{choice}` in pane {pane} already contains text; no answer was sent")]
    AnswerFieldTaken { pane: PaneId, choice: String },
    #[error("Session {session} is outside the scope (`{scope}`) of {caller}")]
    OutOfScope { session: String, caller: String, scope: &'static str },
    #[error("`{verb}` affects the whole daemon, which is outside the scope (`{scope}`) of {caller}")]
    DaemonOutOfScope { verb: String, caller: String, scope: &'static str },
    #[error("This process has read-only access: {why}")]
    Unattributed { why: String },
    #[error("Cannot determine this process's pane: {why}")]
    PaneUnknown { why: String, way_out: String },
    #[error("Request canceled")]
    Cancelled,
    #[error("Request too large: {bytes} bytes (the limit is {limit})")]
    FrameTooLarge { bytes: usize, limit: usize },
    #[error("Reply too large: {bytes} bytes (the limit is {limit})")]
    ReplyTooLarge { bytes: usize, limit: usize },
    #[error("Request incomplete: only {arrived} of {announced} bytes arrived in time")]
    RequestIncomplete { arrived: usize, announced: usize },
    #[error("Unknown command: {verb}")]
    UnknownVerb { verb: String, nearest: Option<String> },
    #[error("Invalid arguments for `{verb}`: {why}")]
    BadArguments { verb: String, why: String },
    #[error("Invalid request: {why}")]
    BadMessage { why: String },
    #[error(
        "Protocol mismatch: the daemon (fugue {version}) speaks version {ours}, but the client (fugue {client}) speaks version {theirs}"
    )]
    VersionMismatch { ours: u32, theirs: u32, version: String, client: String, executable: String },
    #[error("Cannot upgrade: {why}")]
    CannotUpgrade { why: String },
    #[error("The daemon cannot start: {why}")]
    DaemonCannotStart { why: String, log: String, has_programs: bool },
    #[error("Permission denied: user {uid} does not own this daemon")]
    WrongUser { uid: u32 },
    #[error("Pane {pane} is too busy to reply")]
    Busy { pane: PaneId },
    #[error("Cannot store the change: {why}")]
    StorageFull { why: String },
    #[error("Client not found: {client}")]
    NoSuchClient { client: u64 },
    #[error("The daemon is shutting down")]
    ShuttingDown,
    #[error("The daemon stopped before it finished the request, which may have taken effect")]
    Unfinished,
    #[error("No recipients: {why}")]
    NoRecipients { why: String },
    #[error("No repository: {} is not in a git repository", whose(session.as_deref()))]
    NoRepository { session: Option<String> },
    #[error(
        "The inbox of session `{session}` is full{}: {messages} unread messages, {bytes} bytes",
        if *is_share { " for this sender" } else { "" }
    )]
    InboxFull {
        session: String,
        messages: usize,
        bytes: usize,
        /// Whether only the sender's share is used up; the numbers are then the sender's.
        #[serde(skip)]
        is_share: bool,
        retry_after_ms: u64,
    },
    #[error("The outbox for other hosts is full: {messages} messages, {bytes} bytes")]
    OutboxFull { messages: usize, bytes: usize, retry_after_ms: u64 },
    #[error("Only the relay (`fugue fleet run` outside fugue's panes) may move messages between hosts")]
    OnlyRelay,
    #[error("No fleet configured: this daemon does not send messages to other hosts")]
    NoFleet,
    #[error("No relay is running on this host, so no other host can be asked")]
    NoRelay,
    #[error("The relay (pid {pid}) is stopped, so no other host can be asked")]
    RelayStopped { pid: u32 },
    #[error("Host `{host}` cannot be asked: {why}")]
    NotRelayed { host: FleetHost, why: String },
    #[error("Host `{host}` does not let {caller} start {program}")]
    StartNotAllowed { host: FleetHost, caller: String, program: String },
    #[error("Host `{host}` did not create the session: {reason}")]
    StartRefused { host: FleetHost, reason: String },
    #[error("Host `{host}` did not respond within {waited_ms} ms")]
    StartUnanswered { host: FleetHost, message: MessageId, waited_ms: u64 },
    #[error("Payload too large: {bytes} bytes (the limit is {limit})")]
    MessageTooLarge { bytes: usize, limit: usize },
    #[error("Too many broadcasts: the limit is {limit} per {window_ms} ms")]
    RateLimited { limit: usize, window_ms: u64, retry_after_ms: u64 },
    #[error("Message not found: {message}")]
    MessageNotFound { message: MessageId },
    #[error("Message {message} was not sent to {caller}")]
    NotARecipient { message: MessageId, caller: String },
    #[error("Message {message} was neither sent nor received by {caller}")]
    NotYourMessage { message: MessageId, caller: String },
    #[error("Message {message} cannot be resent by an agent outside any pane, even if the agent sent it")]
    UnknownResender { message: MessageId },
    #[error("Message {message} was already resent as {resent_as}")]
    ResentAlready { message: MessageId, resent_as: MessageId },
    #[error(
        "Idempotency key `{key}` was already used for message {message}, which has a different {differs}"
    )]
    KeyReused { key: String, message: MessageId, differs: &'static str },
    #[error("Idempotency key `{key}` was already used for another call; this `{verb}` was not carried out")]
    KeyOfAnotherCall { key: String, verb: &'static str },
    #[error("Session `{session}` does not allow notifications to be typed into its panes")]
    TypingNotAllowed { session: String },
    #[error("Tag `{tag}` is reserved: it marks a session as a child of another")]
    ReservedTag { tag: String },
    #[error("The pane cannot be moved to session `{session}`, which is not confined in the same way")]
    Confined { session: String },
    #[error("Agents can read only their own inbox, not that of session `{session}`")]
    NotYourInbox { session: String },
    #[error("Lease `{name}` is held by {owner} (fencing token {fence})")]
    LeaseHeld { name: String, owner: String, fence: u64, retry_after_ms: u64 },
    #[error("Cannot release lease `{name}`: {why}")]
    NotYourLease { name: String, why: String },
    #[error("Cannot create a worktree for branch `{branch}`: {why}")]
    CannotMakeWorktree { branch: String, why: String },
    #[error("Cannot remove worktree `{path}`: {why}")]
    CannotRemoveWorktree {
        path: String,
        #[serde(serialize_with = "as_text")]
        why: KeptBecause,
    },
    #[error("Worktree not found: {worktree}")]
    WorktreeNotFound { worktree: String },
    #[error("Event {since} is no longer stored; the oldest stored event is {oldest}")]
    EventsGone { since: u64, oldest: u64 },
    #[error("Event {since} has not happened yet; the last event is {last}")]
    EventsAhead { since: u64, last: u64 },
}

impl From<BadName> for Refusal {
    fn from(why: BadName) -> Self {
        Self::BadName { why: why.to_string() }
    }
}

impl Refusal {
    /// An argument whose value cannot be used.
    pub fn argument(what: &'static str, why: ArgumentProblem) -> Self {
        Self::InvalidArgument { what, why }
    }
}

/// Serializes a value as the text that people read.
fn as_text<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// The command that a shell is busy with, if it is known.
fn with(command: &str) -> String {
    if command.is_empty() { String::new() } else { format!(" with `{command}`") }
}

/// The session of a caller, or that it has none.
fn whose(session: Option<&str>) -> String {
    session.map_or_else(|| "the caller (outside any session)".into(), |name| format!("session `{name}`"))
}
