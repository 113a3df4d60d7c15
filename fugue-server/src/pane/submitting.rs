//! What is seen after Enter: whether a program took what was typed.

use std::time::{Duration, Instant};

use fugue_core::agents::AgentSummary;
use fugue_protocol::agents::AgentState;
use fugue_protocol::views::Submitted;

use super::waiting::Sight;

/// Text and Enter arrive apart, since some agents read one burst as a paste, and Enter waits until the screen was
/// quiet for so long: measured with the real programs.
const SETTLED: Duration = Duration::from_millis(150);

/// But no longer than this: a program that draws all the time would keep Enter away for ever.
const AT_MOST: Duration = Duration::from_millis(1_500);

/// An agent that took something shows itself at work within this: measured with the real programs.
const AT_WORK: Duration = Duration::from_secs(3);

/// The end of a text that is looked for: long enough to mean this text, short enough to stand on one row.
const END: usize = 16;

/// When the screen has been quiet for long enough since then.
pub(super) fn settled(written: Instant, since: Instant) -> Instant {
    (written.max(since) + SETTLED).min(since + AT_MOST)
}

/// The end of a text's last line.
pub(super) fn end_of(text: &str) -> String {
    let line = text.trim_end().lines().last().unwrap_or_default();
    let skipped = line.chars().count().saturating_sub(END);
    line.chars().skip(skipped).collect()
}

/// A watch that began when Enter was pressed.
pub(super) struct Watch {
    since: Instant,
    before: Option<AgentSummary>,
}

impl Watch {
    pub(super) fn new(sight: Sight<'_>) -> Self {
        Self { since: sight.now, before: sight.mood }
    }

    /// When it ends though nothing happens.
    pub(super) fn due(&self, written: Instant) -> Instant {
        if self.agent_will_tell() { self.since + AT_WORK } else { settled(written, self.since) }
    }

    /// An agent that was at rest shows that it works; of one that worked already nothing new is to be seen.
    fn agent_will_tell(&self) -> bool {
        self.before.is_some_and(|mood| mood.state.is_at_rest())
    }

    /// What is to be said, once that is clear.
    pub(super) fn verdict(&self, sight: Sight<'_>, end: &str) -> Option<Submitted> {
        let over = self.due(sight.written) <= sight.now;
        match sight.mood {
            Some(mood) if mood.state == AgentState::Blocked => Some(Submitted::Blocked),
            mood if self.agent_will_tell() => {
                let moved =
                    mood.is_some_and(|mood| Some(mood.since) != self.before.map(|before| before.since));
                (moved || over).then_some(if moved { Submitted::Submitted } else { Submitted::Pending })
            }
            _ => over.then(|| if stands(sight, end) { Submitted::Pending } else { Submitted::Submitted }),
        }
    }
}

/// Whether the end of the text still stands where the cursor is.
fn stands(sight: Sight<'_>, end: &str) -> bool {
    let rows = sight.screen.screen_rows();
    let row = rows.get(usize::from(sight.screen.cursor().row));
    !end.trim().is_empty() && row.is_some_and(|row| row.contains(end))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::{PaneId, Timestamp};
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    fn after(
        before: Option<AgentState>,
        now: Option<AgentState>,
        shown: &str,
        later: Duration,
    ) -> Option<Submitted> {
        let mut screen = Screen::new(Size { cols: 40, rows: 5 }, Limits::default());
        screen.feed(shown.as_bytes());
        let begun = Instant::now();
        let mood =
            |state, since| AgentSummary { state, waits_for: None, since: Timestamp::from_millis(since) };
        let sight = Sight {
            pane: PaneId::from_bytes([0; 16]),
            screen: &screen,
            mood: before.map(|state| mood(state, 1)),
            held: None,
            written: begun,
            now: begun,
        };
        let watch = Watch::new(sight);
        let mood = now.map(|state| mood(state, if now == before { 1 } else { 2 }));
        watch.verdict(Sight { mood, now: begun + later, ..sight }, &end_of("please fix the tests"))
    }

    #[test]
    fn an_agent_that_begins_to_work_has_taken_it_and_one_that_asks_has_not() {
        use AgentState::{Blocked, Idle, Working};
        let soon = Duration::from_millis(10);
        assert_eq!(after(Some(Idle), Some(Working), "", soon), Some(Submitted::Submitted));
        assert_eq!(after(Some(Idle), Some(Blocked), "", soon), Some(Submitted::Blocked));
        assert_eq!(after(Some(Idle), Some(Idle), "", Duration::from_secs(2)), None);
        assert_eq!(after(Some(Idle), Some(Idle), "", Duration::from_secs(3)), Some(Submitted::Pending));
    }

    #[test]
    fn of_any_other_program_it_counts_whether_the_text_still_stands_at_the_cursor() {
        let quiet = Duration::from_millis(200);
        assert_eq!(after(None, None, "> please fix the tests", quiet), Some(Submitted::Pending));
        assert_eq!(after(None, None, "> please fix the tests\r\n", quiet), Some(Submitted::Submitted));
        assert_eq!(after(None, None, "", Duration::from_millis(20)), None);
    }
}
