//! Short answers, in one file with a slot for each: to create a file, or only to open one, costs more than the rest of a
//! short request.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::SystemTime;

/// The size of a slot. A page is a multiple of it, so that a kill leaves the old text of a slot or the new one.
pub(super) const SLOT_BYTES: usize = 1 << 10;

/// The file, which is created with the first answer.
#[derive(Debug)]
pub(super) struct ShortAnswers {
    path: PathBuf,
    file: Option<File>,
}

impl ShortAnswers {
    /// The file at this path.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// Writes a text of at most [`SLOT_BYTES`] into a slot.
    pub(super) fn write(&mut self, slot: usize, text: &str) -> io::Result<()> {
        let mut bytes = [b' '; SLOT_BYTES];
        let place = bytes.get_mut(..text.len()).ok_or(io::ErrorKind::InvalidInput)?;
        place.copy_from_slice(text.as_bytes());
        self.opened()?.write_all_at(&bytes, (slot * SLOT_BYTES) as u64)
    }

    /// The text in a slot, with blanks after it.
    pub(super) fn read(&self, slot: usize) -> Option<String> {
        let mut bytes = vec![0; SLOT_BYTES];
        self.file.as_ref()?.read_exact_at(&mut bytes, (slot * SLOT_BYTES) as u64).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Opens the file that an earlier daemon left, and returns when it was written last.
    pub(super) fn open_left(&mut self) -> Option<SystemTime> {
        let file = fs::OpenOptions::new().read(true).write(true).open(&self.path).ok()?;
        let modified = file.metadata().and_then(|about| about.modified()).ok()?;
        self.file = Some(file);
        Some(modified)
    }

    /// The file; a new one, if somebody removed it.
    fn opened(&mut self) -> io::Result<&File> {
        let is_there = |file: &File| file.metadata().is_ok_and(|about| about.nlink() > 0);
        let file = match self.file.take().filter(is_there) {
            Some(file) => file,
            None => {
                let mut options = fs::OpenOptions::new();
                options.create(true).truncate(false).read(true).write(true).mode(0o600).open(&self.path)?
            }
        };
        Ok(self.file.insert(file))
    }
}
