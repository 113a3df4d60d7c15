//! A person who types holds the keyboard for a moment: what an agent would type then is refused, never mixed in.

use std::time::{Duration, Instant};

use fugue_protocol::{PaneId, Refusal};

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

    /// Whether a person has it.
    pub(super) fn is_on(&self, now: Instant) -> bool {
        self.0.is_some_and(|until| until > now)
    }

    /// Why an agent may not type.
    pub(super) fn refusal(&self, pane: PaneId, now: Instant) -> Refusal {
        let left = self.0.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        Refusal::KeyboardHeld { pane, remaining_ms: u64::try_from(left.as_millis()).unwrap_or_default() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyboard_is_free_again_a_moment_after_the_last_key() {
        let (mut hold, now) = (Hold::default(), Instant::now());
        assert!(!hold.is_on(now));
        hold.touch(now);
        hold.touch(now + Duration::from_secs(1));
        let later = now + Duration::from_secs(3);
        assert!(hold.is_on(later));
        let pane = PaneId::from_bytes([0; 16]);
        assert_eq!(hold.refusal(pane, later), Refusal::KeyboardHeld { pane, remaining_ms: 1_001 });
        assert!(!hold.is_on(now + Duration::from_secs(4)));
    }
}
