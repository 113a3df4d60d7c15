//! The keeper: a small process that is the parent of every pane's program, so that programs and their exit statuses
//! survive a crash of the daemon, and that stores their output while no daemon is running.
//!
//! A pane is a PTY master, a pipe and a segment (a memfd). Output moves `master → pipe → segment` by `splice`, so at
//! every moment it is in a kernel object that outlives a killed process. Daemon and keeper both hold all of these. The
//! one with the lease pumps: the daemon from its `Take` request until it exits or closes the link, otherwise the keeper.
//!
//! The daemon's side, in short:
//!
//! ```no_run
//! use fugue_keeper::{Message, PaneFds, Pump, PumpState, SpawnRequest, inherited};
//!
//! # fn main() -> std::io::Result<()> {
//! let (link, listener) = inherited().ok_or(std::io::ErrorKind::NotFound)?;
//! link.send(&Message::Take, &[])?;
//! // Whenever the link is readable, until there are no more messages:
//! while let Some((message, fds)) = link.try_recv()? {
//!     match message {
//!         // One `Holding` for each existing pane, then `Ready`; later one `Spawned` for each spawn.
//!         Message::Holding(_) | Message::Spawned { .. } => {
//!             let (mut pump, pidfd, snapshot) = Pump::from_fds(PaneFds::from_message(fds)?)?;
//!             // The snapshot is the screen at `stored_offset`; the output after it is read with `read_at`.
//!             // Then, whenever the master is readable (and once at the start):
//!             while pump.turn(64 << 10)?.state == PumpState::More {}
//!         }
//!         Message::Ready { .. } => link.send(&Message::Spawn(SpawnRequest::default()), &[])?,
//!         // Remembered until `Forget`, so that the next daemon gets it too.
//!         Message::Exited { pane, .. } => link.send(&Message::Forget { pane }, &[])?,
//!         _ => {}
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! Parsing of terminal data, an async runtime and the client protocol do not belong in this crate.

mod config;
mod daemon;
mod daemonize;
mod event_loop;
mod handover;
mod keeper;
mod kernel_abilities;
mod link;
mod locks;
mod log;
mod poll_set;
mod process_settings;
mod process_stat;
mod program;
mod reaper;
mod shared_page;
mod sigterm;
mod sys;

pub use config::{KeeperConfig, RefusalWriter};
pub use daemon::adopted::AdoptedDaemon;
pub use daemon::fds::{KEEPER_FD, LISTEN_FD, LOCK_FD, inherited, inherited_lock};
pub use daemon::last_exit::last_exit;
pub use daemon::trial::rolled_back;
pub use daemon::waiting_clients::answer_clients;
pub use daemonize::{resume, run};
pub use handover::image_table::{ImageTable, TABLE_ANSWER, TABLE_VERSION};
pub use handover::keeper_watch::KeeperWatch;
pub use handover::stopped_process::{has_file_open, is_stopped_with_file};
pub use handover::succession::kill_leftover;
pub use handover::successor::{StartedSuccessor, start_successor};
pub use keeper::{EXIT_FOR_GOOD, EXIT_FOR_UPGRADE};
pub use kernel_abilities::{KernelAbility, kernel_abilities};
pub use link::connection::{Link, MAX_FDS, PaneFds};
pub use link::messages::{
    Exit, Holding, MAX_FRAME, Malformed, Message, PaneId, SpawnRequest, SpawnStage, VERSION,
};
pub use link::spawn_body::{SpawnBody, SpawnProgress};
pub use locks::instance::{DaemonAddress, InstanceLock};
pub use locks::start::StartLock;
pub use process_settings::{PROGRAM_SETTINGS, max_panes};
pub use process_stat::{ProcessStat, RunningProgram};
pub use program::pump::{Pump, PumpFds, PumpState, PumpTurn, QUOTA};
pub use reaper::{REAPER_PID, reaper_pid};
pub use shared_page::{PAGE_WORDS, SharedPage};
pub use sys::{PeerCredentials, peer_credentials, peer_pidfd};
