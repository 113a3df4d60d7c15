//! Which processes stand between a caller and the first one: from these the core tells in which pane a caller is.

use fugue_keeper::ProcessStat;

/// Deeper trees than this do not exist in earnest; a loop would.
const DEPTH: usize = 64;

/// A process, its terminal's session leader, and its ancestors, nearest first.
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
    fn a_process_has_its_parent_among_its_ancestors() {
        let line = ancestors(std::process::id());
        assert_eq!(line[0], std::process::id());
        assert!(line.contains(&std::os::unix::process::parent_id()), "{line:?}");
    }
}
