//! The link named `tmux`, which leads programs that drive tmux to fugue, and the variables that such programs expect.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use fugue_core::TmuxNumbers;

/// Tells shells the directory of the link, which their startup files put in front of `PATH` again if the user's files
/// set `PATH` anew.
const DIRECTORY: &str = "FUGUE_TMUX_LINK";

/// Returns the directory of the link, beside a daemon's socket.
pub fn directory(socket: &Path) -> PathBuf {
    socket.with_extension("tmux-bin")
}

/// Makes a link named `tmux` that leads to this program, and returns its directory.
pub fn install(socket: &Path) -> io::Result<PathBuf> {
    let directory = directory(socket);
    std::fs::create_dir_all(&directory)?;
    let (link, this) = (directory.join("tmux"), std::env::current_exe()?);
    if !std::fs::read_link(&link).is_ok_and(|leads_to| leads_to == this) {
        // Moved into place, so that `tmux` is there at any time.
        let new = directory.join(format!("tmux.{}", std::process::id()));
        let _ = std::fs::remove_file(&new);
        std::os::unix::fs::symlink(this, &new)?;
        std::fs::rename(&new, &link)?;
    }
    Ok(directory)
}

/// Returns a search path that begins with this directory.
pub fn search_path(directory: &Path, path: &OsStr) -> OsString {
    let others = std::env::split_paths(path).filter(|other| other != directory);
    let all = [directory.to_owned()].into_iter().chain(others);
    std::env::join_paths(all).unwrap_or_else(|_| path.to_owned())
}

/// Returns the value of `TMUX`: socket, daemon and session.
pub fn tmux_variable(socket: &Path, daemon: u32, session: u64) -> OsString {
    let mut value = socket.as_os_str().to_owned();
    value.push(format!(",{daemon},{session}"));
    value
}

/// Returns the variables of a program that finds the link.
pub(crate) fn variables(
    directory: &Path,
    socket: &Path,
    numbers: TmuxNumbers,
    path: &OsStr,
) -> [(&'static str, OsString); 4] {
    [
        ("PATH", search_path(directory, path)),
        ("TMUX", tmux_variable(socket, std::process::id(), numbers.session)),
        ("TMUX_PANE", format!("%{}", numbers.pane).into()),
        (DIRECTORY, directory.into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_finds_the_link_first_and_its_pane() {
        let numbers = TmuxNumbers { pane: 3, session: 1 };
        let path = OsStr::new("/usr/bin:/x:/bin");
        let variables = variables(Path::new("/x"), Path::new("/run/s"), numbers, path);
        let text = |at: usize| variables[at].1.to_string_lossy().into_owned();
        assert_eq!(text(0), "/x:/usr/bin:/bin");
        assert_eq!(text(1), format!("/run/s,{},1", std::process::id()));
        assert_eq!(text(2), "%3");
    }
}
