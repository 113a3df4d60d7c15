//! Short answers, in one file with a slot for each: to create a file, or only to open one, costs more than the rest of a
//! short request.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The size of a slot. A page is a multiple of it, so that a kill leaves the old content of a slot or the new one.
const SLOT_BYTES: usize = 1 << 10;

/// The end of a slot: when it was written, in seconds since 1970.
const TIME_BYTES: usize = 16;

/// The longest text that fits into a slot.
pub(super) const TEXT_BYTES: usize = SLOT_BYTES - TIME_BYTES;

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

    /// Writes a text of at most [`TEXT_BYTES`] into a slot.
    pub(super) fn write(&mut self, slot: usize, text: &str, at: SystemTime) -> io::Result<()> {
        let mut bytes = [b' '; SLOT_BYTES];
        let place = bytes[..TEXT_BYTES].get_mut(..text.len()).ok_or(io::ErrorKind::InvalidInput)?;
        place.copy_from_slice(text.as_bytes());
        let seconds = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        bytes[TEXT_BYTES..].copy_from_slice(format!("{seconds:>TIME_BYTES$}").as_bytes());
        self.opened()?.write_all_at(&bytes, (slot * SLOT_BYTES) as u64)
    }

    /// Overwrites a slot, if there is a file.
    pub(super) fn erase(&mut self, slot: usize) {
        if let Some(file) = &self.file {
            let _ = file.write_all_at(&[b' '; SLOT_BYTES], (slot * SLOT_BYTES) as u64);
        }
    }

    /// The text in a slot, with blanks after it, and when it was written.
    pub(super) fn read(&self, slot: usize) -> Option<(String, SystemTime)> {
        let mut bytes = vec![0; SLOT_BYTES];
        self.file.as_ref()?.read_exact_at(&mut bytes, (slot * SLOT_BYTES) as u64).ok()?;
        let seconds = str::from_utf8(&bytes[TEXT_BYTES..]).ok()?.trim().parse().ok()?;
        bytes.truncate(TEXT_BYTES);
        let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
        Some((String::from_utf8(bytes).ok()?, at))
    }

    /// Opens the file that an earlier daemon left.
    pub(super) fn open_left(&mut self) {
        self.file = fs::OpenOptions::new().read(true).write(true).open(&self.path).ok();
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
