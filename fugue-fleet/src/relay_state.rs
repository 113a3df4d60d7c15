//! What the relay reports to others: a lock that says that it runs, a file that says how it is doing, and a socket at which
//! others have it check its connections.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fugue_client::{relay_socket, try_relay_lock};
use fugue_protocol::relay_state::{NAMED_HOSTS, NameState, RELAY_FILE, RELAY_LOCK, RelayState, RelayTrouble};
use fugue_protocol::{FleetHost, Timestamp};
use rustix::fs::FlockOperation;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixListener;
use tokio::sync::watch;

use crate::failure::{Failure, say};

/// How long a program that asks may take to read the reply: it fits into its socket.
const REPLY_TIMEOUT: Duration = Duration::from_secs(1);

/// The relay's state, which its tasks share and change.
#[derive(Clone)]
pub(crate) struct SharedState(watch::Sender<RelayState>);

impl SharedState {
    pub(crate) fn new(state: RelayState) -> Self {
        Self(watch::channel(state).0)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<RelayState> {
        self.0.subscribe()
    }

    pub(crate) fn now(&self) -> RelayState {
        self.0.borrow().clone()
    }

    /// Changes the state. Everybody learns of it, if it is different.
    pub(crate) fn change(&self, change: impl FnOnce(&mut RelayState)) {
        self.0.send_if_modified(|state| {
            let before = state.clone();
            change(state);
            *state != before
        });
    }

    /// Counts items. Nobody is woken for that.
    pub(crate) fn count(&self, sent: usize, received: usize) {
        self.0.send_if_modified(|state| {
            state.sent += sent as u64;
            state.received += received as u64;
            false
        });
    }

    /// Notes why items for a host cannot be relayed, or that they can.
    pub(crate) fn hold_up(&self, host: &FleetHost, why: Option<RelayTrouble>) {
        self.change(|state| match why {
            Some(why) if state.held_up.len() < NAMED_HOSTS || state.held_up.contains_key(host) => {
                state.held_up.insert(host.clone(), why);
            }
            Some(_) => {}
            None => drop(state.held_up.remove(host)),
        });
    }
}

/// Whether the relay is connected to a server, and may use this host's name.
#[derive(Clone)]
pub(crate) struct Connected(watch::Receiver<RelayState>);

impl Connected {
    pub(crate) fn new(states: watch::Receiver<RelayState>) -> Self {
        Self(states)
    }

    async fn until(&mut self, is_so: impl Fn(&RelayState) -> bool) {
        if self.0.wait_for(is_so).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until it is connected.
    pub(crate) async fn line(&mut self) {
        self.until(|state| state.connected).await;
    }

    /// Waits until it is connected and may relay.
    pub(crate) async fn wait(&mut self) {
        self.until(may_relay).await;
    }

    /// Waits until it may no longer relay because another machine uses this host's name.
    pub(crate) async fn taken(&mut self) {
        self.until(|state| matches!(state.name, NameState::Taken { .. })).await;
    }

    /// Waits until it is connected again and does not know whether it has its name.
    pub(crate) async fn unnamed(&mut self) {
        self.until(|state| state.connected && state.name == NameState::Unknown).await;
    }

    /// Whether it may relay now.
    pub(crate) fn is_now(&self) -> bool {
        may_relay(&self.0.borrow())
    }
}

fn may_relay(state: &RelayState) -> bool {
    state.connected && matches!(state.name, NameState::Held | NameState::Unchecked { .. })
}

/// How long a relay that starts waits for the lock: someone who looks whether a relay is running has it for a moment.
const LOOK_TIME: Duration = Duration::from_millis(500);

/// The pause between two attempts.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// The lock of the one relay of a daemon. It is released when the process ends.
pub(crate) struct RelayLock {
    _file: File,
    directory: PathBuf,
}

impl RelayLock {
    /// Takes the lock: two relays of one daemon would take each other's messages.
    pub(crate) fn acquire(state: &Path) -> Result<Self, Failure> {
        let cannot = |why: io::Error| {
            let path = state.join(RELAY_LOCK).display().to_string();
            Failure::new(format!("Cannot lock {path}: {why}"), Some("start the daemon first: `fugue new -d`"))
        };
        let deadline = Instant::now() + LOOK_TIME;
        loop {
            match try_relay_lock(state, FlockOperation::NonBlockingLockExclusive).map_err(cannot)? {
                Some(file) => return Ok(Self { _file: file, directory: state.to_owned() }),
                None if Instant::now() < deadline => std::thread::sleep(LOOK_INTERVAL),
                None => {
                    let hint = "`fugue fleet status` shows its process id";
                    return Err(Failure::new("This daemon's relay is already running", Some(hint)));
                }
            }
        }
    }

    /// Writes the state for others. Failing to is no reason to stop relaying.
    pub(crate) fn publish(&self, state: &RelayState) {
        let path = self.directory.join(RELAY_FILE);
        let written = serde_json::to_string(state).map_err(io::Error::other).and_then(|text| {
            let new = path.with_extension("json.new");
            let mut options = fs::OpenOptions::new();
            let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(&new)?;
            file.write_all(text.as_bytes())?;
            fs::rename(&new, &path)
        });
        if let Err(why) = written {
            say(&format!("cannot write {}: {why}", path.display()));
        }
    }

    /// Listens at the relay's socket. Its path is free: a relay that had it is gone, since this one has the lock.
    fn listen(&self) -> io::Result<UnixListener> {
        let directory = File::open(&self.directory)?;
        let path = relay_socket(&directory);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => UnixListener::bind(path),
        }
    }

    /// Answers everybody who asks how the relay is doing, one after the other, once `check` has looked.
    pub(crate) async fn answer(&self, states: &SharedState, check: impl AsyncFn()) {
        let listener = match self.listen() {
            Ok(listener) => listener,
            Err(why) => {
                say(&format!("cannot listen for `fugue fleet status`: {why}"));
                return std::future::pending().await;
            }
        };
        loop {
            let Ok((mut socket, _)) = listener.accept().await else {
                // Out of descriptors, for now.
                tokio::time::sleep(REPLY_TIMEOUT).await;
                continue;
            };
            check().await;
            let text = serde_json::to_vec(&states.now()).unwrap_or_default();
            // Whoever does not read the reply gets none.
            let _ = tokio::time::timeout(REPLY_TIMEOUT, socket.write_all(&text)).await;
        }
    }
}

/// The time now.
pub(crate) fn now() -> Timestamp {
    let since =
        std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use fugue_client::{ask_relay, running_relay};
    use fugue_protocol::relay_state::TroubleKind;

    use super::*;

    #[test]
    fn a_relay_starts_while_someone_looks_and_only_one_runs() {
        let directory = tempfile::tempdir().expect("a directory");
        let state = directory.path();
        let looking =
            try_relay_lock(state, FlockOperation::NonBlockingLockShared).expect("a file").expect("free");
        assert!(running_relay(state).is_none(), "two may look at once");
        let relay = std::thread::scope(|scope| {
            let relay = scope.spawn(|| RelayLock::acquire(state));
            std::thread::sleep(3 * LOOK_INTERVAL);
            drop(looking);
            relay.join().expect("no panic")
        });
        assert!(relay.is_ok(), "it waited for the one who looked");
        assert_eq!(running_relay(state), Some(RelayState::default()));
        assert!(RelayLock::acquire(state).is_err(), "one is running");
    }

    #[tokio::test]
    async fn a_relay_in_a_directory_with_a_long_path_answers_after_it_has_checked() {
        let directory = tempfile::tempdir().expect("a directory");
        let long = directory.path().join("d".repeat(120));
        fs::create_dir(&long).expect("a directory");
        let lock = RelayLock::acquire(&long).expect("the lock");
        let states = SharedState::new(RelayState::default());
        let asked = tokio::task::spawn_blocking(move || {
            while running_relay(&long).is_none() {}
            loop {
                if let Ok(state) = ask_relay(&long) {
                    return state;
                }
            }
        });
        let check = async || states.change(|state| state.connected = true);
        let state = tokio::select! {
            () = lock.answer(&states, check) => unreachable!("it answers until it is dropped"),
            state = asked => state.expect("a state"),
        };
        assert!(state.connected);
    }

    #[test]
    fn only_so_many_hosts_are_named() {
        let states = SharedState::new(RelayState::default());
        let trouble = RelayTrouble::new(TroubleKind::HeldUp, "full", "wait");
        let host = |number: usize| format!("h{number}").parse::<FleetHost>().expect("a host");
        (0..=NAMED_HOSTS).for_each(|number| states.hold_up(&host(number), Some(trouble.clone())));
        assert_eq!(states.now().held_up.len(), NAMED_HOSTS);
        states.hold_up(&host(0), None);
        assert_eq!(states.now().held_up.len(), NAMED_HOSTS - 1);
    }
}
