//! Pictures of panes, and their output as it was written.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PaneChoice;
use crate::{PaneRef, SessionRef};

/// Take a picture of what a pane shows: svg, png, html, ansi, json or text.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Screenshot {
    /// Pane id (or its last digits) or name; the caller's own, or the current pane of the session, when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneRef")]
    pub pane: Option<PaneRef>,
    /// Session name or id: its current pane is meant.
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
    /// svg, png, html, ansi, json or text.
    #[arg(long, default_value = "svg")]
    pub format: Format,
}

impl Screenshot {
    /// Which pane is meant.
    pub fn choice(&self) -> PaneChoice {
        PaneChoice { pane: self.pane.clone(), session: self.session.clone() }
    }
}

/// Be sent a pane's output as its program writes it, from now on: pieces for a recording. `fugue record` writes them down.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RecordPane {
    /// Which pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}

/// The form of a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Format {
    /// A picture that scales.
    #[default]
    Svg,
    /// A picture in pixels.
    Png,
    /// A page.
    Html,
    /// Text with colors, for another terminal.
    Ansi,
    /// Rows of spans with their styles, for programs.
    Json,
    /// Text.
    Text,
}

impl FromStr for Format {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            "html" => Ok(Self::Html),
            "ansi" => Ok(Self::Ansi),
            "json" => Ok(Self::Json),
            "text" => Ok(Self::Text),
            other => Err(format!("`{other}` is none of svg, png, html, ansi, json, text")),
        }
    }
}
