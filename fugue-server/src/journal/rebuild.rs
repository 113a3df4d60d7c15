//! Rebuilding the database from its copy.

use fugue_protocol::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::checksum;
use super::copy_reader::{CopyEnd, CopyReader, ScannedCopy};
use super::copy_record::CopyRecord;
use super::damaged_files::JournalPaths;
use super::database::{self, OpenError};
use super::database_thread::{KEPT_EVENTS, insert_events, write_world};
use super::tip::Tip;
use super::{messages, row_check};

impl ScannedCopy {
    /// The time after which changes may be lost if only this copy is left.
    pub(super) fn lost_after(&self) -> Option<Timestamp> {
        let last_at = self.contents.as_ref().map(|contents| contents.tip.last_at).unwrap_or_default();
        (self.end != CopyEnd::Complete).then_some(Timestamp::from_millis(last_at))
    }
}

/// Writes a new database beside the old one, with everything that can be read of the copy. Older events, which a copy
/// does not have, are taken from the old database as far as they can be read.
pub(super) fn database_from_copy(paths: &JournalPaths, copy: &ScannedCopy) -> Result<(), OpenError> {
    let mut reader = CopyReader::open(&paths.copy).map_err(|why| OpenError::Temporary(why.to_string()))?;
    let journal = copy.contents.as_ref().map(|contents| contents.tip.journal).unwrap_or_default();
    let database = database::create(&paths.new_database(), journal)?;
    let transaction = database.unchecked_transaction()?;
    let mut rebuilt = RebuiltDatabase { database: &transaction, tip: Tip::default(), total: 0 };
    while reader.offset < copy.length {
        let Ok(record) = reader.next() else { break };
        rebuilt.add(record)?;
    }
    rebuilt.tip.write(&transaction)?;
    let first: Option<i64> = transaction.query_row("SELECT min(id) FROM event", [], |row| row.get(0))?;
    let first = first.map_or(rebuilt.tip.last_event + 1, i64::cast_unsigned);
    for (id, event) in older_events(paths, journal, first) {
        insert_events(&transaction, id, &[event], 0)?;
    }
    row_check::fill_events(&transaction)?;
    database::set_format(&transaction, copy.format.cast_signed())?;
    transaction.commit()?;
    // Without a write-ahead log of its own, so that it is one file when it takes the old one's place.
    Ok(database.pragma_update(None, "journal_mode", "DELETE")?)
}

/// A database that is being rebuilt.
struct RebuiltDatabase<'a> {
    database: &'a rusqlite::Transaction<'a>,
    tip: Tip,
    total: u64,
}

impl RebuiltDatabase<'_> {
    fn add(&mut self, record: CopyRecord) -> rusqlite::Result<()> {
        match record {
            CopyRecord::Header { tip, .. } => self.tip = tip,
            CopyRecord::World { after, body } => write_world(self.database, after, &body)?,
            CopyRecord::Events { first, events } => self.insert(first, &events)?,
            CopyRecord::Change(change) => messages::write(self.database, &[change])?,
            CopyRecord::SnapshotEnd => {}
            CopyRecord::Batch { first, events, changes, .. } => {
                self.insert(first, &events)?;
                messages::write(self.database, &changes)?;
                self.tip = self.tip.after(&events, &changes);
            }
            CopyRecord::Checkpoint { batch, world } => {
                write_world(self.database, self.tip.last_event, &world)?;
                self.tip.batch = batch;
            }
        }
        Ok(())
    }

    fn insert(&mut self, first: u64, events: &[(u64, String)]) -> rusqlite::Result<()> {
        self.total = insert_events(self.database, first, events, self.total)?;
        Ok(())
    }
}

/// Reads the events before `first` from the damaged database, back to the first one that cannot be read.
fn older_events(paths: &JournalPaths, journal: [u8; 16], first: u64) -> Vec<(u64, (u64, String))> {
    let mut found = Vec::new();
    // Whatever fails, the events that were read before are kept.
    let _ = read_older_events(paths, journal, first, &mut found);
    found
}

fn read_older_events(
    paths: &JournalPaths,
    journal: [u8; 16],
    first: u64,
    found: &mut Vec<(u64, (u64, String))>,
) -> rusqlite::Result<()> {
    let database = Connection::open_with_flags(&paths.database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if Tip::read(&database)?.is_none_or(|tip| tip.journal != journal) {
        return Ok(());
    }
    let rows = "SELECT id, at, body, sum FROM event WHERE id < ?1 ORDER BY id DESC LIMIT ?2";
    let mut rows = database.prepare(rows)?;
    let mut rows = rows.query([first.cast_signed(), KEPT_EVENTS.cast_signed()])?;
    for expected in (0..first).rev() {
        let Some(row) = rows.next()? else { break };
        let (id, at) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned());
        let body: String = row.get(2)?;
        if id != expected || checksum::of_event(id, at, &body) != row.get::<_, u32>(3)? {
            break;
        }
        found.push((id, (at, body)));
    }
    Ok(())
}
