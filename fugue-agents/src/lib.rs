//! The agents: how each is recognized, started and resumed, what its screens, titles, reports and files mean, and how it is
//! set up and notified. A module for each known agent holds all that is known of it; what a row of data can say is in
//! `agents.toml`, which a user's file can extend. Nothing here reads a file, a clock or the environment.

mod claude;
mod codex;
mod command_line;
mod composer;
mod dialog;
mod foreground;
mod gemini;
mod hooks;
mod inbox;
mod known_agent;
mod known_agents;
pub mod named_conversation;
mod opencode;
pub mod played;
mod prompt_parts;
mod record;
pub mod resume;
mod resume_arguments;
mod screens;
pub mod setup;
mod shared_server;
mod shown_screen;
mod source_combination;
mod start;
mod start_command;
mod table;

pub use composer::Composer;
pub use dialog::SelectionKeys;
pub use foreground::{Front, SETUP_NAME, canonical, in_front, launched, name_of};
pub use hooks::{
    AgentHooks, HookInput, HookKind, MAX_REASON_CHARS, PermissionRequest, PluginLine, PluginReport,
    PluginSource, TurnPhase,
};
pub use inbox::{AgentInbox, QueueInbox, SocketInbox};
pub use known_agent::{Environment, KnownAgent, TeamMode};
pub use known_agents::{
    composer, dialog, interrupt_keys, is_empty_field, pasted_parts, selection_keys, team_variables,
};
pub use record::{Begun, ConversationRecord, RecordDatabase, RecordFiles};
pub use shared_server::{ServerCommand, SharedServer};
pub use shown_screen::{ShownColor, ShownRow, ShownScreen, ShownSpan, ShownStyle};
pub use source_combination::{combined, keep_ends};
pub use start::StartOptions;
pub use start_command::{StartCommand, start_command};
pub use table::{AgentTable, TableMistake};
