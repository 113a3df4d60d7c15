//! The entry that each host writes in the bucket of hosts while it is there: what it has, and who holds its name.

use std::time::Duration;

use fugue_protocol::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bucket::KvBucket;

/// How often a host writes its entry.
pub(crate) const INTERVAL: Duration = Duration::from_secs(20);

/// The bucket. An entry is kept for three intervals.
pub(crate) const HOSTS: KvBucket = KvBucket {
    name: "fugue_hosts",
    description: "fugue: hosts that are there",
    kept: Duration::from_secs(60),
    max_bytes: 1 << 17,
    max_entries: 100_000,
};

/// A host that is there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct HostEntry {
    /// Its version of fugue.
    pub(crate) version: String,
    pub(crate) sessions: Vec<SessionEntry>,
    /// The machine that has the name; none if its version does not write it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) holder: Option<NameHolder>,
    /// Another machine that wants the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rival: Option<NameRival>,
}

/// A session of a host that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionEntry {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
}

/// Who holds a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NameHolder {
    /// Identifies the machine and the daemon's state directory, so that a relay that was restarted gets its name back.
    pub(crate) machine: String,
    /// The machine, for people.
    pub(crate) label: String,
    /// A random text of each write: the holder recognizes its own.
    pub(crate) seal: String,
}

/// A machine that found its name taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NameRival {
    pub(crate) label: String,
    pub(crate) at: Timestamp,
}
