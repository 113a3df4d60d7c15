//! The one name of a path, however it is spelled: symbolic links are resolved, and a path in a repository is named by its
//! place there, which is the same in all worktrees.

use std::path::{Component, Path, PathBuf};

use super::git;
use crate::spawn_environment;

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

/// Returns the path without symbolic links and `..`, as far as it exists, and the existing directory it is in.
fn resolved(path: &Path) -> (PathBuf, PathBuf) {
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
