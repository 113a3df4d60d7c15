//! Paste buffers: what was copied, the newest first. They are files beside the daemon's socket, so that all clients and
//! commands share them, and nothing of them is stored on disk for longer than the machine runs.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fugue_protocol::paths::paste_buffers;
use rustix::fs::{FlockOperation, flock};

/// The number of buffers, as in tmux.
const COUNT: usize = 50;

/// The size of all buffers together, in bytes: a few very long ones, or many short ones.
const BYTES: u64 = 64 << 20;

/// The longest name, in bytes: it becomes part of a file's name.
const NAME: usize = 60;

/// The file of a buffer that is being written.
const UNFINISHED: &str = "unfinished";

/// What is known about a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferInfo {
    /// Its name.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was set.
    pub created: SystemTime,
    number: u64,
    path: PathBuf,
}

/// The buffers of a daemon.
#[derive(Debug, Clone)]
pub struct BufferStore {
    directory: PathBuf,
}

impl BufferStore {
    /// The buffers of the daemon at this socket.
    pub fn of(socket: &Path) -> Self {
        Self { directory: paste_buffers(socket) }
    }

    /// All buffers, the newest first.
    pub fn list(&self) -> Vec<BufferInfo> {
        let entries = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let mut buffers: Vec<_> = entries.filter_map(|entry| info(&entry.path())).collect();
        buffers.sort_by_key(|buffer| std::cmp::Reverse(buffer.number));
        buffers
    }

    /// The content of a buffer; without a name, of the newest.
    pub fn get(&self, name: Option<&str>) -> Option<Vec<u8>> {
        fs::read(self.find(name)?.path).ok()
    }

    /// A buffer; without a name, the newest.
    pub fn find(&self, name: Option<&str>) -> Option<BufferInfo> {
        self.list().into_iter().find(|buffer| name.is_none_or(|name| buffer.name == name))
    }

    /// Sets a buffer, and returns its name; without one, it gets a new name. The oldest ones make room.
    pub fn set(&self, name: Option<&str>, content: &[u8]) -> io::Result<String> {
        let invalid = |name: &&str| name.is_empty() || name.len() > NAME || name.contains(['/', '\0']);
        if name.as_ref().is_some_and(invalid) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "invalid buffer name"));
        }
        let _lock = self.lock()?;
        let buffers = self.list();
        let number = buffers.first().map_or(0, |newest| newest.number + 1);
        let name = name.map_or_else(|| free_name(&buffers), str::to_owned);
        let path = self.directory.join(format!("{number:010}.{name}"));
        self.write(&path, content)?;
        buffers.iter().filter(|buffer| buffer.name == name).for_each(BufferInfo::remove);
        self.make_room();
        Ok(name)
    }

    /// Writes a buffer's file, which is there as a whole or, if the disk is full, not at all.
    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        // Under the lock there is one at a time. Its name is not that of a buffer.
        let unfinished = self.directory.join(UNFINISHED);
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
        let written = file.write_all(content).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Deletes a buffer, or the newest. Returns whether there was one.
    pub fn delete(&self, name: Option<&str>) -> bool {
        let found = self.find(name);
        found.iter().for_each(BufferInfo::remove);
        found.is_some()
    }

    fn make_room(&self) {
        let mut left = BYTES;
        for (at, buffer) in self.list().iter().enumerate() {
            let fits = left.checked_sub(buffer.size);
            // The newest one is kept, however long it is.
            if at > 0 && (at >= COUNT || fits.is_none()) {
                buffer.remove();
            }
            left = fits.unwrap_or_default();
        }
    }

    fn lock(&self) -> io::Result<fs::File> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let directory = fs::File::open(&self.directory)?;
        flock(&directory, FlockOperation::LockExclusive)?;
        Ok(directory)
    }
}

impl BufferInfo {
    fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn info(path: &Path) -> Option<BufferInfo> {
    let (number, name) = path.file_name()?.to_str()?.split_once('.')?;
    let about = fs::metadata(path).ok()?;
    Some(BufferInfo {
        name: name.to_owned(),
        size: about.len(),
        created: about.modified().ok()?,
        number: number.parse().ok()?,
        path: path.to_owned(),
    })
}

/// The next of tmux's names: `buffer0`, `buffer1`, …
fn free_name(buffers: &[BufferInfo]) -> String {
    let numbers = buffers.iter().filter_map(|buffer| buffer.name.strip_prefix("buffer")?.parse::<u64>().ok());
    format!("buffer{}", numbers.max().map_or(0, |highest| highest + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_does_not_fit_on_the_disk_leaves_the_others_as_they_were() {
        let home = tempfile::tempdir().expect("a directory");
        let store = BufferStore::of(&home.path().join("default.sock"));
        store.set(Some("kept"), b"whole").expect("set");
        // Every write to this device fails as on a full disk.
        std::os::unix::fs::symlink("/dev/full", store.directory.join(UNFINISHED)).expect("a link");
        let full = store.set(Some("kept"), b"longer text").expect_err("the disk is full");
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        assert_eq!((store.list().len(), store.get(None)), (1, Some(b"whole".to_vec())));
        store.set(Some("kept"), b"again").expect("there is room again");
        assert_eq!((store.list().len(), store.get(None)), (1, Some(b"again".to_vec())));
    }

    #[test]
    fn the_newest_buffer_comes_first_and_the_oldest_make_room() {
        let home = tempfile::tempdir().expect("a directory");
        let store = BufferStore::of(&home.path().join("default.sock"));
        assert_eq!((store.list(), store.get(None)), (Vec::new(), None));
        for number in 0..=COUNT {
            assert_eq!(
                store.set(None, number.to_string().as_bytes()).expect("set"),
                format!("buffer{number}")
            );
        }
        assert_eq!((store.list().len(), store.get(None)), (COUNT, Some(b"50".to_vec())));
        assert_eq!(store.get(Some("buffer0")), None);
        store.set(Some("buffer7"), b"again").expect("set");
        assert_eq!((store.list().len(), store.get(None)), (COUNT, Some(b"again".to_vec())));
        assert!(store.delete(Some("buffer7")) && !store.delete(Some("buffer7")));
        assert!(store.set(Some("a/b"), b"x").is_err());
        store.set(Some("long"), &vec![b'x'; usize::try_from(BYTES).expect("fits") + 1]).expect("set");
        assert_eq!(store.list().len(), 1, "one long text is kept alone");
    }
}
