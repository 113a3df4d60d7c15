//! A client of the daemon: where it is, how it is started, and how a verb is called. `Connection` is blocking and
//! small, so that a one-shot command costs little more than its process; `Line` is for who polls several things at
//! once, as a terminal does; `Link` is for many calls at a time.

mod connection;
mod ledger;
mod line;
mod link;
mod places;
mod start;
mod surroundings;
mod trouble;
mod wire;

pub use connection::{Connection, Heard};
pub use ledger::Settled;
pub use line::Line;
pub use link::{Call, Link};
pub use places::Places;
pub use start::{Starting, connect};
pub use surroundings::Surroundings;
pub use trouble::Trouble;
pub use wire::{Dial, Wire};
