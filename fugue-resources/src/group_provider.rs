//! Who provides groups on this machine.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::delegated_tree;
use crate::group_limits::GroupLimits;
use crate::placement::Placement;
use crate::process_group_file::group_of;
use crate::systemd::{self, Scope};

/// The longest part of a unit's name that comes from a session's name.
const MAX_LABEL: usize = 60;

/// The beginning of the names of all groups.
const PREFIX: &str = "fugue-";

/// The provider of groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupProvider {
    /// A systemd user manager.
    Systemd {
        /// Its bus.
        bus: PathBuf,
    },
    /// A delegated cgroup v2 tree.
    Tree {
        /// The directory for groups.
        base: PathBuf,
    },
}

/// The reason why there are no groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoGroups(pub String);

impl GroupProvider {
    /// Finds the provider for the programs of a daemon. In a delegated tree, these processes, the keeper first, get a group of
    /// their own; a manager is asked for one with [`Self::place_daemon`], because that takes a while.
    pub fn find(runtime_directory: Option<&Path>, pids: &[u32]) -> Result<Self, NoGroups> {
        if let Some(bus) = runtime_directory.and_then(systemd::user_bus) {
            return Ok(Self::Systemd { bus });
        }
        let tree = delegated_tree::prepare(pids).map(|base| Self::Tree { base });
        tree.map_err(|why| NoGroups(format!("no systemd user manager is running, and {why}")))
    }

    /// Moves the keeper, its reaper and its daemon out of the group of the terminal that they were started from.
    pub fn place_daemon(&self, name: &str, pids: &[u32], deadline: Instant) -> io::Result<()> {
        let Self::Systemd { bus } = self else { return Ok(()) };
        let is_placed = |pid: u32| group_of(pid).is_some_and(|group| is_own_group(&group));
        let pids: Vec<u32> = pids.iter().copied().filter(|pid| !is_placed(*pid)).collect();
        let Some(first) = pids.first() else { return Ok(()) };
        let unit = format!("{PREFIX}daemon-{first}.scope");
        let description = format!("fugue daemon {name}");
        let limits = GroupLimits::new();
        systemd::start(
            bus,
            &Scope { unit: &unit, description: &description, limits: &limits, pids: &pids },
            deadline,
        )
    }

    /// The group for a program: the name of its session and what it is, for people, and an id that no other program has.
    pub fn placement(&self, session: &str, program: &str, id: &str, limits: GroupLimits) -> Placement {
        match self {
            Self::Systemd { bus } => Placement::Scope {
                bus: bus.clone(),
                unit: format!("{PREFIX}{}-{id}.scope", label(session)),
                description: format!("fugue: {program} in session {session}").replace('\0', ""),
                limits,
            },
            Self::Tree { base } => {
                let directory = base.join(format!("{PREFIX}{}-{id}", label(session)));
                Placement::Group { directory, limits }
            }
        }
    }

    /// Changes the limits of a running program's group. One that has no group of its own is left alone.
    pub fn set_limits(&self, pid: u32, limits: &GroupLimits, deadline: Instant) -> io::Result<()> {
        let Some(group) = group_of(pid).filter(|group| is_own_group(group)) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the program has no group of its own"));
        };
        let unit = group.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match self {
            Self::Systemd { bus } => systemd::set_limits(bus, unit, limits, deadline),
            Self::Tree { .. } => delegated_tree::set_limits(&group, limits),
        }
    }
}

/// A session's name as a part of a unit's name, in which few characters are allowed.
fn label(session: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    session.chars().map(allowed).take(MAX_LABEL).collect()
}

/// Whether a group was made by fugue for a program.
pub(crate) fn is_own_group(group: &Path) -> bool {
    group.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(PREFIX))
}

impl fmt::Display for GroupProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Systemd { .. } => f.write_str("systemd user manager"),
            Self::Tree { base } => write!(f, "cgroup v2 tree {}", base.display()),
        }
    }
}

impl fmt::Display for NoGroups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_group_says_whose_it_is() {
        let provider = GroupProvider::Systemd { bus: "/run/user/1000/bus".into() };
        let Placement::Scope { unit, description, .. } =
            provider.placement("wörk er/1", "claude", "0af3", GroupLimits::new())
        else {
            unreachable!("a manager makes scopes")
        };
        assert_eq!(unit, "fugue-w_rk_er_1-0af3.scope");
        assert_eq!(description, "fugue: claude in session wörk er/1");
        assert!(is_own_group(Path::new("/sys/fs/cgroup/app.slice").join(unit).as_path()));
    }

    #[test]
    fn without_a_manager_and_a_tree_there_are_no_groups() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(systemd::user_bus(directory.path()), None);
        std::fs::write(directory.path().join("bus"), "").expect("written");
        assert_eq!(systemd::user_bus(directory.path()), None, "a bus is not a manager");
    }
}
