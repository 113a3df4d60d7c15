//! When the memory of a program's code is released: twice after a start, while nobody types.

use std::time::{Duration, Instant};

use crate::program_code::release_program_code;

/// The pauses after a start, each followed by a release. After the first one, the daemon has answered the first requests
/// and the client has drawn the first screen. After the second one, new panes have been observed and saved, and their
/// programs have redrawn for the size of the terminal.
const PAUSES: [Duration; 2] = [Duration::from_millis(250), Duration::from_millis(1_250)];

/// How long nobody must have typed before a release. While someone types, the code must stay in memory: with page faults,
/// the echo of the next key takes milliseconds.
const QUIET: Duration = Duration::from_secs(1);

/// The releases that are still to come after a start.
#[derive(Debug)]
pub struct CodeRelease {
    due: Option<Instant>,
    later_pauses: &'static [Duration],
}

impl CodeRelease {
    /// The releases after a start at this time.
    #[must_use]
    pub fn after_start(now: Instant) -> Self {
        Self::after(&PAUSES, now)
    }

    fn after(pauses: &'static [Duration], now: Instant) -> Self {
        match pauses.split_first() {
            Some((pause, later_pauses)) => Self { due: Some(now + *pause), later_pauses },
            None => Self { due: None, later_pauses: &[] },
        }
    }

    /// When [`Self::run`] has something to do; `None` after the last release.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Releases the memory if it is due, or postpones it if someone typed a moment ago.
    pub fn run(&mut self, last_key: Option<Instant>, now: Instant) {
        if self.is_due(last_key, now) {
            release_program_code();
        }
    }

    /// Whether a release is due. Moves on to the next one.
    fn is_due(&mut self, last_key: Option<Instant>, now: Instant) -> bool {
        if self.due.is_none_or(|due| now < due) {
            return false;
        }
        let quiet_at = last_key.map(|last| last + QUIET).filter(|quiet_at| now < *quiet_at);
        match quiet_at {
            Some(quiet_at) => self.due = Some(quiet_at),
            None => *self = Self::after(self.later_pauses, now),
        }
        quiet_at.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_released_after_each_pause() {
        let start = Instant::now();
        let mut release = CodeRelease::after_start(start);
        assert!(!release.is_due(None, start));
        let first = start + PAUSES[0];
        assert_eq!(release.due(), Some(first));
        assert!(release.is_due(None, first));
        assert!(!release.is_due(None, first));
        let second = first + PAUSES[1];
        assert_eq!(release.due(), Some(second));
        assert!(release.is_due(None, second));
        assert_eq!(release.due(), None);
        assert!(!release.is_due(None, second + QUIET));
    }

    #[test]
    fn while_someone_types_the_code_is_not_released() {
        let start = Instant::now();
        let mut release = CodeRelease::after_start(start);
        let mut now = start;
        for _ in 0..10 {
            let key = now;
            now += PAUSES[0];
            assert!(!release.is_due(Some(key), now));
        }
        let last_key = now - PAUSES[0];
        assert!(release.due().is_some_and(|due| due <= last_key + QUIET));
        assert!(release.is_due(Some(last_key), last_key + QUIET));
        assert_eq!(release.due(), Some(last_key + QUIET + PAUSES[1]));
    }
}
