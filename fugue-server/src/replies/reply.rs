//! The reply to a request: it is sent exactly once, whoever holds it, even if that task ends without an answer.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::answer_store::{AnswerStore, with_digest};
use super::read_gate::ReadPermit;
use super::unwritten_replies::UnwrittenBytes;
use crate::tasks;
use fugue_protocol::frames::HEADER;
use fugue_protocol::limits::REPLY_BYTES;
use fugue_protocol::refusal::Refused;
use fugue_protocol::views::PaneOutput;
use fugue_protocol::{Refusal, SessionName, messages};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// Notices that are queued for a client at most: they tell it why a key was refused, and one tells it as well as many.
const NOTICES: usize = 64;

/// A frame queued for a client, with the slot it takes among the client's requests in progress.
pub(crate) struct OutgoingFrame {
    pub(crate) bytes: Vec<u8>,
    /// Released when the frame is written.
    pub(crate) _slot: Option<OwnedSemaphorePermit>,
}

/// The queue of a client's outgoing frames.
#[derive(Clone)]
pub(crate) struct FrameQueue(Arc<OutboxQueue>);

struct OutboxQueue {
    frames: mpsc::Sender<OutgoingFrame>,
    /// The slots of notices, which have no request whose slot they could take.
    notices: Arc<Semaphore>,
    unwritten: Arc<UnwrittenBytes>,
}

impl FrameQueue {
    /// An outbox with as many slots as a client may have requests in progress, and some for notices, so that a reply
    /// always finds room.
    pub(crate) fn new(slots: usize, unwritten: Arc<UnwrittenBytes>) -> (Self, mpsc::Receiver<OutgoingFrame>) {
        let (frames, receiver) = mpsc::channel(slots + NOTICES);
        let notices = Arc::new(Semaphore::new(NOTICES));
        (Self(Arc::new(OutboxQueue { frames, notices, unwritten })), receiver)
    }

    /// Notifies the client that something without a reply, such as a key, was refused. Best effort: dropped if the
    /// client has not read earlier notices.
    pub(crate) fn notice(&self, refusal: &Refusal) {
        if let Ok(slot) = Arc::clone(&self.0.notices).try_acquire_owned() {
            self.send(messages::notice(&Refused::from(refusal)), Some(slot));
        }
    }

    fn send(&self, bytes: Vec<u8>, slot: Option<OwnedSemaphorePermit>) {
        let count = bytes.len();
        if !self.0.unwritten.add(count) {
            return;
        }
        // The queue is closed when the client is gone. It has room for whatever has a slot.
        if self.0.frames.try_send(OutgoingFrame { bytes, _slot: slot }).is_err() {
            self.0.unwritten.subtract(count);
        }
    }
}

/// The reply to one request, not sent yet.
pub(crate) struct Reply {
    outbox: FrameQueue,
    id: u64,
    slot: Option<OwnedSemaphorePermit>,
    /// Released when the reply is queued.
    read: Option<Box<ReadPermit>>,
    sent: bool,
    /// Resolves when the request is cancelled.
    cancelled: Option<oneshot::Receiver<()>>,
    /// The session that was assumed because the request named none.
    assumed: Option<Box<SessionName>>,
    /// The caller's unread messages, counted when the reply is sent.
    unread: Option<Arc<AtomicUsize>>,
    /// Where the answer is stored before it is sent, if the caller may repeat the request.
    slot_for_answer: Option<Box<AnswerSlot>>,
    /// Whether the client reads text in frames of its own.
    separate_text: bool,
}

/// A call with an idempotency key, which may be made again while it is in progress.
pub(crate) trait AnsweredCall: std::fmt::Debug {
    /// The key, as its caller's own.
    fn key(&self) -> &str;

    /// A digest of what is to be done.
    fn digest(&self) -> &str;

    /// Whether someone who is still there has made the call again.
    fn is_repeated(&self) -> bool;

    /// The call was answered, or refused: then the next repetition takes its place, since a refused call did nothing.
    fn end(&self, answer: Option<&RawValue>);
}

/// The place of a request's answer in the store.
#[derive(Debug, Clone)]
pub(crate) struct AnswerSlot {
    pub(crate) store: Arc<AnswerStore>,
    pub(crate) call: Rc<dyn AnsweredCall>,
}

impl AnswerSlot {
    /// Stores the answer.
    pub(crate) fn put(&self, answer: &impl Serialize) {
        if let Ok(json) = serde_json::to_string(answer) {
            self.store.put(self.call.key(), &with_digest(&json, self.call.digest()));
        }
    }

    /// The call is answered with this. Its repetitions get the same.
    fn end(&self, answer: &Result<Box<RawValue>, Refusal>) {
        if let Ok(json) = answer {
            self.store.put(self.call.key(), &with_digest(json.get(), self.call.digest()));
        }
        self.store.unmark_begun(self.call.key());
        self.call.end(answer.as_deref().ok());
    }
}

impl Reply {
    /// The reply to request `id`.
    pub(crate) fn new(outbox: FrameQueue, id: u64, slot: OwnedSemaphorePermit) -> Self {
        Self {
            outbox,
            id,
            slot: Some(slot),
            read: None,
            sent: false,
            cancelled: None,
            assumed: None,
            unread: None,
            slot_for_answer: None,
            separate_text: false,
        }
    }

    /// Sets whether the client reads text in frames of its own.
    pub(crate) fn set_separate_text(&mut self, separate_text: bool) {
        self.separate_text = separate_text;
    }

    /// Makes the request cancellable: by sending to, or dropping, the sender that is returned.
    pub(crate) fn cancellable(mut self) -> (Self, oneshot::Sender<()>) {
        let (cancel, cancelled) = oneshot::channel();
        self.cancelled = Some(cancelled);
        (self, cancel)
    }

    /// Sends an answer when it is ready; drops it if the request is cancelled, or the client is gone, first.
    pub(crate) fn relay<T: Serialize + 'static>(
        self,
        answer: impl Future<Output = Result<Result<T, Refusal>, oneshot::error::RecvError>> + 'static,
    ) {
        self.relay_or_stop(answer, |_| {});
    }

    /// The same for something that may have to be stopped then.
    pub(crate) fn relay_or_stop<T: Serialize + 'static>(
        mut self,
        answer: impl Future<Output = Result<Result<T, Refusal>, oneshot::error::RecvError>> + 'static,
        stop: impl FnOnce(RelayEnd) + 'static,
    ) {
        let cancelled = self.cancelled.take();
        tasks::spawn_local(async move {
            let answer = tokio::select! {
                answer = answer => Ok(answer),
                end = resolved(cancelled) => Err(end),
            };
            match answer {
                Ok(Ok(Ok(reply))) => self.done(&reply),
                Ok(Ok(Err(refusal))) => self.refuse(refusal),
                // Dropping the reply refuses the request.
                Ok(Err(_)) => drop(self),
                Err(end) => {
                    stop(end);
                    self.refuse(Refusal::Cancelled);
                }
            }
        });
    }

    /// Counts the request among the reads in progress until the reply is queued.
    pub(crate) fn set_read(&mut self, read: Option<ReadPermit>) {
        self.read = read.map(Box::new);
    }

    /// Adds the session that was assumed to the reply.
    pub(crate) fn set_assumed(&mut self, session: SessionName) {
        self.assumed = Some(Box::new(session));
    }

    /// Has the answer stored before it is sent.
    pub(crate) fn keep_answer(&mut self, slot: AnswerSlot) {
        self.slot_for_answer = Some(Box::new(slot));
    }

    /// Returns where the answer is stored.
    pub(crate) fn answer_slot(&self) -> Option<AnswerSlot> {
        self.slot_for_answer.as_deref().cloned()
    }

    /// Adds the caller's count of unread messages to the reply.
    pub(crate) fn set_unread(&mut self, unread: Option<Arc<AtomicUsize>>) {
        self.unread = unread;
    }

    /// Returns the count of bytes that are not written to this client yet.
    pub(crate) fn unwritten(&self) -> Arc<UnwrittenBytes> {
        Arc::clone(&self.outbox.0.unwritten)
    }

    /// Whether the client is gone.
    pub(crate) fn is_client_gone(&self) -> bool {
        self.outbox.0.frames.is_closed()
    }

    /// Whether nobody waits for the answer any more: the client is gone, and the call was not repeated.
    pub(crate) fn is_abandoned(&self) -> bool {
        let is_repeated = self.slot_for_answer.as_ref().is_some_and(|slot| slot.call.is_repeated());
        self.is_client_gone() && !is_repeated
    }

    /// Sends a reply or a refusal.
    pub(crate) fn send(mut self, answer: Result<Box<RawValue>, Refusal>) {
        self.send_once(answer);
    }

    /// Sends a reply.
    pub(crate) fn done(mut self, reply: &impl Serialize) {
        if self.slot_for_answer.is_some() {
            return self.send(to_raw_value(reply).map_err(unserializable));
        }
        // Straight into the frame: a reply may have megabytes.
        match self.framed(reply) {
            Ok(frame) => self.queue(frame),
            Err(refusal) => self.send(Err(refusal)),
        }
    }

    /// Sends output of a pane, with its text in a frame of its own if the client reads such frames.
    pub(crate) fn output(mut self, mut output: PaneOutput) {
        if !self.separate_text {
            return self.done(&output);
        }
        let text = std::mem::take(&mut output.text);
        // Before the text is its request's id.
        let framed = within_limit(size_of::<u64>() + text.len()).and_then(|()| self.framed(&output));
        match framed {
            Ok(frame) => {
                let mut frames = messages::text(self.id, &text);
                frames.extend_from_slice(&frame);
                self.queue(frames);
            }
            Err(refusal) => self.send(Err(refusal)),
        }
    }

    /// Frames a reply. One that the client would not accept is refused: it would take it for an error of the connection,
    /// and end that.
    fn framed(&self, reply: &impl Serialize) -> Result<Vec<u8>, Refusal> {
        let unread = self.unread.as_ref().map(|unread| unread.load(Ordering::Relaxed));
        let frame =
            messages::reply(self.id, reply, self.assumed.as_deref(), unread).map_err(unserializable)?;
        within_limit(frame.len() - HEADER)?;
        Ok(frame)
    }

    fn queue(&mut self, frame: Vec<u8>) {
        self.sent = true;
        self.outbox.send(frame, self.slot.take());
        self.read = None;
    }

    /// Sends a refusal.
    pub(crate) fn refuse(self, refusal: Refusal) {
        self.send(Err(refusal));
    }

    fn send_once(&mut self, answer: Result<Box<RawValue>, Refusal>) {
        if let Some(slot) = &self.slot_for_answer {
            slot.end(&answer);
        }
        let framed = answer.and_then(|json| self.framed(&json));
        let refused = |refusal: Refusal| messages::refusal(Some(self.id), &Refused::from(&refusal));
        let frame = framed.unwrap_or_else(refused);
        self.queue(frame);
    }
}

/// Refuses a reply of this many bytes if the client would not accept it.
fn within_limit(bytes: usize) -> Result<(), Refusal> {
    match bytes > REPLY_BYTES {
        true => Err(Refusal::ReplyTooLarge { bytes, limit: REPLY_BYTES }),
        false => Ok(()),
    }
}

fn unserializable(why: serde_json::Error) -> Refusal {
    Refusal::BadMessage { why: why.to_string() }
}

/// The reason why nobody waits for an answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelayEnd {
    /// The client cancelled the request.
    Cancelled,
    /// The client is gone. It may come back for the answer if its request has an idempotency key.
    ClientGone,
}

/// Resolves when a request is cancelled, or its client is gone.
async fn resolved(cancelled: Option<oneshot::Receiver<()>>) -> RelayEnd {
    match cancelled {
        Some(cancelled) => cancelled.await.map_or(RelayEnd::ClientGone, |()| RelayEnd::Cancelled),
        None => std::future::pending().await,
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if !self.sent {
            // Nobody is left who knows how far it got.
            self.send_once(Err(Refusal::Unfinished));
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::frames::FrameReader;

    use super::*;

    #[tokio::test]
    async fn notices_that_a_client_does_not_read_leave_room_for_all_replies() {
        const SLOTS: usize = 8;
        let (outbox, mut frames) = FrameQueue::new(SLOTS, UnwrittenBytes::of_person());
        let slots = Arc::new(Semaphore::new(SLOTS));
        (0..1_500).for_each(|_| outbox.notice(&Refusal::OnlyWatches));
        for id in 0..SLOTS as u64 {
            let slot = Arc::clone(&slots).try_acquire_owned().expect("a slot");
            Reply::new(outbox.clone(), id, slot).done(&fugue_protocol::views::Done {});
        }
        let mut bodies = Vec::new();
        while let Ok(frame) = frames.try_recv() {
            bodies.push(String::from_utf8_lossy(&frame.bytes).into_owned());
        }
        assert_eq!(bodies.len(), NOTICES + SLOTS);
        assert_eq!(bodies.iter().filter(|body| body.contains("\"reply\"")).count(), SLOTS);
        outbox.notice(&Refusal::OnlyWatches);
        assert!(frames.try_recv().is_ok(), "once they are read, there is room again");
    }

    #[test]
    fn a_request_that_nobody_answers_any_more_may_have_taken_effect() {
        let (outbox, mut replies) = FrameQueue::new(64, UnwrittenBytes::of_person());
        let slot = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a slot");
        drop(Reply::new(outbox, 1, slot));
        let refusal = replies.try_recv().expect("a refusal").bytes;
        let refusal = String::from_utf8_lossy(&refusal).into_owned();
        assert!(refusal.contains("unfinished") && refusal.contains("may have taken effect"), "{refusal}");
    }

    #[test]
    fn a_reply_that_the_client_would_not_accept_is_refused() {
        let sent = |content: String| {
            let (outbox, mut frames) = FrameQueue::new(1, UnwrittenBytes::of_person());
            let slot = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("a slot");
            Reply::new(outbox, 7, slot).done(&content);
            let frame = frames.try_recv().expect("a reply").bytes;
            let mut reader = FrameReader::new(REPLY_BYTES);
            reader.push(&frame);
            let (_, body) = reader.next_frame().expect("the client accepts it").expect("a whole frame");
            String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned()
        };
        assert!(sent("x".repeat(1000)).contains(r#""id":7"#));
        let refused = sent("x".repeat(REPLY_BYTES));
        assert!(refused.contains(r#""code":"reply_too_large""#), "{refused}");
    }
}
