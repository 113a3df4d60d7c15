//! A connection that never blocks: bytes go out as the daemon takes them, and what it says comes in between.

use std::io;

use fugue_protocol::frames::FrameReader;
use fugue_protocol::limits;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_protocol::verbs::VerbSpec;
use serde_json::value::to_raw_value;
use tokio::io::Interest;
use tokio::net::UnixStream;

use crate::connection::{Aside, ServerFrame, understand_all};
use crate::places::Paths;
use crate::start::{StartPolicy, reach};
use crate::trouble::CallError;

/// Read from the socket at once.
const PIECE: usize = 64 << 10;

/// How to reach a daemon, and as whom.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Where it is.
    pub places: Paths,
    /// What kind of client calls.
    pub role: Role,
    /// The pane in which the caller says it is.
    pub pane: Option<String>,
}

/// One connection.
#[derive(Debug)]
pub struct AsyncConnection {
    socket: UnixStream,
    reader: FrameReader,
    piece: Vec<u8>,
    unsent: Vec<u8>,
    /// Bytes that the socket has taken.
    sent: u64,
    /// The daemon takes no more; what it has said can still be read.
    deaf: bool,
    aside: Aside,
}

impl AsyncConnection {
    /// A connection that has greeted. StartPolicy a daemon takes a moment, which is another thread's.
    pub async fn open(dial: &Endpoint, starting: StartPolicy) -> Result<Self, CallError> {
        let places = dial.places.clone();
        let reached = tokio::task::spawn_blocking(move || reach(&places, starting)).await;
        let socket = reached.map_err(|why| CallError::Strange(why.to_string()))??;
        socket.set_nonblocking(true).map_err(CallError::Lost)?;
        let socket = UnixStream::from_std(socket).map_err(CallError::Lost)?;
        let greeting = messages::greeting(Hello::new(dial.role, dial.pane.clone()));
        let unsent = greeting.map_err(|why| CallError::Strange(why.to_string()))?;
        Ok(Self {
            socket,
            reader: FrameReader::new(limits::REPLY_BYTES),
            piece: vec![0; PIECE],
            unsent,
            sent: 0,
            deaf: false,
            aside: Aside::default(),
        })
    }

    /// Puts a request behind what waits to be sent, and says where in the stream it begins.
    pub fn push(&mut self, frame: &[u8]) -> u64 {
        let begins = self.sent + self.unsent.len() as u64;
        self.unsent.extend_from_slice(frame);
        begins
    }

    /// Messages that lay unread for the caller when the last answer was given.
    pub fn unread(&self) -> usize {
        self.aside.unread
    }

    /// Bytes that the socket has taken so far.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// The next thing the daemon says, while what waits is sent. May be dropped and called again.
    pub async fn hear(&mut self) -> Result<ServerFrame, CallError> {
        loop {
            if let Some(heard) = self.understood()? {
                return Ok(heard);
            }
            self.flush()?;
            let waits = !self.unsent.is_empty() && !self.deaf;
            let more = if waits { Interest::READABLE | Interest::WRITABLE } else { Interest::READABLE };
            self.socket.ready(more).await.map_err(CallError::Lost)?;
            self.fill()?;
        }
    }

    /// Calls a verb on a connection that is used for nothing else meanwhile.
    pub async fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let strange = |why: serde_json::Error| CallError::Strange(why.to_string());
        let args = to_raw_value(verb).map_err(strange)?;
        self.push(&messages::request_named(0, V::NAME, &args).map_err(strange)?);
        loop {
            if let ServerFrame::Answer(0, answer) = self.hear().await? {
                return serde_json::from_str(answer.map_err(CallError::from)?.get()).map_err(strange);
            }
        }
    }

    fn understood(&mut self) -> Result<Option<ServerFrame>, CallError> {
        while let Some((kind, body)) =
            self.reader.next_frame().map_err(|why| CallError::Strange(why.to_string()))?
        {
            if let Some(heard) = understand_all(kind, body, &mut self.aside)? {
                return Ok(Some(heard));
            }
        }
        Ok(None)
    }

    fn flush(&mut self) -> Result<(), CallError> {
        while !self.unsent.is_empty() && !self.deaf {
            match self.socket.try_write(&self.unsent) {
                Ok(count) => {
                    self.unsent.drain(..count);
                    self.sent += count as u64;
                }
                Err(why) if why.kind() == io::ErrorKind::WouldBlock => break,
                // A daemon that refuses says why before it closes: that is read next.
                Err(why) if why.kind() == io::ErrorKind::BrokenPipe => self.deaf = true,
                Err(why) => return Err(CallError::Lost(why)),
            }
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<(), CallError> {
        match self.socket.try_read(&mut self.piece) {
            Ok(0) => Err(CallError::Lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => {
                self.reader.push(&self.piece[..count]);
                Ok(())
            }
            Err(why) if why.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(why) => Err(CallError::Lost(why)),
        }
    }
}
