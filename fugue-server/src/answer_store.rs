//! Answers to requests that a caller may repeat, because it cannot know whether a daemon that was killed carried them
//! out. An answer is stored before it is sent, in a file beside the socket: the page cache survives a kill, and a
//! request that is made again gets the same answer instead of being executed twice. Which files there are is known in
//! memory, since hardly any request is made again.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::{self, BufRead, Read};
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

/// The longest file that is written over: a page, of which a kill leaves the old text or the new one.
const MAX_REPLACED: u64 = 4 << 10;

/// The most bytes of a file that are read to find the key in it.
const MAX_KEY_BYTES: u64 = 4 << 10;

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
    /// The number of the next answer.
    next_number: u64,
    /// The size of all answers.
    bytes: u64,
    /// The marks of starts.
    marks: BTreeSet<PathBuf>,
}

/// An answer in the directory.
#[derive(Debug)]
struct StoredAnswer {
    number: u64,
    /// The hash of its key.
    hash: u128,
    bytes: u64,
    at: SystemTime,
}

impl AnswerStore {
    /// Opens the store beside a daemon's socket, with what an earlier daemon left there.
    pub(crate) fn open(socket: &Path) -> Self {
        let directory = socket.with_extension("answers");
        let files = StoredFiles::left_in(&directory);
        Self { directory, left_marks: files.marks.clone(), files: Mutex::new(files) }
    }

    /// Returns the answer to the request with this key.
    pub(crate) fn get(&self, key: &str) -> Option<Box<RawValue>> {
        let hash = hash(key);
        let number = self.files().answers.iter().rev().find(|answer| answer.hash == hash)?.number;
        let text = fs::read_to_string(answer_file(&self.directory, number)).ok()?;
        let answer = text.strip_prefix(&first_line(number, key))?;
        // A file that was being written when the daemon was killed is no JSON.
        RawValue::from_string(answer.to_owned()).ok()
    }

    /// Stores an answer. Best effort: without it the request may be carried out again after a kill.
    pub(crate) fn put(&self, key: &str, answer: &str) {
        let mut files = self.files();
        let (number, replaced_bytes) = files.next_number();
        let file = answer_file(&self.directory, number);
        let mut text = first_line(number, key) + answer;
        if replaced_bytes > MAX_REPLACED {
            let _ = fs::remove_file(&file);
        } else {
            // Blanks over the end of a longer text: to cut the file off makes some file systems write it out.
            let blanks = (replaced_bytes as usize).saturating_sub(text.len());
            text.extend(std::iter::repeat_n(' ', blanks));
        }
        if let Err(why) = self.write(&file, &text) {
            // What is left of it, or of the answer before it, would follow the next one.
            let _ = fs::remove_file(&file);
            return tracing::warn!("Cannot store an answer in {}: {why}", self.directory.display());
        }
        let bytes = text.len() as u64;
        files.add(StoredAnswer { number, hash: hash(key), bytes, at: SystemTime::now() });
        files.trim(&self.directory);
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
        self.directory.join(format!("{:032x}.{MARK}", hash(key)))
    }

    /// Removes everything, when the daemon is shut down.
    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir_all(&self.directory);
    }

    fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        let open = || fs::OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path);
        let mut file = match open() {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
                open()?
            }
            opened => opened?,
        };
        io::Write::write_all(&mut file, text.as_bytes())
    }

    fn files(&self) -> MutexGuard<'_, StoredFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file of an answer. When there are as many as are kept, that of the oldest is written over: to create a file and to
/// remove one costs more than the rest of a short request.
fn answer_file(directory: &Path, number: u64) -> PathBuf {
    directory.join((number % MAX_ANSWERS as u64).to_string())
}

/// The line before an answer.
fn first_line(number: u64, key: &str) -> String {
    format!("{number} {key}\n")
}

/// The hash of a key (FNV-1a, twice). Keys may contain anything.
fn hash(key: &str) -> u128 {
    let hash = |seed: u64| {
        key.bytes().fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    u128::from(hash(0xcbf2_9ce4_8422_2325)) << 64 | u128::from(hash(!0))
}

fn is_old(at: SystemTime) -> bool {
    at.elapsed().is_ok_and(|age| age > MAX_AGE)
}

impl StoredAnswer {
    /// The answer in a file that an earlier daemon left.
    fn left_in(path: &Path) -> Option<Self> {
        let file = fs::File::open(path).ok()?;
        let about = file.metadata().ok()?;
        let mut line = String::new();
        io::BufReader::new(file.take(MAX_KEY_BYTES)).read_line(&mut line).ok()?;
        let (number, key) = line.strip_suffix('\n')?.split_once(' ')?;
        let number = number.parse().ok()?;
        let is_own = path == answer_file(path.parent()?, number);
        is_own.then_some(Self { number, hash: hash(key), bytes: about.len(), at: about.modified().ok()? })
    }
}

impl StoredFiles {
    /// The files that an earlier daemon left in a directory. Those that are neither answers nor recent marks are removed.
    fn left_in(directory: &Path) -> Self {
        let (mut files, mut answers) = (Self::default(), Vec::new());
        for path in fs::read_dir(directory).into_iter().flatten().filter_map(|file| Some(file.ok()?.path())) {
            let modified = || path.metadata().and_then(|file| file.modified());
            if path.extension().is_some_and(|extension| extension == MARK)
                && modified().is_ok_and(|at| !is_old(at))
            {
                files.marks.insert(path);
            } else if let Some(answer) = StoredAnswer::left_in(&path) {
                answers.push(answer);
            } else {
                let _ = fs::remove_file(path);
            }
        }
        answers.sort_by_key(|answer| answer.number);
        answers.into_iter().for_each(|answer| files.add(answer));
        files.trim(directory);
        files
    }

    /// The number of a new answer, and the size of the file that it replaces. The oldest answer makes room for it if there
    /// are as many as are kept.
    fn next_number(&mut self) -> (u64, u64) {
        let number = self.next_number;
        let is_full = |oldest: &StoredAnswer| oldest.number + MAX_ANSWERS as u64 <= number;
        let replaced = self.answers.pop_front_if(|oldest| is_full(oldest)).map_or(0, |oldest| oldest.bytes);
        self.bytes -= replaced;
        (number, replaced)
    }

    fn add(&mut self, answer: StoredAnswer) {
        self.bytes += answer.bytes;
        self.next_number = answer.number + 1;
        self.answers.push_back(answer);
    }

    /// Removes the oldest answers until the rest is within the limits.
    fn trim(&mut self, directory: &Path) {
        while let Some(oldest) = self.answers.front()
            && (self.bytes > MAX_BYTES || is_old(oldest.at))
        {
            let _ = fs::remove_file(answer_file(directory, oldest.number));
            self.bytes -= oldest.bytes;
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
        let count = fs::read_dir(&store.directory).expect("the directory").count();
        assert_eq!(count, MAX_ANSWERS, "the oldest file is written over");
        let next = AnswerStore::open(&socket);
        for store in [&store, &next] {
            assert_eq!(answer(store, "key 0"), None, "one too many");
            assert_eq!(answer(store, "key 1").as_deref(), Some("1"));
            assert_eq!(answer(store, "another key"), None);
        }
        next.put("one more", "1");
        let next = AnswerStore::open(&socket);
        assert_eq!(answer(&next, "key 1"), None, "the oldest after those of the earlier daemon");
        assert_eq!(answer(&next, "key 2").as_deref(), Some("2"));
        store.mark_begun("a key");
        assert!(!store.was_begun_before("a key"), "this daemon began it");
        let next = AnswerStore::open(&socket);
        assert!(next.was_begun_before("a key"), "an earlier one did");
        next.unmark_begun("a key");
        assert!(!next.was_begun_before("a key"));
        assert!(!AnswerStore::open(&socket).was_begun_before("a key"));
        next.remove();
        assert_eq!(answer(&next, "key 2"), None);
    }

    #[test]
    fn files_that_are_no_answers_are_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let socket = directory.path().join("default.sock");
        let store = AnswerStore::open(&socket);
        store.put("key", "1");
        for (name, text) in [("7", "8 key of another file\n1"), ("0123", "an earlier format\n1"), ("1", "")] {
            fs::write(store.directory.join(name), text).expect("written");
        }
        let next = AnswerStore::open(&socket);
        assert_eq!(next.get("key").map(|answer| answer.get().to_owned()).as_deref(), Some("1"));
        assert_eq!(fs::read_dir(&store.directory).expect("the directory").count(), 1);
    }

    #[test]
    fn a_short_answer_replaces_a_longer_one_and_large_ones_are_removed() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = AnswerStore::open(&directory.path().join("default.sock"));
        let large = format!("\"{}\"", "x".repeat(MAX_BYTES as usize / 2));
        for number in 0..MAX_ANSWERS {
            store.put(&format!("key {number}"), "\"a longer answer\"");
        }
        store.put("short", "1");
        assert_eq!(store.get("short").map(|answer| answer.get().to_owned()).as_deref(), Some("1"));
        store.put("first", &large);
        store.put("second", &large);
        assert!(store.get("first").is_none() && store.get("second").is_some());
        assert_eq!(fs::read_dir(&store.directory).expect("the directory").count(), 1);
    }
}
