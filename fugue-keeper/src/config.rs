//! How a keeper is started.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use crate::daemon::WELL;
use crate::pump::QUOTA;

/// How a keeper is started.
#[derive(Debug)]
pub struct Config {
    /// The bound, listening client socket, kept for every daemon to come.
    pub listener: OwnedFd,
    /// Program and arguments of a daemon.
    pub daemon: Vec<OsString>,
    /// Where standard error of keeper and daemon goes; nowhere if left out.
    pub log: Option<PathBuf>,
    /// How much output to take in for a pane while no daemon lives.
    pub quota: u64,
    /// A daemon that lived this long was well: when it ends the next one starts at once.
    pub well: Duration,
}

impl Config {
    /// A keeper for this socket and this daemon, with no log and the usual quota.
    pub fn new(listener: OwnedFd, daemon: Vec<OsString>) -> Self {
        Self { listener, daemon, log: None, quota: QUOTA, well: WELL }
    }

    /// The keeper works in `/`, so a relative path to the daemon is made whole while it means something.
    pub(crate) fn resolve_daemon(&mut self) -> io::Result<()> {
        let program = self.daemon.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
        if program.as_encoded_bytes().contains(&b'/') {
            *program = std::path::absolute(&*program)?.into_os_string();
        }
        Ok(())
    }
}
