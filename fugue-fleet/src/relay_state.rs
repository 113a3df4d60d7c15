//! What the relay tells `fugue fleet status`: a lock that says that it runs, and a file that says how it is doing.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use fugue_client::Paths;
use fugue_protocol::FleetHost;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::failure::Failure;

/// How the relay is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RelayState {
    pub(crate) pid: u32,
    /// Whether it is connected to a NATS server.
    pub(crate) connected: bool,
    /// Why it is not, or what else is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
    /// The hosts that it reaches with ssh.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) ssh: BTreeMap<FleetHost, SshState>,
}

/// Whether a host can be reached with ssh.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SshState {
    pub(crate) connected: bool,
    /// Why it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

/// Whether the relay is connected to a server.
#[derive(Clone)]
pub(crate) struct Connected(watch::Receiver<RelayState>);

impl Connected {
    pub(crate) fn new(states: watch::Receiver<RelayState>) -> Self {
        Self(states)
    }

    /// Waits until it is.
    pub(crate) async fn wait(&mut self) {
        if self.0.wait_for(|state| state.connected).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    pub(crate) fn is_now(&self) -> bool {
        self.0.borrow().connected
    }
}

/// The lock of the one relay of a daemon. It is released when the process ends.
pub(crate) struct RelayLock {
    _file: File,
    state: PathBuf,
}

fn lock_path(paths: &Paths) -> PathBuf {
    paths.state.join("fleet.lock")
}

fn state_path(paths: &Paths) -> PathBuf {
    paths.state.join("fleet.json")
}

fn try_lock(paths: &Paths) -> io::Result<Option<File>> {
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(lock_path(paths))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl RelayLock {
    /// Takes the lock: two relays of one host would take each other's messages.
    pub(crate) fn acquire(paths: &Paths) -> Result<Self, Failure> {
        let cannot = |why: io::Error| {
            let path = lock_path(paths).display().to_string();
            Failure::new(format!("Cannot lock {path}: {why}"), Some("start the daemon first: `fugue new -d`"))
        };
        match try_lock(paths).map_err(cannot)? {
            Some(file) => Ok(Self { _file: file, state: state_path(paths) }),
            None => Err(Failure::new(
                "This daemon's relay is already running",
                Some("`fugue fleet status` shows its process id"),
            )),
        }
    }

    /// Writes the state for `fugue fleet status`. Failing to is no reason to stop relaying.
    pub(crate) fn publish(&self, state: &RelayState) {
        let written = serde_json::to_string(state).map_err(io::Error::other).and_then(|text| {
            let new = self.state.with_extension("json.new");
            fs::write(&new, text)?;
            fs::rename(&new, &self.state)
        });
        if let Err(why) = written {
            crate::failure::say(&format!("cannot write {}: {why}", self.state.display()));
        }
    }
}

/// The state of the relay that is running, if one is.
pub(crate) fn running(paths: &Paths) -> Option<RelayState> {
    match try_lock(paths) {
        Ok(None) => {
            let text = fs::read_to_string(state_path(paths)).unwrap_or_default();
            Some(serde_json::from_str(&text).unwrap_or_default())
        }
        _ => None,
    }
}
