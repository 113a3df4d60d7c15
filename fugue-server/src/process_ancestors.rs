//! The ancestors of a process, from which the core determines the pane that a caller is in.

use fugue_keeper::ProcessStat;

/// The longest chain of ancestors that is followed. Real process trees are far shallower; this bounds a loop.
const DEPTH: usize = 64;

/// Returns a process, the leader of its terminal session, and its ancestors, nearest first.
pub(crate) fn ancestors(pid: u32) -> Vec<u32> {
    let Some(ProcessStat { parent, session }) = ProcessStat::of(pid) else { return vec![pid] };
    let mut line = vec![pid, session];
    let mut next = parent;
    while next > 1 && line.len() < DEPTH {
        line.push(next);
        next = ProcessStat::of(next).map_or(0, |stat| stat.parent);
    }
    line
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
