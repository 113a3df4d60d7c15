//! In which ways an agent is told of messages that it does not ask for. Reading them is always the agent's own doing.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way of telling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DeliveryMethod {
    /// OfferedVia many lie unread stands in the result of every call.
    Count,
    /// The agent's own hooks tell it, at the turns of its work: `fugue hook`.
    Hook,
    /// Its bridge puts a line into the agent's own inbox, where it has one: Claude Code has. That wakes it.
    Push,
    /// A line is typed into its pane when it is at rest and nobody else types there.
    Type,
}

impl DeliveryMethod {
    /// Every way, by its name.
    pub const NAMES: [(&'static str, Self); 4] =
        [("count", Self::Count), ("hook", Self::Hook), ("push", Self::Push), ("type", Self::Type)];

    /// OfferedVia a session is told that did not choose.
    pub const USUAL: [Self; 2] = [Self::Count, Self::Hook];
}

impl fmt::Display for DeliveryMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES.iter().find(|(_, way)| way == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for DeliveryMethod {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        let names = || Self::NAMES.map(|(name, _)| name).join(", ");
        found.map(|(_, way)| *way).ok_or_else(|| format!("`{text}` is none of {}", names()))
    }
}
