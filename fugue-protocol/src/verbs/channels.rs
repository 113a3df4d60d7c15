//! Channels of tmux's `wait-for`: names that programs wait for, signal and lock.

use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WaitArgument, WaitPurpose};
use crate::{IdempotencyKey, limits};

/// What is done with a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ChannelAct {
    /// Wait for a signal. One that came while nobody waited is not waited for again.
    Wait,
    /// Wake all that wait, or else the next one.
    Signal,
    /// Wait until the channel is free, and lock it.
    Lock,
    /// Free the channel for the next one that wants it.
    Unlock,
}

/// Wait for a channel, signal it, lock it or unlock it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema, Args)]
pub struct UseChannel {
    /// Action: wait, signal, lock or unlock.
    pub act: ChannelAct,
    /// The channel.
    pub channel: String,
    /// Milliseconds to wait for a signal or a lock. Defaults to a day, the maximum.
    #[arg(long)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub timeout_ms: Option<u64>,
    /// Idempotency key. A lock that is held with the same key is not waited for.
    #[arg(long, value_name = "KEY")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "IdempotencyKey")]
    pub idempotency_key: Option<IdempotencyKey>,
}

impl UseChannel {
    pub(super) const WAIT: WaitArgument = WaitArgument {
        name: "timeout_ms",
        default_ms: limits::WAIT_MILLIS,
        ..WaitArgument::on_request(WaitPurpose::Channel)
    };
}
