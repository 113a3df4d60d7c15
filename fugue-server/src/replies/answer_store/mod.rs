//! Answers to requests that a caller may repeat, because it cannot know whether a daemon that was killed carried them
//! out. An answer is stored before it is sent, in a file beside the socket: the page cache survives a kill, and a
//! request that is made again gets the same answer instead of being executed twice. Which answers there are is known in
//! memory, since hardly any request is made again.

mod digest;
mod short_answers;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io::{self, BufRead, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

pub(crate) use digest::{split_digest, with_digest};
use serde_json::value::RawValue;
use short_answers::{ShortAnswers, TEXT_BYTES};

/// Answers that are kept: a caller repeats its request at once, and hundreds of callers are waiting at most.
const MAX_ANSWERS: usize = 256;

/// The size of all answers together. A few of the largest fit.
const MAX_BYTES: u64 = 64 << 20;

/// How long an answer is kept: callers give up long before.
const MAX_AGE: Duration = Duration::from_secs(600);

/// The extension of marks of starts.
const MARK: &str = "begun";

/// The file of the short answers.
const SHORT: &str = "short";

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
#[derive(Debug)]
struct StoredFiles {
    short: ShortAnswers,
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
    /// Whether it is too long for a slot and has a file of its own.
    is_long: bool,
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
        let (hash, files) = (hash(key), self.files());
        let found = files.answers.iter().rev().find(|answer| answer.hash == hash)?;
        let text = match found.is_long {
            true => fs::read_to_string(long_file(&self.directory, found.number)).ok()?,
            false => files.short.read(slot(found.number))?.0,
        };
        let answer = text.strip_prefix(&first_line(found.number, key))?;
        // A file that was being written when the daemon was killed is no JSON.
        RawValue::from_string(answer.to_owned()).ok()
    }

    /// Stores an answer. Best effort: without it the request may be carried out again after a kill.
    pub(crate) fn put(&self, key: &str, answer: &str) {
        let mut files = self.files();
        let number = files.make_room(&self.directory);
        let text = first_line(number, key) + answer;
        let (is_long, at) = (text.len() > TEXT_BYTES, SystemTime::now());
        if is_long {
            files.short.erase(slot(number));
        }
        let written = self.in_directory(|| match is_long {
            true => write_new(&long_file(&self.directory, number), &text),
            false => files.short.write(slot(number), &text, at),
        });
        if let Err(why) = written {
            // What is left of it would be taken for an answer.
            let _ = fs::remove_file(long_file(&self.directory, number));
            return tracing::warn!("Cannot store an answer in {}: {why}", self.directory.display());
        }
        let bytes = text.len() as u64;
        files.add(StoredAnswer { number, hash: hash(key), is_long, bytes, at });
        files.trim(&self.directory);
    }

    /// Records that the programs of the request with this key are being started. Between that and the journal's entry a
    /// kill leaves no other trace of them. The digest is that of the request.
    pub(crate) fn mark_begun(&self, key: &str, digest: &str) {
        let mark = self.mark(key);
        if let Err(why) = self.in_directory(|| write_new(&mark, digest)) {
            tracing::warn!("Cannot record the start of a program in {}: {why}", self.directory.display());
        }
        self.files().marks.insert(mark);
    }

    /// Whether an earlier daemon began to start programs for the request with this key.
    pub(crate) fn was_begun_before(&self, key: &str) -> bool {
        let mark = self.mark(key);
        self.left_marks.contains(&mark) && self.files().marks.contains(&mark)
    }

    /// The digest of the request with this key for which an earlier daemon began to start programs.
    pub(crate) fn begun_for(&self, key: &str) -> Option<String> {
        let digest = self.was_begun_before(key).then(|| fs::read_to_string(self.mark(key)).ok())?;
        // Earlier versions wrote none.
        digest.filter(|digest| !digest.is_empty())
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
        self.files().answers.clear();
    }

    /// Writes something in the directory, which is created if it is not there.
    fn in_directory(&self, mut write: impl FnMut() -> io::Result<()>) -> io::Result<()> {
        match write() {
            Err(why) if why.kind() == io::ErrorKind::NotFound => {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
                write()
            }
            written => written,
        }
    }

    fn files(&self) -> MutexGuard<'_, StoredFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slot of an answer. When there are as many as are kept, that of the oldest is written over.
fn slot(number: u64) -> usize {
    (number % MAX_ANSWERS as u64) as usize
}

/// The file of an answer that is too long for a slot.
fn long_file(directory: &Path, number: u64) -> PathBuf {
    directory.join(slot(number).to_string())
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path)?;
    io::Write::write_all(&mut file, text.as_bytes())
}

/// The line before an answer.
fn first_line(number: u64, key: &str) -> String {
    format!("{number} {key}\n")
}

/// Whether a text is the answer of this number.
fn is_of(text: &str, number: u64) -> bool {
    text.split_once(' ').is_some_and(|(first, _)| first == number.to_string())
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
    /// The answer in a file of its own that an earlier daemon left.
    fn left_in(path: &Path) -> Option<Self> {
        let file = fs::File::open(path).ok()?;
        let about = file.metadata().ok()?;
        let mut text = String::new();
        io::BufReader::new(file.take(MAX_KEY_BYTES)).read_line(&mut text).ok()?;
        let answer = Self::of(&text, true, about.modified().ok()?)?;
        let is_own = path == long_file(path.parent()?, answer.number);
        is_own.then_some(Self { bytes: about.len(), ..answer })
    }

    /// Parses a stored answer.
    fn of(text: &str, is_long: bool, at: SystemTime) -> Option<Self> {
        let (line, _) = text.split_once('\n')?;
        let (number, key) = line.split_once(' ')?;
        let bytes = text.trim_end().len() as u64;
        Some(Self { number: number.parse().ok()?, hash: hash(key), is_long, bytes, at })
    }
}

impl StoredFiles {
    /// The files that an earlier daemon left in a directory. Those that are neither answers nor recent marks are removed.
    fn left_in(directory: &Path) -> Self {
        let short = ShortAnswers::at(directory.join(SHORT));
        let (answers, marks) = (VecDeque::new(), BTreeSet::new());
        let mut files = Self { short, answers, next_number: 0, bytes: 0, marks };
        let mut answers: Vec<_> = files.short_left();
        let paths = fs::read_dir(directory).into_iter().flatten().filter_map(|file| Some(file.ok()?.path()));
        for path in paths.filter(|path| path.file_name().is_none_or(|name| name != SHORT)) {
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
        let newest = answers.last().map_or(0, |newest| newest.number);
        answers.into_iter().for_each(|answer| files.add(answer));
        // An older one in the same slot, which the newer one should have replaced.
        while let Some(oldest) =
            files.answers.pop_front_if(|oldest| oldest.number + MAX_ANSWERS as u64 <= newest)
        {
            files.forget(&oldest, directory);
        }
        files.trim(directory);
        files
    }

    /// The short answers that an earlier daemon left.
    fn short_left(&mut self) -> Vec<StoredAnswer> {
        self.short.open_left();
        let answer = |at| {
            let (text, written) = self.short.read(at)?;
            StoredAnswer::of(&text, false, written).filter(|answer| slot(answer.number) == at)
        };
        (0..MAX_ANSWERS).filter_map(answer).collect()
    }

    /// The number of a new answer. The oldest one makes room for it if there are as many as are kept.
    fn make_room(&mut self, directory: &Path) -> u64 {
        let number = self.next_number;
        let is_full = |oldest: &mut StoredAnswer| oldest.number + MAX_ANSWERS as u64 <= number;
        if let Some(oldest) = self.answers.pop_front_if(is_full) {
            self.bytes -= oldest.bytes;
            // A slot is written over.
            if oldest.is_long {
                let _ = fs::remove_file(long_file(directory, oldest.number));
            }
        }
        number
    }

    /// Removes an answer that is not kept any more from the disk.
    fn forget(&mut self, answer: &StoredAnswer, directory: &Path) {
        self.bytes -= answer.bytes;
        if answer.is_long {
            let _ = fs::remove_file(long_file(directory, answer.number));
        } else if self.short.read(slot(answer.number)).is_some_and(|(text, _)| is_of(&text, answer.number)) {
            self.short.erase(slot(answer.number));
        }
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
            && let Some(oldest) = self.answers.pop_front()
        {
            self.forget(&oldest, directory);
        }
    }
}
