//! The keeper: a small process that forks every pane's program, so that it collects exit statuses, and that looks
//! after their output while no daemon lives.
//!
//! A pane is a PTY master, a pipe and a segment (a memfd). Output moves `master → pipe → segment` by `splice`, so at
//! every instant it is in a kernel object that a kill cannot take. Daemon and keeper both hold all of these; while a
//! daemon has taken over it pumps and the keeper keeps its hands off, and when that daemon is gone the keeper pumps.
//! The link between them is the lease.
//!
//! What never lives here: parsing of terminal data, an async runtime, the protocol of clients.

mod body;
mod daemon;
mod daemonise;
mod ending;
mod exec;
mod frame;
mod inherited;
mod keeper;
mod link;
mod log;
mod pane;
mod process;
mod pty;
mod pump;
mod requests;
mod spawn;
mod sys;
mod watch;
mod wire;

pub use daemonise::run;
pub use inherited::{KEEPER_FD, LISTEN_FD, inherited};
pub use keeper::{Config, EXIT_FOR_GOOD, keep};
pub use link::{Link, MAX_FDS, PaneFds};
pub use pump::{Pump, QUOTA, State, Turn};
pub use wire::{Exit, Holding, MAX_FRAME, Malformed, Message, PaneId, SpawnRequest, Stage, VERSION};
