//! The journal: every event that is kept, in one SQLite file, written before anybody is told of it.
//! One thread owns the file; what waits is written in one transaction.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use fugue_core::World;
use fugue_protocol::MessageId;
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

mod letters;
mod opening;

pub(crate) use letters::Change;
use opening::{Trouble, newer};

/// Events kept for those who ask what they missed.
const KEPT: i64 = 10_000;

/// After so many events the world itself is written down, so that a start need not fold them all.
const EPOCH: u64 = 2_000;

/// After so many bytes the log is tidied away.
const LOGGED: usize = 256 << 10;

/// What an event takes in the log besides its text.
const ROW: usize = 256;

/// What the journal told at the start.
pub(crate) struct Past {
    /// The world as it was.
    pub(crate) world: World,
    /// What went wrong with the file, if anything did.
    pub(crate) warnings: Vec<String>,
    /// Whether the former file had to be set aside: then programs may live that no event speaks of.
    pub(crate) lost: bool,
}

/// Whoever holds this can write and read events.
#[derive(Clone)]
pub(crate) struct Journal {
    orders: mpsc::Sender<Order>,
}

enum Order {
    Append { events: Vec<(u64, String)>, letters: Vec<Change>, done: oneshot::Sender<Result<u64, String>> },
    Bodies { messages: Vec<MessageId>, done: oneshot::Sender<Result<BTreeMap<MessageId, String>, String>> },
    Since { after: u64, limit: usize, done: oneshot::Sender<Result<Page, String>> },
    Remember { world: String },
}

/// Events after a number, and how far back the journal goes.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Number, time, event.
    pub(crate) events: Vec<(u64, u64, String)>,
    /// The oldest event that is kept.
    pub(crate) oldest: u64,
    /// The newest event.
    pub(crate) newest: u64,
}

impl Journal {
    /// Opens or makes the journal in a folder.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Past), String> {
        fs::create_dir_all(folder).map_err(|why| format!("{}: {why}", folder.display()))?;
        let path = folder.join("journal.db");
        let (file, past) = match File::open(&path) {
            Ok((file, world)) => (file, Past { world, warnings: Vec::new(), lost: false }),
            Err(Trouble::Newer(form)) => return Err(newer(form)),
            Err(Trouble::Passing(why)) => return Err(why),
            Err(Trouble::Broken(why)) => File::open_anew(&path, &why)?,
        };
        let (orders, desk) = mpsc::channel();
        let tidier = tidier(path)?;
        let serve = move || file.serve(&desk, &tidier);
        std::thread::Builder::new().name("journal".into()).spawn(serve).map_err(|why| why.to_string())?;
        Ok((Self { orders }, past))
    }

    /// Writes events and what they make of messages; answers with the number of the last event.
    pub(crate) async fn append(
        &self,
        events: Vec<(u64, String)>,
        letters: Vec<Change>,
    ) -> Result<u64, String> {
        self.ask(|done| Order::Append { events, letters, done }).await
    }

    /// Reads what messages say.
    pub(crate) async fn bodies(
        &self,
        messages: Vec<MessageId>,
    ) -> Result<BTreeMap<MessageId, String>, String> {
        self.ask(|done| Order::Bodies { messages, done }).await
    }

    /// Reads events after a number.
    pub(crate) async fn since(&self, after: u64, limit: usize) -> Result<Page, String> {
        self.ask(|done| Order::Since { after, limit, done }).await
    }

    /// Writes the world down, so that a later start begins there.
    pub(crate) fn remember(&self, world: &World) {
        if let Ok(world) = serde_json::to_string(world) {
            let _ = self.orders.send(Order::Remember { world });
        }
    }

    /// Whether it is time to write the world down, after `count` more events up to `last`.
    pub(crate) fn is_epoch(last: u64, count: u64) -> bool {
        last / EPOCH != last.saturating_sub(count) / EPOCH
    }

    async fn ask<T>(
        &self,
        order: impl FnOnce(oneshot::Sender<Result<T, String>>) -> Order,
    ) -> Result<T, String> {
        let (done, answer) = oneshot::channel();
        let gone = || "the journal has ended".to_owned();
        self.orders.send(order(done)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// A second hand that moves what was written from the log into the file. It waits for the disk, so that nobody who
/// writes an event has to.
fn tidier(path: PathBuf) -> Result<mpsc::SyncSender<()>, String> {
    let (ring, bell) = mpsc::sync_channel(1);
    let tidy = move || {
        let Ok(database) = Connection::open(&path) else { return };
        while bell.recv().is_ok() {
            let moved = database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            if let Err(why) = moved {
                tracing::warn!("the journal could not be tidied: {why}");
            }
        }
    };
    std::thread::Builder::new().name("tidier".into()).spawn(tidy).map_err(|why| why.to_string())?;
    Ok(ring)
}

struct File {
    database: Connection,
    /// Whether the disk is waited for at each commit.
    waits_for_disk: bool,
}

impl File {
    fn serve(mut self, desk: &mpsc::Receiver<Order>, tidier: &mpsc::SyncSender<()>) {
        let mut written = 0;
        while let Ok(order) = desk.recv() {
            match order {
                Order::Append { events, letters, done } => {
                    written += events.iter().map(|(_, body)| body.len() + ROW).sum::<usize>();
                    written += letters.iter().map(|change| change.bytes() + ROW).sum::<usize>();
                    let _ = done.send(self.append(&events, &letters).map_err(|why| why.to_string()));
                }
                Order::Bodies { messages, done } => {
                    let bodies = letters::bodies(&self.database, &messages);
                    let _ = done.send(bodies.map_err(|why| why.to_string()));
                }
                Order::Since { after, limit, done } => {
                    let _ = done.send(self.since(after, limit).map_err(|why| why.to_string()));
                }
                Order::Remember { world } => {
                    if let Err(why) = self.remember(&world) {
                        tracing::warn!("the world could not be written down: {why}");
                    }
                }
            }
            if written >= LOGGED {
                written = 0;
                let _ = tidier.try_send(());
            }
        }
    }

    fn append(&mut self, events: &[(u64, String)], letters: &[Change]) -> rusqlite::Result<u64> {
        self.wait_for_disk(!letters.is_empty())?;
        let transaction = self.database.transaction()?;
        {
            let mut insert = transaction.prepare_cached("INSERT INTO event(at, body) VALUES (?1, ?2)")?;
            for (at, body) in events {
                insert.execute(params![at.cast_signed(), body])?;
            }
        }
        let last = transaction.last_insert_rowid();
        letters::write(&transaction, letters)?;
        transaction.commit()?;
        Ok(last.cast_unsigned())
    }

    /// A message that is acknowledged must survive a power cut; the last moments of the tree need not.
    fn wait_for_disk(&mut self, waits: bool) -> rusqlite::Result<()> {
        if self.waits_for_disk != waits {
            self.database.pragma_update(None, "synchronous", if waits { "FULL" } else { "NORMAL" })?;
            self.waits_for_disk = waits;
        }
        Ok(())
    }

    fn since(&self, after: u64, limit: usize) -> rusqlite::Result<Page> {
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
        Ok(Page { events, oldest: oldest.cast_unsigned(), newest: newest.cast_unsigned() })
    }

    fn remember(&mut self, world: &str) -> rusqlite::Result<()> {
        let transaction = self.database.transaction()?;
        let last = "SELECT coalesce(max(id), 0) FROM event";
        let last: i64 = transaction.query_row(last, [], |row| row.get(0))?;
        transaction.execute(
            "INSERT OR REPLACE INTO world(id, after, body) VALUES (1, ?1, ?2)",
            params![last, world],
        )?;
        transaction.execute("DELETE FROM event WHERE id <= ?1", [last - KEPT])?;
        transaction.commit()
    }
}
