//! What is written into a client's ledger: how much of what it typed has reached its panes.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use fugue_protocol::PaneId;
use fugue_protocol::ledger::{ENTRIES, LedgerEntry, LedgerState};
use rustix::io::pwrite;

/// A client's ledger.
pub(super) struct Ledger {
    file: Arc<OwnedFd>,
    /// Each pane's entry, and how much was typed into it so far.
    panes: BTreeMap<PaneId, (usize, u64)>,
}

impl Ledger {
    /// The ledger that a client handed over. Only memory is written to: a file of another kind could hold up the daemon.
    pub(super) fn open(file: OwnedFd) -> Option<Self> {
        rustix::fs::fcntl_get_seals(&file).ok()?;
        pwrite(&file, &LedgerState::Open.to_bytes(), 0).ok()?;
        Some(Self { file: Arc::new(file), panes: BTreeMap::new() })
    }

    /// So much more is typed into a pane: where that is written down when the program has it.
    pub(super) fn receipt(&mut self, pane: PaneId, bytes: usize) -> Option<Receipt> {
        let number = self.panes.len();
        if number == ENTRIES && !self.panes.contains_key(&pane) {
            return None;
        }
        let (number, typed) = self.panes.entry(pane).or_insert((number, 0));
        let begins = *typed;
        *typed += bytes as u64;
        Some(Receipt { file: Arc::clone(&self.file), number: *number, pane, taken: begins })
    }

    /// The connection ends, and this daemon goes on.
    pub(super) fn close(&self) {
        let _ = pwrite(&self.file, &LedgerState::Closed.to_bytes(), 0);
    }
}

/// Where it is written down how much of one piece the program has.
pub(crate) struct Receipt {
    file: Arc<OwnedFd>,
    number: usize,
    pane: PaneId,
    taken: u64,
}

impl Receipt {
    /// A write of so many bytes begins.
    pub(crate) fn begin(&self, bytes: usize) {
        self.put(self.taken + bytes as u64);
    }

    /// It is over: the program has so many of them.
    pub(crate) fn end(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        self.put(self.taken);
    }

    /// One write, so that a kill leaves the old entry or the new one.
    fn put(&self, begun: u64) {
        let entry = LedgerEntry { pane: self.pane, taken: self.taken, begun };
        let _ = pwrite(&self.file, &entry.to_bytes(), LedgerEntry::at(self.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::ledger::{BYTES, ENTRY};
    use rustix::fs::{MemfdFlags, memfd_create};

    fn pane(number: u16) -> PaneId {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&number.to_le_bytes());
        PaneId::from_bytes(bytes)
    }

    fn ledger() -> (Ledger, OwnedFd) {
        let ours = memfd_create("ledger", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).expect("memory");
        (Ledger::open(ours.try_clone().expect("a copy")).expect("a ledger"), ours)
    }

    fn entry(file: &OwnedFd, number: usize) -> LedgerEntry {
        let mut bytes = [0; ENTRY];
        rustix::io::pread(file, &mut bytes, LedgerEntry::at(number)).expect("readable");
        LedgerEntry::from_bytes(&bytes)
    }

    #[test]
    fn a_write_is_announced_and_then_counted_and_what_was_refused_is_passed_over() {
        let (mut ledger, file) = ledger();
        let mut first = ledger.receipt(pane(1), 3).expect("a place");
        drop(ledger.receipt(pane(1), 5));
        let mut third = ledger.receipt(pane(1), 2).expect("a place");
        first.begin(3);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 0, begun: 3 });
        first.end(3);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 3, begun: 3 });
        third.begin(2);
        third.end(1);
        assert_eq!(entry(&file, 0), LedgerEntry { pane: pane(1), taken: 9, begun: 9 });
    }

    #[test]
    fn a_ledger_has_as_many_panes_as_there_are_entries() {
        let (mut ledger, file) = ledger();
        for number in 0..ENTRIES {
            let mut receipt = ledger.receipt(pane(number as u16), 1).expect("a place");
            receipt.end(1);
        }
        assert!(ledger.receipt(pane(ENTRIES as u16), 1).is_none());
        assert!(ledger.receipt(pane(0), 1).is_some());
        assert_eq!(rustix::fs::fstat(&file).expect("its size").st_size as usize, BYTES);
    }

    #[test]
    fn what_is_no_memory_is_no_ledger() {
        let (ours, _theirs) = rustix::pipe::pipe().expect("a pipe");
        assert!(Ledger::open(ours).is_none());
    }
}
