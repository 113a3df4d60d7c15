//! Where a daemon's socket, state and configuration are. Decided here alone; the daemon is told.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::surroundings::Surroundings;
use crate::trouble::Trouble;

/// The places of one daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Its socket.
    pub socket: PathBuf,
    /// The folder of its journal.
    pub state: PathBuf,
    /// Its configuration.
    pub config: PathBuf,
}

/// A Unix socket's path has room for so many bytes.
const SOCKET_BYTES: usize = 107;

impl Places {
    /// The places of the daemon of this name; without a name, of the one that `FUGUE_SOCKET` names, or of `default`.
    pub fn of(server: Option<&str>) -> Result<Self, Trouble> {
        Self::seen_from(server, &Surroundings::own())
    }

    /// The same, as somebody with these surroundings sees it.
    pub fn seen_from(server: Option<&str>, around: &Surroundings) -> Result<Self, Trouble> {
        match (server, around.get("FUGUE_SOCKET")) {
            (Some(name), _) => Self::named(name, around),
            (None, Some(socket)) => Self::at(PathBuf::from(socket), around),
            (None, None) => Self::named("default", around),
        }
    }

    fn named(name: &str, around: &Surroundings) -> Result<Self, Trouble> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) || name.len() > 64 {
            let hint = "use up to 64 letters, digits, `-`, `_` and `.`";
            return Err(Trouble::Place(format!("`{name}` cannot be a server's name\nhint: {hint}")));
        }
        Self::with(runtime_folder(around)?.join(format!("{name}.sock")), name.into(), around)
    }

    /// A socket anywhere: its daemon's state goes by the socket's whole path.
    fn at(socket: PathBuf, around: &Surroundings) -> Result<Self, Trouble> {
        let socket =
            std::path::absolute(&socket).map_err(|why| Trouble::Place(format!("FUGUE_SOCKET: {why}")))?;
        let ours = own_runtime_folder(around);
        match socket.strip_prefix(&ours).ok().and_then(|name| name.to_str()?.strip_suffix(".sock")) {
            Some(name) if !name.contains('/') => Self::named(name, around),
            _ => {
                let name = format!("@{}", socket.display()).replace('/', "%");
                Self::with(socket, name.into(), around)
            }
        }
    }

    fn with(socket: PathBuf, name: OsString, around: &Surroundings) -> Result<Self, Trouble> {
        if socket.as_os_str().len() > SOCKET_BYTES {
            let why = format!("the socket's path {} is longer than {SOCKET_BYTES} bytes", socket.display());
            return Err(Trouble::Place(format!(
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
fn base(around: &Surroundings, variable: &str, below_home: &str) -> PathBuf {
    let named = around.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.unwrap_or_else(|| PathBuf::from(around.get("HOME").unwrap_or_else(|| "/".into())).join(below_home))
}

fn own_runtime_folder(around: &Surroundings) -> PathBuf {
    let runtime = around.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    runtime.map_or_else(|| format!("/tmp/fugue-{}", uid()).into(), |runtime| runtime.join("fugue"))
}

/// The folder of the sockets, made if it is missing, and nobody else's.
fn runtime_folder(around: &Surroundings) -> Result<PathBuf, Trouble> {
    let folder = own_runtime_folder(around);
    make(&folder)?;
    check(&folder)?;
    Ok(folder)
}

fn make(folder: &Path) -> Result<(), Trouble> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(why) if why.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Trouble::Place(format!("the folder {} cannot be made: {why}", folder.display())))
        }
        _ => Ok(()),
    }
}

/// A folder that is a link, another user's, or open to others could be a trap.
fn check(folder: &Path) -> Result<(), Trouble> {
    let trap = |why: String| {
        let hint = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
        Err(Trouble::Place(format!("the folder {} is not safe: {why}\nhint: {hint}", folder.display())))
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
