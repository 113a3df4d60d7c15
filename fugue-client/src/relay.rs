//! The relay of this host's daemon, as other programs see it: whether it runs, and how it is doing.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fugue_keeper::is_stopped_with_file;
use fugue_protocol::relay_state::{RELAY_FILE, RELAY_LOCK, RELAY_SOCKET, RelayState};
use rustix::fs::{FlockOperation, flock};

/// How long the relay may take to check its connections: longer than it waits for an item of its own to come back.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The largest state: that of a relay with ten thousand hosts in `fleet.ssh`.
const STATE_BYTES: u64 = 4 << 20;

/// The relay's lock file, locked this way; none if another process has it.
pub fn try_relay_lock(state: &Path, operation: FlockOperation) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file = options.create(true).truncate(false).write(true).mode(0o600).open(state.join(RELAY_LOCK))?;
    match flock(&file, operation) {
        Ok(()) => Ok(Some(file)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The last state of the relay, if one runs. The lock is taken for a moment, together with others who look.
pub fn running_relay(state: &Path) -> Option<RelayState> {
    match try_relay_lock(state, FlockOperation::NonBlockingLockShared) {
        Ok(None) => {
            let text = fs::read_to_string(state.join(RELAY_FILE)).unwrap_or_default();
            let reported: RelayState = serde_json::from_str(&text).unwrap_or_default();
            let stopped = is_stopped_with_file(reported.pid, &state.join(RELAY_LOCK));
            Some(RelayState { stopped, ..reported })
        }
        _ => None,
    }
}

/// The relay's socket in an open state directory. The path through the descriptor is short, however long that of the
/// directory is: the kernel limits the paths of sockets to 108 bytes.
pub fn relay_socket(directory: &File) -> PathBuf {
    Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(RELAY_SOCKET)
}

/// Has the relay check its connections, and returns its state.
pub fn ask_relay(state: &Path) -> io::Result<RelayState> {
    let directory = File::open(state)?;
    let socket = UnixStream::connect(relay_socket(&directory))?;
    socket.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    let mut text = Vec::new();
    socket.take(STATE_BYTES).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(io::Error::from)
}
