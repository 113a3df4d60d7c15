//! Answers to requests that a caller may repeat, because it cannot know whether a daemon that was killed carried them
//! out. An answer is stored before it is sent, in a file beside the socket: the page cache survives a kill, and a
//! request that is made again gets the same answer instead of being carried out twice. Which files there are is known in
//! memory, since hardly any request is made again.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::value::RawValue;

/// Answers that are kept: a caller repeats its request at once, and hundreds of callers are waiting at most.
const MAX_ANSWERS: usize = 256;

/// The size of all answers together. A few of the largest fit.
const MAX_BYTES: u64 = 64 << 20;

/// How long an answer is kept: callers give up long before.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The extension of marks of starts.
const MARK: &str = "begun";

/// The stored answers of a daemon.
#[derive(Debug)]
pub(crate) struct AnswerStore {
    directory: PathBuf,
    /// The marks of starts that an earlier daemon left.
    left_marks: BTreeSet<PathBuf>,
    files: Mutex<StoredFiles>,
}

/// The files in the directory.
#[derive(Debug, Default)]
struct StoredFiles {
    /// Answers, oldest first.
    answers: VecDeque<StoredAnswer>,
    /// The marks of starts.
    marks: BTreeSet<PathBuf>,
}

/// A file in the directory.
#[derive(Debug)]
struct StoredAnswer {
    path: PathBuf,
    bytes: u64,
    at: SystemTime,
}

impl AnswerStore {
    /// Opens the store beside a daemon's socket, with what an earlier daemon left there.
    pub(crate) fn open(socket: &Path) -> Self {
        let directory = socket.with_extension("answers");
        let files = left_in(&directory);
        Self { directory, left_marks: files.marks.clone(), files: Mutex::new(files) }
    }

    /// Returns the answer to the request with this key.
    pub(crate) fn get(&self, key: &str) -> Option<Box<RawValue>> {
        let path = self.path(key);
        if !self.files().answers.iter().any(|answer| answer.path == path) {
            return None;
        }
        let text = fs::read_to_string(path).ok()?;
        let (stored_key, answer) = text.split_once('\n')?;
        // A file that was being written when the daemon was killed is no JSON.
        (stored_key == key).then(|| RawValue::from_string(answer.to_owned()).ok()).flatten()
    }

    /// Stores an answer. Best effort: without it the request may be carried out again after a kill.
    pub(crate) fn put(&self, key: &str, answer: &str) {
        let (path, text) = (self.path(key), format!("{key}\n{answer}"));
        if let Err(why) = self.write(&path, &text) {
            return tracing::warn!("Cannot store an answer in {}: {why}", self.directory.display());
        }
        let mut files = self.files();
        files.answers.push_back(StoredAnswer { path, bytes: text.len() as u64, at: SystemTime::now() });
        files.trim();
    }

    /// Records that the programs of the request with this key are being started. Between that and the journal's entry a
    /// kill leaves no other trace of them.
    pub(crate) fn mark_begun(&self, key: &str) {
        let mark = self.mark(key);
        if let Err(why) = self.write(&mark, "") {
            tracing::warn!("Cannot record the start of a program in {}: {why}", self.directory.display());
        }
        self.files().marks.insert(mark);
    }

    /// Whether an earlier daemon began to start programs for the request with this key.
    pub(crate) fn was_begun_before(&self, key: &str) -> bool {
        let mark = self.mark(key);
        self.left_marks.contains(&mark) && self.files().marks.contains(&mark)
    }

    /// Removes the record of a start: it failed, or is answered.
    pub(crate) fn unmark_begun(&self, key: &str) {
        let mark = self.mark(key);
        if self.files().marks.remove(&mark) {
            let _ = fs::remove_file(mark);
        }
    }

    fn mark(&self, key: &str) -> PathBuf {
        self.path(key).with_extension(MARK)
    }

    /// Removes everything, when the daemon is shut down.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let open = || fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path);
        let mut file = match open() {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
                open()?
            }
            opened => opened?,
        };
        io::Write::write_all(&mut file, text.as_bytes())
    }

    /// The file of a key. Keys may contain anything, so the name is a hash of it (FNV-1a).
    fn path(&self, key: &str) -> PathBuf {
        let hash = |seed: u64| {
            key.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        };
        self.directory.join(format!("{:016x}{:016x}", hash(0xcbf2_9ce4_8422_2325), hash(!0)))
    }

    fn files(&self) -> MutexGuard<'_, StoredFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that an earlier daemon left in a directory.
fn left_in(directory: &Path) -> StoredFiles {
    let found = fs::read_dir(directory).into_iter().flatten().filter_map(|file| {
        let (path, about) = (file.as_ref().ok()?.path(), file.as_ref().ok()?.metadata().ok()?);
        Some(StoredAnswer { path, bytes: about.len(), at: about.modified().ok()? })
    });
    let (marks, mut answers): (Vec<_>, Vec<_>) = found.partition(|file| is_mark(&file.path));
    answers.sort_by_key(|answer| answer.at);
    let (old, marks): (Vec<_>, Vec<_>) = marks.into_iter().partition(StoredAnswer::is_old);
    old.iter().for_each(|mark| drop(fs::remove_file(&mark.path)));
    let marks = marks.into_iter().map(|mark| mark.path).collect();
    let mut files = StoredFiles { answers: answers.into(), marks };
    files.trim();
    files
}

fn is_mark(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == MARK)
}

impl StoredAnswer {
    fn is_old(&self) -> bool {
        self.at.elapsed().is_ok_and(|age| age > MAX_AGE)
    }
}

impl StoredFiles {
    /// Removes the oldest answers until the rest is within the limits.
    fn trim(&mut self) {
        let mut bytes: u64 = self.answers.iter().map(|answer| answer.bytes).sum();
        while let Some(oldest) = self.answers.front()
            && (self.answers.len() > MAX_ANSWERS || bytes > MAX_BYTES || oldest.is_old())
        {
            let _ = fs::remove_file(&oldest.path);
            bytes -= oldest.bytes;
            self.answers.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_survives_the_daemon_and_old_ones_are_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("default.sock");
        let store = AnswerStore::open(&socket);
        for number in 0..=MAX_ANSWERS {
            store.put(&format!("key {number}"), &number.to_string());
        }
        let answer = |store: &AnswerStore, key: &str| store.get(key).map(|answer| answer.get().to_owned());
        let next = AnswerStore::open(&socket);
        for store in [&store, &next] {
            assert_eq!(answer(store, "key 0"), None, "one too many");
            assert_eq!(answer(store, "key 1").as_deref(), Some("1"));
            assert_eq!(answer(store, "another key"), None);
        }
        store.mark_begun("a key");
        assert!(!store.was_begun_before("a key"), "this daemon began it");
        let next = AnswerStore::open(&socket);
        assert!(next.was_begun_before("a key"), "an earlier one did");
        next.unmark_begun("a key");
        assert!(!next.was_begun_before("a key"));
        assert!(!AnswerStore::open(&socket).was_begun_before("a key"));
        next.remove();
        assert_eq!(answer(&next, "key 1"), None);
    }
}
