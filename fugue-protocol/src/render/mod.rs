//! Replies as text, beside the types they are made of: [`ForPeople`] for a terminal, [`ForModel`] for an agent's model.
//! Both traits have a default, so a new reply type needs code here only where the default does not read well.

mod agents;
mod fields;
mod leases;
mod messages;
mod model;
mod output;
mod permissions;
mod restore;
mod tree;
mod worktrees;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Timestamp;
use crate::escape::{escape, escape_lines};
use crate::verbs::Arguments;

pub use messages::one_line;
pub(crate) use model::model_content;
pub use model::{ForModel, ModelContent, TextBudget};

/// What a rendering for people must know about where it is shown.
#[derive(Debug, Clone, Copy)]
pub struct PrintContext {
    /// Formats a time by the person's clock.
    pub clock: fn(Timestamp) -> String,
}

/// What a command prints on standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrintedReply {
    /// Text of fugue's own, with names and titles from programs in it: control characters are escaped.
    Text(String),
    /// Output of a program, printed as it is, unless it goes to a terminal.
    Verbatim(String),
    /// Words for a person where there is nothing to list. A pipe gets nothing, so that a script counts no line.
    Nothing(&'static str),
    /// A binary file.
    File(Vec<u8>),
}

impl PrintedReply {
    /// The text with everything escaped that would command a terminal, for whoever shows it on a screen.
    pub fn escaped(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) | Self::Verbatim(text) => escape_lines(text),
            Self::Nothing(text) => (*text).into(),
            Self::File(bytes) => format!("{} bytes", bytes.len()).into(),
        }
    }
}

/// A line for standard error, beside the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line.
    pub text: String,
    /// Whether only a person at a terminal wants it.
    pub people_only: bool,
}

/// Whether what was asked for came about; it decides the exit code of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It did: exit code 0.
    Success,
    /// It did not.
    Failure {
        /// The exit code of the command.
        exit_code: u8,
        /// A line for standard error that says why, where the reply does not.
        reason: Option<String>,
    },
}

impl Verdict {
    /// A failure that the reply itself explains.
    pub const FAILURE: Self = Self::Failure { exit_code: 1, reason: None };

    /// Success or a plain failure.
    pub fn of(succeeded: bool) -> Self {
        if succeeded { Self::Success } else { Self::FAILURE }
    }
}

/// How a reply reads to a person at a terminal.
pub trait ForPeople: Serialize {
    /// The text on standard output. By default every field on a line of its own.
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        PrintedReply::Text(fields::listing(&serde_json::to_value(self).unwrap_or_default()))
    }

    /// Lines for standard error beside the reply. By default none.
    fn remarks(&self) -> Vec<Remark> {
        Vec::new()
    }

    /// Whether the call with these arguments succeeded. By default every reply is a success.
    fn verdict(&self, _arguments: &Arguments) -> Verdict {
        Verdict::Success
    }
}

/// A reply rendered for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printout {
    /// What goes to standard output.
    pub reply: PrintedReply,
    /// What goes to standard error.
    pub remarks: Vec<Remark>,
    /// What the exit code says.
    pub verdict: Verdict,
}

/// Reads and renders a reply.
pub(crate) fn printout<R: ForPeople + DeserializeOwned>(
    reply: &str,
    arguments: &Arguments,
    context: &PrintContext,
) -> serde_json::Result<Printout> {
    let reply: R = serde_json::from_str(reply)?;
    Ok(Printout {
        reply: reply.for_people(context),
        remarks: reply.remarks(),
        verdict: reply.verdict(arguments),
    })
}

/// A line of a list. What programs say in it cannot begin another line, which would look like another item.
fn row(text: &str) -> String {
    format!("{}\n", escape(text))
}

/// A unit variant by its name on the wire.
fn name_of(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Implements both traits by their defaults.
macro_rules! default_rendering {
    ($($reply:ty),* $(,)?) => {$(
        impl $crate::render::ForPeople for $reply {}
        impl $crate::render::ForModel for $reply {}
    )*};
}
pub(crate) use default_rendering;
