//! Windows: making, naming, arranging and ending them.

use std::fmt;
use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Program;
use crate::refusal::nearest;
use crate::text_schema::text_serde;
use crate::{SessionRef, Size, WindowName, WindowRef};

/// Which window is meant.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct WindowChoice {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Window id, name or number; the session's current window, or the caller's own, when left out.
    #[arg(long, short = 'w', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowRef")]
    pub window: Option<WindowRef>,
}

/// Make a window with one pane, and start a program in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct CreateWindow {
    /// Session name or id; the caller's own when left out.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// Its name; the program's name when left out.
    #[arg(long, short = 'n')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "WindowName")]
    pub name: Option<WindowName>,
    /// Leave the session's current window where it is.
    #[arg(long, short = 'd')]
    pub background: bool,
    /// The program, its directory and its environment.
    #[command(flatten)]
    #[serde(flatten)]
    pub program: Program,
}

/// Give a window a new name.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RenameWindow {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The new name.
    pub name: WindowName,
}

/// Make a window the current one of its session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct SelectWindow {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
}

/// Put a window at another place in its session, or into another session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct MoveWindow {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The session it goes to; it stays in its own when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub to_session: Option<SessionRef>,
    /// Its new number; the last when left out.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub index: Option<usize>,
}

/// Give a window another size; its panes are laid out anew.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct ResizeWindow {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// Columns and rows, as in 80x24.
    pub size: Size,
}

/// Arrange the panes of a window by a preset.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct SelectLayout {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// even-horizontal, even-vertical, main-horizontal, main-vertical or tiled.
    pub preset: Preset,
}

/// Let the panes of a window change places in a circle: each takes the place of the next.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RotatePanes {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
    /// The other way round: each takes the place of the one before.
    #[arg(long, short = 'U')]
    pub backward: bool,
}

/// End a window and everything that runs in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct KillWindow {
    /// Which window.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: WindowChoice,
}

/// A ready-made arrangement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Preset {
    /// Side by side, equally wide.
    EvenHorizontal,
    /// One above the other, equally high.
    EvenVertical,
    /// A large pane above, the others side by side below it.
    MainHorizontal,
    /// A large pane at the left, the others one above the other beside it.
    MainVertical,
    /// Rows and columns as equal as can be.
    Tiled,
}

impl Preset {
    /// All presets with their names, in the order in which tmux goes through them.
    pub const ALL: [(Preset, &'static str); 5] = [
        (Preset::EvenHorizontal, "even-horizontal"),
        (Preset::EvenVertical, "even-vertical"),
        (Preset::MainHorizontal, "main-horizontal"),
        (Preset::MainVertical, "main-vertical"),
        (Preset::Tiled, "tiled"),
    ];
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Preset::ALL[*self as usize].1)
    }
}

impl FromStr for Preset {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Preset::ALL.iter().map(|(_, name)| *name);
        let found = Preset::ALL.iter().find(|(_, name)| *name == text).map(|(preset, _)| *preset);
        found.ok_or_else(|| match nearest(text, names()) {
            Some(near) => format!("`{text}` is not a layout: did you mean `{near}`?"),
            None => format!("`{text}` is not a layout: there are {}", names().collect::<Vec<_>>().join(", ")),
        })
    }
}

text_serde!(Preset);
