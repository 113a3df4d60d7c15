//! What the relay tells `fugue fleet status`: a lock that says that it runs, and a file that says how it is doing.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fugue_client::is_stopped_with_file;
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
    /// Whether the process was stopped by a signal: then the rest is how it was before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) stopped: bool,
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

/// How long a relay that starts waits for the lock: someone who looks whether a relay is running has it for a moment.
const LOOK_TIME: Duration = Duration::from_millis(500);

/// The pause between two attempts.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// The lock of the one relay of a daemon. It is released when the process ends.
pub(crate) struct RelayLock {
    _file: File,
    state: PathBuf,
}

fn lock_path(state: &Path) -> PathBuf {
    state.join("fleet.lock")
}

fn state_path(state: &Path) -> PathBuf {
    state.join("fleet.json")
}

fn try_lock(state: &Path, operation: FlockOperation) -> io::Result<Option<File>> {
    let file =
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(lock_path(state))?;
    match flock(&file, operation) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl RelayLock {
    /// Takes the lock: two relays of one host would take each other's messages.
    pub(crate) fn acquire(state: &Path) -> Result<Self, Failure> {
        let cannot = |why: io::Error| {
            let path = lock_path(state).display().to_string();
            Failure::new(format!("Cannot lock {path}: {why}"), Some("start the daemon first: `fugue new -d`"))
        };
        let deadline = Instant::now() + LOOK_TIME;
        loop {
            match try_lock(state, FlockOperation::NonBlockingLockExclusive).map_err(cannot)? {
                Some(file) => return Ok(Self { _file: file, state: state_path(state) }),
                None if Instant::now() < deadline => std::thread::sleep(LOOK_INTERVAL),
                None => {
                    let hint = "`fugue fleet status` shows its process id";
                    return Err(Failure::new("This daemon's relay is already running", Some(hint)));
                }
            }
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

/// The state of the relay that is running, if one is. The lock is taken for a moment, together with others who look.
pub(crate) fn running(state: &Path) -> Option<RelayState> {
    match try_lock(state, FlockOperation::NonBlockingLockShared) {
        Ok(None) => {
            let text = fs::read_to_string(state_path(state)).unwrap_or_default();
            let told: RelayState = serde_json::from_str(&text).unwrap_or_default();
            let stopped = is_stopped_with_file(told.pid, &lock_path(state));
            Some(RelayState { stopped, ..told })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relay_starts_while_someone_looks_and_only_one_runs() {
        let directory = tempfile::tempdir().expect("a directory");
        let state = directory.path();
        let looking = try_lock(state, FlockOperation::NonBlockingLockShared).expect("a file").expect("free");
        assert!(running(state).is_none(), "two may look at once");
        let relay = std::thread::scope(|scope| {
            let relay = scope.spawn(|| RelayLock::acquire(state));
            std::thread::sleep(3 * LOOK_INTERVAL);
            drop(looking);
            relay.join().expect("no panic")
        });
        assert!(relay.is_ok(), "it waited for the one who looked");
        assert_eq!(running(state), Some(RelayState::default()));
        assert!(RelayLock::acquire(state).is_err(), "one is running");
    }
}
