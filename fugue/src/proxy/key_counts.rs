//! Counts the keys in the stream from a client: how many bytes were typed into each pane. A frame counts once the daemon's
//! socket has taken all of it.

use std::collections::BTreeMap;

use fugue_protocol::PaneId;
use fugue_protocol::frames::{FrameKind, FrameReader};
use fugue_protocol::input_ledger::{ENTRIES, LedgerEntry};
use fugue_protocol::{limits, messages};

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
                        let (pane, keys) = (PaneId::from_bytes(*pane), keys.len());
                        self.count(pane, keys);
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

    /// Counts keys for a pane. There are as many counts as the answer has entries: about the keys of any other pane the
    /// client asks its user.
    fn count(&mut self, pane: PaneId, keys: usize) {
        if self.panes.len() < ENTRIES || self.panes.contains_key(&pane) {
            *self.panes.entry(pane).or_default() += keys as u64;
        }
    }

    /// Whether any keys were typed.
    pub(super) fn has_any(&self) -> bool {
        !self.panes.is_empty()
    }

    /// The counts as ledger entries: the daemon types what it has read.
    pub(super) fn entries(&self) -> Option<Vec<LedgerEntry>> {
        let entry =
            |(pane, bytes): (&PaneId, &u64)| LedgerEntry { pane: *pane, taken: *bytes, begun: *bytes };
        self.is_readable.then(|| self.panes.iter().map(entry).collect())
    }
}

/// The end of the stream from a client: a client that leaves on purpose says so last.
pub(super) struct LastWords {
    farewell: Vec<u8>,
    tail: Vec<u8>,
}

impl LastWords {
    pub(super) fn new() -> Self {
        Self { farewell: messages::farewell().unwrap_or_default(), tail: Vec::new() }
    }

    /// Takes note of bytes from the client.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        let kept = self.farewell.len();
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(kept)..]);
        self.tail.drain(..self.tail.len().saturating_sub(kept));
    }

    /// Whether the client left on purpose, if this was the end.
    pub(super) fn are_farewell(&self) -> bool {
        !self.farewell.is_empty() && self.tail == self.farewell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_recognized_however_they_arrive() {
        let farewell = messages::farewell().expect("a frame");
        let (begin, end) = farewell.split_at(3);
        let mut words = LastWords::new();
        words.read(&[b"keys", begin].concat());
        assert!(!words.are_farewell());
        words.read(end);
        assert!(words.are_farewell());
        words.read(b"x");
        assert!(!words.are_farewell());
    }

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

    #[test]
    fn a_line_over_which_many_panes_were_typed_into_counts_as_many_as_its_answer_holds() {
        let pane = |number: u64| {
            let mut bytes = [7; 16];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            PaneId::from_bytes(bytes)
        };
        let mut typed = KeyCounts::new();
        for number in 0..=ENTRIES as u64 {
            typed.sent(&messages::keys(pane(number), b"abc"));
        }
        typed.sent(&messages::keys(pane(0), b"d"));
        let entries = typed.entries().expect("a readable stream");
        assert_eq!(entries.len(), ENTRIES, "the last pane has no entry");
        assert!(entries.contains(&LedgerEntry { pane: pane(0), taken: 4, begun: 4 }));
    }
}
