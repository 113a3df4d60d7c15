//! A lease as it is stored and published.

use serde::{Deserialize, Serialize};

use crate::agent_messages::Sender;
use crate::{IdempotencyKey, LeaseName, Timestamp};

/// Why a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeaseEnd {
    /// The holder released it.
    Released,
    /// It expired.
    Expired,
    /// The pane that held it was closed, or its program exited.
    OwnerGone,
    /// A person released it by force.
    TakenAway,
}

/// A lease: its holder alone may work on what it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are self-explanatory")]
pub struct Lease {
    pub name: LeaseName,
    /// `None` for a person outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Sender>,
    pub claimed_at: Timestamp,
    pub expires_at: Timestamp,
    /// The fencing token, greater than that of every earlier lease: work done under a smaller one is outdated.
    pub fence: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Identifies a holder outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<IdempotencyKey>,
}
