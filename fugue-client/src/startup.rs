//! Connecting to the daemon, and starting it. The starter binds the socket and hands it to the keeper, so nobody polls:
//! clients that connect meanwhile wait in the socket's backlog.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};

use fugue_keeper::StartLock;
use fugue_protocol::messages::Role;

use crate::call_error::CallError;
use crate::connection::Connection;
use crate::env::Env;
use crate::paths::Paths;

/// Whether to start a daemon that is not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartPolicy {
    /// Start one.
    IfNeeded,
    /// Report that none is running.
    Never,
}

/// Connects to the daemon at these paths.
pub fn connect(paths: &Paths, role: Role, policy: StartPolicy) -> Result<Connection, CallError> {
    let pane = Env::own().claimed_pane(&paths.socket);
    Connection::new(connect_or_start(paths, policy)?, role, pane)
}

/// Returns a socket that is connected to the daemon at these paths.
pub(crate) fn connect_or_start(paths: &Paths, policy: StartPolicy) -> Result<UnixStream, CallError> {
    match UnixStream::connect(&paths.socket) {
        Ok(socket) => Ok(socket),
        Err(error) if is_absent(&error) && policy == StartPolicy::IfNeeded => start(paths),
        Err(error) if is_absent(&error) => Err(CallError::NoDaemon(paths.socket.display().to_string())),
        Err(error) => Err(cannot("connect to", paths, &error)),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

fn cannot(action: &str, paths: &Paths, error: &io::Error) -> CallError {
    CallError::Local(format!("Cannot {action} {}: {error}", paths.socket.display()))
}

/// Starts keeper and daemon, unless another process just did.
fn start(paths: &Paths) -> Result<UnixStream, CallError> {
    let _lock = StartLock::acquire(&paths.socket).map_err(|error| cannot("lock", paths, &error))?;
    match UnixStream::connect(&paths.socket) {
        Ok(socket) => return Ok(socket),
        Err(error) if is_absent(&error) => {}
        Err(error) => return Err(cannot("connect to", paths, &error)),
    }
    let listener = bind(&paths.socket).map_err(|error| cannot("listen on", paths, &error))?;
    start_keeper(paths, listener.into()).map_err(|error| cannot("start the keeper for", paths, &error))?;
    UnixStream::connect(&paths.socket).map_err(|error| cannot("connect to", paths, &error))
}

/// Listens at the path. A socket file that nobody listens at any more is removed first.
fn bind(socket: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Starts the keeper, which takes the listening socket as its standard input and detaches from this process.
fn start_keeper(paths: &Paths, listener: OwnedFd) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("keeper").arg("--socket").arg(&paths.socket);
    command.arg("--state").arg(&paths.state).arg("--config").arg(&paths.config);
    let done = command.stdin(Stdio::from(listener)).stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    if done.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&done.stderr).trim().to_owned()))
}
