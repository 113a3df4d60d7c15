//! The pure machine of fugue: what a verb means, and what follows from it.
//!
//! It is told everything (time, ids, the caller) and touches nothing: the same inputs make the same world.

pub mod agents;
pub mod decision;
pub mod edge_request;
mod evolve;
mod find;
mod follow;
pub mod inbox;
pub mod layout;
pub mod leases;
pub mod machine;
pub mod notifications;
mod perform;
mod react;
pub mod request_context;
mod routing;
pub mod scope;
mod sizes;
mod sound;
mod view;
mod waits;
mod waking;
pub mod world;

pub use decision::{Body, Child};
pub use edge_request::{EdgeRequest, PaneRequest};
pub use machine::{Input, Machine, Step, Ticket};
pub use perform::gone;
pub use react::Effect;
pub use request_context::{Caller, RequestContext, Settings, Started};
pub use world::World;
