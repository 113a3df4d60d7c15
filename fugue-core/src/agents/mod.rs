//! Agents in panes: how they are recognized, started and resumed, what their screens show, and how their state follows
//! from the evidence. Nothing here knows the world; the events that follow from evidence are in `agent_events.rs`.

mod agent;
#[cfg(test)]
mod captured_screens;
mod command_line;
mod composer;
mod dialog;
mod judgment;
mod known_agents;
pub(crate) mod named_conversation;
pub(crate) mod resume;
mod resume_rows;
mod screens;
mod source_combination;
pub(crate) mod start;
pub(crate) mod start_command;
mod table;
#[cfg(test)]
mod tests;
mod titles;

pub(crate) use agent::asks_user;
pub use agent::{Agent, AgentSummary, Observation};
pub(crate) use composer::has_known_composer;
pub use composer::{Composer, composer};
pub use dialog::{SelectionKeys, dialog, is_empty_field, selection_keys};
pub use known_agents::{Front, SETUP_NAME, canonical, name_of};
pub(crate) use known_agents::{agent_at, in_front, launched};
pub use source_combination::{combined, keep_ends};
pub use table::{AgentSetting, AgentTable, TableMistake};
