//! Where a daemon's socket, state and configuration are. Decided here alone; the daemon is told.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::surroundings::Env;
use crate::trouble::CallError;

/// The places of one daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// Its socket.
    pub socket: PathBuf,
    /// The folder of its journal.
    pub state: PathBuf,
    /// Its configuration.
    pub config: PathBuf,
}

/// A Unix socket's path has room for so many bytes.
const SOCKET_BYTES: usize = 107;

impl Paths {
    /// The places of the daemon of this name; without a name, of the one that `FUGUE_SOCKET` names, or of `default`.
    pub fn of(server: Option<&str>) -> Result<Self, CallError> {
        Self::seen_from(server, &Env::own())
    }

    /// The same, as somebody with these surroundings sees it.
    pub fn seen_from(server: Option<&str>, around: &Env) -> Result<Self, CallError> {
        match (server, around.get("FUGUE_SOCKET")) {
            (Some(name), _) => Self::named(name, around),
            (None, Some(socket)) => Self::at(PathBuf::from(socket), around),
            (None, None) => Self::named("default", around),
        }
    }

    fn named(name: &str, around: &Env) -> Result<Self, CallError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) || name.len() > 64 {
            let hint = "use up to 64 letters, digits, `-`, `_` and `.`";
            return Err(CallError::Place(format!("`{name}` cannot be a server's name\nhint: {hint}")));
        }
        Self::with(runtime_folder(around)?.join(format!("{name}.sock")), name.into(), around)
    }

    /// A socket anywhere: its daemon's state goes by the socket's whole path.
    fn at(socket: PathBuf, around: &Env) -> Result<Self, CallError> {
        let socket =
            std::path::absolute(&socket).map_err(|why| CallError::Place(format!("FUGUE_SOCKET: {why}")))?;
        let ours = own_runtime_folder(around);
        match socket.strip_prefix(&ours).ok().and_then(|name| name.to_str()?.strip_suffix(".sock")) {
            Some(name) if !name.contains('/') => Self::named(name, around),
            _ => {
                let name = format!("@{}", socket.display()).replace('/', "%");
                Self::with(socket, name.into(), around)
            }
        }
    }

    fn with(socket: PathBuf, name: OsString, around: &Env) -> Result<Self, CallError> {
        if socket.as_os_str().len() > SOCKET_BYTES {
            let why = format!("the socket's path {} is longer than {SOCKET_BYTES} bytes", socket.display());
            return Err(CallError::Place(format!(
                "{why}\nhint: set XDG_RUNTIME_DIR or FUGUE_SOCKET to something shorter"
            )));
        }
        Ok(Self {
            socket,
            state: base(around, "XDG_STATE_HOME", ".local/state").join("fugue").join(name),
            config: base(around, "XDG_CONFIG_HOME", ".config").join("fugue/config.toml"),
        })
    }
}

/// A folder of the XDG kind: by its variable, else below the home.
fn base(around: &Env, variable: &str, below_home: &str) -> PathBuf {
    let named = around.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| PathBuf::from(around.get("HOME").unwrap_or_else(|| "/".into())).join(below_home))
}

fn own_runtime_folder(around: &Env) -> PathBuf {
    let runtime = around.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    runtime.map_or_else(|| format!("/tmp/fugue-{}", uid()).into(), |runtime| runtime.join("fugue"))
}

/// The folder of the sockets, made if it is missing, and nobody else's.
fn runtime_folder(around: &Env) -> Result<PathBuf, CallError> {
    let folder = own_runtime_folder(around);
    make(&folder)?;
    check(&folder)?;
    Ok(folder)
}

fn make(folder: &Path) -> Result<(), CallError> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(why) if why.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(CallError::Place(format!("the folder {} cannot be made: {why}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// A folder that is a link, another user's, or open to others could be a trap.
fn check(folder: &Path) -> Result<(), CallError> {
    let trap = |why: String| {
        let hint = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
        Err(CallError::Place(format!("the folder {} is not safe: {why}\nhint: {hint}", folder.display())))
    };
    let found = match fs::symlink_metadata(folder) {
        Ok(found) => found,
        Err(why) => return trap(why.to_string()),
    };
    match found.mode() & 0o777 {
        _ if !found.is_dir() => trap("it is no folder".into()),
        _ if found.uid() != uid() => trap(format!("it belongs to user {}", found.uid())),
        mode if mode & 0o077 != 0 => trap(format!("others may enter it (mode {mode:o})")),
        _ => Ok(()),
    }
}

fn uid() -> u32 {
    rustix::process::geteuid().as_raw()
}
