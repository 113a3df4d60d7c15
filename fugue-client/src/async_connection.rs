//! A connection on tokio: bytes are sent as the daemon reads them, while frames are received.

use std::io;
use std::time::Duration;

use fugue_protocol::messages::{PaneClaim, Role};
use fugue_protocol::verbs::VerbSpec;
use serde_json::value::{RawValue, to_raw_value};
use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::time::Instant;

use crate::call_error::{CallError, malformed};
use crate::client_session::ClientSession;
use crate::daemon_watch::DaemonWatch;
use crate::paths::Paths;
use crate::paths::StartPolicy;
use crate::probes::Probes;
use crate::server_frame::ServerFrame;
use crate::socket::ANSWER_TIMEOUT;
use crate::ssh_line::{LineRequest, Questions, SshLine};
use crate::startup::{hello_of, open_line};

/// How often a daemon whose welcome is due is looked at.
const WELCOME_CHECK: Duration = Duration::from_millis(500);

/// A daemon, and the identity under which to connect to it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where the daemon is.
    pub paths: Paths,
    /// The kind of client that connects.
    pub role: Role,
    /// The pane in which the caller claims to be.
    pub pane: Option<PaneClaim>,
    /// What keeps its idempotency keys apart from those of others, if it turns out to be in no pane of the daemon.
    pub key_space: Option<String>,
}

/// An asynchronous connection to a daemon.
#[derive(Debug)]
pub struct AsyncConnection {
    socket: UnixStream,
    session: ClientSession,
    watch: DaemonWatch,
    opened: Instant,
    /// The ssh process to the daemon's host.
    line: Option<SshLine>,
}

impl AsyncConnection {
    /// Connects to the daemon. Starting one takes a moment, so that happens on a blocking thread.
    pub async fn open(endpoint: &Endpoint, policy: StartPolicy) -> Result<Self, CallError> {
        let paths = endpoint.paths.clone();
        let connect = move || {
            let request = LineRequest { start: policy, questions: Questions::Never, key: None, former: None };
            open_line(&paths, &request)
        };
        let (socket, line) = tokio::task::spawn_blocking(connect).await.map_err(malformed)??;
        socket.set_nonblocking(true).map_err(CallError::Lost)?;
        let Endpoint { paths, role, pane, key_space } = endpoint.clone();
        let hello = hello_of(&paths, role, pane, key_space);
        Ok(Self {
            socket: UnixStream::from_std(socket).map_err(CallError::Lost)?,
            session: ClientSession::new(hello)?.on_host(line.as_ref().map(|line| line.host().clone())),
            watch: DaemonWatch::new(&endpoint.paths),
            opened: Instant::now(),
            line,
        })
    }

    /// Queues an encoded frame and returns its position in the stream.
    pub(crate) fn queue(&mut self, frame: &[u8]) -> u64 {
        self.session.queue(frame)
    }

    /// The number of unread messages in the caller's inbox, as of the last reply.
    pub(crate) fn unread(&self) -> usize {
        self.session.unread()
    }

    /// The number of bytes that may have reached the daemon so far: those that the socket has taken.
    pub(crate) fn sent(&self) -> u64 {
        if self.never_connected() { 0 } else { self.session.sent() }
    }

    /// Whether the line to the daemon's host never connected.
    fn never_connected(&self) -> bool {
        self.line.as_ref().is_some_and(SshLine::never_connected)
    }

    /// Waits for the next frame from the daemon, and sends queued bytes meanwhile. Cancel safe.
    pub async fn next_frame(&mut self) -> Result<ServerFrame, CallError> {
        loop {
            if let Some(frame) = self.session.next_frame()? {
                return Ok(frame);
            }
            let flushed = self.session.flush(|bytes| self.socket.try_write(bytes));
            flushed.map_err(|error| self.lost(error))?;
            let writable = if self.session.can_send() { Interest::WRITABLE } else { Interest::READABLE };
            tokio::select! {
                ready = self.socket.ready(Interest::READABLE | writable) => drop(ready.map_err(CallError::Lost)?),
                error = self.welcome_overdue() => return Err(error),
            }
            match self.session.fill(|buffer| self.socket.try_read(buffer)) {
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => {
                    return Err(self.lost(error));
                }
                _ => {}
            }
        }
    }

    /// The error for a connection that broke. A line that ended before the welcome says why.
    fn lost(&mut self, error: io::Error) -> CallError {
        let is_welcome = self.session.client().is_some();
        self.line.as_mut().and_then(|line| line.lost_soon(is_welcome)).unwrap_or(CallError::Lost(error))
    }

    /// Completes with an error once the welcome is overdue.
    async fn welcome_overdue(&self) -> CallError {
        if self.session.client().is_some() {
            return std::future::pending().await;
        }
        tokio::time::sleep_until(self.opened + ANSWER_TIMEOUT).await;
        while !self.watch.is_late(self.opened.into_std(), ANSWER_TIMEOUT) {
            tokio::time::sleep(WELCOME_CHECK).await;
        }
        self.watch.unresponsive()
    }

    /// Calls a verb and waits for its reply. Nothing else may use the connection meanwhile: other frames are dropped.
    pub async fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let id = self.session.queue_request(V::NAME, &to_raw_value(verb).map_err(malformed)?)?;
        match self.reply_to(id).await {
            Ok(reply) => {
                serde_json::from_str(reply.get()).map_err(|why| malformed(why).after_sending(V::NAME))
            }
            Err(error) if self.never_connected() => Err(error),
            Err(error) => Err(self.session.failed(V::NAME, error)),
        }
    }

    /// Waits for a reply. A daemon that hangs meanwhile is noticed.
    async fn reply_to(&mut self, id: u64) -> Result<Box<RawValue>, CallError> {
        let mut probes = Probes::of(self.watch.clone());
        loop {
            let frame = tokio::select! {
                frame = self.next_frame() => frame?,
                error = probes.failure() => return Err(error),
            };
            match frame {
                ServerFrame::Answer(answered, answer) if answered == id => {
                    return answer.map_err(CallError::from);
                }
                _ => probes.restart(),
            }
        }
    }
}
