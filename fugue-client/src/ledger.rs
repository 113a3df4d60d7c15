//! What was typed on a line and may have to be typed again, and the ledger in which the daemon writes how much of it has
//! reached the programs.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use fugue_protocol::PaneId;
use fugue_protocol::ledger::{BYTES, ENTRIES, ENTRY, HEADER, LedgerEntry, LedgerState};
use rustix::cmsg_space;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// What is kept to be typed again: more than a person types while a program reads nothing. What came before it is not
/// known any more.
const KEPT: usize = 1 << 20;

/// After so many bytes more the ledger is read, and what has arrived is let go.
const LOOK: usize = 64 << 10;

/// What became of the keys that a daemon had when it went away.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct UndeliveredKeys {
    /// What certainly reached no program.
    pub again: Vec<(PaneId, Vec<u8>)>,
    /// Characters of which nobody knows whether they did: the daemon died as it wrote them.
    pub doubtful: usize,
    /// Some that were typed long before are lost, or the daemon kept no ledger.
    pub unsure: bool,
}

/// The ledger, and what was typed.
#[derive(Debug)]
pub(crate) struct Ledger {
    file: OwnedFd,
    panes: BTreeMap<PaneId, Typed>,
    kept: usize,
    /// Typed since the ledger was read.
    since: usize,
}

/// What was typed into one pane.
#[derive(Debug, Default)]
struct Typed {
    /// How much was typed before what is kept.
    before: u64,
    bytes: VecDeque<u8>,
    /// More was let go than had arrived.
    forgotten: bool,
}

impl Typed {
    /// Lets go of what lies before this place, and says how much that was.
    fn forget_until(&mut self, place: u64) -> usize {
        let count =
            usize::try_from(place.saturating_sub(self.before)).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.drain(..count);
        self.before += count as u64;
        count
    }
}

impl Ledger {
    pub(crate) fn new() -> io::Result<Self> {
        // Sealing is what tells the daemon that it is memory.
        let file = memfd_create("fugue-ledger", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&file, BYTES as u64)?;
        Ok(Self { file, panes: BTreeMap::new(), kept: 0, since: 0 })
    }

    /// Sends bytes, and the ledger with the first of them.
    pub(crate) fn hand_over(&self, socket: &UnixStream, bytes: &[u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let fds = [self.file.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&fds));
        Ok(sendmsg(socket, &[io::IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?)
    }

    /// Keeps what is typed.
    pub(crate) fn type_in(&mut self, pane: PaneId, bytes: &[u8]) {
        self.panes.entry(pane).or_default().bytes.extend(bytes);
        self.kept += bytes.len();
        self.since += bytes.len();
        if self.since >= LOOK {
            self.since = 0;
            self.look();
        }
    }

    /// Lets go of what has arrived, and of what is too much.
    fn look(&mut self) {
        if let Some(entries) = self.read() {
            for entry in entries {
                if let Some(typed) = self.panes.get_mut(&entry.pane) {
                    self.kept -= typed.forget_until(entry.taken);
                }
            }
        }
        for typed in self.panes.values_mut() {
            let over = self.kept.saturating_sub(KEPT).min(typed.bytes.len());
            typed.forgotten |= over > 0;
            self.kept -= typed.forget_until(typed.before + over as u64);
        }
    }

    /// What the daemon has written, if it does so.
    fn read(&self) -> Option<Vec<LedgerEntry>> {
        let mut bytes = vec![0; BYTES];
        let count = rustix::io::pread(&self.file, &mut bytes[..], 0).ok()?;
        let (header, entries) = bytes[..count].split_first_chunk::<HEADER>()?;
        if LedgerState::from_bytes(*header) != LedgerState::Open {
            return None;
        }
        let (entries, _) = entries.as_chunks::<ENTRY>();
        let entries = entries.iter().take(ENTRIES).map(LedgerEntry::from_bytes);
        Some(entries.filter(|entry| *entry.pane.as_bytes() != [0; 16]).collect())
    }

    /// What became of it all, once no daemon writes here any more; nothing if none ever did.
    pub(crate) fn settle(&mut self) -> Option<UndeliveredKeys> {
        let entries = self.read()?;
        let mut settled = UndeliveredKeys::default();
        for (pane, mut typed) in std::mem::take(&mut self.panes) {
            let entry = entries.iter().find(|entry| entry.pane == pane);
            let (taken, begun) = entry.map_or((0, 0), |entry| (entry.taken, entry.begun));
            settled.unsure |= typed.forgotten && taken < typed.before;
            typed.forget_until(taken);
            let doubtful = usize::try_from(begun.saturating_sub(typed.before)).unwrap_or(usize::MAX);
            let doubtful: Vec<u8> = typed.bytes.drain(..doubtful.min(typed.bytes.len())).collect();
            settled.doubtful += String::from_utf8_lossy(&doubtful).chars().count();
            if !typed.bytes.is_empty() {
                settled.again.push((pane, typed.bytes.into()));
            }
        }
        Some(settled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    /// A ledger in which a daemon has written these.
    fn written(entries: &[LedgerEntry]) -> Ledger {
        let ledger = Ledger::new().expect("memory");
        rustix::io::pwrite(&ledger.file, &LedgerState::Open.to_bytes(), 0).expect("written");
        for (number, entry) in entries.iter().enumerate() {
            rustix::io::pwrite(&ledger.file, &entry.to_bytes(), LedgerEntry::at(number)).expect("written");
        }
        ledger
    }

    #[test]
    fn what_did_not_arrive_is_typed_again_and_what_may_have_is_counted() {
        let mut ledger = written(&[LedgerEntry { pane: pane(1), taken: 2, begun: 3 }]);
        ledger.type_in(pane(1), b"abc");
        ledger.type_in(pane(2), b"x");
        ledger.type_in(pane(1), b"def");
        let again = vec![(pane(1), b"def".to_vec()), (pane(2), b"x".to_vec())];
        assert_eq!(ledger.settle(), Some(UndeliveredKeys { again, doubtful: 1, unsure: false }));
    }

    #[test]
    fn what_no_daemon_wrote_into_tells_nothing() {
        let mut ledger = Ledger::new().expect("memory");
        ledger.type_in(pane(1), b"abc");
        assert_eq!(ledger.settle(), None);
    }

    #[test]
    fn what_arrived_is_let_go_and_so_is_what_is_too_much() {
        let mut ledger = written(&[LedgerEntry { pane: pane(1), taken: LOOK as u64, begun: LOOK as u64 }]);
        ledger.type_in(pane(1), &vec![b'a'; LOOK]);
        assert_eq!(ledger.kept, 0, "it has arrived");
        for _ in 0..KEPT / LOOK {
            ledger.type_in(pane(1), &vec![b'b'; LOOK]);
        }
        assert_eq!(ledger.kept, KEPT, "as much as is kept");
        ledger.type_in(pane(1), &vec![b'c'; LOOK]);
        assert_eq!(ledger.kept, KEPT);
        let settled = ledger.settle().expect("it is open");
        assert!(settled.unsure, "the first of them are lost");
        assert_eq!(settled.again[0].1.len(), KEPT);
    }
}
