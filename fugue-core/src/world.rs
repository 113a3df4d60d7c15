//! The world: sessions, windows, panes, as the events made them. Plain data; only `evolve` writes it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use fugue_protocol::events::{ClientAttached, Launch, ProgramRun};
use fugue_protocol::orchestration::{GitLocation, Subscription};
use fugue_protocol::views::{ExitStatus, OnExit};
use fugue_protocol::{
    PaneId, PaneName, Rect, RunId, SessionId, SessionName, Size, Tag, Timestamp, WindowId, WindowName,
};
use serde::{Deserialize, Serialize};

use crate::agents::Agent;
use crate::inbox::MessageStore;
use crate::layout::{LEAST_PANE, Layout};
use crate::leases::Leases;

/// Everything there is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct World {
    /// Sessions by id, which is the order in which they were made.
    pub sessions: BTreeMap<SessionId, Session>,
    /// Windows by id.
    pub windows: BTreeMap<WindowId, Window>,
    /// Panes by id.
    pub panes: BTreeMap<PaneId, Pane>,
    /// Sessions in the order of their last use by a person, the newest last.
    pub recent: Vec<SessionId>,
    /// How panes that are closed had ended, the newest last.
    pub departed: VecDeque<(PaneId, ExitStatus)>,
    /// Who may work on what.
    #[serde(default)]
    pub leases: Leases,
    /// What was sent. It has a place of its own on the disk.
    #[serde(skip)]
    pub messages: MessageStore,
    /// Terminals that show a session, by their connection's number: they end with the daemon, and so does this.
    #[serde(skip)]
    pub clients: BTreeMap<u64, ClientAttached>,
}

/// How many closed panes' exit statuses are remembered: enough for whoever asks a little late.
pub const DEPARTED: usize = 1_000;

/// A session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Session {
    pub id: SessionId,
    pub name: SessionName,
    pub parent: Option<SessionId>,
    pub created_at: Timestamp,
    /// Its windows, in order; never empty at the end of a step.
    pub windows: Vec<WindowId>,
    pub current: WindowId,
    /// The window that was current before.
    pub last: Option<WindowId>,
    pub tags: BTreeSet<Tag>,
    pub metadata: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    /// Which messages it wants to be told of.
    #[serde(default)]
    pub subscription: Subscription,
}

/// A window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Window {
    pub id: WindowId,
    pub session: SessionId,
    pub name: WindowName,
    pub size: Size,
    pub layout: Layout<PaneId>,
    pub active: PaneId,
    /// The pane that was active before.
    pub last: Option<PaneId>,
    pub zoomed: Option<PaneId>,
}

/// A pane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Pane {
    pub id: PaneId,
    pub window: WindowId,
    pub name: Option<PaneName>,
    pub launch: Launch,
    pub on_exit: OnExit,
    pub life: PaneLife,
    #[serde(default)]
    pub agent: Agent,
    #[serde(skip)]
    pub title: String,
    #[serde(skip)]
    pub cwd: Option<String>,
    /// Where its directory is, as git tells.
    #[serde(default)]
    pub place: Option<GitLocation>,
    /// It is there for one call alone.
    #[serde(default)]
    pub lent: bool,
    /// It may not call people.
    #[serde(default)]
    pub muted: bool,
}

/// Whether a pane's program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneLife {
    /// It runs.
    Running(ProgramRun),
    /// It has ended; the keeper keeps its last screen under the run's id.
    Exited(RunId, ExitStatus),
    /// It went with the keeper and the daemon.
    Lost,
}

impl Window {
    /// Where its panes stand; a zoomed pane has the whole window.
    pub fn places(&self) -> Vec<(PaneId, Rect)> {
        let whole = Rect::whole(self.size.at_least(LEAST_PANE));
        let place = |(pane, rect)| (pane, if self.zoomed == Some(pane) { whole } else { rect });
        self.layout.places(self.size).into_iter().map(place).collect()
    }
}

impl Pane {
    /// The run of its program, while it runs.
    pub fn run(&self) -> Option<ProgramRun> {
        match self.life {
            PaneLife::Running(run) => Some(run),
            PaneLife::Exited(..) | PaneLife::Lost => None,
        }
    }

    /// The run whose output it shows.
    pub fn run_id(&self) -> Option<RunId> {
        match self.life {
            PaneLife::Running(run) => Some(run.id),
            PaneLife::Exited(run, _) => Some(run),
            PaneLife::Lost => None,
        }
    }

    /// How its program ended.
    pub fn exit(&self) -> Option<ExitStatus> {
        if let PaneLife::Exited(_, exit) = self.life { Some(exit) } else { None }
    }

    /// Its working directory: where it went, else where it began.
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref().or(self.launch.cwd.as_deref())
    }
}

impl World {
    /// The same tree, without what was sent.
    pub(crate) fn clone_tree(&self) -> Self {
        let Self { sessions, windows, panes, recent, .. } = self;
        Self {
            sessions: sessions.clone(),
            windows: windows.clone(),
            panes: panes.clone(),
            recent: recent.clone(),
            ..Self::default()
        }
    }

    /// How a pane that is no longer there had ended.
    pub fn departed(&self, pane: PaneId) -> Option<ExitStatus> {
        self.departed.iter().rev().find(|(id, _)| *id == pane).map(|(_, exit)| *exit)
    }

    /// The pane whose program has this process id.
    pub fn pane_of_pid(&self, pid: u32) -> Option<PaneId> {
        self.panes.values().find(|pane| pane.run().is_some_and(|run| run.pid == pid)).map(|pane| pane.id)
    }
}
