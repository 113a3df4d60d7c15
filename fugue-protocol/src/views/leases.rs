//! Leases, and who waits for whom.

use super::*;

/// A lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct LeaseView {
    /// What it is for.
    pub name: LeaseName,
    /// The session that holds it; left out for a person outside every pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionId")]
    pub session_id: Option<SessionId>,
    /// What that session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SessionName")]
    pub session_name: Option<SessionName>,
    /// The pane that holds it: when its program ends, so does the lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PaneId")]
    pub pane_id: Option<PaneId>,
    /// Since when.
    pub claimed_at: Timestamp,
    /// Until when, unless it is claimed again.
    pub expires_at: Timestamp,
    /// Its number: greater than that of every lease before it.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub fence: u64,
    /// What its owner does with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claimed {
    /// Whether the caller has it.
    pub held: bool,
    /// Present and true when the caller had it already, and has it for longer now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub renewed: bool,
    /// The lease, whoever has it.
    #[serde(flatten)]
    pub lease: LeaseView,
    /// OfferedVia the wait for it ended, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Awaited")]
    pub outcome: Option<Awaited>,
    /// Those who wait for each other, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub circle: Vec<SessionName>,
}

/// All leases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeaseList {
    /// By name.
    pub leases: Vec<LeaseView>,
}

/// One session that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct WaitView {
    /// Who waits.
    pub session_name: SessionName,
    /// For what.
    pub waits_for: String,
    /// Any of these can end it.
    pub on: Vec<SessionName>,
    /// Until when it waits.
    pub until: Timestamp,
}

/// Who waits for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitGraph {
    /// Every wait for a message of somebody or for a lease.
    pub waits: Vec<WaitView>,
}
