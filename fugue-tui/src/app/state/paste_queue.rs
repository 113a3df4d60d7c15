//! Pastes on their way to panes: long ones go in parts, each of which is accepted before the next is sent.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;

/// The longest part, in bytes.
pub(crate) const MAX_PART: usize = 256 << 10;

/// After this time a part that found no room is sent again.
const RETRY: Duration = Duration::from_millis(20);

/// Parts of pastes that wait until their pane accepts them.
#[derive(Debug, Default)]
pub(crate) struct PasteQueue {
    parts: VecDeque<(PaneId, Vec<u8>)>,
    retry_at: Option<Instant>,
    /// The part under way was sent as keys, and they found no room.
    refused: bool,
}

impl PasteQueue {
    /// Adds a paste, in parts.
    pub(crate) fn push_paste(&mut self, pane: PaneId, bytes: &[u8]) {
        self.parts.extend(parts(bytes).map(|part| (pane, part.to_vec())));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether something for a pane waits: what is typed then goes behind it.
    pub(crate) fn has(&self, pane: PaneId) -> bool {
        self.parts.iter().any(|(other, _)| *other == pane)
    }

    /// Adds what is typed behind a paste.
    pub(crate) fn push(&mut self, pane: PaneId, bytes: Vec<u8>) {
        self.parts.push_back((pane, bytes));
    }

    /// The part to send next.
    pub(crate) fn next(&mut self) -> Option<&(PaneId, Vec<u8>)> {
        self.retry_at = None;
        self.parts.front()
    }

    /// Notes that the keys of the part under way found no room.
    pub(crate) fn refuse(&mut self) {
        self.refused = true;
    }

    /// Handles the reply to a part. Returns whether to send the next one now.
    pub(crate) fn replied(&mut self, no_room: bool, now: Instant) -> bool {
        if std::mem::take(&mut self.refused) || no_room {
            self.retry_at = Some(now + RETRY);
            return false;
        }
        self.parts.pop_front();
        true
    }

    /// Discards everything that waits.
    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.refused = false;
    }

    /// When to send the part under way again.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.retry_at
    }
}

/// Cuts bytes into parts, never inside a UTF-8 character.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let most = rest.len().min(MAX_PART);
        let inside = |at: &usize| rest.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        // A character has at most four bytes: a longer run of continuation bytes is not text.
        let end = (most.saturating_sub(3)..=most).rev().find(|at| !inside(at)).unwrap_or(most);
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_cut_between_characters_and_loses_nothing() {
        let text = "a".repeat(MAX_PART - 1) + &"é漢".repeat(MAX_PART);
        let all: Vec<&[u8]> = parts(text.as_bytes()).collect();
        assert!(all.iter().all(|part| std::str::from_utf8(part).is_ok() && part.len() <= MAX_PART));
        assert_eq!(all.concat(), text.as_bytes());
        let none = vec![0x80; 3 * MAX_PART];
        assert_eq!(parts(&none).map(<[u8]>::len).collect::<Vec<_>>(), [MAX_PART; 3], "not text at all");
        assert_eq!(parts(b"").count(), 0);
    }

    #[test]
    fn a_paste_chunk_refused_for_lack_of_space_is_resent() {
        let (mut queue, pane, now) = (PasteQueue::default(), PaneId::from_bytes([1; 16]), Instant::now());
        queue.push_paste(pane, b"one");
        queue.push(pane, b"two".to_vec());
        assert!(!queue.replied(true, now) && queue.due() == Some(now + RETRY));
        assert_eq!(queue.next().map(|(_, part)| part.as_slice()), Some(&b"one"[..]));
        queue.refuse();
        assert!(!queue.replied(false, now), "the keys were refused before the reply came");
        assert!(queue.replied(false, now) && queue.has(pane));
        assert!(queue.replied(false, now) && !queue.has(pane) && queue.next().is_none());
    }
}
