//! The group that a process is in, as the kernel tells it.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the tree of groups is mounted.
pub const CGROUP_ROOT: &str = "/sys/fs/cgroup";

/// Returns the directory of the cgroup v2 group of a process, if there is one.
pub fn group_of(pid: u32) -> Option<PathBuf> {
    let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
    directory(&text, Path::new(CGROUP_ROOT))
}

/// The directory that the line of cgroup v2 names. On a machine that has both versions, the tree is mounted elsewhere and has no
/// controllers, so that no group is of use there.
fn directory(text: &str, root: &Path) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::"))?;
    // A group that was removed is still named.
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    root.join("cgroup.controllers").exists().then(|| root.join(path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_a_process_is_the_one_of_cgroup_v2() {
        let root = tempfile::tempdir().expect("a directory");
        let text = "9:memory:/other\n0::/user.slice/a b.scope\n";
        assert_eq!(directory(text, root.path()), None, "no such tree is mounted");
        fs::write(root.path().join("cgroup.controllers"), "cpu memory\n").expect("written");
        assert_eq!(directory(text, root.path()), Some(root.path().join("user.slice/a b.scope")));
        assert_eq!(directory("0::/\n", root.path()), Some(root.path().join("")));
        assert_eq!(directory("4:memory:/\n", root.path()), None);
    }
}
