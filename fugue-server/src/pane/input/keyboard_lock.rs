//! The keyboard lock: a person who types locks the keyboard for a moment, and agents' input is refused instead of being
//! mixed in.

use std::time::{Duration, Instant};

/// How long the lock holds after the last key: a person who thinks about the next word has not left.
const LOCK_TIME: Duration = Duration::from_secs(3);

/// The time until which a person has the keyboard.
#[derive(Debug, Default)]
pub(super) struct KeyboardLock(Option<Instant>);

impl KeyboardLock {
    /// Takes note that a person typed.
    pub(super) fn touch(&mut self, now: Instant) {
        self.0 = Some(now + LOCK_TIME);
    }

    /// Returns when the lock ends if the person types nothing more.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.0
    }

    /// Returns for how many more milliseconds the keyboard is locked; `None` if it is free.
    pub(crate) fn remaining_ms(&self, now: Instant) -> Option<u64> {
        let left = self.0.filter(|until| *until > now)?.saturating_duration_since(now);
        // Rounded up: a caller that tries again after this time finds the keyboard free.
        u64::try_from(left.as_millis()).ok().map(|left| left + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyboard_is_free_again_a_moment_after_the_last_key() {
        let (mut lock, now) = (KeyboardLock::default(), Instant::now());
        assert_eq!(lock.remaining_ms(now), None);
        lock.touch(now);
        lock.touch(now + Duration::from_secs(1));
        assert_eq!(lock.remaining_ms(now + Duration::from_secs(3)), Some(1_001));
        assert_eq!(lock.remaining_ms(now + Duration::from_secs(4)), None);
    }
}
