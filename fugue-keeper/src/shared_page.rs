//! A page of memory in a file: what one process stores in it, the next one reads, however the first one ended. A store is
//! a plain instruction, without a system call.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::sys::MappedPage;

/// The number of words in a page.
pub const PAGE_WORDS: usize = 512;

/// A page of memory in a file.
#[derive(Debug)]
pub struct SharedPage(MappedPage);

impl SharedPage {
    /// Opens the page in the file at `path`, which is created if necessary. It should be in a file system in memory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
        reserve(&mut file)?;
        Ok(Self(MappedPage::map(file.as_fd())?))
    }

    /// Reads a word; 0 beyond the end.
    pub fn get(&self, index: usize) -> u64 {
        self.word(index).map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Writes a word, after all words that were written before.
    pub fn set(&self, index: usize, value: u64) {
        if let Some(word) = self.word(index) {
            word.store(value, Ordering::Release);
        }
    }

    fn word(&self, index: usize) -> Option<&AtomicU64> {
        self.0.words().get(index)
    }
}

/// Writes the whole page if the file is shorter: a store into a page for which there is no room would kill the process.
fn reserve(file: &mut File) -> io::Result<()> {
    if file.metadata()?.len() == (PAGE_WORDS * 8) as u64 {
        return Ok(());
    }
    file.set_len(0)?;
    file.write_all(&[0; PAGE_WORDS * 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_stores_the_next_one_reads() {
        let path = std::env::temp_dir().join(format!("fugue-page-{}", std::process::id()));
        let first = SharedPage::open(&path).expect("a page");
        first.set(0, 7);
        first.set(PAGE_WORDS - 1, 9);
        first.set(PAGE_WORDS, 1);
        drop(first);
        let next = SharedPage::open(&path).expect("a page");
        assert_eq!([0, 1, PAGE_WORDS - 1, PAGE_WORDS].map(|index| next.get(index)), [7, 0, 9, 0]);
        std::fs::write(&path, "short").expect("truncated");
        assert_eq!(SharedPage::open(&path).expect("a page").get(0), 0, "a damaged file is emptied");
        std::fs::remove_file(&path).expect("removed");
    }
}
