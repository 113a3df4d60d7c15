//! Leases, and the graph of waits.

use super::*;

/// A lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LeaseView {
    /// The lease's name.
    pub name: LeaseName,
    /// The session that holds the lease; omitted if the holder is outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub session_id: Option<SessionId>,
    /// The session's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub session_name: Option<SessionName>,
    /// The pane that holds the lease. The lease ends when the pane's program exits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneId")]
    pub pane_id: Option<PaneId>,
    /// When the lease was claimed.
    pub claimed_at: Timestamp,
    /// When the lease expires if it is not renewed.
    pub expires_at: Timestamp,
    /// Fencing token, which is greater than that of any earlier lease.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub fence: u64,
    /// What the holder is using the lease for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// The result of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claimed {
    /// Whether the caller holds the lease.
    pub held: bool,
    /// True if the caller already held the lease and this call renewed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renewed: bool,
    /// The lease, whoever holds it.
    #[serde(flatten)]
    pub lease: LeaseView,
    /// How the wait for the lease ended, if the call waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Awaited")]
    pub outcome: Option<Awaited>,
    /// Names of the sessions waiting for each other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub circle: Vec<SessionName>,
}

/// All leases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeaseList {
    /// The leases, sorted by name.
    pub leases: Vec<LeaseView>,
}

/// A session that is waiting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WaitView {
    /// The waiting session.
    pub session_name: SessionName,
    /// What the session is waiting for.
    pub waits_for: String,
    /// The sessions that can end the wait.
    pub on: Vec<SessionName>,
    /// When the wait times out.
    pub until: Timestamp,
}

/// Who is waiting for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitGraph {
    /// All waits for answers, messages and leases.
    pub waits: Vec<WaitView>,
}
