//! Watching a program after Enter was pressed, to see whether it took the text that was typed.

use std::time::{Duration, Instant};

use fugue_core::agents::AgentSummary;
use fugue_protocol::agents::AgentState;
use fugue_protocol::views::{SubmitEvidence, Submitted};

use crate::pane::current_state::PaneFacts;

/// How long the screen must be quiet before Enter is pressed. Text and Enter are sent apart because some agents read one
/// burst as a paste; the time was measured with the real programs.
const SETTLED: Duration = Duration::from_millis(150);

/// The longest that Enter is delayed: a program that draws all the time would delay it forever.
const MAX_DELAY: Duration = Duration::from_millis(1_500);

/// How long an agent that took a text may need to show that it works: measured with the real programs.
const WORK_DELAY: Duration = Duration::from_secs(3);

/// The number of characters at the end of a text that are searched for: enough to identify the text, few enough to fit on
/// one row.
const END_CHARS: usize = 16;

/// Returns when the screen will have been quiet for long enough since then.
pub(crate) fn settled(last_output: Instant, since: Instant) -> Instant {
    (last_output.max(since) + SETTLED).min(since + MAX_DELAY)
}

/// Returns the end of a text's last line.
pub(super) fn end_of(text: &str) -> String {
    let line = text.trim_end().lines().last().unwrap_or_default();
    let skipped = line.chars().count().saturating_sub(END_CHARS);
    line.chars().skip(skipped).collect()
}

/// A watch that began when Enter was pressed.
pub(super) struct SubmitWatch {
    since: Instant,
    before: Option<AgentSummary>,
    /// The number of turns that had begun: one may begin and end before its state is published.
    turns: u64,
}

impl SubmitWatch {
    pub(crate) fn new(facts: PaneFacts<'_>) -> Self {
        Self { since: facts.now, before: facts.agent, turns: facts.turns }
    }

    /// Returns when the watch ends though nothing happens.
    pub(crate) fn due(&self, last_output: Instant) -> Instant {
        if self.shows_in_agent() { self.since + WORK_DELAY } else { settled(last_output, self.since) }
    }

    /// Whether the agent's state will show that it took the text: only if it was at rest before.
    fn shows_in_agent(&self) -> bool {
        self.before.is_some_and(|agent| agent.state.is_at_rest())
    }

    /// Returns whether the text was submitted, once that is clear.
    pub(super) fn verdict(&self, facts: PaneFacts<'_>, end: &str) -> Option<SubmitVerdict> {
        let is_over = self.due(facts.last_output) <= facts.now;
        match facts.agent {
            Some(agent) if agent.state == AgentState::Blocked => Some(SubmitVerdict::BLOCKED),
            agent if self.shows_in_agent() => {
                let before = self.before.map(|before| before.since);
                let changed =
                    facts.turns > self.turns || agent.is_some_and(|agent| Some(agent.since) != before);
                (changed || is_over).then(|| match changed {
                    true => SubmitVerdict::taken(SubmitEvidence::TurnBegan),
                    false => SubmitVerdict::pending(SubmitEvidence::NoReaction),
                })
            }
            _ => is_over.then(|| match is_at_cursor(facts, end) {
                true => SubmitVerdict::pending(SubmitEvidence::TextAtCursor),
                false => SubmitVerdict::taken(SubmitEvidence::LineLeft),
            }),
        }
    }
}

/// Whether a text was submitted, and what shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SubmitVerdict {
    pub(crate) submitted: Submitted,
    pub(crate) evidence: SubmitEvidence,
}

impl SubmitVerdict {
    /// The agent asks something first.
    pub(super) const BLOCKED: Self = Self { submitted: Submitted::Blocked, evidence: SubmitEvidence::Dialog };

    pub(crate) fn taken(evidence: SubmitEvidence) -> Self {
        Self { submitted: Submitted::Submitted, evidence }
    }

    pub(crate) fn pending(evidence: SubmitEvidence) -> Self {
        Self { submitted: Submitted::Pending, evidence }
    }
}

/// Whether the end of the text is still in the cursor's row.
fn is_at_cursor(facts: PaneFacts<'_>, end: &str) -> bool {
    let rows = facts.screen.screen_rows();
    let row = rows.get(usize::from(facts.screen.cursor().row));
    !end.trim().is_empty() && row.is_some_and(|row| row.contains(end))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Timestamp;
    use fugue_protocol::agents::Confidence;
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
        let started = Instant::now();
        let agent = |state, since| AgentSummary {
            name: None,
            state,
            waits_for: None,
            since: Timestamp::from_millis(since),
            sure: Confidence::Certain,
        };
        let facts =
            PaneFacts { agent: before.map(|state| agent(state, 1)), ..PaneFacts::for_test(&screen, started) };
        let watch = SubmitWatch::new(facts);
        let agent = now.map(|state| agent(state, if now == before { 1 } else { 2 }));
        let verdict = watch
            .verdict(PaneFacts { agent, now: started + later, ..facts }, &end_of("please fix the tests"));
        verdict.map(|verdict| verdict.submitted)
    }

    #[test]
    fn an_agent_accepted_the_text_if_it_starts_working_and_not_if_it_is_blocked() {
        use AgentState::{Blocked, Idle, Working};
        let soon = Duration::from_millis(10);
        assert_eq!(after(Some(Idle), Some(Working), "", soon), Some(Submitted::Submitted));
        assert_eq!(after(Some(Idle), Some(Blocked), "", soon), Some(Submitted::Blocked));
        assert_eq!(after(Some(Idle), Some(Idle), "", Duration::from_secs(2)), None);
        assert_eq!(after(Some(Idle), Some(Idle), "", Duration::from_secs(3)), Some(Submitted::Pending));
    }

    #[test]
    fn any_other_program_accepted_the_text_if_it_left_the_cursor_line() {
        let quiet = Duration::from_millis(200);
        assert_eq!(after(None, None, "> please fix the tests", quiet), Some(Submitted::Pending));
        assert_eq!(after(None, None, "> please fix the tests\r\n", quiet), Some(Submitted::Submitted));
        assert_eq!(after(None, None, "", Duration::from_millis(20)), None);
    }
}
