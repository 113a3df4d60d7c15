//! The thread that owns the journal's files. Requests are served in order; each append is one record of the copy and one
//! transaction of the database.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fugue_protocol::{MessageId, Refusal};
use rusqlite::{Connection, OptionalExtension, params};
use tokio::sync::{mpsc, oneshot};

use super::checksum;
use super::copy_file::CopyFile;
use super::copy_record;
use super::damaged_files::JournalPaths;
use super::messages::{self, MessageChange};
use super::tip::Tip;
use super::witness::Witness;
use super::write_ahead_log::WriteAheadLog;
use super::{database, format};

/// Events that are kept for clients that ask what they missed.
pub(super) const KEPT_EVENTS: u64 = 10_000;

/// The maximum size of those events: ten thousand usual ones take some 3 MiB, and a flood of large ones must not fill
/// the disk.
pub(super) const KEPT_EVENT_BYTES: u64 = 64 << 20;

/// The pages of 4 KiB that one checkpoint gives back to the disk: some milliseconds of work.
const VACUUMED_PAGES: u32 = 4_096;

/// A request to the journal's thread.
pub(super) enum JournalRequest {
    Append {
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
        done: oneshot::Sender<Result<u64, String>>,
    },
    Bodies {
        messages: Vec<MessageId>,
        done: oneshot::Sender<Result<BTreeMap<MessageId, String>, String>>,
    },
    Since {
        after: u64,
        limit: usize,
        done: oneshot::Sender<Result<EventPage, String>>,
    },
    Checkpoint {
        world: String,
    },
}

/// Events after a number, and where the journal begins.
#[derive(Debug, Default)]
pub(crate) struct EventPage {
    /// Number, time and JSON of each event.
    pub(crate) events: Vec<(u64, u64, String)>,
    /// The number of the oldest event that is kept, or of the next one if there is none.
    pub(crate) oldest: u64,
    /// The number of the last event.
    pub(crate) last: u64,
}

impl EventPage {
    /// The refusal of a client that wants the events after this one: some of them are no longer kept, or it has not
    /// happened.
    pub(crate) fn refuses(&self, after: u64) -> Option<Refusal> {
        let Self { oldest, last, .. } = *self;
        match after {
            _ if after > last => Some(Refusal::EventsAhead { since: after, last }),
            _ if oldest > after + 1 => Some(Refusal::EventsGone { since: after, oldest }),
            _ => None,
        }
    }
}

/// The journal's files: the database and its copy.
pub(super) struct JournalFile {
    pub(super) database: Connection,
    copy: CopyFile,
    /// The path of the copy.
    path: PathBuf,
    pub(super) tip: Tip,
    pub(super) witness: Option<Witness>,
    /// The bytes of all events that were ever stored: each event's row has the sum up to it.
    event_bytes: u64,
    /// Whether each commit waits for the disk.
    waits_for_disk: bool,
}

impl JournalFile {
    /// The files of a journal that has got this far.
    pub(super) fn new(
        database: Connection,
        copy: CopyFile,
        paths: &JournalPaths,
        tip: Tip,
    ) -> rusqlite::Result<Self> {
        let total = "SELECT total FROM event ORDER BY id DESC LIMIT 1";
        let total: Option<i64> = database.query_row(total, [], |row| row.get(0)).optional()?;
        let event_bytes = total.unwrap_or_default().cast_unsigned();
        Ok(Self {
            database,
            copy,
            path: paths.copy.clone(),
            tip,
            witness: None,
            event_bytes,
            waits_for_disk: false,
        })
    }

    /// Serves requests until the last handle is dropped.
    pub(super) fn serve(mut self, mut requests: mpsc::Receiver<JournalRequest>, mut log: WriteAheadLog) {
        while let Some(request) = requests.blocking_recv() {
            self.perform(request);
            log.keep_short(&self.database);
        }
    }

    fn perform(&mut self, request: JournalRequest) {
        match request {
            JournalRequest::Append { events, messages, done } => {
                let _ = done.send(self.append(&events, &messages));
            }
            JournalRequest::Bodies { messages, done } => {
                let _ = done.send(messages::bodies(&self.database, &messages));
            }
            JournalRequest::Since { after, limit, done } => {
                let _ = done.send(self.since(after, limit).map_err(|why| why.to_string()));
            }
            JournalRequest::Checkpoint { world } => {
                if let Err(why) = self.checkpoint(&world) {
                    tracing::warn!("Cannot store a checkpoint of the daemon's state in the journal: {why}");
                }
            }
        }
    }

    /// Stores one append in both files, or in neither: first in the copy, which can be shortened again.
    pub(super) fn append(
        &mut self,
        events: &[(u64, String)],
        messages: &[MessageChange],
    ) -> Result<u64, String> {
        self.raise_format(events)?;
        let tip = self.tip.after(events, messages);
        let record = copy_record::batch(tip.batch, self.tip.last_event + 1, events, messages);
        self.write(&record, |file| {
            file.set_waits_for_disk(!messages.is_empty())?;
            file.commit(tip, events, messages)
        })?;
        Ok(tip.last_event)
    }

    /// Has both files say that versions which would take these events for damage must not open them.
    fn raise_format(&mut self, events: &[(u64, String)]) -> Result<(), String> {
        let needed = events.iter().map(|(_, body)| format::of_event(body)).max();
        let Some(needed) = needed.filter(|needed| *needed > self.copy.format()) else { return Ok(()) };
        database::set_format(&self.database, needed).map_err(|why| why.to_string())?;
        self.replace_copy()
    }

    /// Adds a record to the copy and commits the same to the database. If either fails, both are as they were.
    fn write(
        &mut self,
        record: &[u8],
        commit: impl FnOnce(&mut Self) -> rusqlite::Result<()>,
    ) -> Result<(), String> {
        if self.copy.is_broken() {
            self.replace_copy()?;
        }
        self.copy.append(record).map_err(|why| format!("cannot write the copy of the journal: {why}"))?;
        commit(self).map_err(|why| {
            self.copy.undo();
            why.to_string()
        })?;
        // Whatever it does not note is in both files.
        self.witness.iter().for_each(|witness| drop(witness.note(&self.tip)));
        Ok(())
    }

    /// Commits an append to the database.
    pub(super) fn commit(
        &mut self,
        tip: Tip,
        events: &[(u64, String)],
        messages: &[MessageChange],
    ) -> rusqlite::Result<()> {
        let transaction = self.database.transaction()?;
        let total = insert_events(&transaction, self.tip.last_event + 1, events, self.event_bytes)?;
        messages::write(&transaction, messages)?;
        tip.write(&transaction)?;
        transaction.commit()?;
        (self.tip, self.event_bytes) = (tip, total);
        Ok(())
    }

    /// An acknowledged message must survive a power failure; the last moments of the tree need not.
    fn set_waits_for_disk(&mut self, waits: bool) -> rusqlite::Result<()> {
        if self.waits_for_disk != waits {
            self.database.pragma_update(None, "synchronous", if waits { "FULL" } else { "NORMAL" })?;
            self.waits_for_disk = waits;
        }
        Ok(())
    }

    pub(super) fn since(&self, after: u64, limit: usize) -> rusqlite::Result<EventPage> {
        let first: Option<i64> =
            self.database.query_row("SELECT min(id) FROM event", [], |row| row.get(0))?;
        let oldest = first.map_or(self.tip.last_event + 1, i64::cast_unsigned);
        let mut rows = self
            .database
            .prepare_cached("SELECT id, at, body FROM event WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let row = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?))
        };
        let events = rows.query_map(params![after.cast_signed(), limit], row)?.collect::<Result<_, _>>()?;
        Ok(EventPage { events, oldest, last: self.tip.last_event })
    }

    /// Stores the world, drops old events, and gives the space they took back to the disk.
    pub(super) fn checkpoint(&mut self, world: &str) -> Result<(), String> {
        let tip = Tip { batch: self.tip.batch + 1, ..self.tip };
        let record = copy_record::checkpoint(tip.batch, world);
        self.write(&record, |file| file.commit_checkpoint(tip, world))?;
        if self.copy.is_long() {
            self.replace_copy()?;
        }
        let vacuum = format!("PRAGMA incremental_vacuum({VACUUMED_PAGES})");
        self.database.execute_batch(&vacuum).map_err(|why| why.to_string())
    }

    /// Commits a checkpoint to the database.
    pub(super) fn commit_checkpoint(&mut self, tip: Tip, world: &str) -> rusqlite::Result<()> {
        let transaction = self.database.transaction()?;
        write_world(&transaction, tip.last_event, world)?;
        drop_old_events(&transaction, tip.last_event, self.event_bytes)?;
        tip.write(&transaction)?;
        transaction.commit()?;
        self.tip = tip;
        Ok(())
    }

    /// Replaces the copy by a snapshot of the database.
    fn replace_copy(&mut self) -> Result<(), String> {
        self.copy = CopyFile::create(&self.path, &self.database, &self.tip)
            .map_err(|why| format!("cannot replace the copy of the journal: {why}"))?;
        Ok(())
    }
}

/// Inserts events, numbered from `first`. Returns the bytes of all events so far.
pub(super) fn insert_events(
    database: &Connection,
    first: u64,
    events: &[(u64, String)],
    mut total: u64,
) -> rusqlite::Result<u64> {
    let insert = "INSERT INTO event(id, at, body, total, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut insert = database.prepare_cached(insert)?;
    for (id, (at, body)) in (first..).zip(events) {
        total += body.len() as u64;
        let sum = checksum::of_event(id, *at, body);
        insert.execute(params![id.cast_signed(), at.cast_signed(), body, total.cast_signed(), sum])?;
    }
    Ok(total)
}

/// Writes the row of a checkpoint.
pub(super) fn write_world(database: &Connection, after: u64, world: &str) -> rusqlite::Result<()> {
    let upsert = "INSERT OR REPLACE INTO world(id, after, body, sum) VALUES (1, ?1, ?2, ?3)";
    let row = params![after.cast_signed(), world, checksum::of_world(after, world)];
    database.execute(upsert, row).map(drop)
}

/// Drops the events before the newest ones that are kept, by number and by size. The last event always stays.
fn drop_old_events(database: &Connection, last: u64, total: u64) -> rusqlite::Result<()> {
    let by_number = last.saturating_sub(KEPT_EVENTS);
    let by_size = match total.checked_sub(KEPT_EVENT_BYTES).filter(|dropped| *dropped > 0) {
        Some(dropped) => {
            // The first event that is kept as a whole comes after the one in which the limit lies.
            let limit = "SELECT id FROM event WHERE total >= ?1 ORDER BY id LIMIT 1";
            let limit: Option<i64> =
                database.query_row(limit, [dropped.cast_signed()], |row| row.get(0)).optional()?;
            limit.map_or(0, i64::cast_unsigned).min(last.saturating_sub(1))
        }
        None => 0,
    };
    database.execute("DELETE FROM event WHERE id <= ?1", [by_number.max(by_size).cast_signed()]).map(drop)
}
