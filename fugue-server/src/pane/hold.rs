//! A person who types holds the keyboard for a moment: what an agent would type then is refused, never mixed in.

use std::time::{Duration, Instant};

/// So long after the last key: a person who thinks about the next word has not gone.
const HELD: Duration = Duration::from_secs(3);

/// Until when the keyboard is a person's.
#[derive(Debug, Default)]
pub(super) struct Hold(Option<Instant>);

impl Hold {
    /// A person typed.
    pub(super) fn touch(&mut self, now: Instant) {
        self.0 = Some(now + HELD);
    }

    /// When it is free again, as things stand.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0
    }

    /// How long a person has it yet, in milliseconds; nothing when it is free.
    pub(super) fn remaining_ms(&self, now: Instant) -> Option<u64> {
        let left = self.0.filter(|until| *until > now)?.saturating_duration_since(now);
        // Whoever comes back then finds it free.
        u64::try_from(left.as_millis()).ok().map(|left| left + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyboard_is_free_again_a_moment_after_the_last_key() {
        let (mut hold, now) = (Hold::default(), Instant::now());
        assert_eq!(hold.remaining_ms(now), None);
        hold.touch(now);
        hold.touch(now + Duration::from_secs(1));
        assert_eq!(hold.remaining_ms(now + Duration::from_secs(3)), Some(1_001));
        assert_eq!(hold.remaining_ms(now + Duration::from_secs(4)), None);
    }
}
