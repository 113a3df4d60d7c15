//! Counts the keys in the stream from a client: how many bytes were typed into each pane. A frame counts once the daemon's
//! socket has taken all of it.

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use fugue_protocol::frames::{FrameKind, FrameReader};
use fugue_protocol::input_ledger::LedgerEntry;
use fugue_protocol::limits;

/// The keys of a line that reached the daemon.
pub(super) struct KeyCounts {
    reader: FrameReader,
    panes: BTreeMap<PaneId, u64>,
    /// Whether the stream was readable so far. The daemon refuses one that is not.
    is_readable: bool,
}

impl KeyCounts {
    pub(super) fn new() -> Self {
        Self { reader: FrameReader::new(limits::REQUEST_BYTES), panes: BTreeMap::new(), is_readable: true }
    }

    /// Counts bytes that the daemon's socket has taken.
    pub(super) fn sent(&mut self, bytes: &[u8]) {
        if !self.is_readable {
            return;
        }
        self.reader.push(bytes);
        loop {
            match self.reader.next_frame() {
                Ok(Some((FrameKind::Keys, body))) => {
                    if let Some((pane, keys)) = body.split_first_chunk() {
                        *self.panes.entry(PaneId::from_bytes(*pane)).or_default() += keys.len() as u64;
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => {
                    self.is_readable = false;
                    break;
                }
            }
        }
        self.reader.free_large_buffer();
    }

    /// The counts as ledger entries: the daemon types what it has read.
    pub(super) fn entries(&self) -> Option<Vec<LedgerEntry>> {
        let entry =
            |(pane, bytes): (&PaneId, &u64)| LedgerEntry { pane: *pane, taken: *bytes, begun: *bytes };
        self.is_readable.then(|| self.panes.iter().map(entry).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::messages;

    #[test]
    fn only_whole_frames_of_keys_count() {
        let pane = PaneId::from_bytes([7; 16]);
        let mut typed = KeyCounts::new();
        let request = messages::cancel(1).expect("a frame");
        let keys = messages::keys(pane, b"abc");
        typed.sent(&[&request[..], &keys[..], &keys[..10]].concat());
        assert_eq!(typed.entries(), Some(vec![LedgerEntry { pane, taken: 3, begun: 3 }]));
        typed.sent(&keys[10..]);
        assert_eq!(typed.entries(), Some(vec![LedgerEntry { pane, taken: 6, begun: 6 }]));
        typed.sent(&[0, 0, 0, 0, 99]);
        assert_eq!(typed.entries(), None, "nobody knows what an unreadable stream typed");
    }
}
