//! Events: facts in the past tense. They alone change the state of the core; the journal stores them, and subscribers
//! receive them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::agent_messages::{DeliveryState, MessageHeader, OfferedVia, Recipient, Subscription};
use crate::agents::{AgentView, Evidence};
use crate::buffer_content::BufferContent;
use crate::conversation::Conversation;
use crate::dialogs::OpenDialog;
use crate::layout::Node;
use crate::leases::{Lease, LeaseEnd};
use crate::names::{ConfinementName, IdempotencyKey, LeaseName, PaneName};
use crate::verbs::Preset;
use crate::views::{ExitStatus, RemoteReceipt, Survivor};
use crate::worktree::{GitLocation, Worktree};
use crate::{
    MessageId, OptionScope, PaneId, SessionId, SessionName, Size, Tag, Timestamp, WindowId, WindowName,
};

mod contents;
mod record;

pub use contents::{
    ActivityKind, ClientAttached, HookLine, PaneOpened, PaneRespawned, ProgramRun, SessionCreated,
    WindowOpened,
};
pub use record::{EventRecord, HIDDEN};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub enum Event {
    SessionCreated(SessionCreated),
    SessionRenamed {
        session: SessionId,
        name: SessionName,
    },
    SessionClosed {
        session: SessionId,
    },
    /// The names whose scopes govern a session from now on; none if its current name does.
    SessionGoverned {
        session: SessionId,
        names: BTreeSet<SessionName>,
    },
    /// The profiles by which the programs of a new session are confined.
    SessionConfined {
        session: SessionId,
        profiles: BTreeSet<ConfinementName>,
    },
    SessionSelected {
        session: SessionId,
    },
    TagsChanged {
        session: SessionId,
        added: Vec<Tag>,
        removed: Vec<Tag>,
    },
    MetadataChanged {
        session: SessionId,
        key: String,
        value: Option<String>,
    },
    /// An event that only the next version has (`tools/next_version.rs`).
    #[cfg(fugue_next)]
    SessionMarked {
        session: SessionId,
        mark: String,
    },
    EnvironmentChanged {
        session: SessionId,
        name: String,
        value: Option<String>,
    },
    /// A variable of all sessions was set or removed.
    GlobalEnvironmentChanged {
        name: String,
        value: Option<String>,
    },
    /// An option of tmux's commands was set or removed.
    OptionChanged {
        scope: OptionScope,
        name: String,
        value: Option<String>,
    },
    /// A line of a hook was set or removed.
    HookChanged {
        scope: OptionScope,
        hook: String,
        index: u32,
        line: Option<HookLine>,
    },
    /// A paste buffer was set. One that got its name by itself makes room for newer ones.
    BufferStored {
        name: String,
        content: BufferContent,
        automatic: bool,
        stored_at: Timestamp,
    },
    BufferRenamed {
        name: String,
        new_name: String,
    },
    BufferRemoved {
        name: String,
    },
    /// A channel of tmux's `wait-for` was signalled.
    ChannelSignalled {
        channel: String,
    },
    /// A program has waited for the last signal of a channel.
    ChannelHeard {
        channel: String,
        /// The key of a wait that it ended, by which a repetition of that call is recognized.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<IdempotencyKey>,
    },
    ChannelLocked {
        channel: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<IdempotencyKey>,
    },
    ChannelUnlocked {
        channel: String,
    },
    /// A git worktree was created for a session.
    WorktreeCreated(Box<Worktree>),
    /// A worktree was removed.
    WorktreeRemoved {
        path: String,
    },
    WindowOpened(WindowOpened),
    WindowRenamed {
        window: WindowId,
        name: WindowName,
    },
    WindowClosed {
        window: WindowId,
    },
    WindowSelected {
        window: WindowId,
    },
    WindowMoved {
        window: WindowId,
        session: SessionId,
        /// Its position among the session's other windows.
        index: usize,
        /// The index that it gets, counted from zero; without one, it exchanges indexes with the windows it passes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<usize>,
    },
    WindowResized {
        window: WindowId,
        size: Size,
    },
    LayoutChanged {
        window: WindowId,
        layout: Node,
    },
    /// A preset was applied to a window.
    PresetApplied {
        window: WindowId,
        preset: Preset,
    },
    /// A client shows a window as a popup.
    PopupShown {
        window: WindowId,
        client: u64,
    },
    ZoomChanged {
        window: WindowId,
        pane: Option<PaneId>,
    },
    PaneOpened(PaneOpened),
    /// A pane has this number in tmux's notation, because its program was told so before the pane existed.
    PaneNumbered {
        pane: PaneId,
        number: u64,
    },
    PaneMoved {
        pane: PaneId,
        window: WindowId,
    },
    /// The session that a pane belongs to whatever session it is in, and the names whose scopes govern it besides. None
    /// if that is the session it is in.
    PaneGoverned {
        pane: PaneId,
        session: Option<SessionId>,
        names: BTreeSet<SessionName>,
    },
    PaneFocused {
        pane: PaneId,
    },
    PaneRenamed {
        pane: PaneId,
        name: Option<PaneName>,
    },
    PaneMuted {
        pane: PaneId,
        muted: bool,
    },
    /// Another pane is the marked one; none if no pane is.
    MarkMoved {
        pane: Option<PaneId>,
    },
    /// A process copies a pane's output to a command; it is known by its key.
    PipeHeld {
        pane: PaneId,
        key: String,
    },
    /// The process of a pane's pipe is asked to end.
    PipeEndRequested {
        pane: PaneId,
    },
    PipeEnded {
        pane: PaneId,
    },
    PaneTitled {
        pane: PaneId,
        title: String,
    },
    PaneWentTo {
        pane: PaneId,
        cwd: String,
    },
    /// Another program is in the foreground of a pane; none if that is the pane's own program.
    ForegroundChanged {
        pane: PaneId,
        program: Option<String>,
    },
    /// The last command of a pane's shell ended with another exit code than the one before.
    CommandEnded {
        pane: PaneId,
        exit: Option<i32>,
    },
    PaneExited {
        pane: PaneId,
        exit: ExitStatus,
    },
    /// A pane is closed because its program has ended. For a while, callers can still ask for what is known of it.
    PaneEnded {
        pane: PaneId,
        ended_at: Timestamp,
    },
    PaneLost {
        pane: PaneId,
    },
    PaneRespawned(PaneRespawned),
    PaneClosed {
        pane: PaneId,
    },
    ClientAttached(ClientAttached),
    ClientLeft {
        client: u64,
    },
    /// A client is asked to detach, which it does on receiving this.
    ClientDetached {
        client: u64,
    },
    /// A client is asked to run a command line, which it does on receiving this.
    ClientCommanded {
        client: u64,
        line: String,
    },
    /// The bell rang in a pane.
    PaneRang {
        pane: PaneId,
    },
    /// A pane that is monitored printed something, or has been silent for long.
    PaneActivity {
        pane: PaneId,
        kind: ActivityKind,
    },
    /// The settings for the numbers of windows and panes changed.
    NumberedFrom {
        base: usize,
        /// Whether windows are numbered without gaps.
        #[serde(default)]
        renumber: bool,
    },
    /// A program sent a notification; title and text are its own.
    PaneNotified {
        pane: PaneId,
        title: String,
        body: String,
    },
    /// All observed evidence of the agent in a pane; it replaces earlier evidence.
    AgentSeen {
        pane: PaneId,
        // `EventRecord` has a field `at` of its own.
        #[serde(rename = "seen_at")]
        at: Timestamp,
        program: Option<String>,
        signs: Vec<Evidence>,
    },
    /// An agent, or one of its hooks, reported its state.
    AgentReported {
        pane: PaneId,
        #[serde(rename = "reported_at")]
        at: Timestamp,
        name: Option<String>,
        sign: Evidence,
        /// The agent that was in the foreground then. The report ends with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// The state of an agent changed; `None` if the agent is gone.
    AgentStateChanged {
        pane: PaneId,
        agent: Option<AgentView>,
    },
    /// The dialog on an agent's screen changed; `None` if there is none.
    DialogChanged {
        pane: PaneId,
        dialog: Option<OpenDialog>,
    },
    /// The git location of a pane's directory changed.
    PaneLocated {
        pane: PaneId,
        place: Option<GitLocation>,
    },
    /// A pane belongs to one call: it is closed when the call ends, or if the next daemon does not hear of it again.
    PaneLent {
        pane: PaneId,
    },
    /// A pane runs one command for a caller; the command is not started again after it was lost.
    PaneRunsOnce {
        pane: PaneId,
    },
    /// A pane's title, directory and agent as they are now. Written seldom, so that they survive the loss of the pane's
    /// program: the changes themselves are too many to be stored.
    PaneNoted {
        pane: PaneId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentView>,
    },
    /// An agent reported the id of its conversation.
    ConversationReported {
        pane: PaneId,
        conversation: Conversation,
    },
    /// Processes of a lost pane still run, without a terminal.
    SurvivorsFound {
        pane: PaneId,
        survivors: Vec<Survivor>,
    },
    /// A pane's program was started by a call that its caller may repeat with this key.
    RunStarted {
        pane: PaneId,
        key: String,
        /// Its place among the commands of the call.
        number: usize,
        started_at: Timestamp,
    },
    /// A message was stored. Its payload is not part of the event.
    MessageSent(Box<MessageHeader>),
    MessagesOffered {
        session: SessionId,
        messages: Vec<MessageId>,
        how: OfferedVia,
        offered_at: Timestamp,
    },
    /// A notification of these messages is on its way through the agent's own inbox. Until then, or until it has
    /// arrived, no other method announces them.
    PushStarted {
        session: SessionId,
        messages: Vec<MessageId>,
        until: Timestamp,
    },
    /// A push was not heard of any more, so that other methods may announce its messages.
    PushLapsed {
        session: SessionId,
    },
    MessagesRead {
        session: SessionId,
        messages: Vec<MessageId>,
        read_at: Timestamp,
    },
    /// Messages were relayed to another host. The session is the recipient there.
    MessagesRelayed {
        session: SessionId,
        messages: Vec<MessageId>,
        #[serde(default)]
        relayed_at: Timestamp,
    },
    /// Messages from another host arrived again, so that host may lack their receipts.
    ReceiptsMissed {
        messages: Vec<MessageId>,
    },
    /// Recipients of a message were found that take the place of a group.
    RecipientsFound {
        message: MessageId,
        /// The recipient that stood for the group; `None` if it was replaced before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<SessionId>,
        recipients: Vec<Recipient>,
    },
    /// Receipts of these messages arrived from the host of their recipient.
    ReceiptsArrived {
        session: SessionId,
        receipts: Vec<RemoteReceipt>,
    },
    /// The delivery states of messages from another host were relayed back to it.
    ReceiptsRelayed {
        messages: Vec<(MessageId, SessionId, DeliveryState)>,
    },
    MessagesExpired {
        messages: Vec<MessageId>,
        expired_at: Timestamp,
    },
    MessagesDeadLettered {
        session: SessionId,
        messages: Vec<MessageId>,
        reason: String,
    },
    /// Messages that were read or lost long ago were deleted.
    MessagesForgotten {
        messages: Vec<MessageId>,
    },
    SubscriptionChanged {
        session: SessionId,
        subscription: Subscription,
    },
    LeaseClaimed(Box<Lease>),
    LeaseEnded {
        name: LeaseName,
        fence: u64,
        why: LeaseEnd,
    },
    /// The user must know of something, such as damage to the journal. It is shown until it is dismissed.
    WarningRaised {
        warning: String,
    },
    /// The user dismissed all warnings.
    WarningsDismissed,
    /// Sessions waited for each other; their waits were ended.
    WaitedInCircle {
        sessions: Vec<SessionId>,
    },
}
