//! The one task that owns the machine, and what it keeps at hand.

mod answers;
mod births;
mod events;
mod gathering;
mod locating;
mod mailing;
pub(crate) mod manager;
mod nursery;
mod obeying;
mod parallel;
mod turn;

pub(crate) use events::{Heard, Stream};
pub(crate) use manager::{Desk, Manager, News};
