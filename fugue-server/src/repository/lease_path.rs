//! The one name of a path, however it is spelled: symbolic links are resolved, and a path in a repository is named by its
//! place there, which is the same in all worktrees.

use std::path::{Component, Path, PathBuf};

use super::git;
use crate::program_start::spawn_environment;

/// Returns the name of a path for a lease. Reads the file system and asks git.
pub(crate) fn name_of(path: &Path) -> PathBuf {
    let path = spawn_environment::from_home(path);
    let (directory, resolved) = resolved(&path);
    let Some(location) = git::locate(&directory) else { return resolved };
    match resolved.strip_prefix(&location.worktree) {
        Ok(inside) => [Path::new(&location.repository), inside].iter().collect(),
        Err(_) => resolved,
    }
}

/// How many dangling links are followed one after the other: as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// Returns the path without symbolic links and `..`, as far as it exists, and the existing directory it is in. A link to
/// something that does not exist yet is followed too.
fn resolved(path: &Path) -> (PathBuf, PathBuf) {
    let mut found = resolved_once(path);
    for _ in 0..MAX_LINKS {
        let link = found.1.ancestors().find_map(|known| Some((known, known.read_link().ok()?)));
        let Some((link, target)) = link else { break };
        let rest = found.1.strip_prefix(link).unwrap_or(Path::new(""));
        found = resolved_once(&parent(link).join(target).join(rest));
    }
    found
}

/// Does the same for the links that lead to something that exists.
fn resolved_once(path: &Path) -> (PathBuf, PathBuf) {
    let existing = path.ancestors().find_map(|known| Some((known, known.canonicalize().ok()?)));
    let Some((known, mut whole)) = existing else { return ("/".into(), path.to_owned()) };
    let directory = if whole.is_dir() { whole.clone() } else { parent(&whole) };
    for component in path.strip_prefix(known).into_iter().flat_map(Path::components) {
        match component {
            Component::Normal(name) => whole.push(name),
            Component::ParentDir => drop(whole.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    (directory, whole)
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_file_that_does_not_exist_yet_means_that_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let real = directory.path().canonicalize().expect("it exists");
        let link =
            |target: &str, name: &str| std::os::unix::fs::symlink(target, real.join(name)).expect("a link");
        link("one", "two");
        link("two", "three");
        link("gone/x", "into");
        link("loop", "loop");
        for (spelling, whole) in [("three", "one"), ("./two/", "one"), ("one", "one"), ("into/y", "gone/x/y")]
        {
            assert_eq!(resolved(&real.join(spelling)).1, real.join(whole), "{spelling}");
        }
        assert_eq!(resolved(&real.join("loop")).1, real.join("loop"));
    }

    #[test]
    fn a_path_that_does_not_exist_yet_is_resolved_as_far_as_it_does() {
        let directory = tempfile::tempdir().expect("a directory");
        let real = directory.path().canonicalize().expect("it exists");
        std::fs::create_dir(real.join("real")).expect("a directory");
        std::os::unix::fs::symlink("real", real.join("link")).expect("a link");
        for spelling in ["real/new/a.rs", "link/new/a.rs", "link/./new/b/../a.rs", "real/../link/new/a.rs"] {
            let (within, whole) = resolved(&real.join(spelling));
            assert_eq!((within, whole), (real.join("real"), real.join("real/new/a.rs")), "{spelling}");
        }
    }
}
