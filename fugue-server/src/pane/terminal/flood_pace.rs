//! The pace of floods while someone types. A flood keeps two processors busy, one with its program and one with the
//! daemon, so the client and the program that is typed into have to wait for one. For a moment after a key, floods in
//! other panes are read at a limited rate. Their programs block in the meantime, which leaves a processor for the echo.

use std::cell::Cell;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;

/// How long after a key floods in other panes are read at the limited rate: about the pause between two keys of someone
/// who types fast.
const TYPING: Duration = Duration::from_millis(150);

/// The output of all floods together that is read in one interval, about a turn. With four times as much, an echo takes
/// up to twice as long (99th percentile); with a third, it is hardly faster.
const INTERVAL_BYTES: u32 = 8_000;

/// The interval. Timers have a resolution of a millisecond, so it takes up to two: 4 to 8 MB/s, more than builds and
/// tests write.
const INTERVAL: Duration = Duration::from_millis(1);

/// The longest pause of a pane, however many floods there are.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Turns with fewer bytes are not part of a flood.
const FLOOD_BYTES: usize = 1_024;

/// What the panes of a thread share.
#[derive(Clone, Copy)]
struct Typing {
    /// The pane that was typed into last, and when.
    last_key: Option<(PaneId, Instant)>,
    /// When the output that floods have read so far may have been read at the limited rate.
    read_until: Option<Instant>,
}

thread_local! {
    static TYPING_STATE: Cell<Typing> = const { Cell::new(Typing { last_key: None, read_until: None }) };
}

/// Takes note that a key was typed into a pane.
pub(crate) fn key_typed(pane: PaneId, now: Instant) {
    TYPING_STATE.with(|state| state.set(Typing { last_key: Some((pane, now)), ..state.get() }));
}

/// The pauses of a pane.
#[derive(Debug, Default)]
pub(super) struct FloodPace {
    paused_until: Option<Instant>,
}

impl FloodPace {
    /// Takes note that a turn of output was read. Each flood is paused until its turn is over at the rate that all of them
    /// share.
    pub(super) fn turn_read(&mut self, pane: PaneId, bytes: usize, now: Instant) {
        self.paused_until = TYPING_STATE.with(|state| {
            let typing = state.get();
            let is_typing = |(typed, at): (PaneId, Instant)| typed != pane && now.duration_since(at) < TYPING;
            if bytes < FLOOD_BYTES || !typing.last_key.is_some_and(is_typing) {
                return None;
            }
            let turn = INTERVAL * u32::try_from(bytes).unwrap_or(u32::MAX) / INTERVAL_BYTES;
            let begin = typing.read_until.map_or(now, |until| until.max(now));
            let end = (begin + turn).min(now + LONGEST_PAUSE);
            state.set(Typing { read_until: Some(end), ..typing });
            Some(end)
        });
    }

    /// Ends the pause: someone typed into this pane and waits for its output.
    pub(crate) fn resume(&mut self) {
        self.paused_until = None;
    }

    /// Ends the pause if its time is over. Returns when it ends otherwise.
    pub(crate) fn paused_until(&mut self, now: Instant) -> Option<Instant> {
        self.paused_until = self.paused_until.filter(|until| now < *until);
        self.paused_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_share_a_rate_while_someone_types_elsewhere() {
        let [typed, first, second] = [1, 2, 3].map(|number| PaneId::from_bytes([number; 16]));
        let now = Instant::now();
        let pause = |pane: PaneId, bytes: u32, now: Instant| {
            let mut pace = FloodPace::default();
            pace.turn_read(pane, bytes as usize, now);
            pace.paused_until(now).map(|until| until - now)
        };
        assert_eq!(pause(first, INTERVAL_BYTES, now), None, "nobody types");
        key_typed(typed, now);
        assert_eq!(pause(typed, INTERVAL_BYTES, now), None, "its own pane");
        assert_eq!(pause(first, 500, now), None, "not a flood");
        assert_eq!(pause(first, INTERVAL_BYTES, now), Some(INTERVAL));
        assert_eq!(pause(second, 2 * INTERVAL_BYTES, now), Some(3 * INTERVAL), "after the other's turn");
        assert_eq!(pause(first, 1_000 * INTERVAL_BYTES, now), Some(LONGEST_PAUSE));
        let later = now + LONGEST_PAUSE + INTERVAL;
        assert_eq!(
            pause(first, INTERVAL_BYTES, later),
            Some(INTERVAL),
            "what was not read is not made up for"
        );
        assert_eq!(pause(first, INTERVAL_BYTES, now + TYPING), None, "nobody types any more");
    }

    #[test]
    fn a_pause_ends_by_itself_or_with_a_key() {
        let (pane, now) = (PaneId::from_bytes([2; 16]), Instant::now());
        key_typed(PaneId::from_bytes([1; 16]), now);
        let mut pace = FloodPace::default();
        pace.turn_read(pane, INTERVAL_BYTES as usize, now);
        assert_eq!(pace.paused_until(now + INTERVAL), None, "it is over");
        pace.turn_read(pane, INTERVAL_BYTES as usize, now);
        pace.resume();
        assert_eq!(pace.paused_until(now), None, "someone typed into it");
    }
}
