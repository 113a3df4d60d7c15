//! Where a program is placed, and how a process goes there before it executes the program.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use crate::delegated_tree;
use crate::group_limits::{GroupLimits, from_words, to_words};
use crate::systemd::{self, Scope};

/// The group that a program gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement {
    /// A scope of a systemd user manager.
    Scope {
        /// The manager's bus.
        bus: PathBuf,
        /// The name of the unit.
        unit: String,
        /// What it is, for people.
        description: String,
        /// What its programs may use.
        limits: GroupLimits,
    },
    /// A directory of a delegated tree.
    Group {
        /// The directory, which is created.
        directory: PathBuf,
        /// What its programs may use.
        limits: GroupLimits,
    },
}

/// Between the fields of a placement that is passed on: no path, name or number contains it.
const SEPARATOR: char = '\0';

impl Placement {
    /// Moves this process into the group. Fails at the deadline at the latest.
    pub fn enter(&self, deadline: Instant) -> io::Result<()> {
        match self {
            Self::Scope { bus, unit, description, limits } => {
                let pids = [std::process::id()];
                systemd::start(bus, &Scope { unit, description, limits, pids: &pids }, deadline)
            }
            Self::Group { directory, limits } => {
                delegated_tree::create(directory, limits)?;
                delegated_tree::enter(directory, &[std::process::id()])
            }
        }
    }

    /// The placement as text, to be passed on to another process.
    pub fn to_text(&self) -> String {
        let (kind, words, limits) = match self {
            Self::Scope { bus, unit, description, limits } => {
                ("scope", vec![bus.to_string_lossy().into_owned(), unit.clone(), description.clone()], limits)
            }
            Self::Group { directory, limits } => {
                ("group", vec![directory.to_string_lossy().into_owned()], limits)
            }
        };
        let words = std::iter::once(kind.to_owned()).chain(words).chain(to_words(limits));
        words.collect::<Vec<_>>().join(&SEPARATOR.to_string())
    }

    /// Reads what [`Self::to_text`] wrote. A kind that a later version has is none.
    pub fn from_text(text: &str) -> Option<Self> {
        let mut words = text.split(SEPARATOR);
        match words.next()? {
            "scope" => {
                let (bus, unit) = (words.next()?.into(), words.next()?.to_owned());
                let description = words.next()?.to_owned();
                Some(Self::Scope { bus, unit, description, limits: from_words(words) })
            }
            "group" => {
                let directory = words.next()?.into();
                Some(Self::Group { directory, limits: from_words(words) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;

    #[test]
    fn a_placement_survives_being_passed_on() {
        let limits = GroupLimits::from([(Control::MemoryMax, 4 << 30), (Control::TasksMax, 200)]);
        let (bus, directory) = (PathBuf::from("/run/user/1000/bus"), PathBuf::from("/sys/fs/cgroup/a b/c"));
        let (unit, description) = ("fugue-work-1.scope".to_owned(), "fugue: work, claude".to_owned());
        let scope = Placement::Scope { bus, unit, description, limits };
        let group = Placement::Group { directory, limits: GroupLimits::new() };
        for placement in [scope, group] {
            assert_eq!(Placement::from_text(&placement.to_text()), Some(placement));
        }
        assert_eq!(Placement::from_text("cloud\0x"), None);
        assert_eq!(Placement::from_text(""), None);
    }
}
