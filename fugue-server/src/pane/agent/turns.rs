//! Counting an agent's turns. The state that the manager publishes comes a few times a second, so a short turn is not in
//! it; what the program itself reports is counted as it comes.

use fugue_agents::{AgentTable, KnownAgent};
use fugue_core::agents::AgentSummary;
use fugue_protocol::agents::AgentState;
use fugue_screen::{ProgramState, ScreenEvent};

/// The turns that the agent in a pane has begun, as far as they were seen.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    begun: u64,
    is_working: bool,
    /// Whether the program reports its state itself. The published state, which comes later, is then not counted.
    is_reported: bool,
    /// Whether an agent was published.
    has_agent: bool,
}

impl Turns {
    /// The number of turns that have begun.
    pub(crate) fn begun(&self) -> u64 {
        self.begun
    }

    /// Whether the agent is in a turn, as far as that was seen.
    pub(crate) fn is_working(&self) -> bool {
        self.is_working
    }

    /// Takes note of a report by the program.
    pub(crate) fn report(&mut self, event: &ScreenEvent, agent: Option<AgentSummary>) {
        let state = match event {
            ScreenEvent::ProgramStatus(status) if status.id.is_empty() => match status.state {
                ProgramState::Working => AgentState::Working,
                ProgramState::Blocked => AgentState::Blocked,
                ProgramState::Clear => return,
                ProgramState::Idle | ProgramState::Done | ProgramState::Error => AgentState::Idle,
            },
            ScreenEvent::Title(title) => {
                let known = agent.and_then(|agent| KnownAgent::find(agent.name?));
                let known = known.filter(|known| known.titles_show_turns);
                let evidence = known.and_then(|known| AgentTable::built_in().titled(known.name, title));
                let Some(evidence) = evidence else { return };
                evidence.state
            }
            _ => return,
        };
        self.is_reported = true;
        self.set(state);
    }

    /// Takes note of the state that the manager published.
    pub(crate) fn publish(&mut self, agent: Option<AgentSummary>) {
        match agent {
            Some(agent) if !self.is_reported => self.set(agent.state),
            // A program may report its state before the manager knows that it is an agent.
            None if self.has_agent => (self.is_working, self.is_reported) = (false, false),
            _ => {}
        }
        self.has_agent = agent.is_some();
    }

    /// A dialog interrupts a turn and does not end it.
    fn set(&mut self, state: AgentState) {
        match state {
            AgentState::Working => self.begun += u64::from(!std::mem::replace(&mut self.is_working, true)),
            state if state.is_at_rest() => self.is_working = false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    #[test]
    fn a_turn_that_is_over_at_once_is_counted_and_a_dialog_in_a_turn_begins_none() {
        let mut screen = Screen::new(Size { cols: 20, rows: 4 }, Limits::default());
        let mut turns = Turns::default();
        let mut report = |states: &[&str]| {
            for state in states {
                screen.feed(format!("\x1b]7501;state={state}:app=codex\x07").as_bytes());
            }
            screen.take_events().iter().for_each(|event| turns.report(event, None));
            turns.begun()
        };
        assert_eq!(report(&["idle", "working", "idle"]), 1);
        assert_eq!(report(&["working", "blocked:kind=permission", "working", "done"]), 2);
    }
}
