//! A client of the daemon: where it is, how it is started, and how a verb is called. `Connection` is blocking and
//! small, so that a one-shot command costs little more than its process; `PollConnection` is for who polls several things at
//! once, as a terminal does; `SharedConnection` is for many calls at a time.

mod connection;
mod ledger;
mod line;
mod link;
mod places;
mod random;
mod start;
mod surroundings;
mod trouble;
mod wire;

pub use connection::{Connection, ServerFrame};
pub use ledger::UndeliveredKeys;
pub use line::PollConnection;
pub use link::{Call, SharedConnection};
pub use places::Paths;
pub use random::random_key;
pub use start::{StartPolicy, connect};
pub use surroundings::Env;
pub use trouble::CallError;
pub use wire::{AsyncConnection, Endpoint};
