//! What is typed while the daemon is away: kept in order, and typed once when it is there again. What may have been
//! lost with the old one is told, never typed twice.

use std::collections::VecDeque;

use fugue_protocol::PaneId;

/// A daemon is away for milliseconds, in which a person types a few bytes and may paste a page.
const MOST: usize = 64 << 10;

/// What was typed and waits.
#[derive(Debug, Default)]
pub(super) struct Kept {
    typed: VecDeque<(PaneId, Vec<u8>)>,
    bytes: usize,
    /// There was more than is kept.
    overflowed: bool,
    /// The daemon went away before it showed that it had the last keys.
    pub(super) unsure: bool,
}

impl Kept {
    /// Keeps some bytes. After the first that found no room all others are let go, too: better an end than a hole.
    pub(super) fn keep(&mut self, pane: PaneId, bytes: Vec<u8>) {
        self.overflowed |= self.bytes + bytes.len() > MOST;
        if !self.overflowed {
            self.bytes += bytes.len();
            self.typed.push_back((pane, bytes));
        }
    }

    /// What waits, once, and what the person must know of it.
    pub(super) fn take(&mut self) -> (VecDeque<(PaneId, Vec<u8>)>, Option<&'static str>) {
        let Self { typed, overflowed, unsure, .. } = std::mem::take(self);
        let words = match (overflowed, unsure) {
            (true, _) => Some("the daemon was away: the end of what was typed meanwhile is lost"),
            (_, true) => Some("the daemon went away while you typed: look whether the last keys arrived"),
            _ => None,
        };
        (typed, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_is_told_and_leaves_no_hole() {
        let pane = PaneId::from_bytes([1; 16]);
        let mut kept = Kept::default();
        kept.keep(pane, vec![b'a'; MOST]);
        let (typed, words) = kept.take();
        assert_eq!((typed.len(), words), (1, None), "as much as is kept");
        kept.keep(pane, vec![b'a'; MOST - 1]);
        kept.keep(pane, vec![b'b'; 2]);
        kept.keep(pane, vec![b'c'; 1]);
        let (typed, words) = kept.take();
        assert_eq!(typed.len(), 1);
        assert!(words.is_some_and(|words| words.contains("is lost")));
        assert_eq!(kept.take(), (VecDeque::new(), None), "once");
    }
}
