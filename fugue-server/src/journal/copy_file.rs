//! The journal's copy: a file of records to which every append and checkpoint is added before it is committed to the
//! database. When it has grown to twice its snapshot, it is replaced by a new snapshot.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use fugue_core::PayloadSource;
use fugue_protocol::{MessageId, SessionId};
use rusqlite::{Connection, OptionalExtension};

use super::copy_reader::ScannedCopy;
use super::copy_record;
use super::database;
use super::messages::MessageChange;
use super::tip::Tip;

/// The bytes after a snapshot below which the copy is not replaced: it is rewritten rarely, and read in some
/// milliseconds at the start.
const MIN_TAIL: u64 = 4 << 20;

/// The copy, open for writing.
pub(super) struct CopyFile {
    path: PathBuf,
    file: File,
    /// The length of all records, and the checksum of the last.
    end: (u64, u32),
    /// The same before the last append.
    former: (u64, u32),
    snapshot_length: u64,
    /// The format that the header says.
    format: i64,
    /// Whether an append could not be undone: the file must be replaced before anything is added to it.
    is_broken: bool,
}

impl CopyFile {
    /// Opens a copy that was scanned, and cuts off an incomplete record at its end.
    pub(super) fn open(path: &Path, scanned: &ScannedCopy) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(scanned.length)?;
        let end = (scanned.length, scanned.sum);
        Ok(Self::with(path, file, end, (scanned.snapshot_length, scanned.format.cast_signed())))
    }

    fn with(path: &Path, file: File, end: (u64, u32), (snapshot_length, format): (u64, i64)) -> Self {
        Self { path: path.to_owned(), file, end, former: end, snapshot_length, format, is_broken: false }
    }

    /// Writes a new copy of a database beside the old one, and replaces that. It is not synced: after a power failure
    /// the database, which is, restores it.
    pub(super) fn create(path: &Path, database: &Connection, tip: &Tip) -> Result<Self, String> {
        let new = path.with_extension("copy.new");
        let format = database::format(database).map_err(text)?;
        let open = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new);
        let mut snapshot = SnapshotWriter { file: BufWriter::new(open.map_err(text)?), end: (0, 0) };
        let written = snapshot.write(database, format, tip).and_then(|()| {
            let file = snapshot.file.into_inner().map_err(|why| why.error().to_string())?;
            std::fs::rename(&new, path).map_err(text)?;
            Ok(Self::with(path, file, snapshot.end, (snapshot.end.0, format)))
        });
        if written.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        written
    }

    /// Adds a record. If that fails, the file is as it was.
    pub(super) fn append(&mut self, payload: &[u8]) -> io::Result<()> {
        let (frame, sum) = copy_record::framed(self.end.1, payload);
        self.former = self.end;
        self.end = (self.end.0 + frame.len() as u64, sum);
        self.file.write_all_at(&frame, self.former.0).inspect_err(|_| self.undo())
    }

    /// Removes the last record, which the database refused.
    pub(super) fn undo(&mut self) {
        self.end = self.former;
        if let Err(why) = self.file.set_len(self.end.0) {
            tracing::error!("Cannot truncate {}: {why}", self.path.display());
            self.is_broken = true;
        }
    }

    /// The format that the file says it has.
    pub(super) fn format(&self) -> i64 {
        self.format
    }

    /// Whether the file must be replaced before anything is added to it.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Whether a new snapshot would be much shorter: the copy takes at most about twice the space of what it holds.
    pub(super) fn is_long(&self) -> bool {
        self.end.0 - self.snapshot_length > self.snapshot_length.max(MIN_TAIL)
    }
}

/// A snapshot that is being written.
struct SnapshotWriter {
    file: BufWriter<File>,
    end: (u64, u32),
}

impl SnapshotWriter {
    fn write(&mut self, database: &Connection, format: i64, tip: &Tip) -> Result<(), String> {
        self.add(&copy_record::header(format.cast_unsigned(), tip))?;
        let world = "SELECT after, body FROM world WHERE id = 1";
        let world: Option<(i64, String)> =
            database.query_row(world, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(text)?;
        let after = world.as_ref().map_or(0, |(after, _)| *after);
        if let Some((after, body)) = world {
            self.add(&copy_record::world(after.cast_unsigned(), &body))?;
        }
        self.events(database, after)?;
        self.messages(database)?;
        self.receipts(database)?;
        self.add(&copy_record::snapshot_end())?;
        self.file.flush().map_err(text)
    }

    fn add(&mut self, payload: &[u8]) -> Result<(), String> {
        let (frame, sum) = copy_record::framed(self.end.1, payload);
        self.end = (self.end.0 + frame.len() as u64, sum);
        self.file.write_all(&frame).map_err(text)
    }

    fn events(&mut self, database: &Connection, after: i64) -> Result<(), String> {
        let mut rows =
            database.prepare("SELECT id, at, body FROM event WHERE id > ?1 ORDER BY id").map_err(text)?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        };
        for event in rows.query_map([after], row).map_err(text)? {
            let (id, at, body) = event.map_err(text)?;
            self.add(&copy_record::events(id.cast_unsigned(), &[(at.cast_unsigned(), body)]))?;
        }
        Ok(())
    }

    fn messages(&mut self, database: &Connection) -> Result<(), String> {
        let rows = "SELECT number, id, envelope, body FROM message ORDER BY number";
        let mut rows = database.prepare(rows).map_err(text)?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok(MessageChange::Sent {
                number: row.get::<_, i64>(0)?.cast_unsigned(),
                message: MessageId::from_bytes(row.get(1)?),
                envelope: row.get(2)?,
                body: PayloadSource::Text(row.get(3)?),
            })
        };
        rows.query_map([], row)
            .map_err(text)?
            .try_for_each(|sent| self.add(&copy_record::change(&sent.map_err(text)?)))
    }

    fn receipts(&mut self, database: &Connection) -> Result<(), String> {
        let mut rows = database.prepare("SELECT number, session, receipt FROM delivery").map_err(text)?;
        let row = |row: &rusqlite::Row<'_>| {
            Ok(MessageChange::Receipt {
                number: row.get::<_, i64>(0)?.cast_unsigned(),
                session: SessionId::from_bytes(row.get(1)?),
                receipt: row.get(2)?,
            })
        };
        rows.query_map([], row)
            .map_err(text)?
            .try_for_each(|receipt| self.add(&copy_record::change(&receipt.map_err(text)?)))
    }
}

fn text(why: impl std::fmt::Display) -> String {
    why.to_string()
}
