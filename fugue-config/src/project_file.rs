//! A project's file, `.fugue.toml`: the commands that it names for worktrees, and whether the user trusts it. The rest of
//! the file, the project's layout, is read by the command line.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::regular_file::read_regular_text;

/// The largest file, in bytes: more than anyone writes by hand.
const LARGEST: u64 = 4 << 20;

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".fugue.toml";

/// The commands for a project's worktrees, run by a shell in the worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorktreeCommands {
    /// Runs in a new worktree before its program is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<String>,
    /// Runs before a worktree is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teardown: Option<String>,
}

/// The reason why the commands of a project's file are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectFileProblem {
    /// The file names commands, but the user does not trust it as it is.
    NotTrusted(PathBuf),
    /// The file cannot be read.
    Unreadable(String),
}

/// The part of the file that is read here.
#[derive(Deserialize)]
struct WorktreeSection {
    #[serde(default)]
    worktree: WorktreeCommands,
}

/// Returns the commands for the worktrees of the project in a directory. `state` is the state directory of the daemon.
pub fn worktree_commands(state: &Path, directory: &Path) -> Result<WorktreeCommands, ProjectFileProblem> {
    let path = directory.join(PROJECT_FILE);
    let unreadable = |why: String| ProjectFileProblem::Unreadable(format!("{}: {why}", path.display()));
    let text = match read_regular_text(&path, LARGEST) {
        Ok(text) => text,
        Err(why) if matches!(why.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(WorktreeCommands::default());
        }
        Err(why) => return Err(unreadable(why.to_string())),
    };
    let section: WorktreeSection =
        toml::from_str(&text).map_err(|why| unreadable(why.message().replace('\n', ", ")))?;
    if section.worktree != WorktreeCommands::default() && !is_trusted(state, &path, &text) {
        return Err(ProjectFileProblem::NotTrusted(path));
    }
    Ok(section.worktree)
}

/// Whether the user trusts a file with this text.
pub fn is_trusted(state: &Path, path: &Path, text: &str) -> bool {
    read_regular_text(&trusted_copy(state, path), LARGEST).is_ok_and(|trusted| trusted == text)
}

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;

/// The part of a longer name that a directory holds. Its name ends in `%+`, which no file's name does.
const PART: usize = LONGEST_NAME - 2;

/// Returns the path of the copy that is kept of a trusted file: beside the state directories of all daemons, named by the
/// file's whole path. A name that is too long for a file is spread over several directories.
pub fn trusted_copy(state: &Path, path: &Path) -> PathBuf {
    named_by_path(state.parent().unwrap_or(state).join("trusted"), path)
}

/// Returns the path of a file in a directory that is named by the whole path of another file.
pub fn named_by_path(mut directory: PathBuf, path: &Path) -> PathBuf {
    let name = encoded(path);
    let mut rest = name.as_str();
    while rest.len() > LONGEST_NAME {
        let (part, more) = rest.split_at(rest.floor_char_boundary(PART));
        directory.push(format!("{part}%+"));
        rest = more;
    }
    directory.push(rest);
    directory
}

/// A path as one name: no two paths have the same.
fn encoded(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += &chunk.valid().replace('%', "%25").replace('/', "%2F");
        chunk.invalid().iter().for_each(|byte| name += &format!("%{byte:02X}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_from_a_file_that_is_trusted_as_it_is() {
        let home = tempfile::tempdir().expect("a directory");
        let (project, state) = (home.path().join("app"), home.path().join("state/default"));
        std::fs::create_dir_all(home.path().join("state/trusted")).expect("a directory");
        std::fs::create_dir_all(&project).expect("a directory");
        let file = project.join(PROJECT_FILE);
        let read = |text: &str| {
            std::fs::write(&file, text).expect("a file");
            worktree_commands(&state, &project)
        };
        assert_eq!(worktree_commands(&state, &project), Ok(WorktreeCommands::default()), "no file");
        assert_eq!(read("session = \"app\"\n"), Ok(WorktreeCommands::default()), "no commands");
        let text = "[worktree]\nsetup = \"make\"\n";
        assert_eq!(read(text), Err(ProjectFileProblem::NotTrusted(file.clone())));
        std::fs::write(trusted_copy(&state, &file), text).expect("a copy");
        assert_eq!(read(text).map(|commands| commands.setup), Ok(Some("make".into())));
        assert_eq!(read("[worktree]\nsetup = \"rm\"\n"), Err(ProjectFileProblem::NotTrusted(file.clone())));
        assert!(matches!(read("[worktree]\nset_up = 1\n"), Err(ProjectFileProblem::Unreadable(_))));
    }

    #[test]
    fn every_path_has_a_copy_of_its_own_however_long_it_is() {
        use std::os::unix::ffi::OsStrExt;
        let state = Path::new("/state/default");
        let copy = |path: &[u8]| trusted_copy(state, Path::new(std::ffi::OsStr::from_bytes(path)));
        assert_eq!(copy(b"/a%/.fugue.toml"), Path::new("/state/trusted/%2Fa%25%2F.fugue.toml"));
        assert_ne!(copy(b"/\xff"), copy(b"/\xfe"));
        let mut paths: Vec<_> = (200..1_500).map(|length| copy("/é".repeat(length / 3).as_bytes())).collect();
        for copy in &paths {
            let names: Vec<usize> = copy.iter().map(|name| name.len()).collect();
            assert!(names.iter().all(|name| (1..=LONGEST_NAME).contains(name)), "{names:?}");
        }
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), 1_500 / 3 - 200 / 3);
    }
}
