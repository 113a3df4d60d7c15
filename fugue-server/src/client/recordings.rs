//! A client's recordings: panes' output, written as fast as the client reads it. A pane never waits for a client.

use std::rc::Rc;

use fugue_protocol::recording_chunk::RecordingChunk;
use fugue_protocol::refusal::Quota;
use fugue_protocol::views::{ExitStatus, PaneView};
use fugue_protocol::{PaneId, Refusal, Timestamp};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{Notify, oneshot};

use crate::channels::local_queue::LocalSender;
use crate::clock;
use crate::pane::{PaneOrder, RecordingPosition, RecordingSlice, Subscriber};
use crate::replies::reply::Reply;

/// Recordings of one client at once: far more than a person looks at.
const MAX_RECORDINGS: usize = 16;

/// Slices sent in a row: a whole recording buffer, then other recordings have their turn.
const SLICES_PER_TURN: usize = 16;

/// All recordings of a client.
#[derive(Default)]
pub(super) struct Recordings(Vec<Recording>);

struct Recording {
    pane: PaneId,
    orders: LocalSender<PaneOrder>,
    subscriber: Rc<Subscriber>,
    position: RecordingPosition,
    ended: bool,
}

impl Recordings {
    /// Starts recording a pane.
    pub(super) fn start(
        &mut self,
        view: &PaneView,
        orders: LocalSender<PaneOrder>,
        reply: Reply,
        changed: &Rc<Notify>,
    ) {
        let pane = view.pane_id;
        if self.0.len() >= MAX_RECORDINGS {
            return reply.refuse(Refusal::TooMany { what: Quota::Recordings, limit: MAX_RECORDINGS });
        }
        let subscriber = Subscriber::new(Rc::clone(changed), Rc::clone(changed));
        if orders.try_send(PaneOrder::Record(Rc::clone(&subscriber))).is_err() {
            return reply.refuse(Refusal::Busy { pane });
        }
        let position = RecordingPosition::default();
        self.0.push(Recording { pane, orders, subscriber, position, ended: false });
        changed.notify_one();
        reply.done(view);
    }

    /// Sends new output of all recorded panes.
    pub(super) async fn send(&mut self, socket: &mut OwnedWriteHalf) -> std::io::Result<()> {
        for recording in self.0.iter_mut().filter(|recording| recording.subscriber.take_changed()) {
            for left in (0..SLICES_PER_TURN).rev() {
                for frame in recording.frames().await {
                    socket.write_all(&frame).await?;
                }
                // After the last slice the change flag stays set, and the writer was notified for it.
                if recording.ended || left == 0 || !recording.subscriber.take_changed() {
                    break;
                }
            }
        }
        self.0.retain(|recording| !recording.ended);
        Ok(())
    }
}

impl Recording {
    async fn frames(&mut self) -> Vec<Vec<u8>> {
        let Some(slice) = self.slice().await else {
            // The pane is gone, and how its program ended is not known.
            self.ended = true;
            return vec![RecordingChunk::Ended(ExitStatus::Unknown).frame(self.pane, clock::now())];
        };
        self.position = slice.next;
        if slice.more {
            self.subscriber.notify_again();
        }
        self.ended = matches!(slice.chunks.last(), Some((_, RecordingChunk::Ended(_))));
        let frame = |(at, chunk): (Timestamp, RecordingChunk)| chunk.frame(self.pane, at);
        slice.chunks.into_iter().map(frame).collect()
    }

    async fn slice(&self) -> Option<RecordingSlice> {
        let (answer, slice) = oneshot::channel();
        self.orders.send(PaneOrder::RecordingSlice { from: self.position, answer }).await.ok()?;
        slice.await.ok()
    }
}
