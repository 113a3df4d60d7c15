//! What the daemon sends without being asked: the output of panes and events. Each stream has a connection and a thread of its
//! own, which waits while the client reads nothing: the daemon then drops output and says how much.

use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use fugue_client::{CallError, Connection, ConnectionCloser, Paths, ServerFrame, StartPolicy, connect};
use fugue_protocol::messages::Role;
use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::verbs::{PaneChoice, RecordPane, SubscribeEvents};
use fugue_protocol::{PaneId, Timestamp};

use super::task::{ControlTask, OutputPart};

/// The most panes whose output is followed, each with a connection: some more than a window can have.
const MOST_STREAMS: usize = 256;

/// The panes whose output is followed.
pub(super) struct PaneStreams {
    paths: Paths,
    sender: SyncSender<ControlTask>,
    panes: BTreeMap<PaneId, Arc<Stream>>,
}

/// The stream of a pane, which has a thread of its own.
#[derive(Default)]
struct Stream(Mutex<StreamState>);

#[derive(Default)]
struct StreamState {
    is_ended: bool,
    /// Ends the connection that the thread waits for.
    closer: Option<ConnectionCloser>,
}

impl Stream {
    fn state(&self) -> impl std::ops::DerefMut<Target = StreamState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the thread, which may be waiting for a pane that prints nothing.
    fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        if let Some(closer) = state.closer.take() {
            closer.close();
        }
    }

    fn is_ended(&self) -> bool {
        self.state().is_ended
    }

    /// Notes the connection that the thread uses. Returns whether it goes on.
    fn uses(&self, connection: &Connection) -> bool {
        let mut state = self.state();
        state.closer = connection.closer().ok();
        !state.is_ended && state.closer.is_some()
    }
}

impl PaneStreams {
    pub(super) fn new(paths: Paths, sender: SyncSender<ControlTask>) -> Self {
        Self { paths, sender, panes: BTreeMap::new() }
    }

    /// Forgets a pane whose stream was refused, so that it is followed again when there is room.
    pub(super) fn forget(&mut self, pane: PaneId) {
        self.panes.remove(&pane);
    }

    /// Follows these panes and no others. Returns those that are too many.
    pub(super) fn follow(&mut self, wanted: &[PaneId]) -> Vec<PaneId> {
        self.panes.retain(|pane, stream| {
            let is_wanted = wanted.contains(pane);
            if !is_wanted {
                stream.end();
            }
            is_wanted
        });
        let mut left = Vec::new();
        for pane in wanted.iter().copied() {
            if self.panes.contains_key(&pane) {
                continue;
            }
            let stream = Arc::new(Stream::default());
            let (paths, sender, own) = (self.paths.clone(), self.sender.clone(), Arc::clone(&stream));
            let has_room = self.panes.len() < MOST_STREAMS;
            if has_room && spawn(move || follow_pane(pane, &paths, &sender, &own)).is_ok() {
                self.panes.insert(pane, stream);
            } else {
                left.push(pane);
            }
        }
        left
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name("control-stream".to_owned()).spawn(work).map(drop)
}

/// Sends the output of a pane until its program ends, or nobody wants it. After the daemon was replaced, its successor draws
/// the screen again. If the daemon refuses the stream, the client is told that there is none.
fn follow_pane(pane: PaneId, paths: &Paths, sender: &SyncSender<ControlTask>, stream: &Stream) {
    let mut is_again = false;
    loop {
        match record(pane, paths, sender, stream, is_again) {
            _ if stream.is_ended() => return,
            Ok(()) => return,
            Err(error) if is_lost(&error) => is_again = true,
            Err(_) => {
                let _ = sender.send(ControlTask::Output(pane, OutputPart::Refused));
                return;
            }
        }
    }
}

fn record(
    pane: PaneId,
    paths: &Paths,
    sender: &SyncSender<ControlTask>,
    stream: &Stream,
    is_again: bool,
) -> Result<(), CallError> {
    let mut connection = connect(paths, Role::Terminal, StartPolicy::Never)?;
    if !stream.uses(&connection) {
        return Ok(());
    }
    connection.call(&RecordPane { choice: PaneChoice::of(pane) })?;
    let mut is_first = true;
    while !stream.is_ended() {
        let ServerFrame::Recording(body) = connection.next_frame()? else { continue };
        let (_, at, chunk) =
            RecordingChunk::read(&body).map_err(|why| CallError::Malformed(why.to_string()))?;
        let output = output_of(chunk, at, std::mem::take(&mut is_first) && !is_again);
        let Some(output) = output else { return Ok(()) };
        if sender.send(ControlTask::Output(pane, output)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// What a chunk means; none if it is the last one.
fn output_of(chunk: RecordingChunk, at: Timestamp, is_first: bool) -> Option<OutputPart> {
    Some(match chunk {
        RecordingChunk::Wrote(bytes) => OutputPart::Wrote(at, bytes),
        RecordingChunk::Begins { drawing, .. } if is_first => OutputPart::Begins(drawing),
        RecordingChunk::Begins { drawing, .. } => OutputPart::Lost(drawing),
        RecordingChunk::Resized(_) => OutputPart::Silent,
        RecordingChunk::Ended(_) => return None,
    })
}

/// Sends events until the daemon is shut down.
pub(super) fn follow_events(paths: Paths, sender: SyncSender<ControlTask>) -> io::Result<()> {
    spawn(move || {
        let mut since = None;
        while events(&paths, &sender, &mut since).is_err_and(|error| is_lost(&error)) {
            if sender.send(ControlTask::DaemonReplaced).is_err() {
                return;
            }
        }
        let _ = sender.send(ControlTask::Exit(Some("server exited")));
    })
}

fn events(paths: &Paths, sender: &SyncSender<ControlTask>, since: &mut Option<u64>) -> Result<(), CallError> {
    let mut connection = connect(paths, Role::Terminal, StartPolicy::Never)?;
    connection.call(&SubscribeEvents { since: *since })?;
    loop {
        if let ServerFrame::Event(record) = connection.next_frame()? {
            *since = record.id.or(*since);
            if sender.send(ControlTask::Event(Box::new(record.event))).is_err() {
                return Ok(());
            }
        }
    }
}

/// Whether the daemon is gone. A successor may be there.
pub(super) fn is_lost(error: &CallError) -> bool {
    match error {
        CallError::Lost(_) => true,
        CallError::Unanswered(error) => is_lost(error),
        _ => false,
    }
}
