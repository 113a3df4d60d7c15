//! The request to upgrade a daemon, and the part of the greeting that does not depend on the protocol.

use serde::{Deserialize, Serialize};

use crate::messages::PaneKey;

/// The part of a greeting that every version reads in the same way, whatever protocol the client speaks: these names and
/// their meanings never change. So a daemon can always be told to upgrade, and a client learns why it is refused.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StableGreeting {
    /// The greeting.
    #[serde(default)]
    pub hello: Option<StableHello>,
}

/// The stable part of [`Hello`](crate::messages::Hello).
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StableHello {
    /// The version of the protocol that the client speaks.
    pub protocol: u32,
    /// Its version, for people to read.
    #[serde(default)]
    pub version: String,
    /// `FUGUE_PANE_ID` of its environment, unchecked.
    #[serde(default)]
    pub pane: Option<String>,
    /// `FUGUE_PANE_KEY` of its environment.
    #[serde(default)]
    pub key: Option<PaneKey>,
    /// An upgrade, which is all that this client asks for.
    #[serde(default)]
    pub upgrade: Option<UpgradeRequest>,
}

/// A request to replace keeper and daemon by another binary. It is answered by a [`Welcome`](crate::messages::Welcome) with an [`UpgradeReport`],
/// or by a refusal; then the connection ends. Like the rest of [`StableHello`], it never changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpgradeRequest {
    /// The absolute path of the binary.
    pub binary: String,
    /// Whether only the report is wanted.
    #[serde(default)]
    pub report_only: bool,
}

/// The state of a daemon, for the client that upgrades it. Fields may be added, and none changes.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct UpgradeReport {
    /// The path of the daemon's executable.
    #[serde(default)]
    pub executable: String,
    /// Whether that is the binary that the request names.
    #[serde(default)]
    pub is_requested_binary: bool,
    /// The process id of the daemon.
    #[serde(default)]
    pub daemon_pid: u32,
    /// The process id of the keeper.
    #[serde(default)]
    pub keeper_pid: u32,
    /// The number of programs that are running.
    #[serde(default)]
    pub programs: usize,
    /// Why the last upgrade was rolled back, in the daemon that runs since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back: Option<String>,
}
