//! What happened. Facts in the past tense: the world changes by these alone, the journal keeps them,
//! and whoever watches is told them.

mod launch;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agents::{AgentView, Confidence, Evidence};
use crate::layout::Node;
use crate::names::{LeaseName, PaneName};
use crate::orchestration::{GitLocation, Lease, LeaseEnd, MessageHeader, OfferedVia, Subscription};
use crate::views::{ExitStatus, OnExit};
use crate::{MessageId, PaneId, RunId, SessionId, SessionName, Size, Tag, Timestamp, WindowId, WindowName};

pub use launch::Launch;

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names say it")]
pub enum Event {
    SessionCreated(SessionCreated),
    SessionRenamed {
        session: SessionId,
        name: SessionName,
    },
    SessionClosed {
        session: SessionId,
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
    ZoomChanged {
        window: WindowId,
        pane: Option<PaneId>,
    },
    PaneOpened(PaneOpened),
    PaneMoved {
        pane: PaneId,
        window: WindowId,
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
    /// A client was told to leave; it does so when it hears this.
    ClientDetached {
        client: u64,
    },
    /// Something wants a person's eye: the bell.
    PaneRang {
        pane: PaneId,
    },
    /// The same with words, which are the program's own.
    PaneNotified {
        pane: PaneId,
        title: String,
        body: String,
    },
    /// What can be seen of the agent in a pane: all of it, in the place of what was seen before.
    AgentSeen {
        pane: PaneId,
        // Whoever is told an event is told a time with it, of the same name.
        #[serde(rename = "seen_at")]
        at: Timestamp,
        program: Option<String>,
        signs: Vec<Evidence>,
    },
    /// An agent, or a hook of its, said how it is doing.
    AgentReported {
        pane: PaneId,
        #[serde(rename = "reported_at")]
        at: Timestamp,
        name: Option<String>,
        sign: Evidence,
    },
    /// An agent is doing otherwise than before; none when there is no agent any more.
    AgentStateChanged {
        pane: PaneId,
        agent: Option<AgentView>,
    },
    /// A pane's directory is somewhere else, as git sees it.
    PaneLocated {
        pane: PaneId,
        place: Option<GitLocation>,
    },
    /// A pane is there for one call alone: it is closed with it, and by the next daemon, which nobody asked.
    PaneLent {
        pane: PaneId,
    },
    /// A message was stored; its body is not told, whoever may read it asks for it.
    MessageSent(Box<MessageHeader>),
    MessagesOffered {
        session: SessionId,
        messages: Vec<MessageId>,
        how: OfferedVia,
        offered_at: Timestamp,
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
    /// What has long been read or lost is no longer kept.
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
    /// These wait for each other, and have been told so.
    WaitedInCircle {
        sessions: Vec<SessionId>,
    },
}

/// A terminal shows a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ClientAttached {
    pub client: u64,
    pub session: SessionId,
    pub size: Size,
    pub since: Timestamp,
    pub read_only: bool,
}

/// A session came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct SessionCreated {
    pub session: SessionId,
    pub name: SessionName,
    /// The session from which it was made.
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
}

/// A window came to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct WindowOpened {
    pub window: WindowId,
    pub session: SessionId,
    pub name: WindowName,
    pub size: Size,
    /// Its number in the session.
    pub index: usize,
    /// Its first pane.
    pub pane: PaneId,
}

/// A pane came to be, its program started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PaneOpened {
    pub pane: PaneId,
    pub window: WindowId,
    pub run: ProgramRun,
    pub launch: Launch,
    pub on_exit: OnExit,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<PaneName>,
}

/// A pane's program was started again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PaneRespawned {
    pub pane: PaneId,
    pub run: ProgramRun,
    pub launch: Launch,
    /// What becomes of the pane from now on when the program ends, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<OnExit>,
}

/// One run of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ProgramRun {
    pub id: RunId,
    pub pid: u32,
}

impl Event {
    /// What a program says of itself in passing: told to watchers, not kept, since the screen brings it back.
    pub fn is_fleeting(&self) -> bool {
        match self {
            Self::PaneTitled { .. }
            | Self::PaneWentTo { .. }
            | Self::ClientAttached(_)
            | Self::ClientLeft { .. }
            | Self::ClientDetached { .. }
            | Self::PaneRang { .. }
            | Self::PaneNotified { .. }
            | Self::AgentSeen { .. }
            | Self::WaitedInCircle { .. } => true,
            // What an agent said itself is kept, with its time; guesses come again with the next look.
            Self::AgentStateChanged { agent: Some(agent), .. } => agent.sure != Confidence::Certain,
            _ => false,
        }
    }
}

/// An event with its number and its time, as watchers get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRecord {
    /// Its number in the journal; none for what is not kept. `--since` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// When it happened.
    pub at: Timestamp,
    /// The client that asked for it, if that is a person's terminal. Not kept.
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
    fn an_event_that_has_a_time_of_its_own_can_still_be_told() {
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
            let told = EventRecord { id: Some(7), at: Timestamp::from_millis(2), by: None, event };
            let text = serde_json::to_string(&told).unwrap();
            assert_eq!(serde_json::from_str::<EventRecord>(&text).unwrap(), told, "{text}");
        }
    }
}
