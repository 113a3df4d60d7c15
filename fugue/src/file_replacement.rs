//! Replacing a file in one step: a reader never sees half of it, and what another program wrote in the meantime is not
//! lost.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use fugue_client::random_key;
use fugue_config::read_regular;
use rustix::fs::{CWD, FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

/// The largest file that is replaced, in bytes: Claude Code keeps its history in one of them.
pub(crate) const LARGEST: u64 = 64 << 20;

/// Why a file was not replaced.
#[derive(Debug)]
pub(crate) enum NotReplaced {
    /// Another program has changed it.
    Changed,
    /// It cannot be written.
    Failed(io::Error),
}

impl From<io::Error> for NotReplaced {
    fn from(why: io::Error) -> Self {
        Self::Failed(why)
    }
}

/// Replaces a file whose text is still `before`, or creates it if there was none. Where the path is a link, the file it
/// leads to is replaced. The new file and the one at the path are exchanged in one step, and only then it is decided
/// whether that one may go: nothing can be written between a last look and the replacement.
pub(crate) fn replace(path: &Path, before: Option<&str>, after: &str) -> Result<(), NotReplaced> {
    with_temporary(path, after, |temporary, path| {
        if read(path)?.as_deref() != before.map(str::as_bytes) {
            return Err(NotReplaced::Changed);
        }
        let flags = if before.is_some() { RenameFlags::EXCHANGE } else { RenameFlags::NOREPLACE };
        match renameat_with(CWD, temporary, CWD, path, flags) {
            Ok(()) if before.is_none() => return Ok(()),
            Ok(()) => {}
            Err(Errno::EXIST | Errno::NOENT) => return Err(NotReplaced::Changed),
            // Not every file system can do this.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => return Ok(fs::rename(temporary, path)?),
            Err(why) => return Err(io::Error::from(why).into()),
        }
        if read(temporary)?.as_deref() == before.map(str::as_bytes) {
            return Ok(fs::remove_file(temporary)?);
        }
        fs::rename(temporary, path)?;
        Err(NotReplaced::Changed)
    })
}

/// Replaces a file, whatever is in it.
pub(crate) fn overwrite(path: &Path, text: &str) -> io::Result<()> {
    with_temporary(path, text, |temporary, path| fs::rename(temporary, path))
}

/// Writes a text to a new file beside the one that a path leads to, and has it put in its place.
fn with_temporary<E: From<io::Error>>(
    path: &Path,
    text: &str,
    put: impl FnOnce(&Path, &Path) -> Result<(), E>,
) -> Result<(), E> {
    let path = target(path);
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let temporary = directory.join(random_key(".fugue"));
    let done = write_new(&temporary, &path, text).map_err(E::from).and_then(|()| put(&temporary, &path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// The bytes of a file; none if there is no file.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match read_regular(path, LARGEST) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

/// Keeps other commands of fugue from replacing a file until the result is dropped: what one reads, another must not
/// change before it is written. The directory is locked, since the file itself is replaced.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    let path = target(path);
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory)?;
    let directory = File::open(directory)?;
    rustix::io::retry_on_intr(|| flock(&directory, FlockOperation::LockExclusive))?;
    Ok(directory)
}

/// The file that a path leads to.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Writes a file with the mode and the owner of the one that it will replace.
fn write_new(temporary: &Path, replaced: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(temporary)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(replaced) {
        let new = file.metadata()?;
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()))?;
        }
        file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_if_it_is_as_it_was_read() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("settings.json");
        let text = || fs::read_to_string(&path).ok();
        assert!(matches!(replace(&path, Some("gone"), "ours"), Err(NotReplaced::Changed)));
        replace(&path, None, "first").expect("created");
        for before in [None, Some(""), Some("other")] {
            assert!(matches!(replace(&path, before, "ours"), Err(NotReplaced::Changed)), "{before:?}");
            assert_eq!(text().as_deref(), Some("first"));
        }
        replace(&path, Some("first"), "second").expect("replaced");
        assert_eq!(text().as_deref(), Some("second"));
        assert_eq!(fs::read_dir(home.path()).expect("a list").count(), 1, "nothing is left over");
    }

    #[test]
    fn what_another_program_writes_at_the_same_time_is_not_lost() {
        let home = tempfile::tempdir().expect("a directory");
        let (path, new) = (home.path().join("settings.json"), home.path().join("new"));
        fs::write(&path, "0").expect("a file");
        for number in 1..300 {
            fs::write(&new, number.to_string()).expect("a file");
            let before = (number - 1).to_string();
            std::thread::scope(|scope| {
                scope.spawn(|| replace(&path, Some(&before), "ours"));
                scope.spawn(|| fs::rename(&new, &path).expect("another program replaces the file"));
            });
            assert_eq!(fs::read_to_string(&path).expect("the file"), number.to_string());
        }
    }
}
