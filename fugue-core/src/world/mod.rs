//! The world: sessions, windows and panes, as the events made them. Plain data; only `evolve` changes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fugue_protocol::agent_messages::Subscription;
use fugue_protocol::conversation::Conversation;
use fugue_protocol::events::ClientAttached;
use fugue_protocol::verbs::Preset;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::worktree::Worktree;
use fugue_protocol::{
    ConfinementName, MessageId, OptionScope, PaneId, Rect, RunId, SessionId, SessionName, Size, Tag,
    Timestamp, WindowId, WindowName,
};
use serde::{Deserialize, Serialize};

use crate::agents::AgentSetting;
use crate::buffers::Buffers;
use crate::channels::Channels;
use crate::hooks::Hooks;
use crate::inbox::MessageStore;
use crate::layout::{LEAST_PANE, Layout};
use crate::leases::Leases;
use crate::numbers::NextNumbers;
use crate::options::Options;

mod newer_state;
mod pane;
mod pane_map;
mod window_slots;

pub use newer_state::NewerState;
pub(crate) use pane::PaneNote;
pub use pane::{EndedPane, Pane, PaneAuthority, PaneLife, PanePipe, StartedBy};
pub use pane_map::PaneMap;
pub use window_slots::{HIGHEST_SLOT, WindowSlots};

/// The whole state of the daemon.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Sessions by id, in the order of creation.
    pub sessions: BTreeMap<SessionId, Session>,
    /// Windows by id.
    pub windows: BTreeMap<WindowId, Window>,
    /// Panes by id.
    pub panes: PaneMap,
    /// Sessions in the order of their last use by the user, the most recent last.
    pub recent: Vec<SessionId>,
    /// The exit statuses of closed panes, the most recent last.
    pub departed: VecDeque<(PaneId, ExitStatus)>,
    /// The runs of closed panes, and those that others replaced, the most recent last. The keeper still holds one of them if
    /// the daemon was killed before it dropped it.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub dropped_runs: VecDeque<RunId>,
    /// The panes that were closed because their programs ended, the most recent last.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub ended: VecDeque<EndedPane>,
    /// The conversations of closed panes, the most recent last.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub ended_conversations: VecDeque<(PaneId, Conversation)>,
    /// The variables of programs in all sessions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
    /// The numbers that the next session, window and pane get.
    #[serde(default)]
    pub next_numbers: NextNumbers,
    /// Closed sessions from which living ones descend, and their parents.
    #[serde(default)]
    pub closed_ancestors: BTreeMap<SessionId, Option<SessionId>>,
    /// The leases.
    #[serde(default)]
    pub leases: Leases,
    /// The marked pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<PaneId>,
    /// The options that tmux's commands have set.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub options: Options,
    /// The hooks that tmux's `set-hook` has set.
    #[serde(default, skip_serializing_if = "Hooks::is_empty")]
    pub hooks: Hooks,
    /// The paste buffers.
    #[serde(default, skip_serializing_if = "Buffers::is_empty")]
    pub buffers: Buffers,
    /// The channels of tmux's `wait-for`.
    #[serde(default, skip_serializing_if = "Channels::is_empty")]
    pub channels: Channels,
    /// The worktrees that were created for sessions, by path. They stay when their session is closed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub worktrees: BTreeMap<String, Worktree>,
    /// Warnings that the user has not dismissed yet, the most recent last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// State that only the next version has (`tools/next_version.rs`).
    #[cfg(fugue_next)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<SessionId, String>,
    /// State and events of a newer version.
    #[serde(default, skip_serializing_if = "NewerState::is_empty")]
    pub newer: NewerState,
    /// The number of the first window of a session and of the first pane of a window: a setting.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub base_index: usize,
    /// Whether windows are numbered without gaps: a setting, but the indexes in stored events depend on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renumber_windows: bool,
    /// The agents that are known, for the commands that would start lost ones again.
    #[serde(skip)]
    pub agents: AgentSetting,
    /// The messages. They are stored separately.
    #[serde(skip)]
    pub messages: MessageStore,
    /// Attached clients by connection number. They are gone after a restart, so they are not stored.
    #[serde(skip)]
    pub clients: BTreeMap<u64, ClientAttached>,
    /// The clients that show popups. A client tells it again after a restart.
    #[serde(skip)]
    pub popup_clients: BTreeMap<WindowId, u64>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// How many exit statuses of closed panes are kept, for callers that ask late.
pub const DEPARTED: usize = 1_000;

/// How many warnings are kept: more than anybody reads, and each is a sentence.
pub const WARNINGS: usize = 16;

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Session {
    pub id: SessionId,
    /// Its number, which no other session of the daemon ever gets.
    #[serde(default)]
    pub number: u64,
    pub name: SessionName,
    pub parent: Option<SessionId>,
    pub created_at: Timestamp,
    /// The windows, in order; never empty after a step.
    pub windows: Vec<WindowId>,
    /// The index of each of them.
    #[serde(default)]
    pub slots: WindowSlots,
    pub current: WindowId,
    /// The last active window.
    pub last: Option<WindowId>,
    /// The windows that were active before that one, each once, the newest at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former: Vec<WindowId>,
    pub tags: BTreeSet<Tag>,
    pub metadata: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    /// The messages that the session wants to be notified of.
    #[serde(default)]
    pub subscription: Subscription,
    /// The notification that is on its way through the agent's own inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<PendingPush>,
    /// The names whose scopes govern it, fixed since an agent created or renamed it; empty if its current name does.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub governed_by: BTreeSet<SessionName>,
    /// The profiles by which its programs are confined; they never become fewer.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub confined_by: BTreeSet<ConfinementName>,
    /// The pane whose end closes the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closes_with: Option<PaneId>,
}

/// A notification that was put into an agent's inbox, and that the agent has not taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingPush {
    /// What it is about.
    pub messages: Vec<MessageId>,
    /// When it counts as lost, unless it is heard of again.
    pub until: Timestamp,
}

/// A window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Window {
    pub id: WindowId,
    /// Its number, which no other window ever gets.
    #[serde(default)]
    pub number: u64,
    pub session: SessionId,
    /// Its own name, which is shown unless another one follows from the program in it.
    pub name: WindowName,
    /// Whether its name follows the program in it.
    #[serde(default)]
    pub automatic_name: bool,
    pub size: Size,
    pub layout: Layout<PaneId>,
    pub active: PaneId,
    /// The last active pane.
    pub last: Option<PaneId>,
    /// The panes that were active before, the most recent one last; each at most once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former: Vec<PaneId>,
    pub zoomed: Option<PaneId>,
    /// The preset that was applied last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Whether it is a popup: it belongs to its session, but is not one of the windows that the session lists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub popup: bool,
}

impl Window {
    /// The positions of its panes; a zoomed pane has the whole window.
    pub fn places(&self) -> Vec<(PaneId, Rect)> {
        let whole = Rect::whole(self.size.at_least(LEAST_PANE));
        let place = |(pane, rect)| (pane, if self.zoomed == Some(pane) { whole } else { rect });
        self.layout.places(self.size).into_iter().map(place).collect()
    }
}

impl World {
    /// Whether what an option is set for exists.
    pub(crate) fn has_scope(&self, scope: OptionScope) -> bool {
        match scope {
            OptionScope::Global => true,
            OptionScope::Session(session) => self.sessions.contains_key(&session),
            OptionScope::Window(window) => self.windows.contains_key(&window),
            OptionScope::Pane(pane) => self.panes.contains_key(&pane),
        }
    }

    /// Assigns numbers and indexes to state that a daemon without them stored.
    pub fn number_old_state(&mut self) {
        for session in self.sessions.values_mut().filter(|of| of.slots.count() != of.windows.len()) {
            session.slots = WindowSlots::without_gaps(session.windows.len());
        }
        if self.next_numbers == NextNumbers::default() {
            self.sessions.values_mut().for_each(|session| session.number = self.next_numbers.session(None));
            self.windows.values_mut().for_each(|window| window.number = self.next_numbers.window());
            self.panes.values_mut().for_each(|pane| pane.number = self.next_numbers.pane());
        }
    }

    /// The same world without messages.
    pub(crate) fn clone_tree(&self) -> Self {
        let Self { sessions, windows, panes, recent, next_numbers, environment, .. } = self;
        Self {
            sessions: sessions.clone(),
            windows: windows.clone(),
            panes: panes.clone(),
            recent: recent.clone(),
            next_numbers: *next_numbers,
            environment: environment.clone(),
            ..Self::default()
        }
    }

    /// The exit status of a closed pane.
    pub fn departed(&self, pane: PaneId) -> Option<ExitStatus> {
        self.departed.iter().rev().find(|(id, _)| *id == pane).map(|(_, exit)| *exit)
    }

    /// The last conversation in a closed pane.
    pub fn ended_conversation(&self, pane: PaneId) -> Option<&Conversation> {
        self.ended_conversations
            .iter()
            .rev()
            .find(|(id, _)| *id == pane)
            .map(|(_, conversation)| conversation)
    }

    /// The pane whose program has this process id.
    pub fn pane_of_pid(&self, pid: u32) -> Option<PaneId> {
        self.panes.values().find(|pane| pane.run().is_some_and(|run| run.pid == pid)).map(|pane| pane.id)
    }

    /// The panes whose programs were started by the call with this key, in the order of its commands.
    pub fn panes_started_by(&self, key: &str) -> Vec<PaneId> {
        let started = self.panes.values().filter_map(|pane| Some((pane.started_by.as_ref()?, pane.id)));
        let mut panes: Vec<_> = started.filter(|(by, _)| by.key == key).collect();
        panes.sort_by_key(|(by, _)| by.number);
        panes.into_iter().map(|(_, pane)| pane).collect()
    }
}
