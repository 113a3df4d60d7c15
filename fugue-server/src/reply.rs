//! A request's way back: it is answered exactly once, whoever holds it, and even if whoever holds it goes away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_protocol::refusal::Refused;
use fugue_protocol::{Refusal, SessionName, messages};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{Notify, OwnedSemaphorePermit, mpsc, oneshot};

/// A client's answers that wait to be written: past this it is not read from until it has taken some.
const UNWRITTEN: usize = 8 << 20;

/// A frame on its way to a client, with the place it takes among the client's requests under way.
pub(crate) struct Outgoing {
    pub(crate) bytes: Vec<u8>,
    /// Given back when the frame is written.
    pub(crate) _place: Option<OwnedSemaphorePermit>,
}

/// Where a client's frames go.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Waiting>);

struct Waiting {
    frames: mpsc::Sender<Outgoing>,
    bytes: Arc<Unwritten>,
}

/// How much waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Unwritten {
    bytes: AtomicUsize,
    fewer: Notify,
}

impl Unwritten {
    /// So much is written.
    pub(crate) fn written(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.fewer.notify_one();
    }

    /// Waits until all is written.
    pub(crate) async fn empty(&self) {
        while self.bytes.load(Ordering::Relaxed) > 0 {
            self.fewer.notified().await;
        }
    }

    /// Waits until there is room for another answer.
    pub(crate) async fn room(&self) {
        while self.bytes.load(Ordering::Relaxed) > UNWRITTEN {
            self.fewer.notified().await;
        }
    }
}

impl Outbox {
    /// As many frames as a client may have requests under way: so a reply always finds room.
    pub(crate) fn new(places: usize) -> (Self, mpsc::Receiver<Outgoing>, Arc<Unwritten>) {
        let (frames, receiver) = mpsc::channel(places);
        let bytes = Arc::new(Unwritten::default());
        (Self(Arc::new(Waiting { frames, bytes: Arc::clone(&bytes) })), receiver, bytes)
    }

    /// Tells the client that something which asked for no answer could not be done.
    pub(crate) fn notice(&self, refusal: &Refusal) {
        self.send(messages::notice(&Refused::from(refusal)), None);
    }

    fn send(&self, bytes: Vec<u8>, place: Option<OwnedSemaphorePermit>) {
        self.0.bytes.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        // Full or closed: the client is gone, or was sent a frame nobody asked for. Nobody waits for it.
        let count = bytes.len();
        if self.0.frames.try_send(Outgoing { bytes, _place: place }).is_err() {
            self.0.bytes.written(count);
        }
    }
}

/// The way back of one request.
pub(crate) struct Reply {
    outbox: Outbox,
    id: u64,
    place: Option<OwnedSemaphorePermit>,
    answered: bool,
    /// Rings, or is dropped, when nobody waits for the answer any more.
    withdrawal: Option<oneshot::Receiver<()>>,
    /// The session that was taken for meant, though nobody named it.
    assumed: Option<SessionName>,
    /// Messages that lie unread for the caller, counted when it is answered.
    unread: Option<Arc<AtomicUsize>>,
}

impl Reply {
    /// The way back of request `id`.
    pub(crate) fn new(outbox: Outbox, id: u64, place: OwnedSemaphorePermit) -> Self {
        Self {
            outbox,
            id,
            place: Some(place),
            answered: false,
            withdrawal: None,
            assumed: None,
            unread: None,
        }
    }

    /// The same for a request that may be withdrawn: by a word, or by whoever asked going away.
    pub(crate) fn withdrawable(mut self) -> (Self, oneshot::Sender<()>) {
        let (withdraw, withdrawal) = oneshot::channel();
        self.withdrawal = Some(withdrawal);
        (self, withdraw)
    }

    /// Passes an answer on when it is there, and lets go of it when nobody waits any more.
    pub(crate) fn relay<T: Serialize + 'static>(
        mut self,
        answer: impl Future<Output = Result<Result<T, Refusal>, oneshot::error::RecvError>> + 'static,
    ) {
        let withdrawal = self.withdrawal.take();
        tokio::task::spawn_local(async move {
            tokio::select! {
                answer = answer => match answer {
                    Ok(Ok(reply)) => self.done(&reply),
                    Ok(Err(refusal)) => self.refuse(refusal),
                    // Nobody answered: that refuses.
                    Err(_) => drop(self),
                },
                () = rung(withdrawal) => self.refuse(Refusal::Cancelled),
            }
        });
    }

    /// The answer will tell that this session was taken for meant.
    pub(crate) fn assume(&mut self, session: SessionName) {
        self.assumed = Some(session);
    }

    /// The answer will tell how many messages lie unread.
    pub(crate) fn tells_unread(&mut self, unread: Option<Arc<AtomicUsize>>) {
        self.unread = unread;
    }

    /// What waits to be written to whoever gets the answer.
    pub(crate) fn unwritten(&self) -> Arc<Unwritten> {
        Arc::clone(&self.outbox.0.bytes)
    }

    /// Whether nobody is there any more to hear the answer.
    pub(crate) fn is_moot(&self) -> bool {
        self.outbox.0.frames.is_closed()
    }

    /// Answers.
    pub(crate) fn send(mut self, answer: Result<Box<RawValue>, Refusal>) {
        self.answer(answer);
    }

    /// Answers with a reply.
    pub(crate) fn done(self, reply: &impl Serialize) {
        let words = to_raw_value(reply).map_err(|why| Refusal::BadMessage { why: why.to_string() });
        self.send(words);
    }

    /// Refuses.
    pub(crate) fn refuse(self, refusal: Refusal) {
        self.send(Err(refusal));
    }

    fn answer(&mut self, answer: Result<Box<RawValue>, Refusal>) {
        self.answered = true;
        let unread = self.unread.as_ref().map(|unread| unread.load(Ordering::Relaxed));
        let bytes = match answer {
            Ok(words) => messages::reply(self.id, &words, self.assumed.as_ref(), unread),
            Err(refusal) => messages::refusal(Some(self.id), &Refused::from(&refusal)),
        };
        self.outbox.send(bytes, self.place.take());
    }
}

async fn rung(withdrawal: Option<oneshot::Receiver<()>>) {
    match withdrawal {
        Some(withdrawal) => drop(withdrawal.await),
        None => std::future::pending().await,
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if !self.answered {
            self.answer(Err(Refusal::ShuttingDown));
        }
    }
}
