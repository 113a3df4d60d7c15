//! The lease on this host's name. It is the host's entry in the bucket of hosts, which expires unless it is renewed: two
//! machines with one name would split the messages for it between them.

use async_nats::jetstream::kv::{Operation, Store, UpdateErrorKind};
use fugue_protocol::relay_state::NameState;
use fugue_protocol::{FleetHost, Timestamp};

use crate::failure::Failure;
use crate::host_entry::{HostEntry, INTERVAL, NameHolder, NameRival};
use crate::relay_state::now;

/// How often a write is tried that another one gets in the way of.
const ATTEMPTS: usize = 8;

/// This relay's side of the lease.
pub(crate) struct NameLease {
    key: String,
    machine: String,
    label: String,
    /// The seals of the last write that succeeded and of the last one that was tried.
    seals: [Option<String>; 2],
}

/// What an attempt to renew the lease found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Renewal {
    pub(crate) name: NameState,
    /// A machine that wants the name, which this one holds.
    pub(crate) rival: Option<(String, Timestamp)>,
}

impl NameLease {
    pub(crate) fn new(host: &FleetHost, machine: String, label: String) -> Self {
        Self { key: host.to_string(), machine, label, seals: [None, None] }
    }

    /// Whether the entry of this holder is this relay's, or that of an earlier relay of the same daemon. Once this relay
    /// has written an entry, only its own count.
    fn is_own(&self, holder: &NameHolder) -> bool {
        match self.seals {
            [None, None] => holder.machine == self.machine,
            _ => self.seals.iter().flatten().any(|seal| *seal == holder.seal),
        }
    }

    /// Writes this host's entry, unless another machine has written one that has not expired.
    pub(crate) async fn renew(&mut self, store: &Store, mut entry: HostEntry) -> Result<Renewal, Failure> {
        let cannot = |why: &dyn std::fmt::Display| Failure::nats("announce this host", why);
        for _ in 0..ATTEMPTS {
            let stored = store.entry(&self.key).await.map_err(|why| cannot(&why))?;
            let revision = stored.as_ref().map_or(0, |stored| stored.revision);
            let stored = stored.filter(|stored| stored.operation == Operation::Put);
            let read =
                stored.map(|stored| serde_json::from_slice::<HostEntry>(&stored.value).unwrap_or_default());
            let rival = match read {
                Some(read) if read.holder.as_ref().is_none_or(|holder| !self.is_own(holder)) => {
                    self.tell(store, &read, revision).await;
                    let older = || "a relay of an older version, whose lease expires within a minute".into();
                    let by = read.holder.map_or_else(older, |holder| holder.label);
                    return Ok(Renewal { name: NameState::Taken { by }, rival: None });
                }
                read => read.and_then(|read| read.rival).map(|rival| (rival.label, rival.at)),
            };
            let seal = fugue_client::random_key("name");
            let (machine, label) = (self.machine.clone(), self.label.clone());
            entry.holder = Some(NameHolder { machine, label, seal: seal.clone() });
            let value = serde_json::to_vec(&entry).map_err(|why| cannot(&why))?;
            self.seals[1] = Some(seal.clone());
            match store.update(&self.key, value.into(), revision).await {
                Ok(_) => {
                    self.seals = [Some(seal), None];
                    return Ok(Renewal { name: NameState::Held, rival });
                }
                Err(why) if why.kind() == UpdateErrorKind::WrongLastRevision => {}
                Err(why) => return Err(cannot(&why)),
            }
        }
        Err(Failure::new("Cannot announce this host: its entry changes all the time", None))
    }

    /// Adds this machine to the holder's entry, unless a machine was added since the holder wrote it: the entry of a holder
    /// that is gone gets a new age once, and then expires, however many relays are started meanwhile.
    async fn tell(&self, store: &Store, read: &HostEntry, revision: u64) {
        if read.holder.is_none() || read.rival.is_some() {
            return;
        }
        let rival = Some(NameRival { label: self.label.clone(), at: now() });
        let entry = HostEntry { rival, ..read.clone() };
        if let Ok(value) = serde_json::to_vec(&entry) {
            // The holder or another machine may have written in the meantime.
            let _ = store.update(&self.key, value.into(), revision).await;
        }
    }
}

/// How long a rival is remembered after it was last seen: it is seen once in an interval.
pub(crate) fn is_recent(seen: Timestamp) -> bool {
    now().since(seen) < 3 * INTERVAL
}

/// Identifies this machine and a state directory until the next start: the files of a machine that was cloned are the
/// same, but not what the kernel chose when it started.
pub(crate) fn machine_id(state: &std::path::Path) -> String {
    use std::os::unix::fs::MetadataExt;
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let directory = std::fs::metadata(state).map(|file| (file.dev(), file.ino())).unwrap_or_default();
    let text = format!(
        "{}\n{}\n{}\n{directory:?}",
        read("/proc/sys/kernel/random/boot_id"),
        read("/etc/machine-id"),
        namespace.display(),
    );
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

/// This machine and relay, for people.
pub(crate) fn machine_label() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    format!("machine {name} (relay pid {})", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(machine: &str, seal: &str) -> NameHolder {
        NameHolder { machine: machine.into(), label: String::new(), seal: seal.into() }
    }

    #[test]
    fn a_relay_that_was_restarted_gets_its_name_back_and_a_copy_of_a_running_machine_does_not() {
        let host = "desk".parse().expect("a host");
        let mut lease = NameLease::new(&host, "m1".into(), String::new());
        assert!(lease.is_own(&holder("m1", "earlier")), "its former relay");
        assert!(!lease.is_own(&holder("m2", "earlier")), "another machine");
        lease.seals = [Some("s1".into()), Some("s2".into())];
        assert!(lease.is_own(&holder("m1", "s1")) && lease.is_own(&holder("m1", "s2")), "its own writes");
        assert!(!lease.is_own(&holder("m1", "s3")), "the write of a copy");
    }
}
