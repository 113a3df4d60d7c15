//! The pure machine of fugue: what a verb means, and what follows from it.
//!
//! It is told everything (time, ids, the caller) and touches nothing: the same inputs make the same world.

pub mod agents;
pub mod ask;
pub mod asking;
pub mod decision;
mod evolve;
mod find;
mod follow;
pub mod inbox;
pub mod layout;
pub mod leases;
pub mod machine;
pub mod nudging;
mod perform;
mod react;
mod routing;
pub mod scope;
mod sizes;
mod sound;
mod view;
mod waits;
mod waking;
pub mod world;

pub use ask::{Ask, PaneAsk};
pub use asking::{Asking, Caller, Settings, Started};
pub use decision::{Body, Child};
pub use machine::{Input, Machine, Step, Ticket};
pub use perform::gone;
pub use react::Effect;
pub use world::World;
