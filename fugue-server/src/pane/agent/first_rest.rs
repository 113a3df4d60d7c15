//! The first time that an agent seems to be at rest. While it starts, an agent may draw its composer before a dialog, so
//! that only counts after a moment.

use std::time::Duration;

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};

/// How long an agent that starts must seem to be at rest: Gemini CLI draws a dialog 130 ms after its composer, and takes
/// several times as long on a busy machine.
const SETTLED: Duration = Duration::from_secs(1);

/// Whether an agent has been at rest, or may be about to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FirstRest {
    /// It has not been at rest since it was started.
    Awaited,
    /// It has seemed to be at rest since this time.
    Since(Timestamp),
    /// It has worked or been at rest.
    Over,
}

impl FirstRest {
    /// Removes evidence that an agent is at rest if that is too early.
    pub(crate) fn filter(&mut self, evidence: Vec<Evidence>, now: Timestamp) -> Vec<Evidence> {
        let strongest = evidence.iter().min_by_key(|evidence| evidence.source);
        *self = match (*self, strongest) {
            (Self::Over, _) => Self::Over,
            (_, Some(sign))
                if sign.source == EvidenceSource::Osc7501 || sign.state == AgentState::Working =>
            {
                Self::Over
            }
            (Self::Since(since), Some(sign)) if sign.state.is_at_rest() => {
                match since.after(SETTLED) <= now {
                    true => Self::Over,
                    false => Self::Since(since),
                }
            }
            (_, Some(sign)) if sign.state.is_at_rest() => Self::Since(now),
            _ => Self::Awaited,
        };
        if let Self::Since(_) = self { Vec::new() } else { evidence }
    }

    /// How long the evidence must last.
    pub(crate) fn wait(self) -> Option<Duration> {
        matches!(self, Self::Since(_)).then_some(SETTLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state that is reported after each look. Times are in milliseconds.
    fn reported(looks: &[(u64, EvidenceSource, AgentState)]) -> Vec<Option<AgentState>> {
        let mut rest = FirstRest::Awaited;
        let look = |&(at, source, state): &(u64, _, _)| {
            let evidence = vec![Evidence::new(source, state)];
            rest.filter(evidence, Timestamp::from_millis(at)).first().map(|evidence| evidence.state)
        };
        looks.iter().map(look).collect()
    }

    #[test]
    fn an_agent_that_starts_is_at_rest_only_after_a_moment() {
        use AgentState::{Blocked, Idle, Working};
        use EvidenceSource::{Osc7501, Title};
        let dialog = [(0, Title, Idle), (250, Title, Blocked), (5_000, Title, Idle), (6_000, Title, Idle)];
        assert_eq!(reported(&dialog), [None, Some(Blocked), None, Some(Idle)]);
        assert_eq!(reported(&[(0, Osc7501, Idle)]), [Some(Idle)]);
        assert_eq!(reported(&[(0, Title, Working), (250, Title, Idle)]), [Some(Working), Some(Idle)]);
    }
}
