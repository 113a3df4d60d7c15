//! A caller that outlives the daemon: it connects again and repeats a call until it is answered.

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use fugue_client::{CallError, Connection};
use fugue_protocol::IdempotencyKey;
use fugue_protocol::agent_messages::{Payload, Target};
use fugue_protocol::messages::{PaneClaim, PaneKey, Role};
use fugue_protocol::verbs::{AnswerCount, SendOrchestration, VerbSpec};
use serde_json::Value;

use crate::{PATIENCE, TestServer};

/// The pause before another attempt to connect: short, but it leaves the processor to the daemon that starts.
const RECONNECT: Duration = Duration::from_millis(1);

/// A caller that reconnects whenever the daemon was killed.
pub struct RepeatingCaller<'a> {
    server: &'a TestServer,
    claim: Option<PaneClaim>,
    connection: Option<Connection>,
}

impl<'a> RepeatingCaller<'a> {
    /// A caller in a pane.
    pub fn new(server: &'a TestServer, pane: &str) -> Self {
        let key = Some(PaneKey(server.pane_key(pane)));
        Self { server, claim: Some(PaneClaim { pane: pane.to_owned(), key }), connection: None }
    }

    /// A caller outside any pane.
    pub fn person(server: &'a TestServer) -> Self {
        Self { server, claim: None, connection: None }
    }

    fn connection(&mut self) -> Result<&mut Connection, CallError> {
        if self.connection.is_none() {
            let socket = UnixStream::connect(self.server.socket()).map_err(CallError::Lost)?;
            socket.set_read_timeout(Some(PATIENCE)).map_err(CallError::Lost)?;
            self.connection = Some(Connection::new(socket, Role::Command, self.claim.clone())?);
        }
        Ok(self.connection.as_mut().expect("just connected"))
    }

    /// Repeats a call until it is answered.
    pub fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let start = Instant::now();
        loop {
            match self.connection().and_then(|connection| connection.call(verb)) {
                Err(CallError::Lost(why)) => {
                    assert!(start.elapsed() < PATIENCE, "the daemon does not restart: {why}");
                    self.connection = None;
                    std::thread::sleep(RECONNECT);
                }
                answer => return answer,
            }
        }
    }
}

/// A message with an idempotency key, so that it can be sent again when the reply was lost.
pub fn keyed_message(target: Target, key: &str, payload: Value) -> SendOrchestration {
    SendOrchestration {
        target: Some(target),
        msg_type: "soak".parse().expect("a type"),
        payload: Payload::stored(payload),
        reply_to: None,
        wait_ms: None,
        wait_for: AnswerCount::Any,
        ttl_ms: None,
        idempotency_key: Some(key.parse::<IdempotencyKey>().expect("a key")),
    }
}
