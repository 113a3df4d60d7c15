//! Clients: terminals attached to sessions.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{RgbColor, SessionRef, Size};

/// Attach this connection to a session as a client.
///
/// It is a client of that session until it attaches to another one or disconnects.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct AttachClient {
    /// Session name or UUID.
    #[arg(long, short = 's', short_alias = 't')]
    pub session: SessionRef,
    /// Columns and rows of the terminal.
    #[arg(long)]
    pub size: Size,
    /// Watch only.
    #[arg(long)]
    #[serde(default)]
    pub read_only: bool,
    /// The terminal's foreground color, as `#rrggbb`, for programs that query it.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RgbColor")]
    pub foreground: Option<RgbColor>,
    /// The terminal's background color.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "RgbColor")]
    pub background: Option<RgbColor>,
    /// The first colors of the terminal's palette, starting at color 0; at most sixteen are used.
    #[arg(long, num_args = 1..)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub palette: Vec<RgbColor>,
    /// The width of a cell in pixels, for programs that query it; 0 if it is unknown.
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cell_width: u16,
    /// The height of a cell in pixels.
    #[arg(long, default_value_t = 0)]
    #[serde(default)]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cell_height: u16,
    /// Show images of the kitty graphics protocol.
    #[arg(long)]
    #[serde(default)]
    pub kitty_images: bool,
    /// Show sixel images.
    #[arg(long)]
    #[serde(default)]
    pub sixel_images: bool,
    /// The terminal's device, such as `/dev/pts/3`.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub tty: Option<String>,
}

/// List attached clients.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListClients {
    /// List only the clients attached to this session (name or UUID).
    #[arg(long, short = 's', short_alias = 't')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Detach clients; programs keep running.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct DetachClient {
    /// Client number, as shown by `list-clients`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub client: Option<u64>,
    /// Detach all clients attached to this session (name or UUID).
    #[arg(long, short = 's')]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionRef")]
    pub session: Option<SessionRef>,
}

/// Run a command line in an attached client.
///
/// The line runs as if it had been typed at the client's command prompt, except that it starts no process there: tmux
/// commands that `fugue tmux` runs and popups with a program are ignored.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RunInClient {
    /// Client number, as shown by `list-clients`. Defaults to the client that most recently attached to
    /// the current session.
    #[arg(long, short = 'c')]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub client: Option<u64>,
    /// The command line.
    pub line: String,
}
