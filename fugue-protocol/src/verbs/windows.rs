//! Windows: create, rename, arrange and kill them.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Program;
use crate::layout::Node;
use crate::refusal::nearest;
use crate::string_type_macros::text_serde;
use crate::{PaneId, SessionRef, Size, WindowName, WindowRef};

/// The window that a verb acts on.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct WindowChoice {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Window id, name or index. Defaults to the window you are in, otherwise to the session's current window.
    #[arg(long, short = 'w', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowRef")]
    pub window: Option<WindowRef>,
}

/// Create a window with one pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreateWindow {
    /// Session name or UUID. Defaults to the current session.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Window name. Defaults to the program's name.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub name: Option<WindowName>,
    /// The new window's index; if it is taken, that window and those right after it move up. Defaults to the first free
    /// index.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: Option<usize>,
    /// Do not switch to the new window.
    #[arg(long, short = 'd')]
    pub background: bool,
    /// Open the window as a popup, which a client shows in a box and which is not in the session's list. For clients only.
    #[arg(skip)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub popup: bool,
    /// The program to start.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

/// Rename a window.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RenameWindow {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The new name.
    pub name: WindowName,
}

/// Switch a session to one of its windows.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SelectWindow {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
}

/// Move a window within its session or to another one.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct MoveWindow {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The destination session. Defaults to the window's own.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub to_session: Option<SessionRef>,
    /// The window's new index; if it is taken, that window and those right after it move up. Defaults to
    /// the first free index.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: Option<usize>,
}

/// Swap two windows in a session.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SwapWindows {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The other window.
    #[arg(long)]
    pub with: WindowRef,
}

/// Resize a window and its panes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ResizeWindow {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// Size in columns and rows, such as 80x24.
    pub size: Size,
    /// For a popup: the number of the client that shows it; the popup closes with the client. For clients only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub shown_by: Option<u64>,
}

/// Apply a preset layout to a window.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SelectLayout {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The preset: even-horizontal, even-vertical, main-horizontal, main-horizontal-mirrored, main-vertical,
    /// main-vertical-mirrored or tiled.
    pub preset: Preset,
    /// A layout of the window's panes instead of the preset; weights are in any unit. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub tree: Option<Node>,
    /// The columns or rows of the main pane, instead of the preset's. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub main: Option<u16>,
    /// Even out the sizes around this pane instead of applying the preset. For `fugue tmux` only.
    #[arg(skip)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub spread: Option<PaneId>,
}

/// Rotate a window's panes.
///
/// Each pane moves to the position of the next one. The active position stays the same.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RotatePanes {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// Rotate backward: each pane moves to the position of the previous one.
    #[arg(long, short = 'U')]
    pub backward: bool,
}

/// Kill a window and everything running in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct KillWindow {
    /// The window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
}

/// A preset layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Preset {
    /// Panes side by side, equally wide.
    EvenHorizontal,
    /// Panes on top of each other, equally high.
    EvenVertical,
    /// One large pane at the top, the others side by side below it.
    MainHorizontal,
    /// The same, with the large pane at the bottom.
    MainHorizontalMirrored,
    /// One large pane on the left, the others on top of each other beside it.
    MainVertical,
    /// The same, with the large pane on the right.
    MainVerticalMirrored,
    /// A grid with rows and columns as equal as possible.
    Tiled,
}

impl Preset {
    /// All presets with their names, in the order in which tmux cycles through them.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::EvenHorizontal, "even-horizontal"),
        (Self::EvenVertical, "even-vertical"),
        (Self::MainHorizontal, "main-horizontal"),
        (Self::MainHorizontalMirrored, "main-horizontal-mirrored"),
        (Self::MainVertical, "main-vertical"),
        (Self::MainVerticalMirrored, "main-vertical-mirrored"),
        (Self::Tiled, "tiled"),
    ];

    /// Whether the main pane is at the end.
    pub fn is_mirrored(self) -> bool {
        matches!(self, Self::MainHorizontalMirrored | Self::MainVerticalMirrored)
    }

    /// The preset after the last one of a window; for a window that had none, the first.
    pub fn after(last: Option<Self>) -> Self {
        let next = last.map_or(0, |last| last as usize + 1);
        Self::ALL[next % Self::ALL.len()].0
    }

    /// The preset before the last one of a window; for a window that had none, the last.
    pub fn before(last: Option<Self>) -> Self {
        let count = Self::ALL.len();
        let previous = last.map_or(count - 1, |last| last as usize + count - 1);
        Self::ALL[previous % count].0
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::ALL[*self as usize].1)
    }
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.iter().map(|(_, name)| *name);
        let found = Self::ALL.iter().find(|(_, name)| *name == text).map(|(preset, _)| *preset);
        found.ok_or_else(|| match nearest(text, names()) {
            Some(near) => format!("`{text}` is not a layout; did you mean `{near}`?"),
            None => {
                format!("`{text}` is not a layout; use one of {}", names().collect::<Vec<_>>().join(", "))
            }
        })
    }
}

text_serde!(Preset);
