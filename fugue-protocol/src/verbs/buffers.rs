//! Paste buffers: what was copied, for every client of a daemon.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::buffer_content::BufferContent;

/// Set a paste buffer.
///
/// A buffer without a name of its own gets one (`buffer0`, `buffer1`, …) and makes room for newer ones, as in tmux.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct StoreBuffer {
    /// The name of the buffer.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// The content.
    pub content: BufferContent,
}

/// Get the content of a paste buffer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct GetBuffer {
    /// The name of the buffer. Defaults to the newest buffer.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// Position of the buffer, if no name is given: 0 is the newest.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub nth: Option<usize>,
}

/// List the paste buffers, the newest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListPasteBuffers {}

/// Rename a paste buffer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct RenameBuffer {
    /// The name of the buffer. Defaults to the newest buffer.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// The new name. A buffer that already has it is replaced.
    pub new_name: String,
}

/// Remove a paste buffer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct RemoveBuffer {
    /// The name of the buffer. Defaults to the newest buffer.
    #[arg(long)]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
}
