//! Tags, metadata, environment variables, and what tmux's commands leave behind.

use super::*;

/// A session's tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tags {
    /// The session.
    pub session_id: SessionId,
    /// The session's name.
    pub session_name: SessionName,
    /// The session's tags.
    pub tags: BTreeSet<Tag>,
}

/// Names and values stored with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entries {
    /// The session.
    pub session_id: SessionId,
    /// The keys and their values.
    pub entries: BTreeMap<String, String>,
}

/// The environment variables of all sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GlobalEnvironment {
    /// The variables and their values.
    pub entries: BTreeMap<String, String>,
}

/// The environment variables of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentView {
    /// The session.
    pub session_id: SessionId,
    /// The variables and their values.
    pub entries: BTreeMap<String, String>,
    /// True if the values are hidden, because the session is neither the caller's own nor one created from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub values_hidden: bool,
}

/// What became of a change of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionOutcome {
    /// True if the option was set in this scope before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_set: bool,
}

/// The options that were set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OptionList {
    /// The names and values, by what they were set for.
    pub options: BTreeMap<OptionScope, BTreeMap<String, String>>,
}

/// The hooks that were set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookList {
    /// The lines of each event by their indexes, by what they were set for.
    pub hooks: BTreeMap<OptionScope, BTreeMap<String, BTreeMap<u32, String>>>,
}

/// What became of a request for a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ChannelOutcome {
    /// It was done.
    Done,
    /// The wait timed out. This is not an error.
    Timeout,
    /// The channel cannot be unlocked, because it is not locked.
    NotLocked,
}

/// What became of a request to end a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PipeOutcome {
    /// True if the pane had a pipe.
    pub was_piped: bool,
}
