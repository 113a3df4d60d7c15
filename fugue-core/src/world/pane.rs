//! A pane: its program, its agent, and what is remembered of both.

use std::collections::BTreeSet;

use fugue_protocol::Launch;
use fugue_protocol::agents::{AgentState, AgentView};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::dialogs::{DialogKind, OpenDialog};
use fugue_protocol::events::ProgramRun;
use fugue_protocol::views::{ExitStatus, OnExit, PaneView, Survivor};
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{PaneId, PaneName, RunId, SessionId, SessionName, Timestamp, WindowId};
use serde::{Deserialize, Serialize};

use crate::agents::{Agent, asks_user};

/// A pane. What few panes have is boxed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Pane {
    pub id: PaneId,
    /// Its number, which no other pane ever gets.
    #[serde(default)]
    pub number: u64,
    pub window: WindowId,
    pub name: Option<PaneName>,
    pub launch: Launch,
    pub on_exit: OnExit,
    pub life: PaneLife,
    #[serde(default)]
    pub agent: Agent,
    /// The dialog on its agent's screen. Not stored, because the next look finds it again.
    #[serde(skip)]
    pub dialog: Option<Box<OpenDialog>>,
    /// Its title. Changes are not stored, but noted from time to time: see `pane_notes.rs`.
    #[serde(default)]
    pub title: String,
    /// The program in the foreground, if that is not its own. Not stored, because the next look finds it again.
    #[serde(skip)]
    pub foreground: Option<String>,
    /// The exit code of the last command in its shell, found again in the same way.
    #[serde(skip)]
    pub last_exit: Option<i32>,
    /// Its current directory, noted in the same way.
    #[serde(default)]
    pub cwd: Option<String>,
    /// What was noted last.
    #[serde(default)]
    pub(crate) noted: Option<PaneNote>,
    /// The conversation of its agent, as the agent reported it or its command line names it.
    #[serde(default)]
    pub conversation: Option<Conversation>,
    /// The conversation of an agent that was started from its shell and has ended.
    #[serde(default)]
    pub ended_conversation: Option<Conversation>,
    /// The agent that was lost with its program.
    #[serde(default)]
    pub lost_agent: Option<Box<AgentView>>,
    /// Processes that outlived its program when that was lost; the next daemon looks for them again.
    #[serde(skip)]
    pub survivors: Vec<Survivor>,
    /// Whether it runs one command for a caller.
    #[serde(default)]
    pub runs_once: bool,
    /// The repository of its working directory.
    #[serde(default)]
    pub place: Option<Box<GitLocation>>,
    /// Whether it was opened for one request only.
    #[serde(default)]
    pub lent: bool,
    /// The call that started its program.
    #[serde(default)]
    pub started_by: Option<StartedBy>,
    /// Whether its bells and notifications are suppressed.
    #[serde(default)]
    pub muted: bool,
    /// The process that copies its output to a command. Not stored, because it tells the next daemon that it is there.
    #[serde(skip)]
    pub pipe: Option<Box<PanePipe>>,
    /// What governs it, if that is not just the session it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<PaneAuthority>,
}

/// A process that copies a pane's output to a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanePipe {
    /// Its key, which no other has.
    pub key: String,
    /// Whether it was asked to end.
    pub is_ending: bool,
}

/// The authority of a pane that was moved to another session, or that an agent opened in one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneAuthority {
    /// The session that it belongs to.
    pub session: SessionId,
    /// The names whose scopes govern it, besides those of that session.
    pub names: BTreeSet<SessionName>,
}

/// A call that its caller may repeat, and that started the program of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct StartedBy {
    pub key: String,
    /// The place of the program among those of the call.
    pub number: usize,
    pub started_at: Timestamp,
}

/// The state of a pane's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneLife {
    /// It is running.
    Running(ProgramRun),
    /// It has ended; the keeper keeps its last screen under the run's id.
    Exited(RunId, ExitStatus),
    /// It was lost with the keeper.
    Lost,
}

/// What was noted of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PaneNote {
    title: String,
    cwd: Option<String>,
    agent: Option<(String, AgentState)>,
}

impl PaneNote {
    /// The note of these values. Of an agent only the name and the state count: the rest would change too often.
    pub(crate) fn new(title: &str, cwd: Option<&str>, agent: Option<&AgentView>) -> Self {
        let agent = agent.map(|agent| (agent.name.clone(), agent.state));
        Self { title: title.to_owned(), cwd: cwd.map(str::to_owned), agent }
    }
}

/// A pane that was closed because its program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedPane {
    /// The pane as it was last.
    pub view: PaneView,
    /// When its program ended.
    pub ended_at: Timestamp,
}

impl Pane {
    /// The run of its program, while it is running.
    pub fn run(&self) -> Option<ProgramRun> {
        match self.life {
            PaneLife::Running(run) => Some(run),
            PaneLife::Exited(..) | PaneLife::Lost => None,
        }
    }

    /// The conversation of its agent, or of the last agent that ran in it.
    pub fn last_conversation(&self) -> Option<&Conversation> {
        self.conversation.as_ref().or(self.ended_conversation.as_ref())
    }

    /// The run whose output it shows.
    pub fn run_id(&self) -> Option<RunId> {
        match self.life {
            PaneLife::Running(run) => Some(run.id),
            PaneLife::Exited(run, _) => Some(run),
            PaneLife::Lost => None,
        }
    }

    /// The exit status of its program.
    pub fn exit(&self) -> Option<ExitStatus> {
        if let PaneLife::Exited(_, exit) = self.life { Some(exit) } else { None }
    }

    /// Its working directory: the current one, else the initial one.
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref().or(self.launch.cwd.as_deref())
    }

    /// Whether its agent waits for something that only the user may decide.
    pub(crate) fn waits_for_user(&self) -> bool {
        self.run().is_some() && (self.shows_permission() || self.agent_asks_user())
    }

    /// Whether its agent reports that it needs the user's permission or login, or is blocked by something else.
    pub(crate) fn agent_asks_user(&self) -> bool {
        self.agent.view.as_ref().is_some_and(|view| asks_user(view.state, view.waits_for))
    }

    /// Whether it shows a dialog that only people may answer.
    fn shows_permission(&self) -> bool {
        self.dialog.as_ref().is_some_and(|open| open.dialog.kind != DialogKind::Question)
    }
}
