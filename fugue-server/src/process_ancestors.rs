//! The ancestors of a process, from which the core determines the pane that a caller is in.
//!
//! `fugue-client` reads the parent from `/proc/PID/stat` as well, for environment variables. The two crates share only
//! `fugue-protocol`, which does no I/O, so this small parser exists twice.

use std::fs;

/// The longest chain of ancestors that is followed. Real process trees are far shallower; this bounds a loop.
const DEPTH: usize = 64;

/// Returns a process, the leader of its terminal session, and its ancestors, nearest first.
pub(crate) fn ancestors(pid: u32) -> Vec<u32> {
    let Some((parent, leader)) = parent_and_leader(pid) else { return vec![pid] };
    let mut line = vec![pid, leader];
    let mut next = parent;
    while next > 1 && line.len() < DEPTH {
        line.push(next);
        next = parent_and_leader(next).map_or(0, |(parent, _)| parent);
    }
    line
}

/// Reads fields 4 and 6 of `/proc/PID/stat`. The process name before them may contain any character, but ends at the
/// last `)`.
fn parent_and_leader(pid: u32) -> Option<(u32, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let leader = fields.nth(1)?.parse().ok()?;
    Some((parent, leader))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ancestors_of_a_process_include_its_parent() {
        let line = ancestors(std::process::id());
        assert_eq!(line[0], std::process::id());
        assert!(line.contains(&std::os::unix::process::parent_id()), "{line:?}");
    }
}
