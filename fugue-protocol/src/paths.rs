//! Paths that both the daemon and its clients know, and paths as callers spell them. Whoever claims a file may spell its
//! path in several ways, and all of them must mean the same lease, so the name of a lease that is a path is made absolute.
//! The syntax alone decides whether it is one: a file that is created later changes no name.

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

/// The directory of the paste buffers, for a daemon with this socket.
pub fn paste_buffers(socket: &Path) -> PathBuf {
    socket.with_extension("buffers")
}

/// A file or directory in which tmux's commands keep what fugue does not have: options, channels, pipes and the mark.
pub fn tmux_state(socket: &Path, name: &str) -> PathBuf {
    socket.with_extension(format!("tmux-{name}"))
}

/// The most characters of a file name's extension; what follows the last dot of a longer word is not one.
const EXTENSION_CHARS: usize = 8;

/// The path that a lease's name means, seen from a directory; `None` if the name is not a path. A path in the home
/// directory (`~/`) is left for the daemon to complete.
pub fn lease_path(name: &str, here: &Path) -> Option<PathBuf> {
    let is_home = name == "~" || name.starts_with("~/");
    is_path(name).then(|| if is_home { name.into() } else { here.join(name) })
}

/// Whether a name is a path: it contains a slash or looks like the name of a file. A name with a colon or a space, such
/// as `port:3000` or `branch:feature/login`, never is.
fn is_path(name: &str) -> bool {
    let is_word = !name.contains(|c: char| c == ':' || c.is_whitespace());
    name.starts_with(['/', '~']) || (is_word && (name.contains('/') || is_file_name(name)))
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
            ("./src/a.rs", "/src/app/./src/a.rs"),
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
}
