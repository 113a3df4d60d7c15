//! The tip: how far a journal has got. The database and its copy each have one, so that a file that lost its end, or was
//! replaced by an older one, is recognized.

use rusqlite::{Connection, OptionalExtension, params};

use super::checksum::Checksum;

/// How far a journal has got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tip {
    /// The random id of the journal. A file of another journal is recognized by it.
    pub(super) journal: [u8; 16],
    /// The number of the last batch: each append and each checkpoint is one.
    pub(super) batch: u64,
    /// The number of the last event.
    pub(super) last_event: u64,
    /// The time of the last event, in milliseconds since 1970.
    pub(super) last_at: u64,
    /// The highest number of a message. Numbers are never reused, even if the newest messages were deleted: an agent's
    /// cursor must not skip a message.
    pub(super) last_message: u64,
}

impl Tip {
    fn checksum(&self) -> u32 {
        let numbers = [self.batch, self.last_event, self.last_at, self.last_message];
        numbers.into_iter().fold(Checksum::default().bytes(self.journal), Checksum::number).finish()
    }

    /// Creates the table, unless it exists.
    pub(super) fn create_table(database: &Connection) -> rusqlite::Result<()> {
        database.execute_batch(
            "CREATE TABLE IF NOT EXISTS tip(id INTEGER PRIMARY KEY CHECK (id = 1), journal BLOB NOT NULL, batch INTEGER NOT NULL, last_event INTEGER NOT NULL, last_at INTEGER NOT NULL, last_message INTEGER NOT NULL, sum INTEGER NOT NULL);",
        )
    }

    /// Writes the tip of a database.
    pub(super) fn write(&self, database: &Connection) -> rusqlite::Result<()> {
        let upsert = "INSERT OR REPLACE INTO tip(id, journal, batch, last_event, last_at, last_message, sum) VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)";
        let row = params![
            self.journal,
            self.batch.cast_signed(),
            self.last_event.cast_signed(),
            self.last_at.cast_signed(),
            self.last_message.cast_signed(),
            self.checksum(),
        ];
        database.prepare_cached(upsert)?.execute(row).map(drop)
    }

    /// Reads the tip of a database. Returns `None` if it has none or a damaged one.
    pub(super) fn read(database: &Connection) -> rusqlite::Result<Option<Self>> {
        let row = "SELECT journal, batch, last_event, last_at, last_message, sum FROM tip WHERE id = 1";
        let read = database.query_row(row, [], |row| {
            let number = |at: usize| row.get::<_, i64>(at).map(i64::cast_unsigned);
            let tip = Self {
                journal: row.get(0)?,
                batch: number(1)?,
                last_event: number(2)?,
                last_at: number(3)?,
                last_message: number(4)?,
            };
            Ok((tip, row.get::<_, u32>(5)?))
        });
        Ok(read.optional()?.filter(|(tip, sum)| tip.checksum() == *sum).map(|(tip, _)| tip))
    }
}
