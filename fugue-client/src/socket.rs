//! Connecting to a socket: never blocks for long, and only to a server of the same user.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use fugue_keeper::peer_credentials;
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socket_with};

use crate::call_error::CallError;
use crate::paths::uid;

/// How long a daemon may take to welcome a client.
pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Connects to the daemon at `path`. Returns none if nobody listens there, and `unresponsive` if nobody accepts.
pub(crate) fn connect(
    path: &Path,
    unresponsive: impl FnOnce() -> CallError,
) -> Result<Option<UnixStream>, CallError> {
    let refused = |why: String| CallError::Local(format!("Cannot connect to {}: {why}", path.display()));
    match connect_to(path) {
        Ok(socket) => {
            check_owner(&socket, uid()).map_err(refused)?;
            Ok(Some(socket))
        }
        Err(error) if is_absent(&error) => Ok(None),
        // The backlog is full of clients that the daemon does not accept.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(unresponsive()),
        Err(error) => Err(refused(error.to_string())),
    }
}

/// Connects to a path. Fails with `WouldBlock` if the backlog is full for long. Sending has the same time limit.
pub(crate) fn connect_to(path: &Path) -> io::Result<UnixStream> {
    let socket: OwnedFd = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    set_socket_timeout(&socket, Timeout::Send, Some(ANSWER_TIMEOUT))?;
    let address = SocketAddrUnix::new(path)?;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => return Ok(UnixStream::from(socket)),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Whether nobody listens at a path, or nobody whom this user can reach: a shell of another user may have left
/// `XDG_RUNTIME_DIR` behind.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotADirectory, NotFound, PermissionDenied};
    [NotFound, ConnectionRefused, NotADirectory, PermissionDenied].contains(&error.kind())
}

/// Rejects a server of another user, who would read what is typed and could answer anything.
fn check_owner(socket: &UnixStream, own: u32) -> Result<(), String> {
    match peer_credentials(socket).map_err(|error| error.to_string())?.uid {
        owner if owner == own => Ok(()),
        owner => Err(format!("Permission denied: this daemon belongs to user {owner}, not to user {own}")),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_server_whose_backlog_is_full_blocks_nobody() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("s.sock");
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None);
        let socket = socket.expect("a socket");
        rustix::net::bind(&socket, &SocketAddrUnix::new(&path).expect("a path")).expect("bound");
        rustix::net::listen(&socket, 0).expect("it listens");
        let connected: Vec<_> = (0..2).map(|_| connect_to(&path)).collect();
        let refused = connected.iter().find_map(|connected| connected.as_ref().err());
        assert_eq!(refused.map(io::Error::kind), Some(io::ErrorKind::WouldBlock));
    }

    #[test]
    fn a_server_of_another_user_is_rejected() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("s.sock");
        let _listener = UnixListener::bind(&path).expect("a socket");
        let socket = connect_to(&path).expect("connected");
        assert_eq!(check_owner(&socket, uid()), Ok(()));
        let why = check_owner(&socket, uid() + 1).expect_err("another user");
        assert!(why.contains(&format!("belongs to user {}, not to user", uid())), "{why}");
    }
}
