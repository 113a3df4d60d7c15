//! The one task that owns the machine, and what it keeps at hand.

mod answers;
mod beginning;
mod births;
mod coloring;
mod ending;
mod events;
mod gathering;
mod locating;
mod mailing;
pub(crate) mod manager;
mod news;
mod nursery;
mod obeying;
mod parallel;
mod reload;
mod turn;

pub(crate) use beginning::Beginning;
pub(crate) use events::{Heard, Stream};
pub(crate) use manager::Manager;
pub(crate) use news::{Desk, News};
