//! Hints: the next step for a caller whose request was refused, as data. Each surface words them in its own language
//! with an implementation of [`HintWords`](super::HintWords).

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::verbs::VerbSpec;

/// Text that is constant in the daemon and owned in a client that read it from the wire.
pub type HintText = Cow<'static, str>;

/// One step that the caller can take next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hint {
    /// The existing name that the caller probably meant.
    DidYouMean(String),
    /// A verb that helps, with the arguments that matter. The purpose completes the sentence "VERB …": "lists them".
    Use {
        /// The verb's name.
        verb: HintText,
        /// The arguments to pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        args: Vec<HintArgument>,
        /// What the verb does for the caller, as a predicate.
        purpose: HintText,
    },
    /// An argument to add to the same request.
    Give {
        /// The argument and its value.
        argument: HintArgument,
        /// The effect, as an infinitive: "to read from the oldest event".
        purpose: HintText,
    },
    /// Arguments of which one should be omitted.
    Omit {
        /// The arguments' names.
        arguments: Vec<HintText>,
        /// The effect, as an infinitive; empty when it is obvious.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        purpose: HintText,
    },
    /// The description of a verb's arguments, or the list of all verbs.
    Help {
        /// The verb's name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verb: Option<String>,
    },
    /// An existing session to attach to.
    Attach {
        /// The session's name.
        session: String,
    },
    /// The same request later.
    RetryAfter {
        /// How long to wait, in milliseconds.
        ms: u64,
    },
    /// A step that only the user may take: "set `x` in config.toml".
    AskUser(HintText),
    /// A step that reads the same on every surface.
    Do(HintText),
}

/// An argument of a verb, by the name it has on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintArgument {
    /// The name.
    pub name: HintText,
    /// The value.
    pub value: Value,
}

impl HintArgument {
    /// The argument `name` with `value`.
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl Hint {
    /// Names a verb by its type.
    pub fn use_verb<V: VerbSpec>(purpose: &'static str) -> Self {
        Self::use_with::<V>([], purpose)
    }

    /// Names a verb by its type, with arguments.
    pub fn use_with<V: VerbSpec>(
        args: impl IntoIterator<Item = HintArgument>,
        purpose: &'static str,
    ) -> Self {
        Self::Use { verb: V::NAME.into(), args: args.into_iter().collect(), purpose: purpose.into() }
    }

    /// A step that reads the same on every surface.
    pub fn text(step: impl Into<HintText>) -> Self {
        Self::Do(step.into())
    }

    /// An argument to add, and its effect as an infinitive.
    pub fn give(name: &'static str, value: impl Into<Value>, purpose: &'static str) -> Self {
        Self::Give { argument: HintArgument::new(name, value), purpose: purpose.into() }
    }

    /// One argument to omit, and what that achieves.
    pub fn omit(argument: &'static str, purpose: &'static str) -> Self {
        Self::Omit { arguments: vec![argument.into()], purpose: purpose.into() }
    }

    /// Two arguments that exclude each other.
    pub fn omit_one_of(one: &'static str, other: &'static str) -> Self {
        Self::Omit { arguments: vec![one.into(), other.into()], purpose: "".into() }
    }

    /// The nearest name if there is one, otherwise the verb that lists the names.
    pub(super) fn nearest_or<V: VerbSpec>(nearest: Option<&String>, purpose: &'static str) -> Self {
        nearest.map_or_else(|| Self::use_verb::<V>(purpose), |name| Self::DidYouMean(name.clone()))
    }
}
