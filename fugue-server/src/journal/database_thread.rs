//! The journal's file and the thread that owns it. Requests are served in order; the events of one append are one
//! transaction.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};

use fugue_protocol::MessageId;
use rusqlite::{Connection, params};
use tokio::sync::{mpsc, oneshot};

use super::messages::{self, MessageChange};

/// Events that are kept for clients that ask what they missed.
const KEPT_EVENTS: i64 = 10_000;

/// The size of the write-ahead log at which it is moved into the database.
const MAX_WAL_BYTES: usize = 256 << 10;

/// About how many bytes a row takes in the write-ahead log besides its text.
const ROW_BYTES: usize = 256;

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

/// Events after a number, and the range that the journal holds.
#[derive(Debug, Default)]
pub(crate) struct EventPage {
    /// Number, time and JSON of each event.
    pub(crate) events: Vec<(u64, u64, String)>,
    /// The number of the oldest event that is kept.
    pub(crate) oldest: u64,
    /// The number of the newest event.
    pub(crate) newest: u64,
}

/// Starts the thread that moves the write-ahead log into the database. It waits for the disk, so that appends need not.
pub(super) fn start_wal_checkpoints(path: PathBuf) -> Result<SyncSender<()>, String> {
    let (trigger, triggered) = sync_channel(1);
    let checkpoint = move || {
        let Ok(database) = Connection::open(&path) else { return };
        while triggered.recv().is_ok() {
            let moved = database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            if let Err(why) = moved {
                tracing::warn!("Cannot checkpoint the journal's write-ahead log: {why}");
            }
        }
    };
    let thread = std::thread::Builder::new().name("wal-checkpoint".into());
    thread.spawn(checkpoint).map_err(|why| why.to_string())?;
    Ok(trigger)
}

/// The journal's database.
pub(super) struct JournalFile {
    pub(super) database: Connection,
    /// Whether each commit waits for the disk.
    pub(super) waits_for_disk: bool,
}

impl JournalFile {
    /// Serves requests until the last handle is dropped.
    pub(super) fn serve(
        mut self,
        mut requests: mpsc::Receiver<JournalRequest>,
        checkpoints: &SyncSender<()>,
    ) {
        let mut wal_bytes = 0;
        while let Some(request) = requests.blocking_recv() {
            wal_bytes += self.perform(request);
            if wal_bytes >= MAX_WAL_BYTES {
                wal_bytes = 0;
                let _ = checkpoints.try_send(());
            }
        }
    }

    /// Performs a request, and returns about how many bytes it added to the write-ahead log.
    fn perform(&mut self, request: JournalRequest) -> usize {
        match request {
            JournalRequest::Append { events, messages, done } => {
                let bytes = events.iter().map(|(_, body)| body.len() + ROW_BYTES).sum::<usize>()
                    + messages.iter().map(|change| change.bytes() + ROW_BYTES).sum::<usize>();
                let _ = done.send(self.append(&events, &messages).map_err(|why| why.to_string()));
                return bytes;
            }
            JournalRequest::Bodies { messages, done } => {
                let bodies = messages::bodies(&self.database, &messages);
                let _ = done.send(bodies.map_err(|why| why.to_string()));
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
        0
    }

    fn append(&mut self, events: &[(u64, String)], messages: &[MessageChange]) -> rusqlite::Result<u64> {
        self.set_waits_for_disk(!messages.is_empty())?;
        let transaction = self.database.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO event(at, body) VALUES (?1, ?2)")?;
            for (at, body) in events {
                insert.execute(params![at.cast_signed(), body])?;
            }
        }
        let last = transaction.last_insert_rowid();
        messages::write(&transaction, messages)?;
        transaction.commit()?;
        Ok(last.cast_unsigned())
    }

    /// An acknowledged message must survive a power failure; the last moments of the tree need not.
    fn set_waits_for_disk(&mut self, waits: bool) -> rusqlite::Result<()> {
        if self.waits_for_disk != waits {
            self.database.pragma_update(None, "synchronous", if waits { "FULL" } else { "NORMAL" })?;
            self.waits_for_disk = waits;
        }
        Ok(())
    }

    fn since(&self, after: u64, limit: usize) -> rusqlite::Result<EventPage> {
        let bounds = "SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM event";
        let (oldest, newest): (i64, i64) =
            self.database.query_row(bounds, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut rows = self
            .database
            .prepare_cached("SELECT id, at, body FROM event WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let row = |row: &rusqlite::Row<'_>| {
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned(), row.get(2)?))
        };
        let events = rows.query_map(params![after.cast_signed(), limit], row)?.collect::<Result<_, _>>()?;
        Ok(EventPage { events, oldest: oldest.cast_unsigned(), newest: newest.cast_unsigned() })
    }

    fn checkpoint(&mut self, world: &str) -> rusqlite::Result<()> {
        let transaction = self.database.transaction()?;
        let last = "SELECT coalesce(max(id), 0) FROM event";
        let last: i64 = transaction.query_row(last, [], |row| row.get(0))?;
        transaction.execute(
            "INSERT OR REPLACE INTO world(id, after, body) VALUES (1, ?1, ?2)",
            params![last, world],
        )?;
        transaction.execute("DELETE FROM event WHERE id <= ?1", [last - KEPT_EVENTS])?;
        transaction.commit()
    }
}
