//! The journal: every persistent event, stored before anyone is notified of it. One thread owns the files; this is the
//! handle through which other tasks write and read.
//!
//! Everything is stored twice: in a SQLite database (`journal.db`), from which the daemon reads, and in a file of records
//! (`journal.copy`), from which the database can be rebuilt. Damage to either loses nothing.
//!
//! - **Order**: an append is first added to the copy and then committed to the database. If the commit fails, on a full
//!   disk for example, the copy is shortened again before the request is refused. So whatever was acknowledged is in both
//!   files, and the copy is ahead by at most one append, whose request was not answered; a start commits that to the
//!   database.
//! - **Disk**: a commit with messages waits for the disk, in the database only. After a power failure the database
//!   therefore has every acknowledged message, and the copy is rebuilt from it if its end is missing.
//! - **Damage**: every row and every record has a checksum, and both files have the number of the last append, as has a
//!   third one (`witness.rs`). A start checks all of them and compares the files (`contents.rs`). What does not agree is set aside and rebuilt
//!   (`recovery_plan.rs`), and a warning says what was lost.
//! - **Size**: a checkpoint stores the whole world, drops old events by number and by bytes, and replaces the copy by a
//!   snapshot once it is twice as long as the last one (`checkpoint_age.rs`). The database's write-ahead log has a limit as
//!   well (`write_ahead_log.rs`). Both count what earlier daemons left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fugue_core::World;
use fugue_protocol::MessageId;
use tokio::sync::{mpsc, oneshot};

mod checkpoint_age;
mod checksum;
mod contents;
mod copy_file;
mod copy_reader;
mod copy_record;
mod damage_report;
mod damaged_files;
mod database;
mod database_thread;
mod format;
mod messages;
mod rebuild;
mod recovery;
mod recovery_plan;
mod replay;
mod row_check;
#[cfg(test)]
mod tests_damage;
mod tip;
mod witness;
mod write_ahead_log;

pub(crate) use checkpoint_age::CheckpointAge;
#[doc(hidden)]
pub use copy_reader::count_copy_records;
pub(crate) use database_thread::EventPage;
use database_thread::{JournalFile, JournalRequest};
pub(crate) use messages::MessageChange;
pub(crate) use recovery::RecoveredState;
use write_ahead_log::WriteAheadLog;

/// Requests that may be queued for the journal's thread. The manager has one append in flight and each client's writer
/// one read, so a queue this long means a disk that has stalled; then whoever asks waits, and nothing is dropped.
const QUEUE: usize = 256;

/// A handle that writes and reads the journal.
#[derive(Clone)]
pub(crate) struct Journal {
    requests: mpsc::Sender<JournalRequest>,
}

impl Journal {
    /// Opens or creates the journal in a directory, in the thread that then serves it. The future returns the state that
    /// the journal holds, once it is open.
    pub(crate) fn open(
        directory: &Path,
    ) -> Result<(Self, impl Future<Output = Result<RecoveredState, String>> + use<>), String> {
        fs::create_dir_all(directory)
            .map_err(|why| format!("cannot create {}: {why}", directory.display()))?;
        let (journal, requests) = Self::channel();
        let (opened, recovered) = oneshot::channel();
        let directory = directory.to_owned();
        let serve = move || open_and_serve(&directory, requests, opened);
        std::thread::Builder::new().name("journal".into()).spawn(serve).map_err(|why| why.to_string())?;
        let panicked = |_| "the journal could not be read because of a bug in fugue".to_owned();
        Ok((journal, async move { recovered.await.map_err(panicked)? }))
    }

    fn channel() -> (Self, mpsc::Receiver<JournalRequest>) {
        let (requests, receiver) = mpsc::channel(QUEUE);
        (Self { requests }, receiver)
    }

    /// Stores events, with what they change in messages, in one transaction. Returns the number of the last event.
    pub(crate) async fn append(
        &self,
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
    ) -> Result<u64, String> {
        self.request(|done| JournalRequest::Append { events, messages, done }).await
    }

    /// Reads the bodies of messages.
    pub(crate) async fn bodies(
        &self,
        messages: Vec<MessageId>,
    ) -> Result<BTreeMap<MessageId, String>, String> {
        self.request(|done| JournalRequest::Bodies { messages, done }).await
    }

    /// Reads events after a number.
    pub(crate) async fn since(&self, after: u64, limit: usize) -> Result<EventPage, String> {
        self.request(|done| JournalRequest::Since { after, limit, done }).await
    }

    /// Stores the whole world, so that a later start replays only the events after it. Returns the age of the checkpoint.
    pub(crate) async fn checkpoint(&self, world: &World) -> CheckpointAge {
        let Ok(world) = serde_json::to_string(world) else { return CheckpointAge::default() };
        let bytes = world.len() as u64;
        let _ = self.requests.send(JournalRequest::Checkpoint { world }).await;
        CheckpointAge::new(bytes)
    }

    async fn request<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, String>>) -> JournalRequest,
    ) -> Result<T, String> {
        let (done, answer) = oneshot::channel();
        let closed = || "the journal is closed".to_owned();
        self.requests.send(request(done)).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }
}

/// The journal's thread.
fn open_and_serve(
    directory: &Path,
    requests: mpsc::Receiver<JournalRequest>,
    opened: oneshot::Sender<Result<RecoveredState, String>>,
) {
    let file = JournalFile::open(directory).and_then(|(file, recovered)| {
        let log = WriteAheadLog::new(directory.join("journal.db"))?;
        Ok((file, log, recovered))
    });
    match file {
        Ok((file, log, recovered)) => {
            // Nobody waits any more if the daemon has given up meanwhile; then there are no requests either.
            let _ = opened.send(Ok(recovered));
            file.serve(requests, log);
        }
        Err(why) => drop(opened.send(Err(why))),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// The time of the event in the next request, which is answered with that time.
    fn answer_next(requests: &mut mpsc::Receiver<JournalRequest>) -> u64 {
        match requests.try_recv().expect("a request") {
            JournalRequest::Append { events, done, .. } => {
                let at = events[0].0;
                done.send(Ok(at)).expect("someone waits");
                at
            }
            _ => panic!("not an append"),
        }
    }

    #[test]
    fn when_the_queue_is_full_the_next_append_waits_and_no_event_is_lost() {
        let (journal, mut requests) = Journal::channel();
        let append = |at: usize| {
            let journal = journal.clone();
            Box::pin(async move { journal.append(vec![(at as u64, "{}".into())], Vec::new()).await })
        };
        let mut context = Context::from_waker(Waker::noop());
        let mut appends: Vec<_> = (0..=QUEUE).map(append).collect();
        for append in &mut appends {
            assert!(pin!(append).poll(&mut context).is_pending());
        }
        assert_eq!(journal.requests.capacity(), 0, "the queue is full");
        for at in 0..QUEUE {
            assert_eq!(answer_next(&mut requests), at as u64);
        }
        let mut last = appends.pop().expect("the one past the edge");
        assert!(last.as_mut().poll(&mut context).is_pending(), "it is queued now");
        assert_eq!(answer_next(&mut requests), QUEUE as u64);
        assert_eq!(last.as_mut().poll(&mut context), Poll::Ready(Ok(QUEUE as u64)));
    }

    #[tokio::test]
    async fn appends_from_many_tasks_are_all_stored() {
        let directory = tempfile::tempdir().expect("a directory");
        let (journal, recovered) = Journal::open(directory.path()).expect("a thread");
        recovered.await.expect("a journal");
        let mut appends = tokio::task::JoinSet::new();
        for at in 0..2 * QUEUE as u64 {
            let journal = journal.clone();
            appends.spawn(async move { journal.append(vec![(at, "{}".into())], Vec::new()).await });
        }
        assert!(appends.join_all().await.iter().all(Result::is_ok));
        let page = journal.since(0, usize::MAX).await.expect("readable");
        let last = page.events.last().map(|(number, ..)| *number);
        assert_eq!((page.events.len(), last), (2 * QUEUE, Some(2 * QUEUE as u64)));
    }

    /// Prints what an append costs: `cargo nextest run -p fugue-server --run-ignored only append_cost --no-capture`.
    #[tokio::test]
    #[ignore = "a measurement"]
    async fn append_cost() {
        let directory = tempfile::tempdir().expect("a directory");
        let (journal, recovered) = Journal::open(directory.path()).expect("a thread");
        recovered.await.expect("a journal");
        let event = serde_json::json!({
            "event": "metadata_changed", "session": "00000000-0000-0000-0000-000000000001", "key": "k", "value": "v".repeat(100),
        });
        let mut times = Vec::new();
        for at in 0..5_000 {
            let begun = std::time::Instant::now();
            journal.append(vec![(at, event.to_string())], Vec::new()).await.expect("stored");
            times.push(begun.elapsed());
        }
        times.sort();
        let [median, high, most] = [times[2_500], times[4_950], times[4_999]];
        println!("one event: median {median:?}, 99% {high:?}, most {most:?}");
    }
}
