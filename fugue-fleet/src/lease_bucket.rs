//! Leases that are valid on all hosts. Each is an entry of a KV bucket, which is written only if it has not changed since
//! it was read, so that of two hosts that claim it at once one fails. The revision that claimed it is its fencing token.

use std::time::Duration;

use async_nats::jetstream::kv::{Entry, Operation, Store, UpdateErrorKind};
use fugue_protocol::views::LeaseView;
use fugue_protocol::{FleetHost, IdempotencyKey, LeaseName, PaneId, SessionName, Timestamp, limits};
use serde::{Deserialize, Serialize};

use crate::broker::Broker;
use crate::bucket::KvBucket;
use crate::failure::Failure;
use crate::relay_state::now;

/// The bucket. An entry outlives its lease: a lease lasts at most a day.
pub(crate) const LEASES: KvBucket = KvBucket {
    name: "fugue_leases",
    description: "fugue: leases that are valid on all hosts",
    kept: Duration::from_secs(7 * 24 * 3600),
    max_bytes: 1 << 14,
    max_entries: 100_000,
};

/// How often a claim is tried that others get in the way of.
const ATTEMPTS: usize = 16;

/// The most leases that are listed.
const LISTED: usize = 1_000;

/// Who holds a lease, or wants to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub(crate) host: FleetHost,
    /// None for a person outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<SessionName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pane: Option<PaneId>,
    /// Tells apart holders outside any pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<IdempotencyKey>,
}

impl Holder {
    /// Whether a claim of this holder renews the lease of the other.
    fn may_renew(&self, other: &Self) -> bool {
        let is_same = self.host == other.host && self.pane == other.pane;
        is_same && (self.pane.is_some() || (self.key.is_some() && self.key == other.key))
    }

    /// Whether this holder may release the lease of the other.
    fn may_release(&self, other: &Self) -> bool {
        self.host == other.host && self.pane == other.pane
    }
}

/// What is stored of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseEntry {
    pub(crate) name: LeaseName,
    #[serde(flatten)]
    pub(crate) holder: Holder,
    pub(crate) ttl_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// When it was claimed and its fencing token, if the entry renews it; else those of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<(Timestamp, u64)>,
}

/// A lease as the bucket has it.
#[derive(Debug, Clone)]
pub(crate) struct StoredLease {
    pub(crate) entry: LeaseEntry,
    /// The revision of the entry.
    revision: u64,
    /// When the server stored the entry: the clocks of other hosts do not matter.
    written_at: Timestamp,
}

impl StoredLease {
    fn since(&self) -> (Timestamp, u64) {
        self.entry.since.unwrap_or((self.written_at, self.revision))
    }

    pub(crate) fn fence(&self) -> u64 {
        self.since().1
    }

    pub(crate) fn expires_at(&self) -> Timestamp {
        let ttl_ms = self.entry.ttl_ms.min(limits::LEASE_MOST_MS);
        Timestamp::from_millis(self.written_at.millis().saturating_add(ttl_ms))
    }

    /// The holder, as errors name it.
    pub(crate) fn holder_name(&self) -> String {
        let Holder { host, session, .. } = &self.entry.holder;
        session.as_ref().map_or_else(|| format!("a user of host `{host}`"), |name| format!("`{host}/{name}`"))
    }

    /// The lease as replies show it.
    pub(crate) fn view(&self) -> LeaseView {
        let Holder { host, session, pane, .. } = &self.entry.holder;
        let name = session.as_ref().map_or("(outside)", SessionName::as_str);
        LeaseView {
            name: self.entry.name.clone(),
            session_id: None,
            session_name: host.session_name(name).ok(),
            pane_id: *pane,
            claimed_at: self.since().0,
            expires_at: self.expires_at(),
            fence: self.fence(),
            note: self.entry.note.clone(),
        }
    }
}

/// The failure of a write to which the server gave no answer, or none that says that it was not made.
fn unknown(what: &str, name: &LeaseName, why: &dyn std::fmt::Display) -> Failure {
    let hint = "`fugue fleet leases` shows who holds it";
    Failure::new(format!("Cannot {what} lease `{name}`: {why}; it may have taken effect"), Some(hint))
}

/// The key of a lease: names may contain anything.
fn key_of(name: &LeaseName) -> String {
    blake3::hash(name.as_str().as_bytes()).to_hex()[..32].to_owned()
}

/// What the bucket has under a key: the revision to replace, and the lease, if one is held.
struct Slot {
    revision: u64,
    lease: Option<StoredLease>,
}

impl Slot {
    fn of(entry: Option<Entry>, now: Timestamp) -> Self {
        let Some(entry) = entry else { return Self { revision: 0, lease: None } };
        let millis = entry.created.unix_timestamp_nanos() / 1_000_000;
        let written_at = Timestamp::from_millis(u64::try_from(millis).unwrap_or_default());
        let read = serde_json::from_slice(&entry.value).ok().filter(|_| entry.operation == Operation::Put);
        let lease = read.map(|read| StoredLease { entry: read, revision: entry.revision, written_at });
        Self { revision: entry.revision, lease: lease.filter(|lease| lease.expires_at() > now) }
    }
}

/// The leases of a fleet.
pub(crate) struct FleetLeases(Store);

impl FleetLeases {
    pub(crate) async fn open(broker: &Broker) -> Result<Self, Failure> {
        LEASES.ensure(broker).await.map(Self)
    }

    async fn slot(&self, key: &str) -> Result<Slot, Failure> {
        let entry = self.0.entry(key).await.map_err(|why| Failure::nats("read a lease", &why))?;
        Ok(Slot::of(entry, now()))
    }

    /// Claims or renews a lease. Returns it, and whether it was renewed; or the lease that somebody else holds.
    pub(crate) async fn claim(
        &self,
        wanted: &LeaseEntry,
    ) -> Result<Result<(StoredLease, bool), StoredLease>, Failure> {
        let key = key_of(&wanted.name);
        for _ in 0..ATTEMPTS {
            let Slot { revision, lease } = self.slot(&key).await?;
            let mut entry = wanted.clone();
            match lease {
                Some(held) if !wanted.holder.may_renew(&held.entry.holder) => return Ok(Err(held)),
                held => entry.since = held.map(|held| held.since()),
            }
            let cannot = |why: &dyn std::fmt::Display| Failure::nats("claim a lease", why);
            let value = serde_json::to_vec(&entry).map_err(|why| cannot(&why))?;
            match self.0.update(&key, value.into(), revision).await {
                Ok(revision) => {
                    let renewed = entry.since.is_some();
                    return Ok(Ok((StoredLease { entry, revision, written_at: now() }, renewed)));
                }
                Err(why) if why.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(why) => return Err(unknown("claim", &wanted.name, &why)),
            }
        }
        let message = format!("Lease `{}` is being claimed by many at once", wanted.name);
        Err(Failure::new(message, Some("try again")))
    }

    /// Releases a lease of this holder, or of anyone.
    pub(crate) async fn release(
        &self,
        name: &LeaseName,
        holder: &Holder,
        fence: Option<u64>,
        force: bool,
    ) -> Result<(), Failure> {
        let refused = |why: String| {
            let hint = "`fugue fleet leases` lists leases and their holders";
            Failure::new(format!("Cannot release lease `{name}`: {why}"), Some(hint))
        };
        let key = key_of(name);
        let Slot { revision, lease } = self.slot(&key).await?;
        let held = lease.ok_or_else(|| refused("no one holds it".into()))?;
        if !force && !holder.may_release(&held.entry.holder) {
            return Err(refused(format!("it is held by {}", held.holder_name())));
        }
        if fence.is_some_and(|fence| fence != held.fence()) {
            return Err(refused(format!("its fencing token is now {}", held.fence())));
        }
        let deleted = self.0.delete_expect_revision(&key, Some(revision)).await;
        deleted.map_err(|why| match why.kind() {
            UpdateErrorKind::WrongLastRevision => refused("it changed in the meantime".into()),
            _ => unknown("release", name, &why),
        })
    }

    /// The leases that are held, by name.
    pub(crate) async fn list(&self) -> Result<Vec<LeaseView>, Failure> {
        let mut leases = Vec::new();
        for key in LEASES.keys(&self.0).await?.into_iter().take(LISTED) {
            leases.extend(self.slot(&key).await?.lease.map(|lease| lease.view()));
        }
        leases.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(leases)
    }
}
