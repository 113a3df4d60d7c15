//! Panes: making, arranging, starting again and ending them.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Program, WindowChoice};
use crate::names::PaneName;
use crate::{PaneRef, SessionRef, Side, WindowName};

/// Which pane is meant.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct PaneChoice {
    /// Pane id (or its last digits) or name; the caller's own, or the current pane of the session, when left out.
    #[arg(long, short = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Session name or id: its current pane is meant.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

impl PaneChoice {
    /// This pane and no other.
    pub fn of(pane: impl Into<PaneRef>) -> Self {
        Self { pane: Some(pane.into()), session: None }
    }
}

/// List panes: of everything, or of one session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListPanes {
    /// Session name or id; all sessions when left out.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Create a new pane in a session by splitting one of its panes. The caller's own session is meant if none is named.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreatePane {
    /// Target session and window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The pane to split; the window's current pane when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// On which side of it the new pane goes: right, below, left or above; below when left out.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// Its share of the split pane, in percent; half when left out.
    #[arg(long, short = 'p', value_parser = clap::value_parser!(u8).range(1..=99))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub percent: Option<u8>,
    /// Its name.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
    /// Leave the keyboard where it is.
    #[arg(long, short = 'd', alias = "no-focus")]
    pub background: bool,
    /// The program, its directory and its environment.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

/// Give a pane a name, or take it away.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RenamePane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The new name; none when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneName")]
    pub name: Option<PaneName>,
}

/// Let a pane no longer call people: its bell, its notifications and its agent's news reach no terminal.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct MutePane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Let it call again.
    #[arg(long)]
    pub off: bool,
}

/// Give a pane the keyboard of its window, or the pane at one of its sides.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct FocusPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The pane on this side of it instead.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// Where there is none on that side, the farthest on the other.
    #[arg(long)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wrap: bool,
}

/// Move a border of a pane, or give it a size.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ResizePane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// Which border moves: the one on this side.
    #[command(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
    /// By how many cells; 1 when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub by: Option<u16>,
    /// Make it so many columns wide.
    #[arg(long, short = 'x')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cols: Option<u16>,
    /// Make it so many rows high.
    #[arg(long, short = 'y')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub rows: Option<u16>,
}

/// Let a pane fill its window, or put it back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ZoomPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// on or off; the other of the two when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    pub zoomed: Option<bool>,
}

/// Exchange the places of two panes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SwapPanes {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The pane it changes places with.
    #[arg(long)]
    pub with: PaneRef,
}

/// Move a pane beside another, in any window or session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct JoinPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The pane beside which it goes.
    #[arg(long)]
    pub beside: PaneRef,
    /// On which side: right, below, left or above; below when left out.
    #[command(flatten)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Side")]
    pub direction: Option<Side>,
}

/// Move a pane into a window of its own.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct BreakPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// The new window's name; the program's name when left out.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub name: Option<WindowName>,
    /// Leave the session's current window where it is.
    #[arg(long, short = 'd')]
    pub background: bool,
}

/// Start a program again in a pane whose program has ended.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RespawnPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
    /// End the program first if it still runs.
    #[arg(long, short = 'k')]
    pub kill: bool,
    /// Another program, directory or environment; the former ones when left out.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

/// Close a pane and end what runs in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ClosePane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}
