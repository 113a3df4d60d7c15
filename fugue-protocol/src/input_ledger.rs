//! The ledger: how much of what a person typed has reached each pane's program. It is in memory shared by the client,
//! which creates it, and the daemon, which writes it. If the daemon is killed, the client reads it and sends the
//! undelivered keys to the next daemon, none of them twice.

use crate::PaneId;
use crate::frames::{self, FrameKind};

/// Size of the header, which holds the state.
pub const HEADER: usize = 8;

/// Size of an entry.
pub const ENTRY: usize = 32;

/// Number of entries: more panes than a person types into at a time. When all are in use, the daemon uses them again, so
/// a pane without an entry may have received keys.
pub const ENTRIES: usize = 1_024;

/// Size of a ledger.
pub const BYTES: usize = HEADER + ENTRIES * ENTRY;

/// The state in the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerState {
    /// No daemon has opened it.
    Unopened,
    /// A daemon writes to it.
    Open,
    /// The daemon closed the connection but is still running: it may still type what it has read.
    Closed,
}

impl LedgerState {
    /// Encodes it.
    pub fn to_bytes(self) -> [u8; HEADER] {
        (self as u64).to_le_bytes()
    }

    /// Decodes it.
    pub fn from_bytes(bytes: [u8; HEADER]) -> Self {
        match u64::from_le_bytes(bytes) {
            1 => Self::Open,
            2 => Self::Closed,
            _ => Self::Unopened,
        }
    }
}

/// The progress of one pane, in bytes typed into it since the start of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The pane.
    pub pane: PaneId,
    /// Bytes delivered to the program, or refused.
    pub taken: u64,
    /// End of the write in progress: if it never completes, whether these bytes were delivered is unknown.
    pub begun: u64,
}

impl LedgerEntry {
    /// The offset of the entry with this number.
    pub fn at(number: usize) -> u64 {
        (HEADER + number * ENTRY) as u64
    }

    /// Encodes it.
    pub fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..16].copy_from_slice(self.pane.as_bytes());
        bytes[16..24].copy_from_slice(&self.taken.to_le_bytes());
        bytes[24..].copy_from_slice(&self.begun.to_le_bytes());
        bytes
    }

    /// Decodes it.
    pub fn from_bytes(bytes: &[u8; ENTRY]) -> Self {
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let mut pane = [0; 16];
        pane.copy_from_slice(&bytes[..16]);
        Self { pane: PaneId::from_bytes(pane), taken: word(16), begun: word(24) }
    }
}

/// Frames what became of the keys of an earlier line; `None` if nobody knows.
pub fn delivered_frame(entries: Option<&[LedgerEntry]>) -> Vec<u8> {
    let mut body = vec![u8::from(entries.is_some())];
    entries.into_iter().flatten().for_each(|entry| body.extend(entry.to_bytes()));
    let mut frame = Vec::new();
    frames::write(&mut frame, FrameKind::Delivered, &body);
    frame
}

/// Decodes the body of such a frame.
pub fn read_delivered(body: &[u8]) -> Option<Vec<LedgerEntry>> {
    let (entries, _) = body.strip_prefix(&[1])?.as_chunks::<ENTRY>();
    Some(entries.iter().take(ENTRIES).map(LedgerEntry::from_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_keys_round_trips() {
        let entry = LedgerEntry { pane: PaneId::from_bytes([7; 16]), taken: 5, begun: 6 };
        let body = |frame: Vec<u8>| read_delivered(&frame[frames::HEADER..]);
        assert_eq!(body(delivered_frame(Some(&[entry, entry]))), Some(vec![entry, entry]));
        assert_eq!(body(delivered_frame(Some(&[]))), Some(vec![]));
        assert_eq!(body(delivered_frame(None)), None);
    }

    #[test]
    fn entries_and_states_round_trip() {
        let entry = LedgerEntry { pane: PaneId::from_bytes([7; 16]), taken: 1 << 40, begun: (1 << 40) + 3 };
        assert_eq!(LedgerEntry::from_bytes(&entry.to_bytes()), entry);
        for state in [LedgerState::Unopened, LedgerState::Open, LedgerState::Closed] {
            assert_eq!(LedgerState::from_bytes(state.to_bytes()), state);
        }
        assert_eq!(LedgerEntry::at(ENTRIES) as usize, BYTES);
    }
}
