//! Paths that both the daemon and its clients know, and paths as callers spell them. Whoever claims a file may spell its
//! path in several ways, and all of them must mean the same lease, so the name of a lease that is a path is made absolute.
//! A name is a path by its syntax, or because such a file exists in the caller's directory.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The link to the ssh agent of the client that attached last, for a daemon with this socket.
pub fn ssh_agent_link(socket: &Path) -> PathBuf {
    socket.with_extension("ssh-agent")
}

/// The most characters of a file name's extension; what follows the last dot of a longer word is not one.
const EXTENSION_CHARS: usize = 8;

/// The path that a lease's name means, seen from a directory; `None` if the name is not a path. `.` and a slash at the end
/// are left out. A path in the home directory (`~/`) is left for the daemon to complete.
pub fn lease_path(name: &str, here: &Path) -> Option<PathBuf> {
    let is_home = name == "~" || name.starts_with("~/");
    let path = || if is_home { name.into() } else { here.join(name).components().collect() };
    (is_path(name) || is_in(here, name)).then(path)
}

/// Whether a name is a path by its syntax: it begins as a path, contains a slash or looks like the name of a file. Any
/// other name with a colon or a space, such as `port:3000` or `branch:feature/login`, is not.
fn is_path(name: &str) -> bool {
    let is_word = !name.contains(|c: char| c == ':' || c.is_whitespace());
    let begins_as_path = name.starts_with(['/', '~']) || name.starts_with("./") || name.starts_with("../");
    begins_as_path || (is_word && (name.contains('/') || is_file_name(name)))
}

/// Whether a file or directory of this name exists in a directory, such as `Makefile`. A name with a colon never means
/// one, so that there is always a name that is not a path.
fn is_in(here: &Path, name: &str) -> bool {
    !name.contains(':') && here.join(name).symlink_metadata().is_ok()
}

/// Whether a word looks like the name of a file: `.env`, `Cargo.toml`, but not `v1.2` or `release`.
fn is_file_name(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else { return false };
    let is_extension = extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.len() <= EXTENSION_CHARS;
    word == "." || word == ".." || is_extension || (stem.is_empty() && !extension.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_left_out_of_a_plain_path() {
        assert_eq!(plain(Path::new("/src/app/../x/./y/")), Path::new("/src/x/y"));
    }

    #[test]
    fn paths_are_made_absolute_and_other_names_are_left_alone() {
        let path = |name: &str| lease_path(name, Path::new("/src/app"));
        for (name, expected) in [
            ("src/a.rs", "/src/app/src/a.rs"),
            ("./src/a.rs", "/src/app/src/a.rs"),
            ("src/", "/src/app/src"),
            ("./a b", "/src/app/a b"),
            ("../x:y", "/src/app/../x:y"),
            ("/src/app/src/a.rs", "/src/app/src/a.rs"),
            ("Cargo.toml", "/src/app/Cargo.toml"),
            (".env", "/src/app/.env"),
            ("..", "/src/app/.."),
            ("~/notes", "~/notes"),
            ("/a dir/b", "/a dir/b"),
        ] {
            assert_eq!(path(name), Some(expected.into()), "{name}");
        }
        for name in [
            "build",
            "port:3000",
            "v1.2",
            "branch:feature/login",
            "https://host/x",
            "the docs/",
            "task-7",
            "e.g.",
        ] {
            assert_eq!(path(name), None, "{name}");
        }
    }

    #[test]
    fn a_name_without_a_slash_is_a_path_if_such_a_file_exists() {
        let here = std::env::temp_dir().join(format!("fugue-lease-names-{}", std::process::id()));
        std::fs::create_dir_all(here.join("src")).expect("a directory");
        for file in ["Makefile", "My Notes", "port:3000"] {
            std::fs::write(here.join(file), "").expect("a file");
        }
        for name in ["Makefile", "./Makefile", "src/../Makefile"] {
            let path = lease_path(name, &here).map(|path| path.canonicalize().expect("it exists"));
            assert_eq!(path, here.join("Makefile").canonicalize().ok(), "{name}");
        }
        let path = |name: &str| lease_path(name, &here);
        assert_eq!((path("src"), path("src/")), (Some(here.join("src")), Some(here.join("src"))));
        assert_eq!(path("My Notes"), path("./My Notes"));
        assert_eq!((path("Dockerfile"), path("port:3000")), (None, None));
        let _ = std::fs::remove_dir_all(&here);
    }
}
