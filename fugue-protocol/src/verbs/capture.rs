//! Screenshots and recordings of panes.

use std::str::FromStr;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PaneChoice, PaneOperand};

/// Take a screenshot of a pane.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct Screenshot {
    /// The pane to capture.
    #[command(flatten)]
    #[serde(flatten)]
    #[schemars(with = "PaneChoice")]
    pub choice: PaneOperand,
    /// Output format: svg, png, html, ansi, json or text.
    #[arg(long, default_value = "svg")]
    pub format: Format,
}

/// Stream a pane's raw output, starting now.
///
/// `fugue record` writes the output to a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RecordPane {
    /// The pane.
    #[command(flatten)]
    #[serde(flatten)]
    pub choice: PaneChoice,
}

/// The format of a screenshot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Format {
    /// A vector image.
    #[default]
    Svg,
    /// A bitmap image.
    Png,
    /// A web page.
    Html,
    /// Text with escape sequences for colors.
    Ansi,
    /// Rows of styled spans.
    Json,
    /// Plain text.
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
            other => Err(format!("`{other}` is not one of svg, png, html, ansi, json, text")),
        }
    }
}
