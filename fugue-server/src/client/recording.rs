//! What a client records: pieces of panes' output, written as fast as the client takes them. A pane never waits.

use std::sync::Arc;

use fugue_protocol::recording::RecordingChunk;
use fugue_protocol::views::{ExitStatus, PaneView};
use fugue_protocol::{PaneId, Refusal, Timestamp};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::clock;
use crate::pane::{Mark, Order, Strip, Watcher};
use crate::reply::Reply;

/// Recordings of one client at once: nobody looks at more.
const MOST: usize = 16;

/// Strips that are sent in one go: a whole tape, then others have their turn.
const STRIPS: usize = 16;

/// All that a client records.
#[derive(Default)]
pub(super) struct Recordings(Vec<Recording>);

struct Recording {
    pane: PaneId,
    orders: mpsc::Sender<Order>,
    recorder: Arc<Watcher>,
    mark: Mark,
    over: bool,
}

impl Recordings {
    /// One more, of this pane.
    pub(super) fn begin(
        &mut self,
        view: &PaneView,
        orders: mpsc::Sender<Order>,
        reply: Reply,
        bell: &Arc<Notify>,
    ) {
        let pane = view.pane_id;
        if self.0.len() >= MOST {
            return reply
                .refuse(Refusal::TooMany { what: fugue_protocol::refusal::Quota::Recordings, limit: MOST });
        }
        let recorder = Watcher::new(Arc::clone(bell), Arc::clone(bell));
        if orders.try_send(Order::Record(Arc::clone(&recorder))).is_err() {
            return reply.refuse(Refusal::Busy { pane });
        }
        self.0.push(Recording { pane, orders, recorder, mark: Mark::default(), over: false });
        bell.notify_one();
        reply.done(view);
    }

    /// Sends what is new on the tapes.
    pub(super) async fn send(&mut self, socket: &mut OwnedWriteHalf) -> std::io::Result<()> {
        for recording in self.0.iter_mut().filter(|recording| recording.recorder.take()) {
            for left in (0..STRIPS).rev() {
                for frame in recording.frames().await {
                    socket.write_all(&frame).await?;
                }
                // What is left after the last strip is still marked as new, and the bell has rung for it.
                if recording.over || left == 0 || !recording.recorder.take() {
                    break;
                }
            }
        }
        self.0.retain(|recording| !recording.over);
        Ok(())
    }
}

impl Recording {
    async fn frames(&mut self) -> Vec<Vec<u8>> {
        let Some(strip) = self.strip().await else {
            // The pane is gone, and nobody saw how its program ended.
            self.over = true;
            return vec![RecordingChunk::Ended(ExitStatus::Unknown).frame(self.pane, clock::now())];
        };
        self.mark = strip.next;
        if strip.more {
            self.recorder.again();
        }
        self.over = matches!(strip.pieces.last(), Some((_, RecordingChunk::Ended(_))));
        let frame = |(at, piece): (Timestamp, RecordingChunk)| piece.frame(self.pane, at);
        strip.pieces.into_iter().map(frame).collect()
    }

    async fn strip(&self) -> Option<Strip> {
        let (answer, strip) = oneshot::channel();
        self.orders.send(Order::Strip { from: self.mark, answer }).await.ok()?;
        strip.await.ok()
    }
}
