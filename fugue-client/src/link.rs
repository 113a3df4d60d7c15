//! A connection that many callers share. Requests go out in the order in which they were made, each answer comes back
//! to its own caller, and a daemon that went away is found again: what only reads is asked again, what changes
//! something is never done twice.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::{Refusal, limits, messages};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::connection::ServerFrame;
use crate::start::StartPolicy;
use crate::trouble::CallError;
use crate::wire::{AsyncConnection, Endpoint};

/// A request that brings the daemon down each time is not asked for ever.
const ATTEMPTS: u32 = 3;

/// What the requests that are not answered may take together: sixteen of the largest. One more is refused at once, so
/// that a daemon that stands still does not fill the caller's memory.
const UNDER_WAY: usize = 16 * limits::REQUEST_BYTES;

/// What one takes besides its words: its way back, and its place among those that wait.
const BESIDES: usize = 1 << 10;

/// What is asked.
#[derive(Debug, Clone)]
pub struct Call {
    /// The verb.
    pub verb: &'static str,
    /// Its arguments.
    pub args: Box<RawValue>,
    /// Whether it may be asked again when the daemon went away before it answered.
    pub repeatable: bool,
    /// Whether a daemon is started for it.
    pub starting: StartPolicy,
}

type Answer = Result<Box<RawValue>, CallError>;

/// A handle to the connection; it is opened by the first call and closed with the last handle.
#[derive(Debug, Clone)]
pub struct SharedConnection {
    asked: mpsc::Sender<Asked>,
    /// What may still be asked, in bytes.
    room: Arc<Semaphore>,
    unread: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Asked {
    call: Call,
    answer: oneshot::Sender<Answer>,
    /// Where in the connection's stream its frame begins; nowhere while it has not been put there.
    begins: Option<u64>,
    attempts: u32,
    /// The daemon was told that nobody waits for it.
    cancelled: bool,
    /// Its part of what may be under way.
    _room: OwnedSemaphorePermit,
}

impl SharedConnection {
    /// A link to this daemon. Needs a runtime, and does nothing before the first call.
    pub fn new(dial: Endpoint) -> Self {
        // There is a place for each that finds room.
        let (handle, calls) = mpsc::channel(UNDER_WAY / BESIDES);
        let unread = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&unread);
        tokio::spawn(Exchange { dial, calls, waiting: BTreeMap::new(), last_id: 0, unread: counts }.serve());
        Self { asked: handle, room: Arc::new(Semaphore::new(UNDER_WAY)), unread }
    }

    /// Messages that lay unread for the caller when the last answer was given.
    pub fn unread(&self) -> usize {
        self.unread.load(Ordering::Relaxed)
    }

    /// Puts a request on its way at once; the answer can be awaited later, or dropped: then the daemon is told.
    pub fn ask(&self, call: Call) -> oneshot::Receiver<Answer> {
        let (answer, told) = oneshot::channel();
        match self.room_for(&call) {
            Some(_room) => {
                let asked = Asked { call, answer, begins: None, attempts: 0, cancelled: false, _room };
                let _ = self.asked.try_send(asked);
            }
            None => drop(answer.send(Err(full()))),
        }
        told
    }

    /// Room for a request, until it is answered.
    fn room_for(&self, call: &Call) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(call.args.get().len() + BESIDES).ok()?;
        Arc::clone(&self.room).try_acquire_many_owned(bytes).ok()
    }

    /// Asks and waits for the answer.
    pub async fn call(&self, call: Call) -> Answer {
        self.ask(call).await.unwrap_or_else(|_| Err(CallError::Lost(io::ErrorKind::ConnectionAborted.into())))
    }
}

/// The task behind a link: it owns the connection and knows who waits for what.
struct Exchange {
    dial: Endpoint,
    calls: mpsc::Receiver<Asked>,
    waiting: BTreeMap<u64, Asked>,
    last_id: u64,
    unread: Arc<AtomicUsize>,
}

impl Exchange {
    async fn serve(mut self) {
        while let Some(asked) = self.calls.recv().await {
            self.take(asked);
            while !self.waiting.is_empty() {
                let Err((trouble, sent)) = self.connected().await else { return };
                self.settle(&trouble, sent);
            }
        }
    }

    fn take(&mut self, asked: Asked) -> u64 {
        self.last_id += 1;
        self.waiting.insert(self.last_id, asked);
        self.last_id
    }

    /// One connection, from its beginning to its end. Ends well when nobody is left to call.
    async fn connected(&mut self) -> Result<(), (CallError, u64)> {
        let mut wire =
            AsyncConnection::open(&self.dial, self.starting()).await.map_err(|trouble| (trouble, 0))?;
        for id in self.waiting.keys().copied().collect::<Vec<_>>() {
            self.put(id, &mut wire);
        }
        loop {
            tokio::select! {
                asked = self.calls.recv() => match asked {
                    Some(asked) => { let id = self.take(asked); self.put(id, &mut wire); }
                    None => return Ok(()),
                },
                heard = wire.hear() => match heard {
                    Ok(ServerFrame::Answer(id, answer)) => {
                        if answer.is_ok() {
                            self.unread.store(wire.unread(), Ordering::Relaxed);
                        }
                        self.answered(id, answer);
                    }
                    Ok(_) => {}
                    Err(trouble) => return Err((trouble, wire.sent())),
                },
                id = abandoned(&mut self.waiting) => {
                    if let Ok(frame) = messages::cancel(id) {
                        wire.push(&frame);
                    }
                },
            }
        }
    }

    /// A daemon is started for whoever wants one; what is asked again was not asked of a new daemon.
    fn starting(&self) -> StartPolicy {
        let wanted = |asked: &Asked| asked.attempts == 0 && asked.call.starting == StartPolicy::IfNeeded;
        if self.waiting.values().any(wanted) { StartPolicy::IfNeeded } else { StartPolicy::Never }
    }

    fn put(&mut self, id: u64, wire: &mut AsyncConnection) {
        let Some(asked) = self.waiting.get_mut(&id) else { return };
        match framed(id, &asked.call) {
            Ok(frame) => asked.begins = Some(wire.push(&frame)),
            Err(trouble) => {
                if let Some(asked) = self.waiting.remove(&id) {
                    let _ = asked.answer.send(Err(trouble));
                }
            }
        }
    }

    fn answered(&mut self, id: u64, answer: Result<Box<RawValue>, Refused>) {
        if let Some(asked) = self.waiting.remove(&id) {
            let _ = asked.answer.send(answer.map_err(CallError::from));
        }
    }

    /// The connection is gone: whoever cannot be helped by another one is told why.
    fn settle(&mut self, trouble: &CallError, sent: u64) {
        for (id, mut asked) in std::mem::take(&mut self.waiting) {
            if asked.may_be_asked_again(trouble, sent) {
                asked.begins = None;
                asked.attempts += 1;
                self.waiting.insert(id, asked);
            } else {
                let _ = asked.answer.send(Err(again(trouble)));
            }
        }
    }
}

impl Asked {
    /// It may if it only reads, or if not a byte of it was taken, and somebody still waits for it.
    fn may_be_asked_again(&self, trouble: &CallError, sent: u64) -> bool {
        let lost = matches!(trouble, CallError::Lost(_));
        let untouched = self.begins.is_some_and(|begins| begins >= sent);
        lost && !self.answer.is_closed() && self.attempts < ATTEMPTS && (self.call.repeatable || untouched)
    }
}

/// The next request for whose answer nobody waits any more.
async fn abandoned(waiting: &mut BTreeMap<u64, Asked>) -> u64 {
    std::future::poll_fn(|context| {
        let under_way = waiting.iter_mut().filter(|(_, asked)| !asked.cancelled && asked.begins.is_some());
        for (id, asked) in under_way {
            if asked.answer.poll_closed(context).is_ready() {
                asked.cancelled = true;
                return Poll::Ready(*id);
            }
        }
        Poll::Pending
    })
    .await
}

fn framed(id: u64, call: &Call) -> Result<Vec<u8>, CallError> {
    let frame = messages::request_named(id, call.verb, &call.args)
        .map_err(|why| CallError::Strange(why.to_string()))?;
    let (bytes, limit) = (frame.len(), limits::REQUEST_BYTES);
    if bytes > limit {
        return Err(CallError::from(Refused::from(&Refusal::FrameTooLarge { bytes, limit })));
    }
    Ok(frame)
}

/// More than may be under way.
fn full() -> CallError {
    CallError::from(Refused::from(&Refusal::TooMany { what: Quota::UnansweredBytes, limit: UNDER_WAY }))
}

/// The same trouble for one more caller.
fn again(trouble: &CallError) -> CallError {
    match trouble {
        CallError::Refused(refused) => CallError::Refused(refused.clone()),
        CallError::NoDaemon(socket) => CallError::NoDaemon(socket.clone()),
        CallError::Lost(why) => CallError::Lost(why.kind().into()),
        CallError::Place(why) => CallError::Place(why.clone()),
        CallError::Strange(why) => CallError::Strange(why.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Paths;
    use fugue_protocol::messages::Role;

    /// A request that takes so much of the room.
    fn call(bytes: usize) -> Call {
        let args = RawValue::from_string(format!("\"{}\"", "a".repeat(bytes - BESIDES - 2))).expect("JSON");
        Call { verb: "send-input", args, repeatable: false, starting: StartPolicy::Never }
    }

    /// A link to a daemon that takes connections and never answers, and what keeps it there.
    fn silent() -> (SharedConnection, std::os::unix::net::UnixListener, tempfile::TempDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let socket = folder.path().join("silent.sock");
        let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        let (state, config) = (folder.path().to_owned(), folder.path().join("config.toml"));
        let places = Paths { socket, state, config };
        (SharedConnection::new(Endpoint { places, role: Role::Bridge, pane: None }), listener, folder)
    }

    #[tokio::test]
    async fn what_a_silent_daemon_is_asked_has_a_bound_and_room_comes_back() {
        let (link, listener, _folder) = silent();
        let most = call(UNDER_WAY / 16);
        let mut asked: Vec<_> = (0..16).map(|_| link.ask(most.clone())).collect();
        assert!(asked.iter_mut().all(|answer| answer.try_recv().is_err()), "all of it is under way");
        let refused = link.call(call(BESIDES + 2)).await.expect_err("one more");
        assert!(refused.to_string().contains("unanswered requests"), "{refused}");
        drop(listener);
        for answer in asked {
            assert!(answer.await.expect("an answer").is_err(), "the daemon went away");
        }
        let trouble = link.call(call(BESIDES + 2)).await.expect_err("there is no daemon");
        assert!(matches!(trouble, CallError::NoDaemon(_) | CallError::Lost(_)), "{trouble}");
    }
}
