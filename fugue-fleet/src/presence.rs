//! Presence: each host writes what it has under its own key of a KV bucket, whose entries expire. Others read it only when
//! they need it (`fugue fleet status`, messages for all hosts), so a large fleet does not tell every host of every other.

use std::collections::BTreeSet;
use std::time::Duration;

use fugue_protocol::FleetHost;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::SessionList;
use serde::{Deserialize, Serialize};

use crate::broker::Broker;
use crate::bucket::KvBucket;
use crate::daemon_link::DaemonLink;
use crate::failure::{Failure, say};
use crate::membership::Membership;
use crate::relay_state::Connected;

/// How often a host writes its entry.
const INTERVAL: Duration = Duration::from_secs(20);

/// The bucket. An entry is kept for three intervals.
pub(crate) const HOSTS: KvBucket = KvBucket {
    name: "fugue_hosts",
    description: "fugue: hosts that are there",
    kept: Duration::from_secs(60),
    max_bytes: 1 << 17,
    max_entries: 100_000,
};

/// The sessions in an entry, at most. The rest can still be addressed.
const SESSIONS: usize = 500;

/// A host that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HostEntry {
    /// Its version of fugue.
    pub(crate) version: String,
    pub(crate) sessions: Vec<SessionEntry>,
}

/// A session of a host that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionEntry {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
}

fn entry(sessions: &SessionList) -> HostEntry {
    let session = |session: &fugue_protocol::views::SessionView| SessionEntry {
        name: session.name.to_string(),
        tags: session.tags.iter().map(ToString::to_string).collect(),
    };
    let sessions = sessions.sessions.iter().take(SESSIONS).map(session).collect();
    HostEntry { version: env!("CARGO_PKG_VERSION").into(), sessions }
}

/// Writes this host's entry again and again.
pub(crate) async fn announce(
    broker: &Broker,
    membership: &Membership,
    mut connected: Connected,
    mut daemon: DaemonLink,
) {
    let mut failed = false;
    loop {
        connected.wait().await;
        let sessions = daemon.persist(&ListSessions::default()).await;
        match write(broker, &membership.host, &entry(&sessions)).await {
            Ok(()) => failed = false,
            Err(failure) if !failed && connected.is_now() => {
                say(failure.message());
                failed = true;
            }
            Err(_) => {}
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

async fn write(broker: &Broker, own: &FleetHost, entry: &HostEntry) -> Result<(), Failure> {
    let cannot = |why: &dyn std::fmt::Display| Failure::nats("announce this host", why);
    let store = HOSTS.ensure(broker).await?;
    let text = serde_json::to_vec(entry).map_err(|why| cannot(&why))?;
    store.put(own.as_str(), text.into()).await.map(drop).map_err(|why| cannot(&why))
}

/// The names of the hosts that are there.
pub(crate) async fn host_names(broker: &Broker) -> Result<BTreeSet<FleetHost>, Failure> {
    let keys = HOSTS.keys(&HOSTS.open(broker).await?).await?;
    Ok(keys.iter().filter_map(|key| key.parse().ok()).collect())
}

/// The hosts that are there, with their entries, by name.
pub(crate) async fn hosts(broker: &Broker) -> Result<Vec<(FleetHost, HostEntry)>, Failure> {
    let store = HOSTS.open(broker).await?;
    let mut hosts = Vec::new();
    for host in HOSTS.keys(&store).await?.iter().filter_map(|key| key.parse::<FleetHost>().ok()) {
        let value = store.get(host.as_str()).await.map_err(|why| Failure::nats("list the hosts", &why))?;
        let entry = value.and_then(|value| serde_json::from_slice(&value).ok());
        hosts.extend(entry.map(|entry| (host, entry)));
    }
    Ok(hosts)
}
