//! The daemon's log. The keeper opened the file, and both write to it as their standard error, each line at its end; so
//! the daemon rotates it by copying it and cutting it off, and the keeper need not know. Unsafe characters are escaped.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fugue_protocol::escape;

/// The size at which the log is rotated: some fifty thousand lines.
const MAX_BYTES: u64 = 8 << 20;

/// Older files that are kept. What happened before that no longer explains anything.
const KEPT_FILES: usize = 3;

/// A writer of lines.
#[derive(Clone)]
pub(crate) struct LogFile {
    path: PathBuf,
}

impl LogFile {
    /// The log in a state directory, which standard error writes to. It is rotated if it is too long already.
    pub(crate) fn new(state: &Path) -> Self {
        let log = Self { path: state.join("log") };
        log.rotate_if_long();
        log
    }

    /// Rotates the file if it is long. Lines that the keeper writes between the copy and the cut are lost.
    fn rotate_if_long(&self) {
        let Ok(log) = io::stderr().as_fd().try_clone_to_owned().map(File::from) else { return };
        let Ok(found) = log.metadata() else { return };
        // Standard error may be something else, and the file may be another one by now.
        let is_log = fs::metadata(&self.path).is_ok_and(|named| named.ino() == found.ino());
        if found.len() >= MAX_BYTES && is_log {
            shift(&self.path, KEPT_FILES);
            let older = numbered(&self.path, 1);
            if fs::copy(&self.path, &older).is_err() {
                // Without room for the copy, half a log is worth less than the space.
                let _ = fs::remove_file(&older);
            }
            let _ = log.set_len(0);
        }
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().write_all(escape::escape_lines(&text).as_bytes())?;
        self.rotate_if_long();
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// Renames the older files of a log, so that the name of the newest is free; the oldest is dropped.
pub(crate) fn shift(path: &Path, kept: usize) {
    for number in (1..kept).rev() {
        let _ = fs::rename(numbered(path, number), numbered(path, number + 1));
    }
}

/// The name of an older file of a log.
pub(crate) fn numbered(path: &Path, number: usize) -> PathBuf {
    PathBuf::from(format!("{}.{number}", path.display()))
}
