//! Finding the daemon, and starting it. A state directory has one daemon: whoever holds its lock listens at the address
//! in the lock file, and nobody else binds a socket. The starter binds the socket and hands it to the keeper, so that
//! clients that connect meanwhile wait in the socket's backlog.

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fugue_keeper::{DaemonAddress, InstanceLock, StartLock};
use fugue_protocol::messages::{Hello, PaneClaim, Role};

use crate::call_error::CallError;
use crate::connection::Connection;
use crate::daemon_watch::DaemonWatch;
use crate::env::{Env, is_in_pane};
use crate::machine;
use crate::paths::{Paths, StartPolicy};
use crate::socket::{self, ANSWER_TIMEOUT};
use crate::ssh_line::{LineRequest, Questions, SshLine};

/// How often a daemon that is running but cannot be reached is looked for: it binds a removed socket again at once.
const RETRY: Duration = Duration::from_millis(10);

/// Connects to the daemon at these paths.
pub fn connect(paths: &Paths, role: Role, policy: StartPolicy) -> Result<Connection, CallError> {
    let request = LineRequest { start: policy, questions: Questions::Allowed, key: None, former: None };
    let (socket, line) = open_line(paths, &request)?;
    Ok(Connection::over(socket, hello(paths, role))?.watched(DaemonWatch::new(paths), line))
}

/// The greeting of this process for the daemon at these paths.
pub(crate) fn hello(paths: &Paths, role: Role) -> Hello {
    let own = Env::own();
    let key_space = own.pane().map(|pane| format!("{} {pane}", machine::name()));
    hello_of(paths, role, own.claimed_pane(&paths.socket), key_space)
}

/// The greeting of a process that claims to be in this pane. On another host, it is in none, but it says that it comes
/// from one: that host decides what such a caller may do. Its idempotency keys are those of its key space there.
pub(crate) fn hello_of(
    paths: &Paths,
    role: Role,
    pane: Option<PaneClaim>,
    key_space: Option<String>,
) -> Hello {
    match paths.host {
        None => Hello { key_space, ..Hello::new(role, pane) },
        Some(_) => Hello { in_pane_elsewhere: is_in_pane(), key_space, ..Hello::new(role, None) },
    }
}

/// Returns a socket to the daemon at these paths. If that is on another host, an ssh process is at its other end.
pub(crate) fn open_line(
    paths: &Paths,
    request: &LineRequest<'_>,
) -> Result<(UnixStream, Option<SshLine>), CallError> {
    match &paths.host {
        Some(host) => SshLine::open(host, request).map(|(socket, line)| (socket, Some(line))),
        None => connect_or_start(paths, request.start).map(|socket| (socket, None)),
    }
}

/// Returns a socket that is connected to the daemon at these paths. Waits a moment for one that is running but cannot
/// be reached.
pub fn connect_or_start(paths: &Paths, policy: StartPolicy) -> Result<UnixStream, CallError> {
    connect_until(paths, policy, Instant::now() + ANSWER_TIMEOUT)
}

/// The same for a caller that must not wait and tries again by itself.
pub(crate) fn connect_now(paths: &Paths) -> Result<UnixStream, CallError> {
    connect_until(paths, StartPolicy::Never, Instant::now())
}

fn connect_until(paths: &Paths, policy: StartPolicy, deadline: Instant) -> Result<UnixStream, CallError> {
    if daemon_socket(paths) == paths.socket
        && paths.check_socket_dir().is_ok()
        && let Some(socket) = connect_at(&paths.socket, paths)?
    {
        return Ok(socket);
    }
    loop {
        if let Some(socket) = find_or_start(paths, policy, deadline)? {
            return Ok(socket);
        }
        if Instant::now() >= deadline {
            return Err(DaemonWatch::new(paths).unreachable());
        }
        std::thread::sleep(RETRY);
    }
}

/// The socket of the daemon of these paths. It may listen at another one than the runtime directory leads to, where a
/// daemon of another state directory may be: all that are started without `XDG_RUNTIME_DIR` use the same socket.
pub fn daemon_socket(paths: &Paths) -> PathBuf {
    let address = DaemonAddress::read(&paths.state).filter(|_| !paths.is_socket_given);
    let elsewhere = address.filter(|address| address.socket != paths.socket && is_running(paths));
    elsewhere.map_or_else(|| paths.socket.clone(), |address| address.socket)
}

/// Whether the variables of a pane in this process's environment are about the daemon at these paths.
pub fn is_daemon_of_environment(paths: &Paths) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let of_tmux =
        || set("TMUX").map(|tmux| tmux.to_string_lossy().split(',').next().unwrap_or_default().into());
    let named = set("FUGUE_SOCKET").or_else(of_tmux).map(PathBuf::from);
    named.is_none_or(|socket| socket == paths.socket || socket == daemon_socket(paths))
}

/// The stores of events, either of which is enough to restore the sessions of a daemon.
const JOURNALS: [&str; 2] = ["journal.db", "journal.copy"];

/// Whether a daemon of these paths ran and ended without being shut down, as when the machine restarts: the next one shows
/// the sessions that it left.
pub fn may_have_left_sessions(paths: &Paths) -> bool {
    let is_shut_down = DaemonAddress::read(&paths.state).is_some_and(|address| address.is_shut_down);
    !is_shut_down && JOURNALS.iter().any(|name| paths.state.join(name).exists())
}

/// Whether a keeper or a daemon lives in the state directory of these paths.
pub fn is_running(paths: &Paths) -> bool {
    if paths.host.is_some() {
        // Only the proxy there knows.
        return true;
    }
    match StartLock::acquire(&paths.state, Instant::now()) {
        Ok(_lock) => matches!(InstanceLock::try_acquire(&paths.state), Ok(None)),
        // Somebody else is just looking, or starting one.
        Err(error) => error.kind() == io::ErrorKind::TimedOut,
    }
}

/// Waits, for a while, until the daemon at these paths has ended, because it said that it is shutting down. Returns whether
/// it has. Nobody knows that of one on another host.
pub fn wait_for_end(paths: &Paths) -> bool {
    let deadline = Instant::now() + ANSWER_TIMEOUT;
    while is_running(paths) {
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(RETRY);
    }
    true
}

/// Connects to the daemon of the state directory, or starts it. Returns none if there is one that does not listen now.
fn find_or_start(
    paths: &Paths,
    policy: StartPolicy,
    deadline: Instant,
) -> Result<Option<UnixStream>, CallError> {
    if policy == StartPolicy::IfNeeded {
        paths.create_state()?;
    } else if !paths.state.exists() {
        return Err(no_daemon(paths));
    }
    let cannot_lock = |error: io::Error| local("lock", &paths.state, &error);
    let _start = StartLock::acquire(&paths.state, deadline).map_err(cannot_lock)?;
    match InstanceLock::try_acquire(&paths.state).map_err(cannot_lock)? {
        Some(lock) if policy == StartPolicy::IfNeeded => start(paths, lock).map(Some),
        Some(_) => Err(no_daemon(paths)),
        None => {
            let address = DaemonAddress::read(&paths.state).map(|address| address.socket);
            connect_at(address.as_ref().unwrap_or(&paths.socket), paths)
        }
    }
}

/// Connects to the daemon of these paths at a socket. Returns none if nobody listens there.
fn connect_at(socket: &Path, paths: &Paths) -> Result<Option<UnixStream>, CallError> {
    socket::connect(socket, || DaemonWatch::new(paths).unresponsive())
}

fn no_daemon(paths: &Paths) -> CallError {
    let unsafe_dir = paths.check_socket_dir().err();
    unsafe_dir.unwrap_or_else(|| CallError::NoDaemon(format!("at {}", paths.socket.display())))
}

fn local(action: &str, path: &Path, error: &io::Error) -> CallError {
    CallError::Local(format!("Cannot {action} {}: {error}", path.display()))
}

/// Starts keeper and daemon, which inherit the lock.
fn start(paths: &Paths, lock: InstanceLock) -> Result<UnixStream, CallError> {
    let path = &paths.socket;
    paths.create_socket_dir()?;
    let listener = bind(paths)?;
    let address =
        DaemonAddress { socket: path.clone(), original_socket: path.clone(), ..DaemonAddress::default() };
    // On a full disk the daemon gives the reason, to whoever finds the socket without the address.
    let _ = lock.publish(&address);
    start_keeper(paths, listener.into(), lock.into())
        .map_err(|error| local("start the keeper for", path, &error))?;
    let gone = || local("connect to", path, &io::ErrorKind::NotFound.into());
    connect_at(path, paths)?.ok_or_else(gone)
}

/// Listens at the path. A socket file that nobody listens at any more is removed first; one of another daemon, which has
/// another state directory, is not.
fn bind(paths: &Paths) -> Result<UnixListener, CallError> {
    let path = &paths.socket;
    let cannot = |error: io::Error| local("listen on", path, &error);
    if connect_at(path, paths)?.is_some() {
        return Err(cannot(io::ErrorKind::AddrInUse.into()));
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
        _ => {}
    }
    let listener = UnixListener::bind(path).map_err(cannot)?;
    fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(cannot)?;
    Ok(listener)
}

/// Starts the keeper, which takes the listening socket as its standard input and the lock as its standard output, and
/// detaches from this process.
fn start_keeper(paths: &Paths, listener: OwnedFd, lock: OwnedFd) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("keeper").arg("--socket").arg(&paths.socket);
    command.arg("--state").arg(&paths.state).arg("--config").arg(&paths.config);
    let child = command.stdin(listener).stdout(lock).stderr(Stdio::piped()).spawn()?;
    // The command's copies are closed, so that only the keeper and its daemons hold the lock.
    drop(command);
    let done = child.wait_with_output()?;
    if done.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&done.stderr).trim().to_owned()))
}
