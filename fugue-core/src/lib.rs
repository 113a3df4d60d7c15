//! The state machine of fugue: what each verb does, and what follows from it.
//!
//! It is pure. Time, ids and callers are passed in, and it performs no I/O: the same inputs give the same world.

pub mod agents;
pub mod decision;
pub mod edge_request;
pub mod effect;
mod evolve;
mod follow_up_events;
pub mod inbox;
mod invariants;
pub mod layout;
pub mod leases;
mod lookup;
pub mod machine;
pub mod notifications;
pub mod numbers;
mod pane_notes;
mod pane_resizes;
mod perform;
pub mod permission_rules;
pub mod quarantine;
pub mod quota;
mod reactions;
mod recipients;
pub mod request_context;
pub mod scope;
pub mod shared_server;
mod target_lookup;
mod views;
mod wait_graph;
mod wait_queue;
mod window_names;
pub mod world;

pub use decision::PayloadSource;
pub use edge_request::{EdgeRequest, PaneRequest};
pub use effect::{ChildSpec, Effect, RestoredChild, Ticket, TmuxNumbers};
pub use machine::{Input, Machine, Step};
pub use perform::gone;
pub use request_context::{Caller, RequestContext, Settings, Started};
pub use world::World;
