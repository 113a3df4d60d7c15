//! The state machine of fugue: what each verb does, and what follows from it.
//!
//! It is pure. Time, ids and callers are passed in, and it performs no I/O: the same inputs give the same world.

mod agent_events;
pub mod agents;
pub mod caller;
mod child_numbers;
pub mod decision;
pub mod edge_request;
pub mod effect;
mod evolve;
mod follow_up_events;
pub mod inbox;
mod input;
mod invariants;
pub mod layout;
pub mod leases;
mod lookup;
mod machine;
mod message_filter;
pub mod notifications;
pub mod numbers;
mod pane_notes;
mod pane_resizes;
mod pending_starts;
mod perform;
pub mod permission_rules;
pub mod quarantine;
mod quota;
mod reactions;
mod recipients;
mod remote_sessions;
pub mod request_context;
pub mod scope;
pub mod settings;
pub mod shared_agent_server;
mod shared_replies;
mod start_rules;
mod step;
mod target_lookup;
mod views;
mod wait_graph;
mod wait_queue;
mod window_names;
pub mod world;

pub use caller::Caller;
pub use decision::PayloadSource;
pub use edge_request::{EdgeRequest, PaneRequest};
pub use effect::{ChildSpec, Effect, RestoredChild, Ticket, TmuxNumbers};
pub use input::Input;
pub use machine::Machine;
pub use perform::gone;
pub use request_context::{RequestContext, Started};
pub use settings::{FleetMembership, Settings};
pub use start_rules::StartRules;
pub use step::{Answered, Step};
pub use world::World;
