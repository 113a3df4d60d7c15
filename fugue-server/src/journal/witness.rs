//! The witness: a file of one line with the journal's id and the number of its last append. It shows which of two files
//! belongs to another journal, and that both have lost their last entries.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::checksum::Checksum;
use super::tip::Tip;

/// What the witness says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Testimony {
    pub(super) journal: [u8; 16],
    pub(super) batch: u64,
}

impl Testimony {
    /// Reads the file. One that cannot be read, or is damaged, says nothing.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut words = text.split_whitespace();
        let journal = uuid::Uuid::try_parse(words.next()?).ok()?.into_bytes();
        let found = Self { journal, batch: words.next()?.parse().ok()? };
        (found.line() == text).then_some(found)
    }

    /// A line that is always of the same length, so that it is replaced as a whole.
    fn line(self) -> String {
        let sum = Checksum::default().bytes(self.journal).number(self.batch).finish();
        format!("{} {:020} {sum:08x}\n", uuid::Uuid::from_bytes(self.journal), self.batch)
    }
}

/// The file, open for writing.
pub(super) struct Witness(File);

impl Witness {
    /// Creates the file, or replaces what it says.
    pub(super) fn open(path: &Path, tip: &Tip) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        let witness = Self(file);
        witness.note(tip)?;
        witness.0.set_len(Testimony { journal: tip.journal, batch: tip.batch }.line().len() as u64)?;
        Ok(witness)
    }

    /// Notes an append that is in both files. It is the last write, so a kill leaves the witness behind, never ahead.
    pub(super) fn note(&self, tip: &Tip) -> io::Result<()> {
        self.0.write_all_at(Testimony { journal: tip.journal, batch: tip.batch }.line().as_bytes(), 0)
    }
}
