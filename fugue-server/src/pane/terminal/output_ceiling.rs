//! A ceiling on the output of a pane that takes memory. The keeper frees what snapshots cover; if it is stuck, nobody does,
//! and the program has to wait instead of filling the memory.

use std::time::{Duration, Instant};

use fugue_keeper::Pump;

/// The most memory that the output of a pane takes, in bytes: many times what comes between two snapshots.
const CEILING: u64 = 64 << 20;

/// The output after which the memory is looked at: a system call for a megabyte costs nothing.
const LOOK_AFTER: u64 = 1 << 20;

/// The pause before the memory is looked at again: a keeper frees it within milliseconds.
const PAUSE: Duration = Duration::from_millis(20);

/// The ceiling of one pane.
#[derive(Default)]
pub(super) struct OutputCeiling {
    looked_at: u64,
    paused_until: Option<Instant>,
}

impl OutputCeiling {
    /// Takes note that output was read.
    pub(super) fn output_read(&mut self, pump: &Pump, now: Instant) {
        if pump.head() - self.looked_at.min(pump.head()) >= LOOK_AFTER {
            self.look(pump, now);
        }
    }

    /// Returns until when no output is read.
    pub(crate) fn paused_until(&mut self, pump: &Pump, now: Instant) -> Option<Instant> {
        if self.paused_until.is_some_and(|until| until <= now) {
            self.look(pump, now);
        }
        self.paused_until
    }

    fn look(&mut self, pump: &Pump, now: Instant) {
        self.looked_at = pump.head();
        let is_full = pump.memory().is_ok_and(|memory| memory > CEILING);
        self.paused_until = is_full.then(|| now + PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_nobody_frees_stops_at_the_ceiling_and_goes_on_when_it_is_freed() {
        let mut pump = Pump::hung_up(80, 24).expect("a pump");
        let (mut ceiling, now) = (OutputCeiling::default(), Instant::now());
        let piece = vec![b'x'; 1 << 20];
        for written in 0..=CEILING / LOOK_AFTER {
            assert_eq!(ceiling.paused_until(&pump, now), None);
            rustix::io::pwrite(pump.segment(), &piece, written * LOOK_AFTER).expect("room");
            pump.resume().expect("a position");
            ceiling.output_read(&pump, now);
        }
        assert_eq!(ceiling.paused_until(&pump, now), Some(now + PAUSE));
        assert!(ceiling.paused_until(&pump, now + PAUSE).is_some(), "nothing was freed");
        pump.fds().free(pump.head()).expect("freed");
        assert_eq!(ceiling.paused_until(&pump, now + 2 * PAUSE), None);
    }
}
