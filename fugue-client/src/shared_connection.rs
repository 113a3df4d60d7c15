//! A connection that many callers share. Requests are sent in the order in which they were made, and each answer goes to
//! its own caller. If the daemon goes away, the connection is opened again: calls that may be repeated are sent again,
//! any other is never sent twice.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use fugue_protocol::refusal::{Quota, Refused};
use fugue_protocol::{Refusal, limits, messages};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use crate::async_connection::{AsyncConnection, Endpoint};
use crate::call_error::CallError;
use crate::client_session::encode_request;
use crate::paths::StartPolicy;
use crate::probes::Probes;
use crate::server_frame::ServerFrame;

/// How often a call is sent again, since it may be the one that crashes the daemon.
const MAX_RETRIES: u32 = 3;

/// The most that unanswered calls may take together, in bytes: sixteen of the largest. One more is refused at once, so
/// that a daemon that hangs does not fill the caller's memory.
const MAX_PENDING: usize = 16 * limits::REQUEST_BYTES;

/// The overhead of a call beside its arguments: its channel, and its entry among the pending calls.
const CALL_OVERHEAD: usize = 1 << 10;

/// A call to make.
#[derive(Debug, Clone)]
pub struct Call {
    /// The verb's name.
    pub verb: &'static str,
    /// Its arguments.
    pub args: Box<RawValue>,
    /// Whether to send it again if the daemon went away before it answered.
    pub repeatable: bool,
    /// Whether to start a daemon for it.
    pub starting: StartPolicy,
}

type CallResult = Result<Box<RawValue>, CallError>;

/// A handle to the connection, which is opened by the first call and closed with the last handle.
#[derive(Debug, Clone)]
pub struct SharedConnection {
    calls: mpsc::Sender<PendingCall>,
    /// The bytes that further calls may take.
    room: Arc<Semaphore>,
    unread: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct PendingCall {
    call: Call,
    reply: oneshot::Sender<CallResult>,
    /// The position of its frame in the connection's stream, once it is queued there.
    position: Option<u64>,
    retries: u32,
    /// Whether the daemon was told that nobody waits for the answer.
    cancelled: bool,
    /// Its share of [`MAX_PENDING`].
    _room: OwnedSemaphorePermit,
}

impl SharedConnection {
    /// A connection to this daemon. Needs a runtime, and does nothing before the first call.
    pub fn new(endpoint: Endpoint) -> Self {
        // One slot for each call that finds room, so that sending never fails.
        let (sender, calls) = mpsc::channel(MAX_PENDING / CALL_OVERHEAD);
        let unread = Arc::new(AtomicUsize::new(0));
        let task = ConnectionTask {
            endpoint,
            calls,
            pending: BTreeMap::new(),
            last_id: 0,
            unread: Arc::clone(&unread),
        };
        tokio::spawn(task.run());
        Self { calls: sender, room: Arc::new(Semaphore::new(MAX_PENDING)), unread }
    }

    /// The number of unread messages in the caller's inbox, as of the last reply.
    pub fn unread(&self) -> usize {
        self.unread.load(Ordering::Relaxed)
    }

    /// Starts a call at once. The reply can be awaited later, or dropped, which cancels the call.
    pub fn start_call(&self, call: Call) -> oneshot::Receiver<CallResult> {
        let (reply, receiver) = oneshot::channel();
        match self.room_for(&call) {
            Some(_room) => {
                let pending =
                    PendingCall { call, reply, position: None, retries: 0, cancelled: false, _room };
                let _ = self.calls.try_send(pending);
            }
            None => drop(reply.send(Err(no_room()))),
        }
        receiver
    }

    /// Reserves room for a call until it is answered.
    fn room_for(&self, call: &Call) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(call.args.get().len() + CALL_OVERHEAD).ok()?;
        Arc::clone(&self.room).try_acquire_many_owned(bytes).ok()
    }

    /// Makes a call and waits for its reply.
    pub async fn call(&self, call: Call) -> CallResult {
        let reply = self.start_call(call).await;
        reply.unwrap_or_else(|_| Err(CallError::Lost(io::ErrorKind::ConnectionAborted.into())))
    }
}

/// The task that owns the connection and the pending calls.
struct ConnectionTask {
    endpoint: Endpoint,
    calls: mpsc::Receiver<PendingCall>,
    pending: BTreeMap<u64, PendingCall>,
    last_id: u64,
    unread: Arc<AtomicUsize>,
}

impl ConnectionTask {
    async fn run(mut self) {
        while let Some(call) = self.calls.recv().await {
            self.add(call);
            while !self.pending.is_empty() {
                let Err((error, sent)) = self.serve_connection().await else { return };
                self.retry_or_fail(&error, sent);
            }
        }
    }

    fn add(&mut self, call: PendingCall) -> u64 {
        self.last_id += 1;
        self.pending.insert(self.last_id, call);
        self.last_id
    }

    /// Serves calls over one connection. Returns without an error once no handle is left; an error comes with the
    /// number of bytes that were sent.
    async fn serve_connection(&mut self) -> Result<(), (CallError, u64)> {
        let opened = AsyncConnection::open(&self.endpoint, self.start_policy()).await;
        let mut connection = opened.map_err(|error| (error, 0))?;
        let mut probes = Probes::new(&self.endpoint.paths);
        for id in self.pending.keys().copied().collect::<Vec<_>>() {
            self.queue(id, &mut connection);
        }
        loop {
            tokio::select! {
                call = self.calls.recv() => match call {
                    Some(call) => {
                        if self.pending.is_empty() {
                            probes.restart();
                        }
                        let id = self.add(call);
                        self.queue(id, &mut connection);
                    }
                    None => return Ok(()),
                },
                frame = connection.next_frame() => match frame.inspect(|_| probes.restart()) {
                    Ok(ServerFrame::Answer(id, answer)) => {
                        if answer.is_ok() {
                            self.unread.store(connection.unread(), Ordering::Relaxed);
                        }
                        self.answer(id, answer);
                    }
                    Ok(_) => {}
                    Err(error) => return Err((error, connection.sent())),
                },
                error = probes.failure(), if !self.pending.is_empty() => {
                    return Err((error, connection.sent()));
                }
                id = next_cancelled(&mut self.pending) => {
                    if let Ok(frame) = messages::cancel(id) {
                        connection.queue(&frame);
                    }
                },
            }
        }
    }

    /// Whether any new call wants a daemon to be started. A retry was not made to a new daemon, so it does not.
    fn start_policy(&self) -> StartPolicy {
        let starts = |call: &PendingCall| call.retries == 0 && call.call.starting == StartPolicy::IfNeeded;
        if self.pending.values().any(starts) { StartPolicy::IfNeeded } else { StartPolicy::Never }
    }

    fn queue(&mut self, id: u64, connection: &mut AsyncConnection) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        match encode_request(id, pending.call.verb, &pending.call.args) {
            Ok(frame) => pending.position = Some(connection.queue(&frame)),
            Err(error) => {
                if let Some(pending) = self.pending.remove(&id) {
                    let _ = pending.reply.send(Err(error));
                }
            }
        }
    }

    fn answer(&mut self, id: u64, answer: Result<Box<RawValue>, Refused>) {
        if let Some(pending) = self.pending.remove(&id) {
            let _ = pending.reply.send(answer.map_err(CallError::from));
        }
    }

    /// After a connection is lost, fails every call that must not be sent again.
    fn retry_or_fail(&mut self, error: &CallError, sent: u64) {
        for (id, mut pending) in std::mem::take(&mut self.pending) {
            if pending.may_retry(error, sent) {
                pending.position = None;
                pending.retries += 1;
                self.pending.insert(id, pending);
            } else {
                let error = pending.failed(error, sent);
                let _ = pending.reply.send(Err(error));
            }
        }
    }
}

impl PendingCall {
    /// Whether the call is repeatable, or not a byte of it was sent, and its caller still waits.
    fn may_retry(&self, error: &CallError, sent: u64) -> bool {
        let lost = matches!(error, CallError::Lost(_));
        let unsent = self.position.is_some_and(|position| position >= sent);
        lost && !self.reply.is_closed() && self.retries < MAX_RETRIES && (self.call.repeatable || unsent)
    }

    /// The error of this call: if any of it was sent, it may have been carried out.
    fn failed(&self, error: &CallError, sent: u64) -> CallError {
        let is_sent = self.position.is_some_and(|position| position < sent);
        if is_sent || self.retries > 0 { error.copy().after_sending(self.call.verb) } else { error.copy() }
    }
}

/// Waits for the next call whose caller no longer waits, and returns its id.
async fn next_cancelled(pending: &mut BTreeMap<u64, PendingCall>) -> u64 {
    std::future::poll_fn(|context| {
        let queued = pending.iter_mut().filter(|(_, call)| !call.cancelled && call.position.is_some());
        for (id, call) in queued {
            if call.reply.poll_closed(context).is_ready() {
                call.cancelled = true;
                return Poll::Ready(*id);
            }
        }
        Poll::Pending
    })
    .await
}

fn no_room() -> CallError {
    let refusal = Refusal::TooMany { what: Quota::UnansweredBytes, limit: MAX_PENDING };
    CallError::from(Refused::from(&refusal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Paths;
    use fugue_protocol::messages::Role;

    /// A call that takes this much of the room.
    fn call(bytes: usize) -> Call {
        let args = RawValue::from_string(format!("\"{}\"", "a".repeat(bytes - CALL_OVERHEAD - 2)));
        let args = args.expect("JSON");
        Call { verb: "send-input", args, repeatable: false, starting: StartPolicy::Never }
    }

    /// A connection to a daemon that accepts connections and never answers, with its listener and directory.
    fn to_silent_daemon() -> (SharedConnection, std::os::unix::net::UnixListener, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a directory");
        let socket = dir.path().join("silent.sock");
        let listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        let (state, config) = (dir.path().to_owned(), dir.path().join("config.toml"));
        let paths = Paths { socket, state, config, socket_dir: None, is_socket_given: false, host: None };
        (
            SharedConnection::new(Endpoint { paths, role: Role::Bridge, pane: None, key_space: None }),
            listener,
            dir,
        )
    }

    #[tokio::test]
    async fn calls_to_a_silent_daemon_are_bounded_and_free_their_slots() {
        let (connection, listener, _dir) = to_silent_daemon();
        let largest = call(MAX_PENDING / 16);
        let mut replies: Vec<_> = (0..16).map(|_| connection.start_call(largest.clone())).collect();
        assert!(replies.iter_mut().all(|reply| reply.try_recv().is_err()), "all calls are pending");
        let refused = connection.call(call(CALL_OVERHEAD + 2)).await.expect_err("one more");
        assert!(refused.to_string().contains("unanswered requests"), "{refused}");
        drop(listener);
        for reply in replies {
            assert!(reply.await.expect("a result").is_err(), "the daemon went away");
        }
        let error = connection.call(call(CALL_OVERHEAD + 2)).await.expect_err("there is no daemon");
        assert!(matches!(error, CallError::NoDaemon(_) | CallError::Lost(_)), "{error}");
    }

    #[tokio::test]
    async fn a_call_that_a_silent_daemon_may_have_read_may_have_taken_effect() {
        let (connection, _listener, _dir) = to_silent_daemon();
        let changes = connection.start_call(call(CALL_OVERHEAD + 2));
        let reads = connection.start_call(Call { verb: "list-sessions", ..call(CALL_OVERHEAD + 2) });
        let error = |result: CallResult| result.expect_err("no answer").to_string();
        let changes = error(changes.await.expect("a result"));
        assert!(changes.contains("is not responding; the request may have taken effect\n"), "{changes}");
        let reads = error(reads.await.expect("a result"));
        assert!(reads.contains("is not responding") && !reads.contains("may have"), "{reads}");
    }
}
