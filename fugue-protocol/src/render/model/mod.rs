//! Replies for a model. A client shows its model either the text or the structured content of a result, so a tool gives
//! the same facts in both, or text alone.

mod pane_output;
mod parallel_output;
mod run_output;
mod tree;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::text_tail::{self, TextTail};
use crate::verbs::OutputCursor;

/// How many bytes of text a result may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextBudget(pub usize);

impl TextBudget {
    /// The default: what a model reads without losing track of its task.
    pub const DEFAULT: Self = Self(8 << 10);
    /// The maximum. Clients truncate longer results, some of them at the end.
    pub const MAX: Self = Self(24 << 10);

    /// Whether this many bytes fit.
    pub fn allows(self, bytes: usize) -> bool {
        bytes <= self.0
    }

    /// Returns the end of an output that fits. `start` is the cursor at which it begins, if it is known.
    fn tail<'a>(self, text: &'a str, start: &str) -> TextTail<'a> {
        text_tail::tail(text, start.parse().unwrap_or(OutputCursor::new(0, 0)), self.0)
    }
}

/// The content of a result that is not the reply's own JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelContent {
    /// Text.
    Text(String),
    /// JSON, which becomes structured content.
    Json(Value),
    /// A PNG image in base64.
    Png(String),
    /// An error: the reply cannot be shown to a model, and why.
    Error(String),
}

/// How a reply reads to a model.
///
/// By default a model gets the reply's own JSON, as structured content and as text, shortened by the MCP server if it
/// is long. A reply that is mostly text sets [`ForModel::AS_TEXT`] and implements [`ForModel::for_model`]. A reply that
/// says more than a model needs sets [`ForModel::RENDERED`] and has a schema of its own.
pub trait ForModel: Serialize + DeserializeOwned + JsonSchema {
    /// Whether a model gets text (or an image) alone.
    const AS_TEXT: bool = false;

    /// Whether [`ForModel::for_model`] may return something.
    const RENDERED: bool = Self::AS_TEXT;

    /// The longest message payload that a model gets whole, in bytes; `None` if the reply has no payloads.
    const PAYLOAD_BYTES: Option<usize> = None;

    /// The content, if it is not the reply's own JSON.
    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        None
    }

    /// The schema of the JSON that a model gets.
    fn schema() -> Schema {
        schemars::schema_for!(Self)
    }
}

/// A reply in a shorter form, as JSON.
pub(super) fn short_form(form: &impl Serialize) -> Option<ModelContent> {
    serde_json::to_value(form).ok().map(ModelContent::Json)
}

/// Reads and renders a reply, unless its own JSON is shown.
pub(crate) fn model_content<R: ForModel>(
    reply: &str,
    budget: TextBudget,
) -> serde_json::Result<Option<ModelContent>> {
    if !R::RENDERED {
        return Ok(None);
    }
    serde_json::from_str::<R>(reply).map(|reply| reply.for_model(budget))
}
