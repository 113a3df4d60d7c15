//! Records of the input that requests type into a pane, in files beside the socket. Each holds the bytes, how many of them
//! the program has, and what is to happen then. If the daemon is killed, the next one continues exactly there, so that a
//! text is never left without its Enter.

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use fugue_protocol::RunId;
use serde::{Deserialize, Serialize};

use crate::pane::shell::shell_prompt::MarkOrigin;

/// The bytes of the progress at the start of a record: two numbers, written with one system call.
const PROGRESS_BYTES: usize = 16;

/// The longest record whose file is used again: a page, of which a kill leaves the old record or the new one.
const MAX_FREE: usize = 4 << 10;

/// The input records of a pane. There is one for each request whose input is not delivered and answered yet; what is
/// queued for a pane is bounded, and so are they.
pub(crate) struct InputRecords {
    directory: PathBuf,
    last_number: u64,
    free: Rc<FreeFile>,
}

/// A file without a record that the next one can use, and its number: to create a file and to remove it costs more than
/// the rest of a short request.
type FreeFile = RefCell<Option<(u64, File)>>;

/// The record of one request's input. Dropping it clears the file or removes it: everything is done.
pub(crate) struct InputRecord {
    number: u64,
    path: PathBuf,
    /// None once it is dropped.
    file: Option<File>,
    /// The size of the file.
    length: usize,
    /// Gone if the pane is.
    free: Weak<FreeFile>,
    pub(crate) intent: InputIntent,
}

/// What is to be typed, and what is to happen then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InputIntent {
    /// The key under which the caller may repeat the request.
    pub(crate) key: Option<String>,
    /// The number of bytes that are typed before the program gets time to read them. Those after it are Enter.
    pub(crate) text_bytes: usize,
    /// The number of all bytes.
    pub(crate) bytes: usize,
    /// The end of the text, by which it is recognized on the screen.
    pub(crate) end: String,
    pub(crate) by_agent: bool,
    /// The end of the pane's text when the request was made.
    pub(crate) cursor: String,
    /// Whether the text is submitted.
    pub(crate) submit: bool,
    /// Whether it is a notification, which is submitted only if the input field is seen to hold it.
    #[serde(default)]
    pub(crate) is_notification: bool,
    /// The command that is run by typing this.
    pub(crate) command: Option<TypedCommand>,
}

/// A command that was typed at a shell's prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TypedCommand {
    /// The position at which it was typed.
    pub(crate) line: u64,
    pub(crate) offset: usize,
    pub(crate) by: MarkOrigin,
}

/// A record that an earlier daemon left.
pub(crate) struct LeftRecord {
    pub(crate) record: Rc<InputRecord>,
    /// All bytes.
    pub(crate) bytes: Vec<u8>,
    /// How many of them the program has.
    pub(crate) taken: usize,
    /// The end of the write that was in progress: if it is beyond `taken`, whether those bytes arrived is unknown.
    pub(crate) begun: usize,
}

impl InputRecords {
    /// The records of a run, in a directory for all of them.
    pub(crate) fn new(directory: &Path, run: RunId) -> Self {
        Self { directory: directory.join(run.to_string()), last_number: 0, free: Rc::default() }
    }

    /// Creates a record. Best effort: without one, the input is typed all the same.
    pub(crate) fn create(&mut self, intent: InputIntent, bytes: &[u8]) -> Option<Rc<InputRecord>> {
        let (number, free) = self.next_number();
        let path = self.file(number);
        match write_record(&path, free, &intent, bytes) {
            Ok((file, length)) => {
                let free = Rc::downgrade(&self.free);
                Some(Rc::new(InputRecord { number, path, file: Some(file), length, free, intent }))
            }
            Err(why) => {
                // A part of it must not be taken for a record.
                let _ = fs::remove_file(&path);
                tracing::warn!("Cannot record input in {}: {why}", self.directory.display());
                None
            }
        }
    }

    /// The number of the next record, and its file if there is one. The next daemon continues in the order of the numbers,
    /// so a free file is used only if no record has a larger one.
    fn next_number(&mut self) -> (u64, Option<File>) {
        match self.free.take() {
            Some((free, file)) if free == self.last_number => return (free, Some(file)),
            Some((free, _)) => drop(fs::remove_file(self.file(free))),
            None => {}
        }
        self.last_number += 1;
        (self.last_number, None)
    }

    fn file(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:016x}"))
    }

    /// Reads the records that an earlier daemon left, oldest first. One that was not complete when it was killed was
    /// not begun either, and is removed.
    pub(crate) fn take_left(&mut self) -> Vec<LeftRecord> {
        let files = fs::read_dir(&self.directory).into_iter().flatten();
        let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
        paths.sort();
        let number = paths.last().and_then(|path| u64::from_str_radix(path.file_name()?.to_str()?, 16).ok());
        self.last_number = number.unwrap_or(0);
        let read = |path: PathBuf| read_record(&path).inspect_err(|_| drop(fs::remove_file(&path))).ok();
        paths.into_iter().filter_map(read).collect()
    }
}

impl Drop for InputRecords {
    fn drop(&mut self) {
        if let Some((free, _)) = self.free.take() {
            let _ = fs::remove_file(self.file(free));
        }
        // Fails if the next daemon is to find records in it.
        let _ = fs::remove_dir(&self.directory);
    }
}

/// Removes the records of runs that no longer exist.
pub(crate) fn remove_except(directory: &Path, runs: &[RunId]) {
    let known: Vec<_> = runs.iter().map(RunId::to_string).collect();
    for found in fs::read_dir(directory).into_iter().flatten().flatten() {
        if !known.iter().any(|run| found.file_name() == run.as_str()) {
            let _ = fs::remove_dir_all(found.path());
        }
    }
}

/// Writes a record into a free file or a new one. Returns it with its size.
fn write_record(
    path: &Path,
    free: Option<File>,
    intent: &InputIntent,
    bytes: &[u8],
) -> io::Result<(File, usize)> {
    let create = || OpenOptions::new().create_new(true).read(true).write(true).mode(0o600).open(path);
    let file = match free.map_or_else(create, Ok) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            let directory = path.parent().unwrap_or(path);
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            create()?
        }
        opened => opened?,
    };
    let mut content = vec![0; PROGRESS_BYTES];
    content.extend(serde_json::to_vec(intent)?);
    content.push(b'\n');
    content.extend_from_slice(bytes);
    file.write_all_at(&content, 0)?;
    Ok((file, content.len()))
}

/// Reads a record that an earlier daemon left. Its file is removed with it.
fn read_record(path: &Path) -> io::Result<LeftRecord> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    let content = fs::read(path)?;
    let incomplete = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let (progress, rest) = content.split_at_checked(PROGRESS_BYTES).ok_or_else(incomplete)?;
    let end = rest.iter().position(|byte| *byte == b'\n').ok_or_else(incomplete)?;
    let intent: InputIntent = serde_json::from_slice(&rest[..end])?;
    // What is left of an earlier record in the file may follow.
    let bytes = rest[end + 1..].get(..intent.bytes).ok_or_else(incomplete)?.to_vec();
    let number =
        |at: usize| progress[at..at + 8].iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte));
    let (taken, begun) = (number(0).min(bytes.len()), number(8).min(bytes.len()));
    let record = Rc::new(InputRecord {
        number: 0,
        path: path.to_owned(),
        file: Some(file),
        length: content.len(),
        free: Weak::new(),
        intent,
    });
    Ok(LeftRecord { record, bytes, taken, begun })
}

impl InputRecord {
    /// The receipt for the bytes from this one on.
    pub(crate) fn receipt(self: &Rc<Self>, taken: usize) -> RecordReceipt {
        RecordReceipt { record: Rc::clone(self), taken }
    }
}

impl Drop for InputRecord {
    fn drop(&mut self) {
        let free = self.free.upgrade().filter(|_| self.length <= MAX_FREE);
        // Zeros instead of cutting the file off, which makes some file systems write it out.
        let zeros = &[0; MAX_FREE][..self.length.min(MAX_FREE)];
        let cleared = self.file.take().filter(|file| free.is_some() && file.write_all_at(zeros, 0).is_ok());
        match (free, cleared) {
            (Some(free), Some(file)) if free.borrow().is_none() => {
                *free.borrow_mut() = Some((self.number, file));
            }
            _ => drop(fs::remove_file(&self.path)),
        }
    }
}

/// A receipt for bytes of a record that are queued together.
pub(crate) struct RecordReceipt {
    record: Rc<InputRecord>,
    taken: usize,
}

impl RecordReceipt {
    /// Records that a write of this many bytes begins.
    pub(crate) fn begin(&self, bytes: usize) {
        self.write(self.taken + bytes);
    }

    /// Records that the write ended after this many bytes.
    pub(crate) fn end(&mut self, bytes: usize) {
        self.taken += bytes;
        self.write(self.taken);
    }

    fn write(&self, begun: usize) {
        let mut progress = [0; PROGRESS_BYTES];
        progress[..8].copy_from_slice(&(self.taken as u64).to_le_bytes());
        progress[8..].copy_from_slice(&(begun as u64).to_le_bytes());
        if let Some(file) = &self.record.file {
            let _ = file.write_all_at(&progress, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_daemon_finds_the_bytes_and_how_many_of_them_arrived() {
        let directory = tempfile::tempdir().expect("a directory");
        let run = RunId::from_bytes([3; 16]);
        let mut records = InputRecords::new(directory.path(), run);
        let intent = InputIntent {
            key: Some("k".into()),
            text_bytes: 4,
            bytes: 5,
            submit: true,
            ..InputIntent::default()
        };
        let record = records.create(intent.clone(), b"text\r").expect("a record");
        let mut receipt = record.receipt(0);
        receipt.begin(3);
        receipt.end(2);
        receipt.begin(2);
        fs::write(record.path.with_file_name("ffff"), "incomplete").expect("written");
        let mut next = InputRecords::new(directory.path(), run);
        let left = next.take_left();
        assert_eq!(left.len(), 1, "a record that was being written is dropped");
        assert_eq!((left[0].taken, left[0].begun, left[0].bytes.as_slice()), (2, 4, b"text\r".as_slice()));
        assert_eq!(left[0].record.intent, intent);
        drop((left, receipt, record, next));
        assert!(!records.directory.exists(), "nothing is left of it");
    }

    #[test]
    fn a_file_is_used_again_only_if_the_order_stays() {
        let directory = tempfile::tempdir().expect("a directory");
        let run = RunId::from_bytes([3; 16]);
        let mut records = InputRecords::new(directory.path(), run);
        let create = |records: &mut InputRecords, text: &str| {
            let intent = InputIntent { bytes: text.len(), ..InputIntent::default() };
            records.create(intent, text.as_bytes()).expect("a record")
        };
        let left = || {
            let mut next = InputRecords::new(directory.path(), run);
            let left = next.take_left().into_iter().map(|left| {
                // Its file stays, as if the daemon that reads it were killed at once.
                let text = String::from_utf8(left.bytes).expect("text");
                std::mem::forget(left.record);
                text
            });
            let texts: Vec<_> = left.collect();
            std::mem::forget(next);
            texts
        };
        let first = create(&mut records, "a long text");
        let path = first.path.clone();
        drop(first);
        assert!(
            fs::read(&path).expect("it is kept").iter().all(|byte| *byte == 0),
            "nothing of the text is left"
        );
        let second = create(&mut records, "short");
        assert_eq!(second.path, path, "it is used again");
        assert_eq!(left(), ["short"]);
        let third = create(&mut records, "third");
        drop(second);
        let fourth = create(&mut records, "fourth");
        assert_eq!(left(), ["third", "fourth"]);
        drop((third, fourth));
        drop(records);
        assert_eq!(fs::read_dir(directory.path()).expect("the directory").count(), 0);
    }

    #[test]
    fn records_of_other_runs_are_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let runs = [1, 2].map(|number| RunId::from_bytes([number; 16]));
        for run in runs {
            let record = InputRecords::new(directory.path(), run).create(InputIntent::default(), b"");
            std::mem::forget(record);
        }
        remove_except(directory.path(), &runs[..1]);
        assert_eq!(InputRecords::new(directory.path(), runs[0]).take_left().len(), 1);
        assert_eq!(InputRecords::new(directory.path(), runs[1]).take_left().len(), 0);
    }
}
