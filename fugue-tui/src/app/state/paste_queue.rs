//! Pastes on their way to panes: long ones go in parts, each of which is accepted before the next is sent. Each pane has
//! a queue of its own, so that a program that reads nothing delays no other.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;

/// The longest part, in bytes.
pub(crate) const MAX_PART: usize = 256 << 10;

/// The most bytes that wait for one pane: the longest paste that the terminal is read for, and as much typed behind it.
const MAX_OF_PANE: usize = 32 << 20;

/// The most bytes that wait for all panes together.
const MAX_WAITING: usize = 64 << 20;

/// After this time a part that found no room is sent again. It is doubled each time, up to the longest: a program that
/// reads nothing costs little, and one that reads again gets the rest without a noticeable delay.
const FIRST_RETRY: Duration = Duration::from_millis(20);
const LONGEST_RETRY: Duration = Duration::from_millis(500);

/// The person is told about a part that has found no room for this long.
const STUCK: Duration = Duration::from_secs(3);

/// What becomes of bytes for a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PasteRoom {
    Added,
    /// There is no room, and what follows is dropped as well until the queue is empty.
    Full,
    /// The same again, as the person already knows.
    StillFull,
}

/// What follows from the reply to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterPart {
    /// It was accepted: the next one is sent.
    Next,
    /// There was no room: it is sent again later.
    Again,
    /// There has been no room for so long that the person is told, once.
    Stuck,
}

/// The parts that wait until one pane accepts them.
#[derive(Debug, Default)]
struct PaneQueue {
    parts: VecDeque<Vec<u8>>,
    bytes: usize,
    retry_at: Option<Instant>,
    /// How often the part under way found no room, and since when.
    refusals: u32,
    refused_since: Option<Instant>,
    is_told: bool,
    /// The part under way was sent as keys, and they found no room.
    keys_refused: bool,
    /// There was more than fits.
    overflowed: bool,
}

/// Parts of pastes that wait until their panes accept them.
#[derive(Debug, Default)]
pub(crate) struct PasteQueues(BTreeMap<PaneId, PaneQueue>);

impl PasteQueues {
    /// Adds a paste, in parts.
    pub(crate) fn push_paste(&mut self, pane: PaneId, bytes: &[u8]) -> PasteRoom {
        let room = self.room(pane, bytes.len());
        if room == PasteRoom::Added {
            self.0.entry(pane).or_default().parts.extend(parts(bytes).map(<[u8]>::to_vec));
        }
        room
    }

    /// Adds what is typed behind a paste: to the last part, unless that is under way.
    pub(crate) fn push(&mut self, pane: PaneId, bytes: Vec<u8>) -> PasteRoom {
        let room = self.room(pane, bytes.len());
        if room == PasteRoom::Added {
            let queue = &mut self.0.entry(pane).or_default().parts;
            let has_others = queue.len() > 1;
            match queue.back_mut().filter(|last| has_others && last.len() + bytes.len() <= MAX_PART) {
                Some(last) => last.extend(bytes),
                None => queue.push_back(bytes),
            }
        }
        room
    }

    /// Takes room for bytes. After the first that find none all others are dropped, too: losing the end is better than
    /// losing something from the middle.
    fn room(&mut self, pane: PaneId, bytes: usize) -> PasteRoom {
        let total = self.bytes();
        let queue = self.0.entry(pane).or_default();
        if queue.overflowed {
            return PasteRoom::StillFull;
        }
        queue.overflowed = queue.bytes + bytes > MAX_OF_PANE || total + bytes > MAX_WAITING;
        if queue.overflowed {
            self.0.retain(|_, queue| queue.bytes > 0);
            return PasteRoom::Full;
        }
        queue.bytes += bytes;
        PasteRoom::Added
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.0.values().map(|queue| queue.bytes).sum()
    }

    /// Whether something for a pane waits: what is typed then goes behind it.
    pub(crate) fn has(&self, pane: PaneId) -> bool {
        self.0.contains_key(&pane)
    }

    /// The panes for which something waits.
    pub(crate) fn panes(&self) -> Vec<PaneId> {
        self.0.keys().copied().collect()
    }

    /// The part to send to a pane next.
    pub(crate) fn next(&mut self, pane: PaneId) -> Option<&[u8]> {
        let queue = self.0.get_mut(&pane)?;
        queue.retry_at = None;
        queue.parts.front().map(Vec::as_slice)
    }

    /// Sends the part under way again later, because it could not be sent now.
    pub(crate) fn postpone(&mut self, pane: PaneId, now: Instant) {
        if let Some(queue) = self.0.get_mut(&pane) {
            queue.retry_at = Some(now + FIRST_RETRY);
        }
    }

    /// Notes that the keys of the part under way found no room.
    pub(crate) fn refuse_keys(&mut self, pane: PaneId) {
        if let Some(queue) = self.0.get_mut(&pane) {
            queue.keys_refused = true;
        }
    }

    /// Handles the reply to a part.
    pub(crate) fn replied(&mut self, pane: PaneId, no_room: bool, now: Instant) -> AfterPart {
        let Some(queue) = self.0.get_mut(&pane) else { return AfterPart::Next };
        if std::mem::take(&mut queue.keys_refused) || no_room {
            return queue.refused(now);
        }
        (queue.refusals, queue.refused_since, queue.is_told) = (0, None, false);
        queue.bytes -= queue.parts.pop_front().map_or(0, |part| part.len());
        if queue.parts.is_empty() {
            self.0.remove(&pane);
        }
        AfterPart::Next
    }

    /// Discards what waits for a pane, and returns the number of bytes.
    pub(crate) fn discard(&mut self, pane: PaneId) -> usize {
        self.0.remove(&pane).map_or(0, |queue| queue.bytes)
    }

    /// When to send a part again.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.0.values().filter_map(|queue| queue.retry_at).min()
    }

    /// The panes to which a part is to be sent again now.
    pub(crate) fn due_panes(&self, now: Instant) -> Vec<PaneId> {
        let is_due = |queue: &PaneQueue| queue.retry_at.is_some_and(|due| due <= now);
        self.0.iter().filter(|(_, queue)| is_due(queue)).map(|(pane, _)| *pane).collect()
    }
}

impl PaneQueue {
    fn refused(&mut self, now: Instant) -> AfterPart {
        let pause = FIRST_RETRY.saturating_mul(1 << self.refusals.min(16)).min(LONGEST_RETRY);
        self.refusals += 1;
        self.retry_at = Some(now + pause);
        let since = *self.refused_since.get_or_insert(now);
        let is_stuck = since + STUCK <= now && !std::mem::replace(&mut self.is_told, since + STUCK <= now);
        if is_stuck { AfterPart::Stuck } else { AfterPart::Again }
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

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

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
        let (mut queues, pane, now) = (PasteQueues::default(), pane(1), Instant::now());
        queues.push_paste(pane, b"one");
        queues.push(pane, b"two".to_vec());
        assert_eq!(queues.replied(pane, true, now), AfterPart::Again);
        assert_eq!((queues.due(), queues.due_panes(now)), (Some(now + FIRST_RETRY), vec![]));
        assert_eq!(queues.due_panes(now + FIRST_RETRY), [pane]);
        assert_eq!(queues.next(pane), Some(&b"one"[..]));
        queues.refuse_keys(pane);
        assert_eq!(queues.replied(pane, false, now), AfterPart::Again, "the keys were refused first");
        assert_eq!(queues.due(), Some(now + 2 * FIRST_RETRY), "it is tried less often");
        assert!(queues.replied(pane, false, now) == AfterPart::Next && queues.has(pane));
        assert!(queues.replied(pane, false, now) == AfterPart::Next && queues.is_empty());
        assert_eq!(queues.next(pane), None);
        assert_eq!(queues.bytes(), 0);
    }

    #[test]
    fn a_pane_that_reads_nothing_delays_no_other_and_is_told_once() {
        let (mut queues, now) = (PasteQueues::default(), Instant::now());
        queues.push_paste(pane(1), b"stuck");
        assert!(!queues.has(pane(2)), "keys for another pane are typed at once");
        queues.push_paste(pane(2), b"free");
        assert_eq!(queues.replied(pane(1), true, now), AfterPart::Again);
        assert_eq!(queues.replied(pane(2), false, now), AfterPart::Next);
        assert_eq!(queues.panes(), [pane(1)]);
        assert_eq!(queues.replied(pane(1), true, now + STUCK), AfterPart::Stuck);
        assert_eq!(queues.replied(pane(1), true, now + 2 * STUCK), AfterPart::Again, "told already");
        assert_eq!((queues.discard(pane(1)), queues.discard(pane(1))), (5, 0));
    }

    #[test]
    fn keys_typed_behind_a_paste_share_a_part_and_are_bounded() {
        let (mut queues, pane) = (PasteQueues::default(), pane(1));
        assert_eq!(queues.push_paste(pane, &vec![b'a'; MAX_OF_PANE - 3]), PasteRoom::Added);
        let parts = queues.0[&pane].parts.len();
        assert!("xyz".bytes().all(|key| queues.push(pane, vec![key]) == PasteRoom::Added));
        assert!(queues.0[&pane].parts.len() <= parts + 1, "not a request for each key");
        assert_eq!(queues.push(pane, b"one more".to_vec()), PasteRoom::Full);
        assert_eq!(queues.push(pane, b"x".to_vec()), PasteRoom::StillFull);
        queues.replied(pane, false, Instant::now());
        assert_eq!(queues.push(pane, b"x".to_vec()), PasteRoom::StillFull, "no gap in what is typed");
        let other = PaneId::from_bytes([2; 16]);
        assert_eq!(queues.push_paste(other, &vec![b'a'; MAX_OF_PANE + 1]), PasteRoom::Full);
        assert!(!queues.has(other), "nothing of it waits");
    }
}
