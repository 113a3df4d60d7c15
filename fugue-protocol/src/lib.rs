//! The protocol of fugue: the requests, replies, refusals and events that clients and the daemon exchange.
//!
//! Pure data: no sockets, no runtime, no behavior beyond parsing, checking and rendering.

pub mod agent_messages;
pub mod agents;
pub mod ansi_text;
pub mod buffer_content;
pub mod color;
pub mod conversation;
pub mod dialogs;
pub mod escape;
pub mod events;
pub mod fleet_command;
pub mod fleet_host;
pub mod frames;
pub mod geometry;
pub mod host;
pub mod ids;
pub mod input_ledger;
pub mod launch;
pub mod layout;
pub mod leases;
pub mod limits;
pub mod messages;
pub mod names;
pub mod option_scope;
pub mod paths;
pub mod permission_rules;
pub mod recording_chunk;
pub mod refusal;
pub mod relay_state;
pub mod render;
pub mod scope;
mod string_type_macros;
pub mod target_refs;
pub mod targets;
pub mod text_tail;
pub mod time;
pub mod upgrade;
pub mod verbs;
pub mod views;
pub mod wording;
pub mod worktree;

pub use agents::{AgentState, AgentView};
pub use color::RgbColor;
pub use events::Event;
pub use fleet_host::FleetHost;
pub use geometry::{Axis, Rect, Side, Size};
pub use ids::{IdGenerator, MessageId, PaneId, RunId, SessionId, WindowId};
pub use launch::Launch;
pub use names::{
    ConfinementName, IdempotencyKey, LeaseName, MessageType, PaneName, SessionName, Tag, WindowName,
};
pub use option_scope::OptionScope;
pub use refusal::Refusal;
pub use scope::Scope;
pub use target_refs::{PaneRef, SessionRef, WindowRef};
pub use time::Timestamp;
pub use verbs::Verb;

/// The version of the protocol. Peers with different versions refuse each other in the greeting. `FUGUE_PROTOCOL` at
/// compile time sets another one, to test an upgrade between two protocols.
pub const PROTOCOL: u32 = match option_env!("FUGUE_PROTOCOL") {
    Some(number) => match u32::from_str_radix(number, 10) {
        Ok(number) => number,
        Err(_) => panic!("FUGUE_PROTOCOL must be a number"),
    },
    None => 1,
};
