//! The ledger: how much of what a person typed has reached each pane's program. It lies in memory that the client made
//! and the daemon writes, so that the client can read it when a kill has taken the daemon: what was not typed is typed
//! to the next one, and nothing twice.

use crate::PaneId;

/// Bytes before the first entry: the state.
pub const HEADER: usize = 8;

/// Bytes of an entry.
pub const ENTRY: usize = 32;

/// Panes that one client can type into with a record of it: more nobody goes through by hand.
pub const ENTRIES: usize = 1_024;

/// Bytes of a whole ledger.
pub const BYTES: usize = HEADER + ENTRIES * ENTRY;

/// What the header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LedgerState {
    /// No daemon writes here.
    Unopened,
    /// A daemon does.
    Open,
    /// A daemon that lives on has closed the connection: what it has read it may still type.
    Closed,
}

impl LedgerState {
    /// As it stands in the memory.
    pub fn to_bytes(self) -> [u8; HEADER] {
        (self as u64).to_le_bytes()
    }

    /// As it was read.
    pub fn from_bytes(bytes: [u8; HEADER]) -> Self {
        match u64::from_le_bytes(bytes) {
            1 => Self::Open,
            2 => Self::Closed,
            _ => Self::Unopened,
        }
    }
}

/// Of all bytes that were typed into a pane on this connection, counted from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerEntry {
    /// The pane.
    pub pane: PaneId,
    /// So many are the program's, or were refused.
    pub taken: u64,
    /// Up to here a write is under way: whether these are the program's, nobody knows if it never ends.
    pub begun: u64,
}

impl LedgerEntry {
    /// Where the entry of this number stands.
    pub fn at(number: usize) -> u64 {
        (HEADER + number * ENTRY) as u64
    }

    /// As it stands in the memory.
    pub fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..16].copy_from_slice(self.pane.as_bytes());
        bytes[16..24].copy_from_slice(&self.taken.to_le_bytes());
        bytes[24..].copy_from_slice(&self.begun.to_le_bytes());
        bytes
    }

    /// As it was read.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let entry = LedgerEntry { pane: PaneId::from_bytes([7; 16]), taken: 1 << 40, begun: (1 << 40) + 3 };
        assert_eq!(LedgerEntry::from_bytes(&entry.to_bytes()), entry);
        for state in [LedgerState::Unopened, LedgerState::Open, LedgerState::Closed] {
            assert_eq!(LedgerState::from_bytes(state.to_bytes()), state);
        }
        assert_eq!(LedgerEntry::at(ENTRIES) as usize, BYTES);
    }
}
