//! Envelopes: what goes over a connection. Every request has an id and is answered exactly once, to that id.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::events::EventRecord;
use crate::framing::{self, FrameKind};
use crate::refusal::Refused;
use crate::verbs::VerbSpec;
use crate::{PROTOCOL, PaneId, SessionName};

/// What a client says: a greeting first, then requests.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ClientMessage<'a> {
    /// A request's id, chosen by the client; the answer carries it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The verb to perform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
    /// Its arguments.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub args: Option<&'a RawValue>,
    /// A request that nobody waits for any more: one that waits is refused as cancelled, any other is answered as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<u64>,
    /// First of all: who speaks, and which protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hello: Option<Hello>,
}

/// Who speaks.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its version, for people.
    #[serde(default)]
    pub version: String,
    /// What kind of client it is.
    #[serde(default)]
    pub role: Role,
    /// `FUGUE_PANE_ID` of its environment, as it stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
}

impl Hello {
    /// The greeting of this version.
    pub fn new(role: Role, pane: Option<String>) -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").into(), role, pane }
    }
}

/// What kind of client speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A one-shot command.
    #[default]
    Command,
    /// A person's terminal.
    Terminal,
    /// An agent's bridge.
    Bridge,
}

/// What the daemon says back to a greeting.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The protocol it speaks.
    pub protocol: u32,
    /// Its version.
    pub version: String,
    /// The pane in which the caller was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<PaneId>,
    /// The number of this connection.
    #[serde(default)]
    pub client: u64,
}

/// What the daemon says: one of these is set, never two.
#[derive(Debug, Default, Deserialize)]
pub struct ServerMessage<'a> {
    /// To which request this answers; a refusal without one ends the connection.
    #[serde(default)]
    pub id: Option<u64>,
    /// The verb's reply.
    #[serde(borrow, default)]
    pub reply: Option<&'a RawValue>,
    /// The session that was taken for meant, when the request named none and the caller is in none.
    #[serde(default)]
    pub session: Option<SessionName>,
    /// Messages that lie unread for the caller's session; left out when there are none.
    #[serde(default)]
    pub unread: Option<usize>,
    /// Or why it was not done.
    #[serde(default)]
    pub refusal: Option<Refused>,
    /// Something happened.
    #[serde(default)]
    pub event: Option<EventRecord>,
    /// Answer to the greeting.
    #[serde(default)]
    pub welcome: Option<Welcome>,
    /// Something that asked for no answer could not be done.
    #[serde(default)]
    pub notice: Option<Refused>,
}

/// A request, framed.
pub fn request<V: VerbSpec>(id: u64, verb: &V) -> serde_json::Result<Vec<u8>> {
    request_named(id, V::NAME, &serde_json::value::to_raw_value(verb)?)
}

/// A request for a verb known by its name, framed.
pub fn request_named(id: u64, verb: &str, args: &RawValue) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage {
        id: Some(id),
        verb: Some(verb.to_owned()),
        args: Some(args),
        ..Default::default()
    })
}

/// That nobody waits for a request any more, framed.
pub fn cancel(id: u64) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage { cancel: Some(id), ..Default::default() })
}

/// What a person typed into a pane, framed.
pub fn keys(pane: PaneId, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    framing::write(&mut out, FrameKind::Keys, &[pane.as_bytes(), bytes].concat());
    out
}

/// A greeting, framed.
pub fn greeting(hello: Hello) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage { hello: Some(hello), ..Default::default() })
}

fn framed(message: &ClientMessage<'_>) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    framing::write(&mut out, FrameKind::Words, &serde_json::to_vec(message)?);
    Ok(out)
}

/// A reply to `id`, framed, with the session that was taken for meant if nobody named one, and how many messages lie
/// unread for the caller.
pub fn reply(id: u64, reply: &RawValue, assumed: Option<&SessionName>, unread: Option<usize>) -> Vec<u8> {
    let session = assumed.and_then(|name| serde_json::to_string(name).ok());
    let session = session.map(|name| format!("\"session\":{name},")).unwrap_or_default();
    let unread = unread.filter(|count| *count > 0).map(|count| format!("\"unread\":{count},"));
    let unread = unread.unwrap_or_default();
    worded(format!("{{\"id\":{id},{session}{unread}\"reply\":{reply}}}"))
}

/// A refusal of `id`, framed; of the whole connection when there is none.
pub fn refusal(id: Option<u64>, refused: &Refused) -> Vec<u8> {
    let id = id.map_or("null".into(), |id| id.to_string());
    let refused = serde_json::to_string(refused).unwrap_or_default();
    worded(format!("{{\"id\":{id},\"refusal\":{refused}}}"))
}

/// Something that happened, framed.
pub fn event(told: &EventRecord) -> Vec<u8> {
    worded(format!("{{\"event\":{}}}", serde_json::to_string(told).unwrap_or_default()))
}

/// That something which asked for no answer could not be done, framed.
pub fn notice(refused: &Refused) -> Vec<u8> {
    worded(format!("{{\"notice\":{}}}", serde_json::to_string(refused).unwrap_or_default()))
}

/// The answer to a greeting, framed.
pub fn welcome(welcome: &Welcome) -> Vec<u8> {
    worded(format!("{{\"welcome\":{}}}", serde_json::to_string(welcome).unwrap_or_default()))
}

fn worded(text: String) -> Vec<u8> {
    let mut out = Vec::new();
    framing::write(&mut out, FrameKind::Words, text.as_bytes());
    out
}
