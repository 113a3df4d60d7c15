//! Terminals in which people look at sessions.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RgbColor, SessionRef, Size};

/// Say which session a terminal shows: its client counts as one of the session's until it shows another or is gone.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AttachClient {
    /// Session name or id.
    #[arg(long, short = 's', short_alias = 't')]
    pub session: SessionRef,
    /// Columns and rows of the terminal.
    #[arg(long)]
    pub size: Size,
    /// It only watches.
    #[arg(long)]
    #[serde(default)]
    pub read_only: bool,
    /// The terminal's own color of text, as `#rrggbb`, for programs that ask.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RgbColor")]
    pub foreground: Option<RgbColor>,
    /// The color behind it.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RgbColor")]
    pub background: Option<RgbColor>,
    /// The first colors of its palette, from number 0 on; at most sixteen count.
    #[arg(long, num_args = 1..)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub palette: Vec<RgbColor>,
}

/// List the terminals in which sessions are shown.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListClients {
    /// Session name or id: only its clients.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Let a client leave its session; everything in it goes on.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct DetachClient {
    /// The client's number, as `list-clients` shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub client: Option<u64>,
    /// Or every client of this session, by its name or id.
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}
