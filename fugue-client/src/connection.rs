//! A connection: requests go out, each answer comes back to its own id.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;

use fugue_protocol::events::EventRecord;
use fugue_protocol::frames::{FrameKind, FrameReader};
use fugue_protocol::messages::{self, Hello, Role, ServerMessage};
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::VerbSpec;
use fugue_protocol::{PaneId, Refusal, SessionName, limits};
use serde_json::value::RawValue;

use crate::trouble::CallError;

/// Read from the socket at once.
const PIECE: usize = 64 << 10;

/// A connection to a daemon.
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    reader: FrameReader,
    piece: Vec<u8>,
    /// What waits to be written: the greeting goes with the first request.
    unsent: Vec<u8>,
    last_id: u64,
    aside: Aside,
}

/// What an answer tells besides.
#[derive(Debug, Clone, Default)]
pub(crate) struct Aside {
    /// The session that was taken for meant.
    pub(crate) assumed: Option<SessionName>,
    /// Messages that lie unread for the caller.
    pub(crate) unread: usize,
}

/// What a daemon says.
#[derive(Debug)]
pub enum ServerFrame {
    /// The answer to a request.
    Answer(u64, Result<Box<RawValue>, Refused>),
    /// Something happened.
    Event(Box<EventRecord>),
    /// A pane's screen changed.
    Screen(PaneId, Vec<u8>),
    /// A piece of a recording.
    Recording(Vec<u8>),
    /// A pane's program wants this text on the clipboard.
    Copied(PaneId, String),
    /// Something that asked for no answer could not be done.
    Notice(Box<Refused>),
}

impl Connection {
    /// A connection over this socket; the greeting is sent with the first request.
    pub fn new(socket: UnixStream, role: Role, pane: Option<String>) -> Result<Self, CallError> {
        let unsent =
            messages::greeting(Hello::new(role, pane)).map_err(|why| CallError::Strange(why.to_string()))?;
        Ok(Self {
            socket,
            reader: FrameReader::new(limits::REPLY_BYTES),
            piece: vec![0; PIECE],
            unsent,
            last_id: 0,
            aside: Aside::default(),
        })
    }

    /// Sends a request and gives its id.
    pub fn send<V: VerbSpec>(&mut self, verb: &V) -> Result<u64, CallError> {
        let args =
            serde_json::value::to_raw_value(verb).map_err(|why| CallError::Strange(why.to_string()))?;
        self.send_named(V::NAME, &args)
    }

    /// Sends a request for a verb known by its name.
    pub fn send_named(&mut self, verb: &str, args: &RawValue) -> Result<u64, CallError> {
        self.last_id += 1;
        let frame = messages::request_named(self.last_id, verb, args)
            .map_err(|why| CallError::Strange(why.to_string()))?;
        let (bytes, limit) = (frame.len(), limits::REQUEST_BYTES);
        if bytes > limit {
            return Err(CallError::from(Refused::from(&Refusal::FrameTooLarge { bytes, limit })));
        }
        self.unsent.extend(frame);
        let sent = self.socket.write_all(&self.unsent);
        self.unsent.clear();
        // A daemon that refuses says why before it closes: that is read below.
        match sent {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(CallError::Lost(why)),
            _ => Ok(self.last_id),
        }
    }

    /// Calls a verb and waits for its reply.
    pub fn call<V: VerbSpec>(&mut self, verb: &V) -> Result<V::Reply, CallError> {
        let args =
            serde_json::value::to_raw_value(verb).map_err(|why| CallError::Strange(why.to_string()))?;
        let reply = self.call_named(V::NAME, &args)?;
        serde_json::from_str(reply.get()).map_err(|why| CallError::Strange(why.to_string()))
    }

    /// Calls a verb known by its name and waits for its reply, in words.
    pub fn call_named(&mut self, verb: &str, args: &RawValue) -> Result<Box<RawValue>, CallError> {
        let id = self.send_named(verb, args)?;
        loop {
            match self.hear()? {
                ServerFrame::Answer(answered, answer) if answered == id => {
                    return answer.map_err(CallError::from);
                }
                _ => {}
            }
        }
    }

    /// The session that the last answer took for meant, because the request named none.
    pub fn assumed(&self) -> Option<&SessionName> {
        self.aside.assumed.as_ref()
    }

    /// Messages that lay unread for the caller when the last answer was given.
    pub fn unread(&self) -> usize {
        self.aside.unread
    }

    /// The next thing the daemon says.
    pub fn hear(&mut self) -> Result<ServerFrame, CallError> {
        loop {
            let strange = |why: &dyn std::fmt::Display| CallError::Strange(why.to_string());
            while let Some((kind, body)) = self.reader.next_frame().map_err(|why| strange(&why))? {
                if let Some(heard) = understand_all(kind, body, &mut self.aside)? {
                    return Ok(heard);
                }
            }
            match self.socket.read(&mut self.piece) {
                Ok(0) => return Err(CallError::Lost(io::ErrorKind::UnexpectedEof.into())),
                Ok(count) => self.reader.push(&self.piece[..count]),
                Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
                Err(why) => return Err(CallError::Lost(why)),
            }
        }
    }
}

pub(crate) fn understand(kind: FrameKind, body: &[u8]) -> Result<Option<ServerFrame>, CallError> {
    understand_all(kind, body, &mut Aside::default())
}

/// What a frame says, and what it tells besides.
pub(crate) fn understand_all(
    kind: FrameKind,
    body: &[u8],
    aside: &mut Aside,
) -> Result<Option<ServerFrame>, CallError> {
    match kind {
        FrameKind::Words => understand_words(body, aside),
        FrameKind::Screen => {
            let (pane, update) =
                body.split_first_chunk().ok_or_else(|| CallError::Strange("a short screen".into()))?;
            Ok(Some(ServerFrame::Screen(PaneId::from_bytes(*pane), update.to_vec())))
        }
        FrameKind::Recording => Ok(Some(ServerFrame::Recording(body.to_vec()))),
        FrameKind::Clipboard => {
            let (pane, text) =
                body.split_first_chunk().ok_or_else(|| CallError::Strange("a short clipboard".into()))?;
            let text = String::from_utf8_lossy(text).into_owned();
            Ok(Some(ServerFrame::Copied(PaneId::from_bytes(*pane), text)))
        }
        FrameKind::Keys => Err(CallError::Strange("a daemon does not type".into())),
    }
}

fn understand_words(body: &[u8], aside: &mut Aside) -> Result<Option<ServerFrame>, CallError> {
    let message: ServerMessage<'_> =
        serde_json::from_slice(body).map_err(|why| CallError::Strange(why.to_string()))?;
    match message {
        ServerMessage { id: Some(id), reply: Some(reply), session, unread, .. } => {
            *aside = Aside { assumed: session, unread: unread.unwrap_or_default() };
            Ok(Some(ServerFrame::Answer(id, Ok(reply.to_owned()))))
        }
        ServerMessage { id: Some(id), refusal: Some(refused), .. } => {
            Ok(Some(ServerFrame::Answer(id, Err(refused))))
        }
        // Without an id it is the whole connection that is refused.
        ServerMessage { id: None, refusal: Some(refused), .. } => Err(CallError::from(refused)),
        ServerMessage { notice: Some(refused), .. } => Ok(Some(ServerFrame::Notice(Box::new(refused)))),
        ServerMessage { event: Some(told), .. } => Ok(Some(ServerFrame::Event(Box::new(told)))),
        _ => Ok(None),
    }
}
