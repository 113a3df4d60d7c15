//! Leases, which keep agents out of each other's way, and the graph of waits.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IdempotencyKey, LeaseName};

/// Claim a lease on a path, a port or a task.
///
/// A lease has one holder at a time. It ends when it is released, when it expires, or when the pane's program exits.
/// Claiming it again renews it. The fencing token (`fence`) in the reply is greater than that of any earlier lease.
/// Agents outside any pane cannot claim a lease.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Claim {
    /// The lease's name. Equivalent paths (even a bare Makefile) are one lease; a name with a colon, such as port:3000,
    /// is not a path.
    pub name: LeaseName,
    /// Milliseconds until the lease expires. Defaults to five minutes; required of a user outside any pane.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub ttl_ms: Option<u64>,
    /// If someone else holds the lease, wait up to this many milliseconds for it (at most 110000).
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub wait_ms: Option<u64>,
    /// What you need the lease for; shown to others.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// Idempotency key. Users outside any pane cannot be distinguished, so their lease is renewed only by a
    /// claim with the same key.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl Claim {
    pub(super) const NOTE: &'static str = "Alongside other agents, claim a file or task before you work on it, and release it when you are done.";
}

/// Release a lease.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Release {
    /// The lease's name.
    pub name: LeaseName,
    /// Release the lease only if it still has this fencing token, so that you never release a newer lease.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub fence: Option<u64>,
    /// Release the lease even if someone else holds it. Allowed only for a user outside any pane.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// List leases and their holders.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListLeases {}

/// Show who is waiting for whom.
///
/// This includes waits for answers, messages and leases.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ShowWaits {}
