//! Which processes stand between a caller and the first one: from these the core tells in which pane a caller is.

use std::fs;

/// Deeper trees than this do not exist in earnest; a loop would.
const DEPTH: usize = 64;

/// A process, its terminal's session leader, and its ancestors, nearest first.
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

/// Fields four and six of `/proc/PID/stat`; the name before them may hold anything but ends with the last `)`.
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
    fn a_process_has_its_parent_among_its_ancestors() {
        let line = ancestors(std::process::id());
        assert_eq!(line[0], std::process::id());
        assert!(line.contains(&std::os::unix::process::parent_id()), "{line:?}");
    }
}
