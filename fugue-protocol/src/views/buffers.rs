//! Paste buffers.

use super::*;
use crate::buffer_content::BufferContent;

/// The characters of a buffer that a list shows.
pub const SAMPLE_CHARS: usize = 200;

/// The buffer that a request was about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BufferName {
    /// Its name; absent if there is no such buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
}

/// A paste buffer with its content.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PasteBuffer {
    /// Its name, or the one that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub name: Option<String>,
    /// Its content; absent if there is no such buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BufferContent")]
    pub content: Option<BufferContent>,
}

/// A paste buffer in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct PasteBufferView {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub bytes: usize,
    /// The number of characters in it.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub characters: usize,
    /// When it was set.
    pub stored_at: Timestamp,
    /// The beginning of its content.
    pub sample: String,
}

/// The paste buffers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PasteBufferList {
    /// The buffers, the newest first.
    pub buffers: Vec<PasteBufferView>,
}
