//! The write-ahead log of the journal's database, and when it is moved into the database. Its size is that of its file, so
//! that what earlier daemons left in it counts.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

/// The size that the file keeps after it was moved into the database: a file of this size is written over, which is faster
/// than one that grows.
pub(super) const KEPT_BYTES: u64 = 4 << 20;

/// The size at which the journal's own thread moves it. Nothing is appended meanwhile, so the next append starts over at the
/// beginning of the file. The other thread alone cannot guarantee that: what is appended while it works stays in the log. A
/// daemon reads the whole log when it starts, which takes about 5 ms per MiB.
const MAX_BYTES: u64 = 16 << 20;

/// The write-ahead log.
pub(super) struct WriteAheadLog {
    path: PathBuf,
    /// Wakes the thread that moves the log.
    mover: SyncSender<()>,
    /// Held by the thread that moves it.
    turn: Arc<Mutex<()>>,
    /// The size at which it is moved next.
    moved_at: u64,
}

impl WriteAheadLog {
    /// The log of a database, with a thread that moves it.
    pub(super) fn new(database: PathBuf) -> Result<Self, String> {
        let mut path = database.clone().into_os_string();
        path.push("-wal");
        let turn = Arc::default();
        let mover = start_mover(database, Arc::clone(&turn))?;
        Ok(Self { path: path.into(), mover, turn, moved_at: KEPT_BYTES + 1 })
    }

    /// Has the log moved into the database if it is long.
    pub(super) fn keep_short(&mut self, database: &Connection) {
        let bytes = fs::metadata(&self.path).map_or(0, |file| file.len());
        if bytes <= KEPT_BYTES {
            self.moved_at = KEPT_BYTES + 1;
        } else if bytes >= self.moved_at {
            self.moved_at = bytes + KEPT_BYTES;
            if bytes < MAX_BYTES {
                let _ = self.mover.try_send(());
            } else {
                checkpoint(database, &self.turn);
            }
        }
    }
}

/// Starts the thread that moves the log. It waits for the disk, so that appends need not.
fn start_mover(path: PathBuf, turn: Arc<Mutex<()>>) -> Result<SyncSender<()>, String> {
    let (mover, woken) = sync_channel(1);
    let run = move || {
        let Ok(database) = Connection::open(&path) else { return };
        while woken.recv().is_ok() {
            checkpoint(&database, &turn);
        }
    };
    let thread = std::thread::Builder::new().name("wal-checkpoint".into());
    thread.spawn(run).map_err(|why| why.to_string())?;
    Ok(mover)
}

/// Moves the log. Of two threads, the second waits for the first: SQLite would refuse it.
fn checkpoint(database: &Connection, turn: &Mutex<()>) {
    let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
    if let Err(why) = database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())) {
        tracing::warn!("Cannot checkpoint the journal's write-ahead log: {why}");
    }
}

#[cfg(test)]
mod tests {
    use fugue_core::World;

    use super::super::database_thread::JournalFile;
    use super::*;

    /// A log whose thread never gets to move it.
    fn with_a_busy_mover(directory: &tempfile::TempDir) -> (WriteAheadLog, impl Sized) {
        let (mover, woken) = sync_channel(1);
        (
            WriteAheadLog {
                path: directory.path().join("journal.db-wal"),
                mover,
                turn: Arc::default(),
                moved_at: KEPT_BYTES + 1,
            },
            woken,
        )
    }

    #[test]
    fn daemons_that_are_killed_after_a_few_events_keep_the_log_and_the_events_few() {
        let directory = tempfile::tempdir().expect("a directory");
        let event = serde_json::json!({
            "event": "session_closed", "session": fugue_protocol::SessionId::from_bytes([1; 16]),
        });
        let world = serde_json::to_string(&World::default()).expect("json");
        let mut largest = 0;
        for _ in 0..150 {
            let (mut file, recovered) = JournalFile::open(directory.path()).expect("a journal");
            let (mut log, _woken) = with_a_busy_mover(&directory);
            let mut age = recovered.age;
            for _ in 0..100 {
                file.append(&[(1, event.to_string())], &[]).expect("stored");
                age.add(1, 100);
                if age.is_due() {
                    file.checkpoint(&world).expect("stored");
                    age = super::super::CheckpointAge::new(world.len() as u64);
                }
                log.keep_short(&file.database);
                largest = largest.max(fs::metadata(&log.path).expect("a log").len());
            }
        }
        assert!(largest > MAX_BYTES, "the log never got to its limit: {largest}");
        assert!(largest < MAX_BYTES + KEPT_BYTES, "{largest}");
        let (file, _) = JournalFile::open(directory.path()).expect("a journal");
        let kept = file.since(0, 1 << 20).map_or(0, |page| page.last - page.oldest);
        assert!((1..=12_100).contains(&kept), "{kept} events");
    }

    #[test]
    fn the_log_begins_anew_after_it_was_moved() {
        let directory = tempfile::tempdir().expect("a directory");
        let (mut file, _) = JournalFile::open(directory.path()).expect("a journal");
        let mut log = WriteAheadLog::new(directory.path().join("journal.db")).expect("a thread");
        let body = format!(r#"{{"event":"session_closed","session":"{}"}}"#, "0".repeat(32));
        for _ in 0..8_000 {
            file.append(&[(1, body.clone())], &[]).expect("stored");
            log.keep_short(&file.database);
            let bytes = fs::metadata(&log.path).expect("a log").len();
            assert!(bytes < MAX_BYTES + KEPT_BYTES, "{bytes}");
        }
    }
}
