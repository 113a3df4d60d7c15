//! The paths of a daemon's socket, state and configuration. They are decided only here; the daemon is given them.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fugue_keeper::DaemonAddress;

use crate::call_error::CallError;
use crate::env::Env;
use crate::remote_host::{HostName, RemoteHost};

/// Whether to start a daemon that is not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartPolicy {
    /// Start one.
    IfNeeded,
    /// Report that none is running.
    Never,
}

/// The paths of one daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The socket it listens at.
    pub socket: PathBuf,
    /// The directory of its journal.
    pub state: PathBuf,
    /// Its configuration file.
    pub config: PathBuf,
    /// The directory of the sockets; none for a socket that may be anywhere.
    pub(crate) socket_dir: Option<PathBuf>,
    /// Whether `FUGUE_SOCKET` names the socket, so that no other is meant.
    pub(crate) is_socket_given: bool,
    /// The host of the daemon, if it is another than this one. The configuration is still that of this host.
    pub host: Option<RemoteHost>,
}

/// The daemon that a command line names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DaemonName {
    /// Its host; none for this one.
    pub host: Option<HostName>,
    /// Its name there; none for the caller's own, or `default`.
    pub server: Option<String>,
}

impl DaemonName {
    /// The paths of the daemon, for a process with this environment.
    pub fn paths(&self, env: &Env) -> Result<Paths, CallError> {
        match &self.host {
            Some(host) => Paths::on_host(host, self.server.as_deref(), env),
            None => Paths::seen_from(self.server.as_deref(), env),
        }
    }
}

/// The longest path that a Unix socket address holds, in bytes.
const MAX_SOCKET_PATH: usize = 107;

impl Paths {
    /// The paths of the daemon of this name, for a process with this environment. Without a name, the daemon is the one
    /// at `FUGUE_SOCKET`, or `default`.
    fn seen_from(server: Option<&str>, env: &Env) -> Result<Self, CallError> {
        match (server, env.get("FUGUE_SOCKET")) {
            (Some(name), _) => Self::named(name, env),
            (None, Some(socket)) => {
                Ok(Self { is_socket_given: true, ..Self::at(PathBuf::from(socket), env)? })
            }
            (None, None) => Self::named("default", env),
        }
    }

    fn named(name: &str, env: &Env) -> Result<Self, CallError> {
        check_server_name(name)?;
        let dir = runtime_path(env);
        let paths = Self::with(dir.join(format!("{name}.sock")), name.into(), env)?;
        Ok(Self { socket_dir: Some(dir), ..paths })
    }

    /// The paths of a daemon whose socket may be anywhere. Its state directory is the one in which its address is, or
    /// is named after the socket's whole path.
    fn at(socket: PathBuf, env: &Env) -> Result<Self, CallError> {
        let socket =
            std::path::absolute(&socket).map_err(|why| CallError::Local(format!("FUGUE_SOCKET: {why}")))?;
        let ours = runtime_path(env);
        match socket.strip_prefix(&ours).ok().and_then(|name| name.to_str()?.strip_suffix(".sock")) {
            Some(name) if !name.contains('/') => Self::named(name, env),
            _ => {
                let name = format!("@{}", socket.display()).replace('/', "%").into();
                let name = name_of_daemon_at(&socket, &name, env).unwrap_or(name);
                Self::with(socket, name, env)
            }
        }
    }

    fn with(socket: PathBuf, name: OsString, env: &Env) -> Result<Self, CallError> {
        if socket.as_os_str().len() > MAX_SOCKET_PATH {
            let why = format!("Socket path is longer than {MAX_SOCKET_PATH} bytes: {}", socket.display());
            return Err(CallError::Local(format!(
                "{why}\nhint: set XDG_RUNTIME_DIR or FUGUE_SOCKET to a shorter path"
            )));
        }
        Ok(Self {
            socket,
            state: states(env)?.join(name),
            config: base(env, "XDG_CONFIG_HOME", ".config")?.join("fugue/config.toml"),
            socket_dir: None,
            is_socket_given: false,
            host: None,
        })
    }

    /// The paths of a client whose daemon is on another host; `server` is its name there.
    fn on_host(host: &HostName, server: Option<&str>, env: &Env) -> Result<Self, CallError> {
        if let Some(server) = server {
            check_server_name(server)?;
        }
        let host = RemoteHost::new(host, server)?;
        Ok(Self { host: Some(host), ..Self::named("default", env)? })
    }

    /// Creates the state directory. It is private, and so is the directory of all state directories.
    pub(crate) fn create_state(&self) -> Result<(), CallError> {
        let hint = "hint: set XDG_STATE_HOME to a writable directory";
        let cannot = |why| CallError::Local(format!("Cannot create {}: {why}\n{hint}", self.state.display()));
        fs::DirBuilder::new().mode(0o700).recursive(true).create(&self.state).map_err(cannot)?;
        [self.state.parent(), Some(&self.state)].into_iter().flatten().for_each(make_private);
        Ok(())
    }

    /// Creates the directory of the sockets if it is missing, and checks that it is private.
    pub(crate) fn create_socket_dir(&self) -> Result<(), CallError> {
        self.socket_dir.as_ref().map_or(Ok(()), |dir| create(dir))?;
        self.check_socket_dir()
    }

    /// Checks that the directory of the sockets is private, or missing.
    pub(crate) fn check_socket_dir(&self) -> Result<(), CallError> {
        let dir = self.socket_dir.as_ref().filter(|dir| fs::symlink_metadata(dir).is_ok());
        dir.map_or(Ok(()), |dir| check_private(dir))
    }
}

fn check_server_name(name: &str) -> Result<(), CallError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) || name.len() > 64 {
        let hint = "use up to 64 letters, digits, `-`, `_` and `.`, starting with a letter, digit or `_`";
        return Err(CallError::Local(format!("Invalid server name: {name}\nhint: {hint}")));
    }
    Ok(())
}

/// The directory of all state directories.
fn states(env: &Env) -> Result<PathBuf, CallError> {
    base(env, "XDG_STATE_HOME", ".local/state").map(|base| base.join("fugue"))
}

/// The state directory of the daemon at this socket, if it is not the one of this name: in a pane whose environment names
/// another runtime directory, the socket does not tell.
fn name_of_daemon_at(socket: &Path, name: &OsString, env: &Env) -> Option<OsString> {
    let states = states(env).ok()?;
    if states.join(name).exists() {
        return None;
    }
    let is_at = |address: DaemonAddress| address.socket == socket || address.original_socket == socket;
    let mut found = fs::read_dir(states).ok()?.filter_map(Result::ok);
    found.find(|state| DaemonAddress::read(&state.path()).is_some_and(is_at)).map(|state| state.file_name())
}

/// Denies other users access to a directory of ours that an earlier version created.
fn make_private(dir: &Path) {
    let is_open = |found: &fs::Metadata| found.uid() == uid() && found.mode() & 0o077 != 0;
    if fs::symlink_metadata(dir).is_ok_and(|found| found.is_dir() && is_open(&found)) {
        // Best effort: it was usable before.
        let _ = fs::set_permissions(dir, Permissions::from_mode(0o700));
    }
}

/// An XDG base directory: the value of its variable, or its default below the home directory.
fn base(env: &Env, variable: &str, below_home: &str) -> Result<PathBuf, CallError> {
    let named = env.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.map_or_else(|| home(env).map(|home| home.join(below_home)), Ok)
}

/// The home directory: that of the environment, or else the one in the list of users. A static program cannot load the
/// modules that know the users of a network (NSS), so these are asked through `getent`.
fn home(env: &Env) -> Result<PathBuf, CallError> {
    let listed = || home_in(&fs::read_to_string("/etc/passwd").unwrap_or_default(), uid());
    let elsewhere = || home_printed_by(Command::new("getent").args(["passwd", &uid().to_string()]), uid());
    let named = env.get("HOME").map(PathBuf::from).or_else(listed).or_else(elsewhere);
    named.ok_or_else(|| CallError::Local("HOME is not set\nhint: set HOME to your home directory".into()))
}

/// The home directory of a user in the text of `/etc/passwd`.
fn home_in(users: &str, uid: u32) -> Option<PathBuf> {
    let is_user = |fields: &Vec<&str>| fields.get(2).and_then(|id| id.parse().ok()) == Some(uid);
    let user = users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find(is_user)?;
    user.get(5).map(PathBuf::from).filter(|home| home.is_absolute())
}

/// The home directory of a user in what this command prints.
fn home_printed_by(command: &mut Command, uid: u32) -> Option<PathBuf> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    home_in(&String::from_utf8_lossy(&output.stdout), uid)
}

fn runtime_path(env: &Env) -> PathBuf {
    let runtime = env.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    runtime.map_or_else(|| format!("/tmp/fugue-{}", uid()).into(), |runtime| runtime.join("fugue"))
}

fn create(dir: &Path) -> Result<(), CallError> {
    match fs::DirBuilder::new().mode(0o700).create(dir) {
        Err(why) if why.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(CallError::Local(format!("Cannot create {}: {why}", dir.display())))
        }
        _ => Ok(()),
    }
}

/// Rejects a directory that another user could have prepared: a link, one that another user owns, or one that others
/// may enter.
fn check_private(dir: &Path) -> Result<(), CallError> {
    let unsafe_dir = |why: String| {
        let hint = "remove it, or set XDG_RUNTIME_DIR to a private directory";
        Err(CallError::Local(format!("Unsafe directory {}: {why}\nhint: {hint}", dir.display())))
    };
    let found = match fs::symlink_metadata(dir) {
        Ok(found) => found,
        Err(why) => return unsafe_dir(why.to_string()),
    };
    match found.mode() & 0o777 {
        _ if !found.is_dir() => unsafe_dir("not a directory".into()),
        _ if found.uid() != uid() => unsafe_dir(format!("owned by user {}", found.uid())),
        mode if mode & 0o077 != 0 => unsafe_dir(format!("accessible to other users (mode {mode:o})")),
        _ => Ok(()),
    }
}

/// The user that this process acts for.
pub(crate) fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_directory_is_found_in_the_list_of_users() {
        let users = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbad:x:7:7\n";
        assert_eq!(home_in(users, 1000), Some("/home/ann".into()));
        assert_eq!((home_in(users, 7), home_in(users, 8)), (None, None));
    }

    #[test]
    fn a_user_of_the_network_is_asked_for_with_a_command() {
        let mut known = Command::new("echo");
        known.arg("ann:*:70000:70000::/net/ann:/bin/sh");
        assert_eq!(home_printed_by(&mut known, 70000), Some("/net/ann".into()));
        assert_eq!(home_printed_by(&mut known, 70001), None);
        assert_eq!(home_printed_by(&mut Command::new("/missing/getent"), 70000), None);
    }
}
