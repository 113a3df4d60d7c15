//! The keeper: a small process that forks every pane's program, so that it collects exit statuses, and that looks
//! after their output while no daemon lives.
//!
//! A pane is a PTY master, a pipe and a segment (a memfd). Output moves `master → pipe → segment` by `splice`, so at
//! every instant it is in a kernel object that a kill cannot take. Daemon and keeper both hold all of these; while a
//! daemon has taken over it pumps and the keeper keeps its hands off, and when that daemon is gone the keeper pumps.
//! The link between them is the lease.
//!
//! The daemon's side, in short:
//!
//! ```no_run
//! use fugue_keeper::{Message, PaneFds, Pump, SpawnRequest, State, inherited};
//!
//! # fn main() -> std::io::Result<()> {
//! let (link, listener) = inherited().ok_or(std::io::ErrorKind::NotFound)?;
//! link.send(&Message::Take, &[])?;
//! // Whenever the link is readable, until it says there is no more:
//! while let Some((message, fds)) = link.try_recv()? {
//!     match message {
//!         // One for each pane that is there already, then `Ready`; later one for each spawn.
//!         Message::Holding(_) | Message::Spawned { .. } => {
//!             let (mut pump, pidfd, snapshot) = Pump::from_fds(PaneFds::from_message(fds)?)?;
//!             // The snapshot is the screen at `stored_offset`; what follows is read from there with `read_at`.
//!             // Then, whenever the master is readable (and once at the start):
//!             while pump.turn(64 << 10)?.state == State::More {}
//!         }
//!         Message::Ready { .. } => link.send(&Message::Spawn(SpawnRequest::default()), &[])?,
//!         // Remembered until `Forget`, so that a successor hears it too.
//!         Message::Exited { pane, .. } => link.send(&Message::Forget { pane }, &[])?,
//!         _ => {}
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! What never lives here: parsing of terminal data, an async runtime, the protocol of clients.

mod body;
mod child;
mod children;
mod config;
mod daemon;
mod daemonize;
mod ending;
mod exec;
mod frame;
mod inherited;
mod keeper;
mod link;
mod log;
mod origin;
mod pane;
mod pty;
mod pump;
mod requests;
mod spawn;
mod supervise;
mod sys;
mod telling;
mod watch;
mod wire;

pub use config::Config;
pub use daemonize::run;
pub use inherited::{KEEPER_FD, LISTEN_FD, inherited};
pub use keeper::{EXIT_FOR_GOOD, keep};
pub use link::{Link, MAX_FDS, PaneFds};
pub use pump::{Pump, QUOTA, State, Turn};
pub use wire::{Exit, Holding, MAX_FRAME, Malformed, Message, PaneId, SpawnRequest, Stage, VERSION};
