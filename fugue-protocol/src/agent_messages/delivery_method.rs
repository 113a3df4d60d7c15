//! Delivery methods: how an agent is notified of messages. It always reads the messages themselves.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How every notification of unread messages begins.
pub const NOTIFICATION_START: &str = "[fugue] You have ";

/// How an agent is notified of unread messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DeliveryMethod {
    /// Every result contains the number of unread messages.
    Count,
    /// The agent's own hooks notify it, through `fugue hook`.
    Hook,
    /// The MCP server wakes the agent through the agent's own inbox, if it has one, as Claude Code has.
    Push,
    /// A line is typed into the pane while the agent is idle and no one else is typing.
    Type,
}

impl DeliveryMethod {
    /// Every method by its name.
    pub const NAMES: [(&'static str, Self); 4] =
        [("count", Self::Count), ("hook", Self::Hook), ("push", Self::Push), ("type", Self::Type)];

    /// The methods of a session without a subscription.
    pub const DEFAULT: [Self; 2] = [Self::Count, Self::Hook];
}

impl fmt::Display for DeliveryMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES.iter().find(|(_, method)| method == self).map_or("", |(name, _)| name))
    }
}

impl FromStr for DeliveryMethod {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        let names = || Self::NAMES.map(|(name, _)| name).join(", ");
        found.map(|(_, method)| *method).ok_or_else(|| format!("`{text}` is not one of {}", names()))
    }
}
