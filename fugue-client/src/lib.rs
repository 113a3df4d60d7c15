//! A client of the daemon: where it is, how it is started, and how a verb is called. Blocking and small, so that a
//! one-shot command costs little more than its process.

mod connection;
mod places;
mod start;
mod trouble;

pub use connection::{Connection, Heard};
pub use places::Places;
pub use start::{Starting, connect};
pub use trouble::Trouble;
