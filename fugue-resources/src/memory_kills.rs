//! Programs that the kernel killed because memory was used up: by a group beyond its limit, or on the whole machine.

use std::fs;
use std::path::Path;

/// How many processes the kernel killed for want of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryKills {
    /// The processes that were killed.
    pub killed: u64,
    /// How often the limit of the group itself was the reason.
    pub at_limit: u64,
}

/// Returns the kills in a group and those below it, while it exists.
pub fn kills_in(group: &Path) -> Option<MemoryKills> {
    let events = fs::read_to_string(group.join("memory.events")).ok()?;
    // Of the groups below, `oom` counts as well: only the local file tells whose limit it was.
    let local = fs::read_to_string(group.join("memory.events.local")).unwrap_or_default();
    Some(MemoryKills { killed: number(&events, "oom_kill")?, at_limit: number(&local, "oom").unwrap_or(0) })
}

impl MemoryKills {
    /// Returns the kills on the whole machine, as this process may see it.
    pub fn of_machine() -> Option<u64> {
        number(&fs::read_to_string("/proc/vmstat").ok()?, "oom_kill")
    }
}

fn number(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kills_of_a_group_are_told_with_their_reason() {
        let group = tempfile::tempdir().expect("a directory");
        assert_eq!(kills_in(group.path()), None, "there is no memory controller");
        let events = "low 0\nhigh 3\nmax 12\noom 1\noom_kill 2\noom_group_kill 0\n";
        fs::write(group.path().join("memory.events"), events).expect("written");
        assert_eq!(kills_in(group.path()), Some(MemoryKills { killed: 2, at_limit: 0 }));
        fs::write(group.path().join("memory.events.local"), events).expect("written");
        assert_eq!(kills_in(group.path()), Some(MemoryKills { killed: 2, at_limit: 1 }));
    }

    #[test]
    fn the_kills_of_the_machine_are_counted() {
        assert!(MemoryKills::of_machine().is_some(), "Linux counts them since 4.13");
    }
}
