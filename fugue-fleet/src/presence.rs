//! Presence: each host writes what it has under its own key of a KV bucket, whose entries expire. Others read it only when
//! they need it (`fugue fleet status`, messages for all hosts), so a large fleet does not tell every host of every other.

use std::collections::BTreeSet;
use std::time::Duration;

use fugue_protocol::FleetHost;
use fugue_protocol::relay_state::NameState;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::SessionList;
use serde::{Deserialize, Serialize};

use crate::broker::Broker;
use crate::bucket::KvBucket;
use crate::daemon_link::DaemonLink;
use crate::failure::Failure;
use crate::members;
use crate::membership::Membership;
use crate::name_lease::{NameHolder, NameLease, NameRival, Renewal, is_recent, machine_id, machine_label};
use crate::relay_state::{Connected, SharedState};

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

/// The sessions in an entry, at most. The rest can still be addressed.
const SESSIONS: usize = 500;

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

fn entry(sessions: &SessionList) -> HostEntry {
    let session = |session: &fugue_protocol::views::SessionView| SessionEntry {
        name: session.name.to_string(),
        tags: session.tags.iter().map(ToString::to_string).collect(),
    };
    let sessions = sessions.sessions.iter().take(SESSIONS).map(session).collect();
    HostEntry { version: env!("CARGO_PKG_VERSION").into(), sessions, ..HostEntry::default() }
}

/// Writes this host's entry again and again, which also renews the lease on its name. Nothing is relayed before the first
/// time, nor while another machine has the name.
pub(crate) async fn announce(
    broker: &Broker,
    membership: &Membership,
    states: &SharedState,
    mut daemon: DaemonLink,
) {
    let mut connected = Connected::new(states.subscribe());
    let mut lease = NameLease::new(&membership.host, machine_id(&membership.paths.state), machine_label());
    let mut joined = members::EntrySchedule::default();
    loop {
        connected.line().await;
        let sessions = daemon.persist(&ListSessions::default()).await;
        let renewal = renew(broker, &mut lease, entry(&sessions)).await;
        if states.now().connected {
            report(states, renewal);
            joined.note(broker, &membership.host).await;
        }
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            () = connected.unnamed() => {}
        }
    }
}

async fn renew(broker: &Broker, lease: &mut NameLease, entry: HostEntry) -> Result<Renewal, Failure> {
    lease.renew(&HOSTS.ensure(broker).await?, entry).await
}

/// Notes who has this host's name. A lease that cannot be read or written does not stop the relay: what it takes in
/// frees storage, which may be what is missing.
fn report(states: &SharedState, renewal: Result<Renewal, Failure>) {
    states.change(|state| match renewal {
        Ok(Renewal { name, rival }) => {
            state.name = name;
            state.rival = rival.or_else(|| state.rival.take()).filter(|(_, seen)| is_recent(*seen));
        }
        Err(failure) => state.name = NameState::Unchecked { why: failure.message().to_owned() },
    });
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
