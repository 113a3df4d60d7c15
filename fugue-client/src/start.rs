//! Finding the daemon, or starting it. The starter binds the socket and hands it over, so nobody polls: whoever
//! connects meanwhile waits in the socket's queue.

use std::env;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};

use fugue_protocol::messages::Role;
use rustix::fs::{FlockOperation, flock};

use crate::connection::Connection;
use crate::places::Paths;
use crate::surroundings::Env;
use crate::trouble::CallError;

/// Whether a daemon that does not run is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartPolicy {
    /// It is.
    IfNeeded,
    /// It is not.
    Never,
}

/// Connects to the daemon at these places.
pub fn connect(places: &Paths, role: Role, starting: StartPolicy) -> Result<Connection, CallError> {
    let pane = Env::own().claimed_pane(&places.socket);
    Connection::new(reach(places, starting)?, role, pane)
}

/// A socket that leads to the daemon at these places.
pub(crate) fn reach(places: &Paths, starting: StartPolicy) -> Result<UnixStream, CallError> {
    match UnixStream::connect(&places.socket) {
        Ok(socket) => Ok(socket),
        Err(why) if is_absent(&why) && starting == StartPolicy::IfNeeded => start(places),
        Err(why) if is_absent(&why) => Err(CallError::NoDaemon(places.socket.display().to_string())),
        Err(why) => Err(unreachable(&places.socket, &why)),
    }
}

fn is_absent(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

fn unreachable(socket: &Path, why: &io::Error) -> CallError {
    CallError::Place(format!("the socket {} cannot be reached: {why}", socket.display()))
}

/// Starts keeper and daemon, unless somebody else just did.
fn start(places: &Paths) -> Result<UnixStream, CallError> {
    let trouble =
        |what: &str, why: io::Error| CallError::Place(format!("{what} {}: {why}", places.socket.display()));
    let _lock = lock(&places.socket).map_err(|why| trouble("cannot lock", why))?;
    match UnixStream::connect(&places.socket) {
        Ok(socket) => return Ok(socket),
        Err(why) if is_absent(&why) => {}
        Err(why) => return Err(unreachable(&places.socket, &why)),
    }
    let listener = bind(&places.socket).map_err(|why| trouble("cannot listen at", why))?;
    keeper(places, listener.into()).map_err(|why| trouble("cannot start the keeper for", why))?;
    UnixStream::connect(&places.socket).map_err(|why| unreachable(&places.socket, &why))
}

/// One starter at a time. The lock is a file of its own, since the socket comes and goes.
fn lock(socket: &Path) -> io::Result<File> {
    let path = socket.with_extension("lock");
    let file = OpenOptions::new().create(true).write(true).truncate(false).mode(0o600).open(path)?;
    flock(&file, FlockOperation::LockExclusive)?;
    Ok(file)
}

/// A socket that nobody listens at any more is in the way.
fn bind(socket: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(socket) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    fs::set_permissions(socket, Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// The keeper takes the listening socket as its standard input and leaves this process behind.
fn keeper(places: &Paths, listener: OwnedFd) -> io::Result<()> {
    let mut command = Command::new(env::current_exe()?);
    command.arg("keeper").args(["--socket".as_ref(), places.socket.as_os_str()]);
    command.args([
        "--state".as_ref(),
        places.state.as_os_str(),
        "--config".as_ref(),
        places.config.as_os_str(),
    ]);
    let done = command.stdin(Stdio::from(listener)).stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    if done.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&done.stderr).trim().to_owned()))
}
