//! The pace of floods while someone types. A flood keeps two processors busy, its program's and the daemon's, so the kernel
//! lets the client and the program that is typed into wait for one. For a moment after a key, floods in other panes are
//! read at a limited rate; their programs block meanwhile, and the key's echo finds a processor free.

use std::cell::Cell;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;

/// How long after a key floods in other panes are read at the limited rate: about the pause between two keys of someone
/// who types fast.
const TYPING: Duration = Duration::from_millis(150);

/// The output of all floods together that is read in one interval, about a turn. With four times as much, an echo takes
/// up to twice as long (99th percentile); with a third, it is hardly faster.
const INTERVAL_BYTES: usize = 8_000;

/// The interval. Timers have a resolution of a millisecond, so it takes up to two: 4 to 8 MB/s, more than builds and
/// tests write.
const INTERVAL: Duration = Duration::from_millis(1);

/// What the panes of a thread share.
#[derive(Clone, Copy)]
struct Typing {
    /// The pane that was typed into last, and when.
    last_key: Option<(PaneId, Instant)>,
    /// The end of the current interval.
    interval_end: Option<Instant>,
    /// The bytes that may still be read in the current interval.
    left: usize,
}

thread_local! {
    static TYPING_STATE: Cell<Typing> = const { Cell::new(Typing { last_key: None, interval_end: None, left: 0 }) };
}

/// Takes note that a key was typed into a pane.
pub(super) fn key_typed(pane: PaneId, now: Instant) {
    TYPING_STATE.with(|state| state.set(Typing { last_key: Some((pane, now)), ..state.get() }));
}

/// A pane's share of the rate.
#[derive(Debug, Default)]
pub(super) struct FloodPace {
    paused_until: Option<Instant>,
}

impl FloodPace {
    /// Takes note that a turn of output was read.
    pub(super) fn turn_read(&mut self, pane: PaneId, bytes: usize, now: Instant) {
        self.paused_until = TYPING_STATE.with(|state| {
            let mut typing = state.get();
            let is_typing = |(typed, at): (PaneId, Instant)| typed != pane && now.duration_since(at) < TYPING;
            if !typing.last_key.is_some_and(is_typing) {
                return None;
            }
            let end = typing.interval_end.filter(|end| now < *end).unwrap_or_else(|| {
                typing.left = INTERVAL_BYTES;
                now + INTERVAL
            });
            typing.interval_end = Some(end);
            typing.left = typing.left.saturating_sub(bytes);
            state.set(typing);
            (typing.left == 0).then_some(end)
        });
    }

    /// Ends the pause: someone typed into this pane and waits for its output.
    pub(super) fn resume(&mut self) {
        self.paused_until = None;
    }

    /// Ends the pause if its time is over. Returns when it ends otherwise.
    pub(super) fn paused_until(&mut self, now: Instant) -> Option<Instant> {
        self.paused_until = self.paused_until.filter(|until| now < *until);
        self.paused_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: usize = 1_000;
    /// More than is read before a pause.
    const UNLIMITED: usize = 1_000_000;

    /// The bytes of a flood that are read from now on before it is paused.
    fn allowance(pace: &mut FloodPace, pane: PaneId, now: Instant) -> usize {
        let mut read = 0;
        while pace.paused_until(now).is_none() && read < UNLIMITED {
            pace.turn_read(pane, TURN, now);
            read += TURN;
        }
        read
    }

    #[test]
    fn floods_share_a_rate_while_someone_types_elsewhere() {
        let [typed, first, second] = [1, 2, 3].map(|number| PaneId::from_bytes([number; 16]));
        let (mut one, mut two) = (FloodPace::default(), FloodPace::default());
        let now = Instant::now();
        assert_eq!(allowance(&mut one, first, now), UNLIMITED, "nobody types");
        key_typed(typed, now);
        assert_eq!(allowance(&mut FloodPace::default(), typed, now), UNLIMITED, "its own pane");
        assert_eq!(allowance(&mut one, first, now), INTERVAL_BYTES);
        assert_eq!(
            allowance(&mut two, second, now),
            TURN,
            "the interval's bytes are used up; each has one turn"
        );
        let next = now + INTERVAL;
        assert_eq!(one.paused_until(now), Some(next));
        assert_eq!(allowance(&mut two, second, next), INTERVAL_BYTES, "the next interval");
        one.turn_read(first, TURN, next);
        assert!(one.paused_until(next).is_some());
        one.resume();
        assert_eq!(one.paused_until(next), None, "someone typed into it");
        let later = now + TYPING;
        assert_eq!(allowance(&mut one, first, later), UNLIMITED, "nobody types any more");
    }
}
