//! Leases: who may work on what. And who waits for whom.

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{IdempotencyKey, LeaseName};

/// Claim a named lease, so that no other agent works on the same thing: a path, a port, a task.
///
/// One holder at a time. It ends when it is released, when its time runs out, or when the pane's program ends. The
/// fence in the reply is greater than that of every lease before it. Claiming again renews it. Outside every pane there
/// is no program whose end would end it, so ttl_ms must be given; an agent that is in no pane can claim nothing.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Claim {
    /// What it is for.
    pub name: LeaseName,
    /// OfferedVia long it holds, in milliseconds, at least 1; five minutes when left out. Needed outside every pane.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub ttl_ms: Option<u64>,
    /// If somebody else has it, wait for it, at most so many milliseconds (up to 110000).
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub wait_ms: Option<u64>,
    /// What you do with it, for others to read.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub note: Option<String>,
    /// Outside every pane, where one shell is like another: only a claim with the same key renews it.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl Claim {
    pub(super) const NOTE: &'static str = "When other agents work beside you, claim a file or task before you work on it \
        and release it when done.";
}

/// Give a lease back. A person outside every pane may take one away with --force.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct Release {
    /// What it is for.
    pub name: LeaseName,
    /// Only if it still has this number: then a lease that was lost meanwhile is not given away for another.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub fence: Option<u64>,
    /// Whoever holds it. Not for agents.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// List who holds which lease.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ListLeases {}

/// Show who waits for whom: for an answer, for a message of somebody, or for a lease.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema, Args)]
#[serde(default)]
pub struct ShowWaits {}
