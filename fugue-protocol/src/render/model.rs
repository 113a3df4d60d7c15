//! Replies for a model. A client shows its model either the text or the structured content of a result, so a tool gives
//! the same facts in both, or text alone.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::views::{PaneOutput, ParallelRuns, Picture, RunResult};

/// How much text a result may hold, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBudget(pub usize);

impl TextBudget {
    /// By default: what a model reads without losing sight of its task.
    pub const DEFAULT: Self = Self(8 << 10);
    /// The most: clients cut longer results, and some of them keep the beginning.
    pub const MAX: Self = Self(24 << 10);

    /// Whether this many bytes fit.
    pub fn holds(self, bytes: usize) -> bool {
        bytes <= self.0
    }
}

/// The content of a result that is not structured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelContent {
    /// Text.
    Text(String),
    /// A PNG image in base64.
    Png(String),
    /// An error: the reply cannot be shown to a model, and why.
    Error(String),
}

/// How a reply reads to a model.
///
/// By default a model gets the reply's own JSON, as structured content and as text, shortened by the MCP server if it
/// is long. A reply that is mostly text sets [`ForModel::AS_TEXT`] and implements [`ForModel::for_model`].
pub trait ForModel: Serialize + DeserializeOwned {
    /// Whether a model gets text (or an image) alone.
    const AS_TEXT: bool = false;

    /// The longest message payload that a model gets whole, in bytes; `None` if the reply has no payloads.
    const PAYLOAD_BYTES: Option<usize> = None;

    /// The content, if it is not the reply's own JSON.
    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        None
    }
}

/// Reads and renders a reply, unless its own JSON is shown.
pub(crate) fn model_content<R: ForModel>(
    reply: &str,
    budget: TextBudget,
) -> serde_json::Result<Option<ModelContent>> {
    if !R::AS_TEXT {
        return Ok(None);
    }
    serde_json::from_str::<R>(reply).map(|reply| reply.for_model(budget))
}

impl ForModel for PaneOutput {
    const AS_TEXT: bool = true;
}

impl ForModel for RunResult {
    const AS_TEXT: bool = true;
}

impl ForModel for ParallelRuns {
    const AS_TEXT: bool = true;
}

impl ForModel for Picture {
    const AS_TEXT: bool = true;
}
