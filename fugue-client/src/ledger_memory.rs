//! The shared memory of an input ledger: its descriptor goes to the daemon, which writes to it.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use fugue_protocol::input_ledger::{BYTES, ENTRIES, ENTRY, HEADER, LedgerEntry, LedgerState};
use rustix::cmsg_space;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// Memory in which a daemon records how much of what was typed has reached the programs.
#[derive(Debug)]
pub struct LedgerMemory(OwnedFd);

impl LedgerMemory {
    /// Memory that no daemon uses yet.
    pub fn new() -> io::Result<Self> {
        // The daemon recognizes memory by its seals: a file could block it.
        let memory = memfd_create("fugue-ledger", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&memory, BYTES as u64)?;
        Ok(Self(memory))
    }

    /// Sends bytes, with the descriptor of the memory attached.
    pub fn send_with(&self, socket: &UnixStream, bytes: &[u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let fds = [self.0.as_fd()];
        control.push(SendAncillaryMessage::ScmRights(&fds));
        Ok(sendmsg(socket, &[io::IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?)
    }

    /// Whether a daemon uses it, and whether it closed the connection since.
    pub fn state(&self) -> LedgerState {
        let mut header = [0; HEADER];
        let _ = rustix::io::pread(&self.0, &mut header, 0);
        LedgerState::from_bytes(header)
    }

    /// Reads the entries that the daemon has written; none if it does not use the memory.
    pub fn entries(&self) -> Option<Vec<LedgerEntry>> {
        let mut bytes = vec![0; BYTES];
        let count = rustix::io::pread(&self.0, &mut bytes[..], 0).ok()?;
        let (header, entries) = bytes[..count].split_first_chunk::<HEADER>()?;
        if LedgerState::from_bytes(*header) != LedgerState::Open {
            return None;
        }
        let (entries, _) = entries.as_chunks::<ENTRY>();
        let entries = entries.iter().take(ENTRIES).map(LedgerEntry::from_bytes);
        Some(entries.filter(|entry| *entry.pane.as_bytes() != [0; 16]).collect())
    }

    /// Writes entries as a daemon would.
    #[cfg(test)]
    pub(crate) fn write_as_daemon(&self, entries: &[LedgerEntry]) {
        rustix::io::pwrite(&self.0, &LedgerState::Open.to_bytes(), 0).expect("written");
        for (number, entry) in entries.iter().enumerate() {
            rustix::io::pwrite(&self.0, &entry.to_bytes(), LedgerEntry::at(number)).expect("written");
        }
    }
}
