//! Profiles: what a confined program may do, in terms that hold for any place.

use std::path::PathBuf;

/// What a confined program may do, besides reading the system and the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// What it may write.
    pub write: WriteAccess,
    /// Which TCP ports it may use.
    pub network: Network,
    /// Further files and directories that it may read.
    pub read_paths: Vec<PathBuf>,
    /// Further files and directories that it may write.
    pub write_paths: Vec<PathBuf>,
    /// The only variables that it keeps, besides those of the terminal and of fugue. Without a list, all are kept but those
    /// that lead to sockets outside.
    pub variables: Option<Vec<String>>,
}

/// What a confined program may write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteAccess {
    /// Its worktree, its temporary directory and the agent's own state.
    #[default]
    Worktree,
    /// Its temporary directory and the agent's own state.
    Temporary,
}

/// Which TCP ports a confined program may use. UDP is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Network {
    /// All of them.
    #[default]
    All,
    /// Only these, to connect to and to listen on.
    Ports(Vec<u16>),
}

impl Network {
    fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, only) | (only, Self::All) => only.clone(),
            (Self::Ports(a), Self::Ports(b)) => {
                Self::Ports(a.iter().filter(|port| b.contains(port)).copied().collect())
            }
        }
    }
}

impl Profile {
    /// The names of the profiles that need no configuration.
    pub const NAMES: [&str; 3] = ["worktree", "read-only", "offline"];

    /// Returns what both profiles allow.
    pub fn and(&self, other: &Self) -> Self {
        let both = |a: &[PathBuf], b: &[PathBuf]| a.iter().filter(|path| b.contains(path)).cloned().collect();
        Self {
            write: self.write.max(other.write),
            network: self.network.and(&other.network),
            read_paths: both(&self.read_paths, &other.read_paths),
            write_paths: both(&self.write_paths, &other.write_paths),
            variables: match (&self.variables, &other.variables) {
                (None, only) | (only, None) => only.clone(),
                (Some(a), Some(b)) => Some(a.iter().filter(|name| b.contains(name)).cloned().collect()),
            },
        }
    }

    /// Returns the profile of this name that needs no configuration.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "worktree" => Some(Self::default()),
            "read-only" => Some(Self { write: WriteAccess::Temporary, ..Self::default() }),
            "offline" => Some(Self { network: Network::Ports(Vec::new()), ..Self::default() }),
            _ => None,
        }
    }
}
