//! Presence: each host writes what it has under its own key of a KV bucket, whose entries expire. Others read it only when
//! they need it (`fugue fleet status`, messages for all hosts), so a large fleet does not tell every host of every other.

use std::collections::BTreeSet;

use fugue_protocol::FleetHost;
use fugue_protocol::relay_state::NameState;
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::SessionList;

use crate::broker::Broker;
use crate::daemon_link::DaemonLink;
use crate::failure::Failure;
use crate::host_entry::{HOSTS, HostEntry, INTERVAL, SessionEntry};
use crate::members;
use crate::membership::Membership;
use crate::name_lease::{NameLease, Renewal, is_recent, machine_id, machine_label};
use crate::relay_state::{Connected, SharedState};

/// The sessions in an entry, at most. The rest can still be addressed.
const SESSIONS: usize = 500;

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
