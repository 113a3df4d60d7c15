//! The daemon's side of a client's input ledger: it records how much of what the client typed has reached its panes, so
//! that a client that reconnects after a crash knows what to send again.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use fugue_protocol::PaneId;
use fugue_protocol::input_ledger::{ENTRIES, LedgerEntry, LedgerState};
use rustix::io::pwrite;

/// A client's ledger. The memory has a fixed number of entries. Once all are in use, the entry of the pane that was typed
/// into longest ago is used for the next one, unless keys for it are still on their way. The client has long forgotten
/// keys that arrived, and asks its user about any other keys that it finds no entry for.
pub(crate) struct InputLedger {
    file: Arc<OwnedFd>,
    /// The panes that were typed into: at most as many as there were panes. Their counts outlive their entries.
    panes: BTreeMap<PaneId, TypedInto>,
    /// The entries in use, in the order of the memory.
    entries: Vec<Arc<Entry>>,
    /// The number of receipts so far.
    receipts: u64,
}

/// What was typed into a pane.
#[derive(Default)]
struct TypedInto {
    /// The number of bytes.
    bytes: u64,
    /// The index of the pane's entry, if it has one.
    entry: Option<usize>,
    /// The number of the last receipt.
    last_receipt: u64,
}

/// An entry of the memory, shared with the receipts that write to it.
struct Entry {
    file: Arc<OwnedFd>,
    number: usize,
    pane: PaneId,
    /// The number of bytes that arrived, as it was written last.
    taken: AtomicU64,
    /// The end of bytes that overtook earlier ones. Until those have arrived, everything up to here is in doubt.
    overtaken_until: AtomicU64,
}

impl InputLedger {
    /// Opens the ledger that a client passed. Only a memfd is accepted: writing to another kind of file could block the
    /// daemon.
    pub(crate) fn open(file: OwnedFd) -> Option<Self> {
        rustix::fs::fcntl_get_seals(&file).ok()?;
        pwrite(&file, &LedgerState::Open.to_bytes(), 0).ok()?;
        Some(Self { file: Arc::new(file), panes: BTreeMap::new(), entries: Vec::new(), receipts: 0 })
    }

    /// Returns the receipt for the next bytes typed into a pane, or `None` if keys are on their way for every entry.
    pub(crate) fn receipt(&mut self, pane: PaneId, bytes: usize) -> Option<InputReceipt> {
        self.receipts += 1;
        let typed = self.panes.entry(pane).or_default();
        let (taken, number) = (typed.bytes, typed.entry);
        typed.bytes += bytes as u64;
        typed.last_receipt = self.receipts;
        let number = number.or_else(|| self.new_entry(pane, taken))?;
        Some(InputReceipt { entry: Arc::clone(&self.entries[number]), taken, overtakes: false })
    }

    /// Gives a pane, into which this many bytes were typed before, an unused entry, or one that can be used again.
    fn new_entry(&mut self, pane: PaneId, taken: u64) -> Option<usize> {
        let number = if self.entries.len() < ENTRIES { self.entries.len() } else { self.oldest_idle()? };
        let (taken, overtaken_until) = (AtomicU64::new(taken), AtomicU64::new(0));
        let entry = Arc::new(Entry { file: Arc::clone(&self.file), number, pane, taken, overtaken_until });
        if let Some(former) = self.entries.get_mut(number) {
            self.panes.entry(former.pane).or_default().entry = None;
            *former = entry;
        } else {
            // The client sees at once that the entry is in use, and so whether all are.
            entry.write(0, 0);
            self.entries.push(entry);
        }
        self.panes.entry(pane).or_default().entry = Some(number);
        Some(number)
    }

    /// The entry that was used longest ago among those whose keys have all arrived or were refused.
    fn oldest_idle(&self) -> Option<usize> {
        let idle = self.entries.iter().filter(|entry| Arc::strong_count(entry) == 1);
        let last_receipt = |entry: &&Arc<Entry>| self.panes.get(&entry.pane).map(|typed| typed.last_receipt);
        idle.min_by_key(last_receipt).map(|entry| entry.number)
    }

    /// Marks the ledger closed: the connection ended while the daemon keeps running.
    pub(crate) fn close(&self) {
        let _ = pwrite(&self.file, &LedgerState::Closed.to_bytes(), 0);
    }
}

impl Entry {
    /// Writes the entry with one system call, so that a kill leaves the old entry or the new one.
    fn write(&self, taken: u64, begun: u64) {
        self.taken.store(taken, Relaxed);
        let overtaken_until = self.overtaken_until.load(Relaxed);
        let begun = if taken < overtaken_until { begun.max(overtaken_until) } else { begun };
        let entry = LedgerEntry { pane: self.pane, taken, begun };
        let _ = pwrite(&self.file, &entry.to_bytes(), LedgerEntry::at(self.number));
    }
}

/// A receipt for bytes typed together: it records in the ledger how many of them the program has.
pub(crate) struct InputReceipt {
    entry: Arc<Entry>,
    taken: u64,
    /// Whether the bytes are written before earlier ones. What has arrived is then no longer a single count.
    overtakes: bool,
}

impl InputReceipt {
    /// The receipt of this many bytes that overtake earlier ones: if the daemon is killed before those have arrived,
    /// nobody knows which of all these have.
    pub(crate) fn overtaking(mut self, bytes: usize) -> Self {
        self.overtakes = true;
        self.entry.overtaken_until.fetch_max(self.taken + bytes as u64, Relaxed);
        let taken = self.entry.taken.load(Relaxed);
        self.entry.write(taken, taken);
        self
    }

    /// Records that a write of this many bytes begins.
    pub(crate) fn begin(&self, bytes: usize) {
        if !self.overtakes {
            self.entry.write(self.taken, self.taken + bytes as u64);
        }
    }

    /// Records that the write ended after this many bytes.
    pub(crate) fn end(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        if !self.overtakes {
            self.entry.write(self.taken, self.taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::input_ledger::{BYTES, ENTRY};
    use rustix::fs::{MemfdFlags, memfd_create};

    fn pane(number: u16) -> PaneId {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&number.to_le_bytes());
        PaneId::from_bytes(bytes)
    }

    fn ledger() -> (InputLedger, OwnedFd) {
        let ours = memfd_create("ledger", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("memory");
        (InputLedger::open(ours.try_clone().expect("a copy")).expect("a ledger"), ours)
    }

    fn entry(file: &OwnedFd, number: usize) -> LedgerEntry {
        let mut bytes = [0; ENTRY];
        rustix::io::pread(file, &mut bytes, LedgerEntry::at(number)).expect("readable");
        LedgerEntry::from_bytes(&bytes)
    }

    #[test]
    fn a_write_is_announced_then_counted_and_refused_input_is_skipped() {
        let (mut ledger, file) = ledger();
        let mut first = ledger.receipt(pane(1), 3).expect("an entry");
        drop(ledger.receipt(pane(1), 5));
        let mut third = ledger.receipt(pane(1), 2).expect("an entry");
        first.begin(3);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 0, begun: 3 });
        first.end(3);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 3, begun: 3 });
        third.begin(2);
        third.end(1);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 9, begun: 9 });
    }

    #[test]
    fn a_ledger_follows_more_panes_than_it_has_entries_if_their_keys_have_arrived() {
        let (mut ledger, file) = ledger();
        for number in 0..ENTRIES {
            ledger.receipt(pane(number as u16), 1).expect("an entry").end(1);
        }
        ledger.receipt(pane(0), 1).expect("an entry").end(1);
        let next = pane(ENTRIES as u16);
        ledger.receipt(next, 5).expect("the entry of the pane that was typed into longest ago").end(5);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(0), taken: 2, begun: 2 });
        assert_eq!(entry(&file, 1), LedgerEntry { pane: next, taken: 5, begun: 5 });
        ledger.receipt(pane(1), 1).expect("another entry").end(1);
        assert_eq!(entry(&file, 2), LedgerEntry { pane: pane(1), taken: 2, begun: 2 }, "counted on");
        assert_eq!(rustix::fs::fstat(&file).expect("its size").st_size as usize, BYTES);
    }

    #[test]
    fn an_entry_is_kept_while_keys_are_on_their_way() {
        let (mut ledger, file) = ledger();
        let mut waiting: Vec<_> =
            (0..ENTRIES).map(|number| ledger.receipt(pane(number as u16), 1).expect("an entry")).collect();
        let next = pane(ENTRIES as u16);
        assert!(ledger.receipt(next, 1).is_none());
        assert_eq!(entry(&file, 7), LedgerEntry { pane: pane(7), taken: 0, begun: 0 }, "it is in use");
        waiting.remove(7).end(1);
        let receipt = ledger.receipt(next, 1).expect("the entry that is free now");
        receipt.begin(1);
        assert_eq!(entry(&file, 7), LedgerEntry { pane: next, taken: 1, begun: 2 });
    }

    #[test]
    fn keys_that_overtake_others_are_in_doubt_until_those_have_arrived() {
        let (mut ledger, file) = ledger();
        ledger.receipt(pane(1), 2).expect("an entry").end(2);
        let mut held = ledger.receipt(pane(1), 3).expect("an entry");
        let mut key = ledger.receipt(pane(1), 1).expect("an entry").overtaking(1);
        key.begin(1);
        key.end(1);
        let in_doubt = LedgerEntry { pane: pane(1), taken: 2, begun: 6 };
        assert_eq!(entry(&file, 0), in_doubt, "those before it have not arrived");
        held.begin(3);
        assert_eq!(entry(&file, 0), in_doubt);
        held.end(3);
        assert_eq!(
            entry(&file, 0),
            LedgerEntry { pane: pane(1), taken: 5, begun: 6 },
            "it goes on, never back"
        );
        ledger.receipt(pane(1), 1).expect("an entry").end(1);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 7, begun: 7 });
    }

    #[test]
    fn a_pipe_is_not_accepted_as_a_ledger() {
        let (ours, _theirs) = rustix::pipe::pipe().expect("a pipe");
        assert!(InputLedger::open(ours).is_none());
    }
}
