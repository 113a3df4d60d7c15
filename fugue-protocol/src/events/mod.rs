//! Events: facts in the past tense. They alone change the state of the core; the journal stores them, and subscribers
//! receive them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::agent_messages::{MessageHeader, OfferedVia, Subscription};
use crate::agents::{AgentView, Confidence, Evidence};
use crate::conversation::Conversation;
use crate::dialogs::OpenDialog;
use crate::git_location::GitLocation;
use crate::launch::Launch;
use crate::layout::Node;
use crate::leases::{Lease, LeaseEnd};
use crate::names::{LeaseName, PaneName};
use crate::verbs::Preset;
use crate::views::{ExitStatus, OnExit, Survivor};
use crate::worktree::Worktree;
use crate::{MessageId, PaneId, RunId, SessionId, SessionName, Size, Tag, Timestamp, WindowId, WindowName};

/// What is noticed of a pane that is monitored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// It printed something.
    Output,
    /// It printed nothing for as long as the user wants to know about.
    Silence,
}

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
        index: usize,
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
    /// Windows and panes are numbered from here on.
    NumberedFrom {
        base: usize,
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

/// A client attached to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct ClientAttached {
    pub client: u64,
    pub session: SessionId,
    pub size: Size,
    pub since: Timestamp,
    pub read_only: bool,
}

/// A session was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct SessionCreated {
    pub session: SessionId,
    pub name: SessionName,
    /// The session that created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<SessionId>,
    /// Its first window, which opens next.
    pub window: WindowId,
    pub created_at: Timestamp,
    #[serde(default)]
    pub tags: Vec<Tag>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The pane whose end closes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_with: Option<PaneId>,
}

/// A window was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct WindowOpened {
    pub window: WindowId,
    pub session: SessionId,
    pub name: WindowName,
    pub size: Size,
    /// Its index in the session.
    pub index: usize,
    /// Its first pane.
    pub pane: PaneId,
    /// Whether its name follows the program in it, because nobody chose one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub automatic_name: bool,
    /// Whether it is a popup, which is none of the session's windows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub popup: bool,
}

/// A pane was created and its program started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct PaneOpened {
    pub pane: PaneId,
    pub window: WindowId,
    pub run: ProgramRun,
    pub launch: Launch,
    pub on_exit: OnExit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<PaneName>,
}

/// The program of a pane was restarted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct PaneRespawned {
    pub pane: PaneId,
    pub run: ProgramRun,
    pub launch: Launch,
    /// What happens to the pane when the program exits, if that was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<OnExit>,
}

/// One run of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct ProgramRun {
    pub id: RunId,
    pub pid: u32,
}

/// The text in place of a value that is not shown.
pub const HIDDEN: &str = "(hidden)";

impl Event {
    /// The event as subscribers may see it: without the values of environment variables, which are often secrets.
    pub fn without_secrets(&self) -> Cow<'_, Self> {
        let mut hidden = match self {
            Self::EnvironmentChanged { .. }
            | Self::GlobalEnvironmentChanged { .. }
            | Self::SessionCreated(_)
            | Self::PaneOpened(_)
            | Self::PaneRespawned(_) => self.clone(),
            _ => return Cow::Borrowed(self),
        };
        match &mut hidden {
            Self::EnvironmentChanged { value, .. } | Self::GlobalEnvironmentChanged { value, .. } => {
                *value = value.as_ref().map(|_| HIDDEN.into());
            }
            Self::SessionCreated(e) => hide(&mut e.environment),
            Self::PaneOpened(e) => hide(&mut e.launch.environment),
            Self::PaneRespawned(e) => hide(&mut e.launch.environment),
            _ => {}
        }
        Cow::Owned(hidden)
    }

    /// Whether the event is only sent to subscribers and not stored in the journal: it will be observed again.
    pub fn is_fleeting(&self) -> bool {
        match self {
            Self::PaneTitled { .. }
            | Self::PaneWentTo { .. }
            | Self::ForegroundChanged { .. }
            | Self::CommandEnded { .. }
            | Self::PaneActivity { .. }
            | Self::NumberedFrom { .. }
            | Self::ClientAttached(_)
            | Self::ClientLeft { .. }
            | Self::ClientDetached { .. }
            | Self::ClientCommanded { .. }
            | Self::PopupShown { .. }
            | Self::PaneRang { .. }
            | Self::PaneNotified { .. }
            | Self::AgentSeen { .. }
            | Self::DialogChanged { .. }
            | Self::SurvivorsFound { .. }
            | Self::WaitedInCircle { .. } => true,
            // A report of the agent itself is stored with its time; a guess is made again.
            Self::AgentStateChanged { agent: Some(agent), .. } => agent.sure != Confidence::Certain,
            _ => false,
        }
    }
}

fn hide(environment: &mut BTreeMap<String, String>) {
    environment.values_mut().for_each(|value| *value = HIDDEN.into());
}

/// An event with its id and time, as subscribers receive it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Its id in the journal; `None` if it is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// When it happened.
    pub at: Timestamp,
    /// The client that caused it, if that is a terminal. Not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_with_a_time_of_its_own_round_trips() {
        let pane = PaneId::from_bytes([1; 16]);
        let at = Timestamp::from_millis(1);
        for event in [
            Event::AgentSeen { pane, at, program: None, signs: Vec::new() },
            Event::MessagesRead {
                session: SessionId::from_bytes([2; 16]),
                messages: Vec::new(),
                read_at: at,
            },
        ] {
            let record = EventRecord { id: Some(7), at: Timestamp::from_millis(2), by: None, event };
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<EventRecord>(&text).unwrap(), record, "{text}");
        }
    }
}
