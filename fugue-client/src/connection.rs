//! A connection that blocks, for commands that make one call after the other.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use fugue_protocol::SessionName;
use fugue_protocol::messages::{Hello, PaneClaim, Role};
use fugue_protocol::verbs::VerbSpec;
use serde_json::value::{RawValue, to_raw_value};

use crate::call_error::{CallError, malformed};
use crate::client_session::ClientSession;
use crate::daemon_watch::DaemonWatch;
use crate::server_frame::ServerFrame;
use crate::ssh_line::SshLine;

/// A blocking connection to a daemon.
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    session: ClientSession,
    /// Notices a daemon that does not answer. Without it the connection waits for as long as its socket does.
    watch: Option<DaemonWatch>,
    /// Whether a call waits for its reply.
    awaits_reply: bool,
    /// The ssh process to the daemon's host.
    line: Option<SshLine>,
}

/// Ends a connection that another thread uses.
#[derive(Debug)]
pub struct ConnectionCloser(UnixStream);

impl ConnectionCloser {
    /// Ends the connection. Whoever waits for a frame of it finds it lost.
    pub fn close(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Connection {
    /// A connection over this socket. The greeting is sent with the first request.
    pub fn new(socket: UnixStream, role: Role, claim: Option<PaneClaim>) -> Result<Self, CallError> {
        Self::over(socket, Hello::new(role, claim))
    }

    /// The same with another greeting.
    pub(crate) fn over(socket: UnixStream, hello: Hello) -> Result<Self, CallError> {
        let session = ClientSession::new(hello)?;
        Ok(Self { socket, session, watch: None, awaits_reply: false, line: None })
    }

    /// The connection to a daemon that is watched, and the line to its host.
    pub(crate) fn watched(self, watch: DaemonWatch, line: Option<SshLine>) -> Self {
        let session = self.session.on_host(line.as_ref().map(|line| line.host().clone()));
        Self { watch: Some(watch), line, session, ..self }
    }

    /// Sends a request and returns its id.
    pub fn send<V: VerbSpec>(&mut self, verb: &V) -> Result<u64, CallError> {
        self.send_named(V::NAME, &to_raw_value(verb).map_err(malformed)?)
    }

    /// Sends a request for the verb of this name and returns its id.
    pub fn send_named(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        let id = self.session.queue_request(verb, args)?;
        self.send_queued()?;
        Ok(id)
    }

    fn send_queued(&mut self) -> Result<(), CallError> {
        self.flush()?;
        // The socket blocks, so this is the end of a time limit on it.
        while self.session.can_send() {
            let watch = self.watch.as_ref().ok_or(CallError::Lost(io::ErrorKind::WouldBlock.into()))?;
            watch.probe()?;
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), CallError> {
        let flushed = self.session.flush(|bytes| self.socket.write(bytes));
        flushed.map_err(|error| self.lost(error))
    }

    /// The error for a connection that broke. A line that ended before the welcome says why.
    fn lost(&mut self, error: io::Error) -> CallError {
        let is_welcome = self.session.client().is_some();
        self.line.as_mut().and_then(|line| line.lost(is_welcome)).unwrap_or(CallError::Lost(error))
    }

    /// Calls a verb and waits for its reply.
    pub fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let reply = self.call_named(V::NAME, &to_raw_value(verb).map_err(malformed)?)?;
        serde_json::from_str(reply.get()).map_err(|why| malformed(why).after_sending(V::NAME))
    }

    /// Calls the verb of this name and waits for its reply, as JSON. Other frames that arrive meanwhile are dropped.
    pub fn call_named(&mut self, verb: &str, args: &RawValue) -> Result<Box<RawValue>, CallError> {
        let id = self.send_named(verb, args)?;
        self.awaited_reply(id).map_err(|error| self.failed(verb, error))
    }

    /// Calls a verb whose reply text may come in a frame of its own, and returns both.
    pub fn call_with_separate_text(
        &mut self,
        verb: &str,
        args: &RawValue,
    ) -> Result<(Box<RawValue>, Option<String>), CallError> {
        let id = self.session.queue_request_for_text(verb, args)?;
        self.send_queued()?;
        let reply = self.awaited_reply(id).map_err(|error| self.failed(verb, error))?;
        Ok((reply, self.session.take_text(id)))
    }

    /// The error of a request that was sent, as far as the connection carried it.
    fn failed(&self, verb: &str, error: CallError) -> CallError {
        match &self.line {
            Some(line) if line.never_connected() => error,
            _ => self.session.failed(verb, error),
        }
    }

    fn awaited_reply(&mut self, id: u64) -> Result<Box<RawValue>, CallError> {
        self.awaits_reply = true;
        let reply = self.reply_to(id);
        self.awaits_reply = false;
        reply
    }

    fn reply_to(&mut self, id: u64) -> Result<Box<RawValue>, CallError> {
        loop {
            match self.next_frame()? {
                ServerFrame::Answer(answered, answer) if answered == id => {
                    return answer.map_err(CallError::from);
                }
                _ => {}
            }
        }
    }

    /// A handle that ends this connection while another thread waits for its next frame.
    pub fn closer(&self) -> io::Result<ConnectionCloser> {
        self.socket.try_clone().map(ConnectionCloser)
    }

    /// The number that the daemon gave this connection; none before the first reply.
    pub fn client(&self) -> Option<u64> {
        self.session.client()
    }

    /// The session that the daemon assumed for the last reply, because the request named none.
    pub fn assumed_session(&self) -> Option<&SessionName> {
        self.session.assumed_session()
    }

    /// The number of unread messages in the caller's inbox, as of the last reply.
    pub fn unread(&self) -> usize {
        self.session.unread()
    }

    /// Waits for the next frame from the daemon.
    pub fn next_frame(&mut self) -> Result<ServerFrame, CallError> {
        loop {
            if let Some(frame) = self.session.next_frame()? {
                return Ok(frame);
            }
            self.wait_for_bytes()?;
            let filled = self.session.fill(|buffer| self.socket.read(buffer));
            filled.map_err(|error| self.lost(error))?;
        }
    }

    /// Waits for the welcome or for a reply. A client that follows a stream has nothing that is due.
    fn wait_for_bytes(&self) -> Result<(), CallError> {
        let is_welcome = self.session.client().is_some();
        let watch = self.watch.as_ref().filter(|_| self.awaits_reply || !is_welcome);
        watch.map_or(Ok(()), |watch| watch.wait(&self.socket, is_welcome))
    }
}
