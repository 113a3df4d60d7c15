//! The configuration of a keeper.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::daemon::adopted::AdoptedDaemon;
use crate::daemon::backoff::HEALTHY_AFTER;
use crate::locks::instance::InstanceLock;
use crate::program::held_exits::SHUTDOWN;
use crate::program::pump::QUOTA;

/// Turns the reason why no daemon can be started, the path of the log and whether the keeper holds running programs into
/// what a waiting client is sent.
pub type RefusalWriter = fn(reason: &str, log: Option<&Path>, has_programs: bool) -> Vec<u8>;

/// The configuration of a keeper.
#[derive(Debug)]
pub struct KeeperConfig {
    /// The listening client socket, which every daemon gets.
    pub listener: OwnedFd,
    /// The daemon's program and arguments.
    pub daemon: Vec<OsString>,
    /// The executable that daemons are started from, whatever is at their path by then.
    pub own_image: Option<OwnedFd>,
    /// The file for the standard error of keeper and daemon. Defaults to `/dev/null`.
    pub log: Option<PathBuf>,
    /// The most output to store per pane while no daemon is running, in bytes.
    pub quota: u64,
    /// A daemon that served this long was healthy: when it exits, the next one starts at once.
    pub healthy_after: Duration,
    /// How long the machine may take to shut down after a `SIGTERM`.
    pub shutdown: Duration,
    /// The daemon of a killed keeper, for the keeper that succeeds it.
    pub succession: Option<AdoptedDaemon>,
    /// Whether this process was a keeper before, and executed this binary.
    pub is_next_image: bool,
    /// The lock on the state directory, which every daemon gets.
    pub lock: Option<InstanceLock>,
    /// What clients are sent when no daemon can be started. Without it they wait.
    pub refusal: Option<RefusalWriter>,
}

impl KeeperConfig {
    /// The configuration for this socket and this daemon, without a log and with the default quota.
    pub fn new(listener: OwnedFd, daemon: Vec<OsString>) -> Self {
        Self {
            listener,
            daemon,
            own_image: None,
            log: None,
            quota: QUOTA,
            healthy_after: HEALTHY_AFTER,
            shutdown: SHUTDOWN,
            succession: None,
            is_next_image: false,
            lock: None,
            refusal: None,
        }
    }

    /// Makes the daemon's path absolute, before the keeper changes to `/`.
    pub(crate) fn resolve_daemon(&mut self) -> io::Result<()> {
        let program = self.daemon.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
        if program.as_encoded_bytes().contains(&b'/') {
            *program = std::path::absolute(&*program)?.into_os_string();
        }
        Ok(())
    }
}
