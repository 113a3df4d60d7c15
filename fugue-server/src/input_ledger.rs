//! The daemon's side of a client's input ledger: it records how much of what the client typed has reached its panes, so
//! that a client that reconnects after a crash knows what to send again.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use fugue_protocol::PaneId;
use fugue_protocol::input_ledger::{ENTRIES, LedgerEntry, LedgerState};
use rustix::io::pwrite;

/// A client's ledger.
pub(crate) struct InputLedger {
    file: Arc<OwnedFd>,
    /// The index of each pane's entry, and how many bytes were typed into the pane so far.
    panes: BTreeMap<PaneId, (usize, u64)>,
}

impl InputLedger {
    /// Opens the ledger that a client passed. Only a memfd is accepted: writing to another kind of file could block the
    /// daemon.
    pub(crate) fn open(file: OwnedFd) -> Option<Self> {
        rustix::fs::fcntl_get_seals(&file).ok()?;
        pwrite(&file, &LedgerState::Open.to_bytes(), 0).ok()?;
        Some(Self { file: Arc::new(file), panes: BTreeMap::new() })
    }

    /// Returns the receipt for the next bytes typed into a pane, or `None` if the ledger has no entry left.
    pub(crate) fn receipt(&mut self, pane: PaneId, bytes: usize) -> Option<InputReceipt> {
        let number = self.panes.len();
        if number == ENTRIES && !self.panes.contains_key(&pane) {
            return None;
        }
        let (number, typed) = self.panes.entry(pane).or_insert((number, 0));
        let start = *typed;
        *typed += bytes as u64;
        Some(InputReceipt { file: Arc::clone(&self.file), number: *number, pane, taken: start })
    }

    /// Marks the ledger closed: the connection ended while the daemon keeps running.
    pub(crate) fn close(&self) {
        let _ = pwrite(&self.file, &LedgerState::Closed.to_bytes(), 0);
    }
}

/// A receipt for bytes typed together: it records in the ledger how many of them the program has.
pub(crate) struct InputReceipt {
    file: Arc<OwnedFd>,
    number: usize,
    pane: PaneId,
    taken: u64,
}

impl InputReceipt {
    /// Records that a write of this many bytes begins.
    pub(crate) fn begin(&self, bytes: usize) {
        self.write(self.taken + bytes as u64);
    }

    /// Records that the write ended after this many bytes.
    pub(crate) fn end(&mut self, bytes: usize) {
        self.taken += bytes as u64;
        self.write(self.taken);
    }

    /// Writes the entry with one system call, so that a kill leaves the old entry or the new one.
    fn write(&self, begun: u64) {
        let entry = LedgerEntry { pane: self.pane, taken: self.taken, begun };
        let _ = pwrite(&self.file, &entry.to_bytes(), LedgerEntry::at(self.number));
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
    fn a_ledger_covers_as_many_panes_as_it_has_entries() {
        let (mut ledger, file) = ledger();
        for number in 0..ENTRIES {
            let mut receipt = ledger.receipt(pane(number as u16), 1).expect("an entry");
            receipt.end(1);
        }
        assert!(ledger.receipt(pane(ENTRIES as u16), 1).is_none());
        assert!(ledger.receipt(pane(0), 1).is_some());
        assert_eq!(rustix::fs::fstat(&file).expect("its size").st_size as usize, BYTES);
    }

    #[test]
    fn a_pipe_is_not_accepted_as_a_ledger() {
        let (ours, _theirs) = rustix::pipe::pipe().expect("a pipe");
        assert!(InputLedger::open(ours).is_none());
    }
}
