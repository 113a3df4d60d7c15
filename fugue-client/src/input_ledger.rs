//! The ledger of typed keys: the keys themselves, and the memory in which the daemon records how many of them have
//! reached the programs. After a crash it says which keys to type again.

use std::collections::{BTreeMap, VecDeque};
use std::io;

use fugue_protocol::PaneId;
use fugue_protocol::input_ledger::{ENTRIES, LedgerEntry};

use crate::ledger_memory::LedgerMemory;

/// The most that is kept, in bytes: more than a person types while a program reads nothing. Older keys are forgotten.
const MAX_KEPT: usize = 1 << 20;

/// The number of typed bytes after which keys that have arrived are forgotten.
const PRUNE_INTERVAL: usize = 64 << 10;

/// The keys that a daemon may not have delivered when it went away.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UndeliveredKeys {
    /// Keys that certainly reached no program.
    pub again: Vec<(PaneId, Vec<u8>)>,
    /// The number of characters that may or may not have: the daemon died as it wrote them.
    pub doubtful: usize,
    /// Whether other keys may or may not have: older ones, or those typed into a pane that the daemon kept no count of.
    pub unsure: bool,
}

/// The typed keys, and the memory that is shared with the daemon.
#[derive(Debug)]
pub(crate) struct Ledger {
    memory: LedgerMemory,
    panes: BTreeMap<PaneId, KeysOfPane>,
    /// The number of bytes in `panes`.
    kept: usize,
    /// The number of bytes recorded since the last pruning.
    since_pruning: usize,
}

/// The keys typed into one pane.
#[derive(Debug, Default)]
struct KeysOfPane {
    /// The number of bytes typed before those in `bytes`.
    before: u64,
    bytes: VecDeque<u8>,
    /// Whether bytes were forgotten that had not arrived.
    forgotten: bool,
}

impl KeysOfPane {
    /// Forgets the bytes before this position and returns their number.
    fn forget_until(&mut self, position: u64) -> usize {
        let count =
            usize::try_from(position.saturating_sub(self.before)).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.drain(..count);
        self.before += count as u64;
        count
    }
}

impl Ledger {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { memory: LedgerMemory::new()?, panes: BTreeMap::new(), kept: 0, since_pruning: 0 })
    }

    /// The memory that is shared with the daemon.
    pub(crate) fn memory(&self) -> &LedgerMemory {
        &self.memory
    }

    /// Writes entries as a daemon would.
    #[cfg(test)]
    pub(crate) fn write_as_daemon(&self, entries: &[LedgerEntry]) {
        self.memory.write_as_daemon(entries);
    }

    /// Whether nothing was typed that may be undelivered.
    pub(crate) fn is_empty(&self) -> bool {
        self.kept == 0
    }

    /// Records typed keys.
    pub(crate) fn record(&mut self, pane: PaneId, bytes: &[u8]) {
        if !self.panes.contains_key(&pane) {
            // The daemon may give this pane the entry of another one, whose keys have arrived.
            self.prune();
        }
        self.panes.entry(pane).or_default().bytes.extend(bytes);
        self.kept += bytes.len();
        self.since_pruning += bytes.len();
        if self.since_pruning >= PRUNE_INTERVAL {
            self.since_pruning = 0;
            self.prune();
        }
    }

    /// Forgets keys that have arrived, and the oldest beyond the limit.
    pub(crate) fn prune(&mut self) {
        if let Some(entries) = self.memory.entries() {
            for entry in entries {
                if let Some(keys) = self.panes.get_mut(&entry.pane) {
                    self.kept -= keys.forget_until(entry.taken);
                }
            }
        }
        for keys in self.panes.values_mut() {
            let over = self.kept.saturating_sub(MAX_KEPT).min(keys.bytes.len());
            keys.forgotten |= over > 0;
            self.kept -= keys.forget_until(keys.before + over as u64);
        }
    }

    /// Returns the keys that were not delivered, once the daemon is gone; none if it never used the ledger.
    pub(crate) fn take_undelivered(&mut self) -> Option<UndeliveredKeys> {
        self.memory.entries().map(|entries| self.undelivered_by(&entries))
    }

    /// Returns the keys that were not delivered according to these entries. A pane without an entry received nothing,
    /// unless all entries are in use: then nobody knows.
    pub(crate) fn undelivered_by(&mut self, entries: &[LedgerEntry]) -> UndeliveredKeys {
        let mut undelivered = UndeliveredKeys::default();
        let is_full = entries.len() >= ENTRIES;
        for (pane, mut keys) in std::mem::take(&mut self.panes) {
            let entry = entries.iter().find(|entry| entry.pane == pane);
            if entry.is_none() && is_full {
                undelivered.unsure |= keys.forgotten || !keys.bytes.is_empty();
                continue;
            }
            let (taken, begun) = entry.map_or((0, 0), |entry| (entry.taken, entry.begun));
            undelivered.unsure |= keys.forgotten && taken < keys.before;
            keys.forget_until(taken);
            let doubtful = usize::try_from(begun.saturating_sub(keys.before)).unwrap_or(usize::MAX);
            let doubtful: Vec<u8> = keys.bytes.drain(..doubtful.min(keys.bytes.len())).collect();
            undelivered.doubtful += String::from_utf8_lossy(&doubtful).chars().count();
            if !keys.bytes.is_empty() {
                undelivered.again.push((pane, keys.bytes.into()));
            }
        }
        undelivered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    /// A ledger in which a daemon has written these entries.
    fn ledger_with(entries: &[LedgerEntry]) -> Ledger {
        let ledger = Ledger::new().expect("memory");
        ledger.memory.write_as_daemon(entries);
        ledger
    }

    #[test]
    fn undelivered_keys_are_resent_and_doubtful_ones_counted() {
        let mut ledger = ledger_with(&[LedgerEntry { pane: pane(1), taken: 2, begun: 3 }]);
        ledger.record(pane(1), b"abc");
        ledger.record(pane(2), b"x");
        ledger.record(pane(1), b"def");
        let again = vec![(pane(1), b"def".to_vec()), (pane(2), b"x".to_vec())];
        assert_eq!(ledger.take_undelivered(), Some(UndeliveredKeys { again, doubtful: 1, unsure: false }));
    }

    /// As many entries as a ledger has, of panes whose keys have arrived.
    fn all_entries_in_use() -> Vec<LedgerEntry> {
        let pane = |number: usize| {
            let mut bytes = [9; 16];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            PaneId::from_bytes(bytes)
        };
        (0..ENTRIES).map(|number| LedgerEntry { pane: pane(number), taken: 1, begun: 1 }).collect()
    }

    #[test]
    fn keys_that_a_full_ledger_does_not_mention_are_reported_but_not_typed_again() {
        let mut entries = all_entries_in_use();
        let mut ledger = ledger_with(&entries);
        ledger.record(entries[3].pane, b"ab");
        ledger.record(pane(1), b"echo once\r");
        let again = vec![(entries[3].pane, b"b".to_vec())];
        let unsure = UndeliveredKeys { again, doubtful: 0, unsure: true };
        assert_eq!(ledger.take_undelivered(), Some(unsure));
        ledger = ledger_with(&entries[1..]);
        ledger.record(pane(1), b"echo once\r");
        let again = vec![(pane(1), b"echo once\r".to_vec())];
        assert_eq!(
            ledger.undelivered_by(&entries.split_off(1)),
            UndeliveredKeys { again, doubtful: 0, unsure: false },
            "with an entry to spare the pane would have one"
        );
    }

    #[test]
    fn keys_that_arrived_are_forgotten_before_their_entry_is_used_again() {
        let mut entries = all_entries_in_use();
        let mut ledger = ledger_with(&entries);
        ledger.record(entries[3].pane, b"a");
        ledger.record(pane(1), b"x");
        entries[3] = LedgerEntry { pane: pane(1), taken: 1, begun: 1 };
        ledger.memory.write_as_daemon(&entries);
        assert_eq!(ledger.take_undelivered(), Some(UndeliveredKeys::default()));
    }

    #[test]
    fn a_ledger_that_no_daemon_used_says_nothing() {
        let mut ledger = Ledger::new().expect("memory");
        ledger.record(pane(1), b"abc");
        assert_eq!(ledger.take_undelivered(), None);
    }

    #[test]
    fn delivered_keys_and_those_beyond_the_limit_are_dropped() {
        let mut ledger = ledger_with(&[LedgerEntry {
            pane: pane(1),
            taken: PRUNE_INTERVAL as u64,
            begun: PRUNE_INTERVAL as u64,
        }]);
        ledger.record(pane(1), &vec![b'a'; PRUNE_INTERVAL]);
        assert_eq!(ledger.kept, 0, "all keys have arrived");
        for _ in 0..MAX_KEPT / PRUNE_INTERVAL {
            ledger.record(pane(1), &vec![b'b'; PRUNE_INTERVAL]);
        }
        assert_eq!(ledger.kept, MAX_KEPT, "at the limit");
        ledger.record(pane(1), &vec![b'c'; PRUNE_INTERVAL]);
        assert_eq!(ledger.kept, MAX_KEPT);
        let undelivered = ledger.take_undelivered().expect("the daemon used it");
        assert!(undelivered.unsure, "the oldest keys are lost");
        assert_eq!(undelivered.again[0].1.len(), MAX_KEPT);
    }
}
