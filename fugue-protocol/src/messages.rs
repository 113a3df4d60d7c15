//! The JSON messages of a connection: requests, replies, refusals and events. Every request has an id and gets exactly
//! one reply or refusal with that id.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::events::EventRecord;
use crate::frames::{self, FrameKind};
use crate::refusal::Refused;
use crate::upgrade::{UpgradeReport, UpgradeRequest};
use crate::verbs::VerbSpec;
use crate::{PROTOCOL, PaneId, SessionName};

/// A message from a client: a greeting first, then requests.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ClientMessage<'a> {
    /// The id of a request, chosen by the client and repeated in the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// The verb to perform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
    /// Its arguments.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub args: Option<&'a RawValue>,
    /// The id of a request to cancel: if it is waiting, it is refused as canceled; otherwise it is answered as usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<u64>,
    /// The greeting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hello: Option<Hello>,
    /// Whether the text of the reply may come in a frame of its own. A daemon that does not know this ignores it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_text: bool,
}

/// The greeting of a client.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol it speaks.
    pub protocol: u32,
    /// Its version, for people to read.
    #[serde(default)]
    pub version: String,
    /// What kind of client it is.
    #[serde(default)]
    pub role: Role,
    /// `FUGUE_PANE_ID` of its environment, unchecked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<String>,
    /// `FUGUE_PANE_KEY` of its environment, which proves that it may speak for that pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<PaneKey>,
    /// Whether it is in a pane of its own host, if the daemon is on another one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_pane_elsewhere: bool,
    /// What keeps its idempotency keys apart from those of other callers in no pane of the daemon: any text, the same on
    /// each of its connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_space: Option<String>,
    /// An upgrade, which is all that this client asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeRequest>,
}

impl Hello {
    /// The greeting of this version.
    pub fn new(role: Role, claim: Option<PaneClaim>) -> Self {
        let (pane, key) = claim.map_or((None, None), |claim| (Some(claim.pane), claim.key));
        let version = env!("CARGO_PKG_VERSION").into();
        let (in_pane_elsewhere, key_space, upgrade) = (false, None, None);
        Self { protocol: PROTOCOL, version, role, pane, key, in_pane_elsewhere, key_space, upgrade }
    }
}

/// The pane that a process claims to be in, according to its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneClaim {
    /// `FUGUE_PANE_ID`, unchecked.
    pub pane: String,
    /// `FUGUE_PANE_KEY`.
    pub key: Option<PaneKey>,
}

/// The key of a pane, which its program has in its environment. It never appears in any output.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaneKey(pub String);

impl std::fmt::Debug for PaneKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PaneKey(hidden)")
    }
}

/// The kind of a client.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A one-shot command.
    #[default]
    Command,
    /// A person's terminal.
    Terminal,
    /// The MCP server of an agent.
    Bridge,
}

/// The daemon's answer to a greeting.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Welcome {
    /// The version of the protocol it speaks.
    pub protocol: u32,
    /// Its version.
    pub version: String,
    /// The pane in which the client runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pane: Option<PaneId>,
    /// The number of this connection.
    #[serde(default)]
    pub client: u64,
    /// The answer to an upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<UpgradeReport>,
}

/// A message from the daemon. Exactly one of `reply`, `refusal`, `event`, `welcome` and `notice` is set.
#[derive(Debug, Default, Deserialize)]
pub struct ServerMessage<'a> {
    /// The request that this answers; a refusal without it ends the connection.
    #[serde(default)]
    pub id: Option<u64>,
    /// The verb's reply.
    #[serde(borrow, default)]
    pub reply: Option<&'a RawValue>,
    /// The session that was used, if the request named none and the caller is in none.
    #[serde(default)]
    pub session: Option<SessionName>,
    /// Number of unread messages of the caller's session; omitted if there are none.
    #[serde(default)]
    pub unread: Option<usize>,
    /// The refusal of the request.
    #[serde(default)]
    pub refusal: Option<Refused>,
    /// An event. One that only a newer daemon knows is left out.
    #[serde(default, deserialize_with = "known_event")]
    pub event: Option<EventRecord>,
    /// The answer to the greeting.
    #[serde(default)]
    pub welcome: Option<Welcome>,
    /// Something that has no reply could not be done.
    #[serde(default)]
    pub notice: Option<Refused>,
}

/// Reads an event, unless it is of a kind that this version does not know.
fn known_event<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EventRecord>, D::Error> {
    let event = <&RawValue>::deserialize(from)?;
    Ok(serde_json::from_str(event.get()).ok())
}

/// Frames a request.
pub fn request<V: VerbSpec>(id: u64, verb: &V) -> serde_json::Result<Vec<u8>> {
    request_named(id, V::NAME, &serde_json::value::to_raw_value(verb)?)
}

/// Frames a request for a verb known by name.
pub fn request_named(id: u64, verb: &str, args: &RawValue) -> serde_json::Result<Vec<u8>> {
    framed(&request_message(id, verb, args))
}

/// Frames a request whose reply text may come in a frame of its own.
pub fn request_for_text(id: u64, verb: &str, args: &RawValue) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage { separate_text: true, ..request_message(id, verb, args) })
}

fn request_message<'a>(id: u64, verb: &str, args: &'a RawValue) -> ClientMessage<'a> {
    ClientMessage { id: Some(id), verb: Some(verb.to_owned()), args: Some(args), ..Default::default() }
}

/// Frames the cancellation of a request.
pub fn cancel(id: u64) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage { cancel: Some(id), ..Default::default() })
}

/// Frames the last words of a client that leaves on purpose and will not take this line up again. The proxy of the line
/// then remembers nothing. To a daemon it is the cancellation of a request that no client makes.
pub fn farewell() -> serde_json::Result<Vec<u8>> {
    cancel(u64::MAX)
}

/// Frames keys that a person typed into a pane.
pub fn keys(pane: PaneId, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    frames::write(&mut out, FrameKind::Keys, &[pane.as_bytes(), bytes].concat());
    out
}

/// Frames a greeting.
pub fn greeting(hello: Hello) -> serde_json::Result<Vec<u8>> {
    framed(&ClientMessage { hello: Some(hello), ..Default::default() })
}

fn framed(message: &ClientMessage<'_>) -> serde_json::Result<Vec<u8>> {
    let mut out = Vec::new();
    frames::write(&mut out, FrameKind::Words, &serde_json::to_vec(message)?);
    Ok(out)
}

#[derive(Serialize)]
struct ReplyMessage<'a, T> {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a SessionName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<usize>,
    reply: &'a T,
}

/// Frames a reply to the request `id`. `assumed` is the session that was used if the request named none; `unread` is
/// the number of unread messages of the caller.
pub fn reply(
    id: u64,
    reply: &impl Serialize,
    assumed: Option<&SessionName>,
    unread: Option<usize>,
) -> serde_json::Result<Vec<u8>> {
    let unread = unread.filter(|count| *count > 0);
    let message = ReplyMessage { id, session: assumed, unread, reply };
    frames::build(FrameKind::Words, |frame| serde_json::to_writer(frame, &message))
}

/// Frames the text of the reply to the request `id`.
pub fn text(id: u64, text: &str) -> Vec<u8> {
    /// Room for the reply behind it.
    const REPLY: usize = 1 << 10;
    let framed = frames::build(FrameKind::Text, |frame| {
        frame.reserve(text.len() + size_of::<u64>() + REPLY);
        frame.extend_from_slice(&id.to_le_bytes());
        frame.extend_from_slice(text.as_bytes());
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(frame) = framed;
    frame
}

#[derive(Serialize)]
struct RefusalMessage<'a> {
    id: Option<u64>,
    refusal: &'a Refused,
}

/// Frames a refusal of the request `id`; without an id it refuses the connection.
pub fn refusal(id: Option<u64>, refused: &Refused) -> Vec<u8> {
    server_frame(&RefusalMessage { id, refusal: refused })
}

#[derive(Serialize)]
struct EventMessage<'a> {
    event: &'a EventRecord,
}

/// Frames an event.
pub fn event(event: &EventRecord) -> Vec<u8> {
    server_frame(&EventMessage { event })
}

#[derive(Serialize)]
struct NoticeMessage<'a> {
    notice: &'a Refused,
}

/// Frames a notice: something that has no reply could not be done.
pub fn notice(refused: &Refused) -> Vec<u8> {
    server_frame(&NoticeMessage { notice: refused })
}

#[derive(Serialize)]
struct WelcomeMessage<'a> {
    welcome: &'a Welcome,
}

/// Frames the answer to a greeting.
pub fn welcome(welcome: &Welcome) -> Vec<u8> {
    server_frame(&WelcomeMessage { welcome })
}

/// Frames a message that only the next version sends (`tools/next_version.rs`).
pub fn marks() -> Vec<u8> {
    server_frame(&serde_json::json!({ "marks": {} }))
}

fn server_frame(message: &impl Serialize) -> Vec<u8> {
    frames::build(FrameKind::Words, |frame| serde_json::to_writer(frame, message))
        .expect("plain data with string keys serializes")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(frame: &[u8]) -> &str {
        std::str::from_utf8(&frame[frames::HEADER..]).unwrap()
    }

    #[test]
    fn a_message_and_an_event_that_only_a_newer_daemon_knows_do_not_disturb_a_client() {
        let event = r#"{"event":{"id":7,"at":1,"event":"session_marked","session":"x"}}"#;
        let message = r#"{"marks":{"work":"important"}}"#;
        for text in [event, message] {
            let read: ServerMessage<'_> = serde_json::from_str(text).unwrap();
            assert!(read.event.is_none() && read.notice.is_none() && read.refusal.is_none(), "{text}");
        }
        let known = r#"{"event":{"id":8,"at":1,"event":"warnings_dismissed"}}"#;
        let read: ServerMessage<'_> = serde_json::from_str(known).unwrap();
        assert_eq!(read.event.unwrap().id, Some(8));
    }

    #[test]
    fn a_reply_omits_what_it_does_not_say() {
        let done = serde_json::value::to_raw_value(&crate::views::Done {}).unwrap();
        assert_eq!(body(&reply(7, &done, None, Some(0)).unwrap()), r#"{"id":7,"reply":{}}"#);
        let work: SessionName = "work".parse().unwrap();
        assert_eq!(
            body(&reply(7, &done, Some(&work), Some(2)).unwrap()),
            r#"{"id":7,"session":"work","unread":2,"reply":{}}"#
        );
    }
}
