//! The contents of events that have many fields.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::launch::Launch;
use crate::names::PaneName;
use crate::views::OnExit;
use crate::{PaneId, RunId, SessionId, SessionName, Size, Tag, Timestamp, WindowId, WindowName};

/// What is noticed of a pane that is monitored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// It printed something.
    Output,
    /// It printed nothing for as long as the user wants to know about.
    Silence,
}

/// A client attached to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct ClientAttached {
    pub client: u64,
    pub session: SessionId,
    pub size: Size,
    pub since: Timestamp,
    pub read_only: bool,
    /// The terminal's device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tty: Option<String>,
}

/// A line of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookLine {
    /// The line of tmux's commands.
    #[serde(rename = "line")]
    pub text: String,
    /// Whether an agent may have set it: it runs with the rights of one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_agent: bool,
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
    /// Its number in tmux's notation, if its program was told another than the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
}

/// A window was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct WindowOpened {
    pub window: WindowId,
    pub session: SessionId,
    pub name: WindowName,
    pub size: Size,
    /// Its position among the session's windows.
    pub index: usize,
    /// The index that it gets, counted from zero; without one, the next after that of the window before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<usize>,
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
