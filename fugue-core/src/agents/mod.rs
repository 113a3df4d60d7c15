//! The agent in a pane: what is known about it, and how its state follows from the evidence. Nothing here knows the world;
//! the events that follow from evidence are in `agent_events.rs`. What is known of each agent is in `fugue-agents`.

mod agent;
mod judgment;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use fugue_agents::AgentTable;

pub(crate) use agent::asks_user;
pub use agent::{Agent, AgentSummary, Observation};

/// The agents that the world's views know: a setting, of which nothing is stored.
#[derive(Debug, Clone)]
pub struct AgentSetting(pub Arc<AgentTable>);

impl Default for AgentSetting {
    fn default() -> Self {
        Self(AgentTable::shared())
    }
}

impl PartialEq for AgentSetting {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
