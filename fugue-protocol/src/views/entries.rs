//! Tags, metadata and environment variables.

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
