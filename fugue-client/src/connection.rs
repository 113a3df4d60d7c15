//! A connection that blocks, for commands that make one call after the other.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use fugue_protocol::SessionName;
use fugue_protocol::messages::{Hello, PaneClaim, Role};
use fugue_protocol::verbs::VerbSpec;
use serde_json::value::{RawValue, to_raw_value};

use crate::call_error::{CallError, malformed};
use crate::client_session::ClientSession;
use crate::server_frame::ServerFrame;

/// A blocking connection to a daemon.
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    session: ClientSession,
}

impl Connection {
    /// A connection over this socket. The greeting is sent with the first request.
    pub fn new(socket: UnixStream, role: Role, claim: Option<PaneClaim>) -> Result<Self, CallError> {
        Ok(Self { socket, session: ClientSession::new(Hello::new(role, claim))? })
    }

    /// Sends a request and returns its id.
    pub fn send<V: VerbSpec>(&mut self, verb: &V) -> Result<u64, CallError> {
        self.send_named(V::NAME, &to_raw_value(verb).map_err(malformed)?)
    }

    /// Sends a request for the verb of this name and returns its id.
    pub fn send_named(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        let id = self.session.queue_request(verb, args)?;
        self.session.flush(|bytes| self.socket.write(bytes)).map_err(CallError::Lost)?;
        // The socket blocks, so this is the end of a time limit that the caller set on it.
        if self.session.can_send() {
            return Err(CallError::Lost(io::ErrorKind::WouldBlock.into()));
        }
        Ok(id)
    }

    /// Calls a verb and waits for its reply.
    pub fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let reply = self.call_named(V::NAME, &to_raw_value(verb).map_err(malformed)?)?;
        serde_json::from_str(reply.get()).map_err(malformed)
    }

    /// Calls the verb of this name and waits for its reply, as JSON. Other frames that arrive meanwhile are dropped.
    pub fn call_named(&mut self, verb: &str, args: &RawValue) -> Result<Box<RawValue>, CallError> {
        let id = self.send_named(verb, args)?;
        loop {
            match self.next_frame()? {
                ServerFrame::Answer(answered, answer) if answered == id => {
                    return answer.map_err(CallError::from);
                }
                _ => {}
            }
        }
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
            self.session.fill(|buffer| self.socket.read(buffer)).map_err(CallError::Lost)?;
        }
    }
}
