//! What the daemon sends without being asked: the output of panes and events. Each stream has a connection and a thread of its
//! own, which waits while the client reads nothing: the daemon then drops output and says how much.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::thread;

use fugue_client::{CallError, Paths, ServerFrame, StartPolicy, connect};
use fugue_protocol::messages::Role;
use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::verbs::{PaneChoice, RecordPane, SubscribeEvents};
use fugue_protocol::{PaneId, Timestamp};

use super::Message;
use super::client::is_lost;

/// The most panes whose output is followed, each with a connection: some more than a window can have.
const MOST_STREAMS: usize = 256;

/// The panes whose output is followed.
pub(super) struct PaneStreams {
    paths: Paths,
    sender: SyncSender<Message>,
    /// Whether the thread of a pane goes on.
    panes: BTreeMap<PaneId, Arc<AtomicBool>>,
}

impl PaneStreams {
    pub(super) fn new(paths: Paths, sender: SyncSender<Message>) -> Self {
        Self { paths, sender, panes: BTreeMap::new() }
    }

    /// Follows these panes and no others. Returns those that are too many.
    pub(super) fn follow(&mut self, wanted: &[PaneId]) -> Vec<PaneId> {
        self.panes.retain(|pane, goes_on| {
            let is_wanted = wanted.contains(pane);
            goes_on.store(is_wanted, Ordering::Relaxed);
            is_wanted
        });
        let new: Vec<_> = wanted.iter().copied().filter(|pane| !self.panes.contains_key(pane)).collect();
        let (started, left) = new.split_at(new.len().min(MOST_STREAMS.saturating_sub(self.panes.len())));
        for pane in started {
            let goes_on = Arc::new(AtomicBool::new(true));
            let stream = (self.paths.clone(), self.sender.clone(), Arc::clone(&goes_on));
            let pane = *pane;
            if spawn(move || follow_pane(pane, &stream.0, &stream.1, &stream.2)).is_ok() {
                self.panes.insert(pane, goes_on);
            }
        }
        left.to_vec()
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("control-stream".to_owned()).spawn(work).map(drop)
}

/// Sends the output of a pane until its program ends, or nobody wants it. After the daemon was replaced, its successor draws
/// the screen again.
fn follow_pane(pane: PaneId, paths: &Paths, sender: &SyncSender<Message>, goes_on: &AtomicBool) {
    let mut is_again = false;
    while record(pane, paths, sender, goes_on, is_again).is_err_and(|error| is_lost(&error)) {
        is_again = true;
    }
}

fn record(
    pane: PaneId,
    paths: &Paths,
    sender: &SyncSender<Message>,
    goes_on: &AtomicBool,
    is_again: bool,
) -> Result<(), CallError> {
    let mut connection = connect(paths, Role::Terminal, StartPolicy::Never)?;
    connection.call(&RecordPane { choice: PaneChoice::of(pane) })?;
    let mut is_first = true;
    while goes_on.load(Ordering::Relaxed) {
        let ServerFrame::Recording(body) = connection.next_frame()? else { continue };
        let (_, at, chunk) =
            RecordingChunk::read(&body).map_err(|why| CallError::Malformed(why.to_string()))?;
        let output = output_of(chunk, at, std::mem::take(&mut is_first) && !is_again);
        let Some(output) = output else { return Ok(()) };
        if sender.send(Message::Output(pane, output)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// A part of the output of a pane.
#[derive(Debug)]
pub(super) enum PaneOutput {
    /// The program wrote these bytes then.
    Wrote(Timestamp, Vec<u8>),
    /// What draws the screen as it is when the stream begins.
    Begins(Vec<u8>),
    /// Output was lost; these bytes draw the screen as it is now.
    Lost(Vec<u8>),
    /// Nothing that is written.
    Silent,
}

/// What a chunk means; none if it is the last one.
fn output_of(chunk: RecordingChunk, at: Timestamp, is_first: bool) -> Option<PaneOutput> {
    Some(match chunk {
        RecordingChunk::Wrote(bytes) => PaneOutput::Wrote(at, bytes),
        RecordingChunk::Begins { drawing, .. } if is_first => PaneOutput::Begins(drawing),
        RecordingChunk::Begins { drawing, .. } => PaneOutput::Lost(drawing),
        RecordingChunk::Resized(_) => PaneOutput::Silent,
        RecordingChunk::Ended(_) => return None,
    })
}

/// Sends events until the daemon is shut down.
pub(super) fn follow_events(paths: Paths, sender: SyncSender<Message>) -> io::Result<()> {
    spawn(move || {
        let mut since = None;
        while events(&paths, &sender, &mut since).is_err_and(|error| is_lost(&error)) {
            if sender.send(Message::DaemonReplaced).is_err() {
                return;
            }
        }
        let _ = sender.send(Message::Exit(Some("server exited")));
    })
}

fn events(paths: &Paths, sender: &SyncSender<Message>, since: &mut Option<u64>) -> Result<(), CallError> {
    let mut connection = connect(paths, Role::Terminal, StartPolicy::Never)?;
    connection.call(&SubscribeEvents { since: *since })?;
    loop {
        if let ServerFrame::Event(record) = connection.next_frame()? {
            *since = record.id.or(*since);
            if sender.send(Message::Event(Box::new(record.event))).is_err() {
                return Ok(());
            }
        }
    }
}
