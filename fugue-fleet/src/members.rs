//! The hosts that belong to the fleet, whether they are there or not: each writes an entry when it joins. A message to a
//! host that never joined is not stored for it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fugue_protocol::{FleetHost, Timestamp};
use serde::{Deserialize, Serialize};

use crate::broker::Broker;
use crate::bucket::KvBucket;
use crate::failure::{Failure, say};
use crate::relay_state::now;

/// How often a host writes its entry.
const INTERVAL: Duration = Duration::from_secs(24 * 3600);

/// How soon the relay tries again to write or read what it could not: permissions may have been added.
const RETRY: Duration = Duration::from_secs(600);

/// The bucket. An entry is kept for three times as long as a message can live.
pub(crate) const MEMBERS: KvBucket = KvBucket {
    name: "fugue_members",
    description: "fugue: hosts that belong to the fleet",
    kept: Duration::from_secs(90 * 24 * 3600),
    max_bytes: 1 << 10,
    max_entries: 100_000,
};

/// A host of the fleet.
#[derive(Debug, Serialize, Deserialize)]
struct MemberEntry {
    seen: Timestamp,
}

/// When this host's entry is to be written.
#[derive(Default)]
pub(crate) struct EntrySchedule {
    next: Option<Instant>,
}

impl EntrySchedule {
    /// Writes this host's entry if it is time. A fleet that was set up by an older version has no such bucket.
    pub(crate) async fn note(&mut self, broker: &Broker, own: &FleetHost) {
        if self.next.is_some_and(|next| Instant::now() < next) {
            return;
        }
        let written = write(broker, own).await;
        if let Err(failure) = &written {
            say(&format!(
                "{}; other hosts do not know that this one belongs to the fleet",
                failure.message()
            ));
        }
        self.next = Some(Instant::now() + if written.is_ok() { INTERVAL } else { RETRY });
    }
}

async fn write(broker: &Broker, own: &FleetHost) -> Result<(), Failure> {
    let store = MEMBERS.ensure(broker).await?;
    let value = serde_json::to_vec(&MemberEntry { seen: now() }).unwrap_or_default();
    let put = store.put(own.as_str(), value.into()).await;
    put.map(drop).map_err(|why| Failure::nats("join the fleet", &why))
}

/// The names of the hosts that belong to the fleet.
pub(crate) async fn member_names(broker: &Broker) -> Result<BTreeSet<FleetHost>, Failure> {
    let keys = MEMBERS.keys(&MEMBERS.open(broker).await?).await?;
    Ok(keys.iter().filter_map(|key| key.parse().ok()).collect())
}

/// How long a host is known to belong to the fleet before that is looked up again: it may have been forgotten.
const KNOWN: Duration = Duration::from_secs(60);

/// What this relay knows of the hosts that messages are for.
#[derive(Default)]
pub(crate) struct KnownHosts {
    /// Those that belong to the fleet, and until when that is believed: at most as many as the fleet has.
    hosts: BTreeMap<FleetHost, Instant>,
    /// The time until which no host is asked, because none could answer.
    unknown_until: Option<Instant>,
}

impl KnownHosts {
    /// The hosts among these that do not belong to the fleet. If that cannot be found out, all do.
    pub(crate) async fn strangers(
        &mut self,
        broker: &Broker,
        hosts: impl Iterator<Item = &FleetHost>,
    ) -> BTreeSet<FleetHost> {
        let mut strangers = BTreeSet::new();
        let now = Instant::now();
        self.hosts.retain(|_, until| now < *until);
        for host in hosts {
            if self.hosts.contains_key(host) || self.unknown_until.is_some_and(|until| now < until) {
                continue;
            }
            match is_member(broker, host).await {
                Ok(true) => drop(self.hosts.insert(host.clone(), now + KNOWN)),
                Ok(false) => drop(strangers.insert(host.clone())),
                Err(failure) => {
                    say(&format!(
                        "{}; messages to hosts that do not exist are not refused",
                        failure.message()
                    ));
                    self.unknown_until = Some(Instant::now() + RETRY);
                }
            }
        }
        strangers
    }
}

/// Whether a host belongs to the fleet. One of an older version has no entry, but is there.
async fn is_member(broker: &Broker, host: &FleetHost) -> Result<bool, Failure> {
    let has_entry = async |bucket: &KvBucket| -> Result<bool, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::nats("look for a host", why);
        let entry = bucket.open(broker).await?.get(host.as_str()).await;
        entry.map(|entry| entry.is_some()).map_err(|why| cannot(&why))
    };
    Ok(has_entry(&crate::host_entry::HOSTS).await? || has_entry(&MEMBERS).await?)
}
