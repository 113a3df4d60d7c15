//! What a keeper passes on to the executable that replaces it: a table of its panes and other descriptors, in a memfd. The
//! process stays the same, so the table holds descriptor numbers.
//!
//! The table is text: records that end with a NUL, each a name and its fields. Another version reads it, so it skips
//! records that it does not know and fields after the ones that it does.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::fs::MemfdFlags;
use rustix::io::{FdFlags, fcntl_setfd};

use crate::link::messages::{Exit, Malformed, PaneId};
use crate::sys;

/// The environment variable with the number of the table's descriptor.
pub(crate) const TABLE_FD: &str = "FUGUE_KEEPER_TABLE_FD";

/// The version of the table. A new binary is asked whether it reads this one before the keeper executes it.
pub const TABLE_VERSION: u32 = 1;

/// The answer of a binary that reads the table.
pub const TABLE_ANSWER: &str = "fugue-keeper can resume";

/// The most that is read of a table: some thousand panes with a few hundred bytes each.
const MAX_TABLE: u64 = 16 << 20;

/// A field of a record.
pub(crate) enum TableField<'a> {
    Number(i128),
    /// A descriptor that the next executable gets.
    Fd(Option<BorrowedFd<'a>>),
}

impl TableField<'_> {
    /// Two numbers for a pane's id.
    pub(crate) fn pane(id: &PaneId) -> [Self; 2] {
        let id = u128::from_le_bytes(*id);
        [id >> 64, id & u128::from(u64::MAX)].map(|half| Self::Number(half.cast_signed()))
    }

    /// Two numbers for an exit.
    pub(crate) fn exit(exit: Option<Exit>) -> [Self; 2] {
        let (tag, value) = match exit {
            None => (0, 0),
            Some(Exit::Code(code)) => (1, code),
            Some(Exit::Signal(signal)) => (2, signal),
            Some(Exit::Unknown) => (3, 0),
        };
        [Self::Number(tag), Self::Number(value.into())]
    }

    pub(crate) fn flag(is_set: bool) -> Self {
        Self::Number(is_set.into())
    }
}

/// A table that is being written.
#[derive(Default)]
pub(crate) struct TableWriter<'a> {
    text: Vec<u8>,
    fds: Vec<BorrowedFd<'a>>,
}

impl<'a> TableWriter<'a> {
    pub(crate) fn record(&mut self, name: &str, fields: impl IntoIterator<Item = TableField<'a>>) {
        let mut text = name.to_owned();
        for field in fields {
            let number = match field {
                TableField::Number(number) => number,
                TableField::Fd(None) => -1,
                TableField::Fd(Some(fd)) => {
                    self.fds.push(fd);
                    fd.as_raw_fd().into()
                }
            };
            text.push_str(&format!(" {number}"));
        }
        self.text(&text, &[]);
    }

    /// A record with one text, which contains no NUL.
    pub(crate) fn text(&mut self, name: &str, text: &[u8]) {
        self.text.extend([name.as_bytes(), text, b"\0"].concat());
    }

    /// Writes the table into a memfd.
    pub(crate) fn to_memfd(&self) -> io::Result<OwnedFd> {
        let memfd = rustix::fs::memfd_create("fugue-keeper-table", MemfdFlags::CLOEXEC)?;
        let mut written = 0;
        while written < self.text.len() {
            written += rustix::io::pwrite(&memfd, &self.text[written..], written as u64)?;
        }
        Ok(memfd)
    }

    /// Keeps every descriptor of the table open across exec, or not any more.
    pub(crate) fn set_inherited(&self, is_inherited: bool) -> io::Result<()> {
        let flags = if is_inherited { FdFlags::empty() } else { FdFlags::CLOEXEC };
        self.fds.iter().try_for_each(|fd| Ok(fcntl_setfd(fd, flags)?))
    }
}

/// A record of a table that is read. Descriptors are taken out of it.
#[derive(Debug)]
pub(crate) struct TableRecord {
    pub(crate) name: String,
    pub(crate) text: Vec<u8>,
    numbers: std::vec::IntoIter<i128>,
}

impl TableRecord {
    fn parse(record: &[u8]) -> Self {
        let space = record.iter().position(|&byte| byte == b' ').unwrap_or(record.len());
        let text = record.get(space + 1..).unwrap_or_default().to_vec();
        let numbers = String::from_utf8_lossy(&text);
        let numbers: Vec<_> = numbers.split(' ').map_while(|number| number.parse().ok()).collect();
        let name = String::from_utf8_lossy(&record[..space]).into_owned();
        Self { name, text, numbers: numbers.into_iter() }
    }

    pub(crate) fn number<T: TryFrom<i128>>(&mut self) -> io::Result<T> {
        let number = self.numbers.next().and_then(|number| T::try_from(number).ok());
        Ok(number.ok_or(Malformed::TooShort)?)
    }

    pub(crate) fn flag(&mut self) -> io::Result<bool> {
        Ok(self.number::<i128>()? != 0)
    }

    pub(crate) fn pane(&mut self) -> io::Result<PaneId> {
        let (high, low) = (self.number::<u64>()?, self.number::<u64>()?);
        Ok((u128::from(high) << 64 | u128::from(low)).to_le_bytes())
    }

    pub(crate) fn exit(&mut self) -> io::Result<Option<Exit>> {
        let (tag, value) = (self.number::<u8>()?, self.number()?);
        match tag {
            0 => Ok(None),
            1 => Ok(Some(Exit::Code(value))),
            2 => Ok(Some(Exit::Signal(value))),
            _ => Ok(Some(Exit::Unknown)),
        }
    }

    /// Takes a descriptor, which the last executable left open. A number is in the table once.
    pub(crate) fn fd(&mut self) -> io::Result<OwnedFd> {
        Ok(self.optional_fd()?.ok_or(Malformed::Descriptors)?)
    }

    pub(crate) fn optional_fd(&mut self) -> io::Result<Option<OwnedFd>> {
        match self.number::<i32>()? {
            number if number > 2 => Ok(Some(sys::adopt(number, |_| true).ok_or(Malformed::Descriptors)?)),
            _ => Ok(None),
        }
    }
}

/// The table of the executable that this process ran before.
#[derive(Debug)]
pub struct ImageTable(Vec<TableRecord>);

impl ImageTable {
    /// Reads the table that this process was left with by its last executable.
    pub fn inherited() -> io::Result<Self> {
        let number = std::env::var(TABLE_FD).ok().and_then(|number| number.parse().ok());
        let number = number.filter(|&number: &i32| number > 2).ok_or(io::ErrorKind::NotFound)?;
        let memfd = sys::adopt(number, |_| true).ok_or(io::ErrorKind::NotFound)?;
        Self::read(&memfd)
    }

    pub(crate) fn read(memfd: &OwnedFd) -> io::Result<Self> {
        let size = rustix::fs::fstat(memfd)?.st_size.cast_unsigned();
        let mut text = vec![0; usize::try_from(size.min(MAX_TABLE)).unwrap_or_default()];
        let mut length = 0;
        while length < text.len() {
            match rustix::io::pread(memfd.as_fd(), &mut text[length..], length as u64)? {
                0 => return Err(Malformed::TooShort.into()),
                count => length += count,
            }
        }
        let records = text.split(|&byte| byte == 0).filter(|record| !record.is_empty());
        let table = Self(records.map(TableRecord::parse).collect());
        match table.0.last() {
            Some(last) if last.name == "end" => Ok(table),
            _ => Err(Malformed::TooShort.into()),
        }
    }

    /// Takes the first record of this name.
    pub(crate) fn take(&mut self, name: &str) -> Option<TableRecord> {
        self.0.iter().position(|record| record.name == name).map(|index| self.0.remove(index))
    }

    /// Takes all records of this name.
    pub(crate) fn take_all(&mut self, name: &str) -> Vec<TableRecord> {
        self.0.extract_if(.., |record| record.name == name).collect()
    }

    /// Takes the listening client socket.
    pub fn take_listener(&mut self) -> io::Result<OwnedFd> {
        self.take("listener").ok_or(Malformed::Descriptors)?.fd()
    }

    /// Takes the lock on the state directory.
    pub fn take_lock(&mut self) -> io::Result<OwnedFd> {
        self.take("lock").ok_or(Malformed::Descriptors)?.fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let file = rustix::fs::memfd_create("any", MemfdFlags::CLOEXEC).expect("a file");
        let kept = rustix::io::fcntl_dupfd_cloexec(&file, 100).expect("a descriptor");
        let mut writer = TableWriter::default();
        let id = *b"0123456789abcdef";
        let fields = TableField::pane(&id).into_iter().chain(TableField::exit(Some(Exit::Signal(9))));
        let fields = fields.chain([TableField::Fd(Some(kept.as_fd())), TableField::Fd(None)]);
        writer.record("pane", fields.chain([TableField::Number(-7)]));
        writer.text("argument ", b"a path\nwith 2 lines");
        writer.record("end", []);
        let mut table = ImageTable::read(&writer.to_memfd().expect("a table")).expect("a table");
        assert_eq!(table.take("argument").expect("a record").text, b"a path\nwith 2 lines");
        let mut pane = table.take("pane").expect("a record");
        assert_eq!(pane.pane().expect("an id"), id);
        assert_eq!(pane.exit().expect("an exit"), Some(Exit::Signal(9)));
        // The test stays the owner of the descriptor.
        assert_eq!(pane.number::<i32>().expect("a number"), kept.as_raw_fd());
        assert!(pane.optional_fd().expect("no descriptor").is_none());
        assert_eq!(pane.number::<i32>().expect("a number"), -7);
        assert!(pane.number::<i32>().is_err(), "there is no more");
    }

    #[test]
    fn a_truncated_table_is_not_read() {
        let mut writer = TableWriter::default();
        writer.record("listener", [TableField::Number(3)]);
        assert!(ImageTable::read(&writer.to_memfd().expect("a table")).is_err());
    }
}
