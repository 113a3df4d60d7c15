//! Presence: each host writes what it has under its own key of a KV bucket, whose entries expire. Others read it only when
//! they need it (`fugue fleet status`, messages for all hosts), so a large fleet does not tell every host of every other.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::kv::Store;
use async_nats::jetstream::stream::{self, StorageType};
use fugue_protocol::FleetHost;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::SessionList;
use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::broker::Broker;
use crate::daemon_link::DaemonLink;
use crate::failure::{Failure, say};
use crate::membership::Membership;
use crate::relay_state::Connected;

/// The bucket.
pub(crate) const BUCKET: &str = "fugue_hosts";

/// How often a host writes its entry, and how long an entry is kept: three misses.
const INTERVAL: Duration = Duration::from_secs(20);
const KEPT: Duration = Duration::from_secs(60);

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
    let store = ensure_bucket(broker).await?;
    let text = serde_json::to_vec(entry).map_err(|why| cannot(&why))?;
    store.put(own.as_str(), text.into()).await.map(drop).map_err(|why| cannot(&why))
}

/// Returns the bucket, and creates it if it does not exist.
pub(crate) async fn ensure_bucket(broker: &Broker) -> Result<Store, Failure> {
    if let Ok(store) = broker.jetstream.get_key_value(BUCKET).await {
        return Ok(store);
    }
    let cannot = |why: &dyn std::fmt::Display| Failure::nats("create the bucket fugue_hosts", why);
    let config = stream::Config {
        name: format!("KV_{BUCKET}"),
        description: Some("fugue: hosts that are there".into()),
        subjects: vec![format!("$KV.{BUCKET}.>")],
        max_messages_per_subject: 1,
        max_message_size: 1 << 17,
        max_age: KEPT,
        storage: StorageType::File,
        num_replicas: broker.replicas,
        allow_rollup: true,
        deny_delete: true,
        // The reply to a direct request is the bare entry, under a subject that the requester chooses: a host could have
        // the server speak for another.
        allow_direct: false,
        ..stream::Config::default()
    };
    broker.jetstream.get_or_create_stream(config).await.map_err(|why| cannot(&why))?;
    broker.jetstream.get_key_value(BUCKET).await.map_err(|why| cannot(&why))
}

/// The names of the hosts that are there. They are found in the description of the bucket's stream: a consumer could deliver
/// to any subject, so hosts are not allowed to create one.
pub(crate) async fn host_names(broker: &Broker) -> Result<BTreeSet<FleetHost>, Failure> {
    names_in(&bucket(broker).await?).await
}

async fn names_in(store: &Store) -> Result<BTreeSet<FleetHost>, Failure> {
    let mut subjects =
        store.stream.info_with_subjects("$KV.fugue_hosts.>").await.map_err(|why| unlisted(&why))?;
    let mut hosts = BTreeSet::new();
    while let Some(subject) = subjects.next().await {
        let (subject, _) = subject.map_err(|why| unlisted(&why))?;
        hosts.extend(subject.rsplit('.').next().and_then(|host| host.parse::<FleetHost>().ok()));
    }
    Ok(hosts)
}

async fn bucket(broker: &Broker) -> Result<Store, Failure> {
    broker.jetstream.get_key_value(BUCKET).await.map_err(|why| unlisted(&why))
}

fn unlisted(why: &dyn std::fmt::Display) -> Failure {
    Failure::nats("list the hosts", why)
}

/// The hosts that are there, with their entries, by name.
pub(crate) async fn hosts(broker: &Broker) -> Result<Vec<(FleetHost, HostEntry)>, Failure> {
    let store = bucket(broker).await?;
    let mut hosts = Vec::new();
    for host in names_in(&store).await? {
        let value = store.get(host.as_str()).await.map_err(|why| unlisted(&why))?;
        let entry = value.and_then(|value| serde_json::from_slice(&value).ok());
        hosts.extend(entry.map(|entry| (host, entry)));
    }
    Ok(hosts)
}
