//! Panes: create, arrange, respawn and close them.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NextProgram, Program, WindowChoice};
use crate::names::PaneName;
use crate::{PaneRef, SessionRef, Side, WindowName};

/// The pane that a verb acts on.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct PaneChoice {
    /// Pane id (or its last digits) or name. Defaults to your pane, or the session's current pane.
    #[arg(long, short = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Use the current pane of this session (name or UUID).
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

impl PaneChoice {
    /// Chooses exactly this pane.
    pub fn of(pane: impl Into<PaneRef>) -> Self {
        Self { pane: Some(pane.into()), session: None }
    }
}

/// List the panes in one session or in all sessions.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListPanes {
    /// Only this pane: its id (or last digits) or name. A pane whose program ended within the last hour is returned even
    /// though it is closed.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Session name or UUID. Defaults to all sessions.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Create a pane by splitting another one.
///
/// If an agent's new pane would be smaller than 20x5, it is opened in a window of its own.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreatePane {
    /// The session and window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The pane to split. Defaults to the window's current pane.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Side on which the new pane opens. Defaults to below.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// The new pane's size as a percentage. Defaults to half.
    #[arg(long, short = 'p', value_parser = clap::value_parser!(u8).range(1..=99))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub percent: Option<u8>,
    /// Size of the new pane in columns or rows, instead of a percentage.
    #[arg(long, short = 'l', conflicts_with = "percent")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cells: Option<u16>,
    /// Make the new pane span the full width or height of the window.
    #[arg(long, short = 'f')]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub full: bool,
    /// Pane name.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
    /// Do not focus the new pane.
    #[arg(long, short = 'd', alias = "no-focus")]
    pub background: bool,
    /// The program to start.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

impl CreatePane {
    pub(super) const NOTE: &'static str = "For a command that ends, use fugue_run.";
}

/// Rename a pane, or remove its name.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RenamePane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The new name. If omitted, the name is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
}

/// Mute a pane.
///
/// The pane's bell, notifications and agent state changes no longer trigger alerts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct MutePane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Unmute the pane.
    #[arg(long)]
    pub off: bool,
}

/// Mark a pane; `{marked}` then names it.
///
/// Only one pane of a daemon is marked at a time.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct MarkPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Clear the mark.
    #[arg(long)]
    pub clear: bool,
}

/// Focus a pane, or its neighbor in a given direction.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct FocusPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Focus the neighboring pane on this side instead.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// If there is no pane on that side, wrap around to the opposite edge.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wrap: bool,
}

/// Resize a pane, or move one of its borders.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ResizePane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Move the border after the pane (before it, if it is the last one) in this direction.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// Number of cells to move the border by. Defaults to 1.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub by: Option<u16>,
    /// Set the width to this many columns.
    #[arg(long, short = 'x')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cols: Option<u16>,
    /// Set the height to this many rows.
    #[arg(long, short = 'y')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub rows: Option<u16>,
    /// Clamp a size that does not fit, and do nothing if there is no border. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub towards: bool,
}

/// Zoom a pane to fill its window, or unzoom it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ZoomPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Whether to zoom the pane. If omitted, the zoom is toggled.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub zoomed: Option<bool>,
}

/// Swap two panes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SwapPanes {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The other pane.
    #[arg(long)]
    pub with: PaneRef,
}

/// Move a pane next to another one.
///
/// The panes may be in different windows or sessions.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct JoinPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The destination pane.
    #[arg(long)]
    pub beside: PaneRef,
    /// Side of the destination pane to move to: right, below, left or above. Defaults to below.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// The columns or rows of the pane at its destination, instead of half of them. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub cells: Option<u16>,
    /// Do not focus the pane. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub background: bool,
}

/// Move a pane into a new window.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct BreakPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Name of the new window. Defaults to the program's name.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub name: Option<WindowName>,
    /// Do not switch to the new window.
    #[arg(long, short = 'd')]
    pub background: bool,
}

/// Restart a pane's program after it has exited.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RespawnPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Kill the program first if it is still running.
    #[arg(long, short = 'k')]
    pub kill: bool,
    /// The program to start. Defaults to the previous one, with its directory and environment.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: NextProgram,
}

/// Restart lost programs, each in its last directory.
///
/// Programs are lost when the machine restarts, or when the daemon and the keeper are killed. An agent resumes its
/// conversation if its hooks reported the conversation's id. Commands started by `run` and `run-parallel` are not
/// restarted.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RestorePanes {
    /// Restore only this pane (id, the last digits of its id, or name).
    #[arg(long, short = 't', conflicts_with = "all")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Restore the lost panes of this session (name or UUID). Defaults to the session you are in, otherwise to
    /// the most recently used one.
    #[arg(long, short = 's', conflicts_with = "all")]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Restore the lost panes of all sessions.
    #[arg(long, short = 'a')]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// Restore only panes that ran a shell.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shells: bool,
}

/// Delete a pane's scrollback.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ClearHistory {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}

/// Close a pane and kill its program.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ClosePane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}
