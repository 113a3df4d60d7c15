//! The pauses before the next start of a daemon, and the count of starts that failed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The first restart is immediate; the pauses before the next ones start here and double.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Long enough that a daemon that fails during startup does not count as healthy.
pub(crate) const HEALTHY_AFTER: Duration = Duration::from_secs(10);

/// Daemons that served may end this often within `DEATHS_WITHIN` before there are pauses: no person who kills daemons
/// is faster, and a program whose output crashes every daemon is.
const MAX_DEATHS: usize = 10;
const DEATHS_WITHIN: Duration = Duration::from_secs(10);

/// How far a daemon got before it ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonStage {
    /// It ended before it served.
    Failed,
    /// It served clients.
    Served,
    /// It ran for so long that its end has nothing to do with its start.
    Healthy,
}

/// The starts of daemons since one served.
#[derive(Default)]
pub(crate) struct FailedStarts {
    pub count: u32,
    pub last_start: Option<Instant>,
    /// Whether a client was waiting when the last start began. One that came later is not told the outcome: the reason
    /// may be gone by then.
    pub asked_for: bool,
}

/// The pause before the next start of a daemon.
#[derive(Default)]
pub(crate) struct Backoff {
    last: Option<Duration>,
    /// When the last daemons that served ended; at most `MAX_DEATHS`.
    deaths: VecDeque<Instant>,
}

impl Backoff {
    /// Returns the pause after a daemon that got this far and ended now.
    pub(crate) fn after(&mut self, stage: DaemonStage, now: Instant) -> Duration {
        let pauses = match stage {
            DaemonStage::Failed => true,
            DaemonStage::Served => self.dies_often(now),
            DaemonStage::Healthy => false,
        };
        let last = self.last.filter(|_| pauses);
        let pause = last.map_or(Duration::ZERO, |last| (last * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE));
        self.last = Some(pause);
        pause
    }

    fn dies_often(&mut self, now: Instant) -> bool {
        let recent = |at: &Instant| now.saturating_duration_since(*at) < DEATHS_WITHIN;
        let often = self.deaths.len() == MAX_DEATHS && self.deaths.front().is_some_and(recent);
        if self.deaths.len() == MAX_DEATHS {
            self.deaths.pop_front();
        }
        self.deaths.push_back(now);
        often
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(stage: DaemonStage, count: usize, apart: Duration) -> Vec<u128> {
        let (mut backoff, now) = (Backoff::default(), Instant::now());
        let after = |number: usize| backoff.after(stage, now + apart * number as u32).as_millis();
        (0..count).map(after).collect()
    }

    #[test]
    fn a_daemon_that_keeps_failing_is_restarted_with_growing_pauses() {
        let second = Duration::from_secs(1);
        let expected = [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000];
        assert_eq!(pauses(DaemonStage::Failed, 9, second), expected);
        assert_eq!(pauses(DaemonStage::Healthy, 3, second), [0, 0, 0]);
    }

    #[test]
    fn a_daemon_that_served_is_replaced_at_once_unless_they_keep_dying() {
        assert_eq!(pauses(DaemonStage::Served, 30, Duration::from_secs(1)), [0; 30]);
        let quick = pauses(DaemonStage::Served, 13, Duration::from_millis(10));
        assert_eq!(quick, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200, 400]);
    }
}
