//! Frames from the daemon, decoded.

use fugue_protocol::events::EventRecord;
use fugue_protocol::frames::FrameKind;
use fugue_protocol::input_ledger::{LedgerEntry, read_delivered};
use fugue_protocol::messages::ServerMessage;
use fugue_protocol::refusal::Refused;
use fugue_protocol::{PaneId, SessionName};
use serde_json::value::RawValue;

use crate::call_error::{CallError, malformed};

/// A frame that the daemon sent.
#[derive(Debug)]
pub enum ServerFrame {
    /// The answer to the request with this id.
    Answer(u64, Result<Box<RawValue>, Refused>),
    /// An event that the client subscribed to.
    Event(Box<EventRecord>),
    /// An update of a pane's screen.
    Screen(PaneId, Vec<u8>),
    /// A chunk of a recording.
    Recording(Vec<u8>),
    /// Text that a pane's program wants on the clipboard.
    Copied(PaneId, String),
    /// An image that is visible in a pane.
    Image(PaneId, Vec<u8>),
    /// The refusal of something that gets no answer, such as typed keys.
    Notice(Box<Refused>),
}

/// Facts that frames carry beside their content, as of the last frame that had them.
#[derive(Debug, Default)]
pub(crate) struct FrameContext {
    /// The number that the daemon gave this connection in its welcome.
    pub(crate) client: Option<u64>,
    /// The session that the daemon assumed because the request named none.
    pub(crate) assumed_session: Option<SessionName>,
    /// The number of unread messages in the caller's inbox.
    pub(crate) unread: usize,
    /// The fate of the keys that were typed over an earlier line to the same host, if anybody knows.
    pub(crate) delivered: Option<Vec<LedgerEntry>>,
    /// The text of a reply, and the id of its request. The reply comes next.
    pub(crate) text: Option<(u64, String)>,
}

/// Decodes a frame; returns none for a frame that only updates `context`.
pub(crate) fn decode(
    kind: FrameKind,
    body: &[u8],
    context: &mut FrameContext,
) -> Result<Option<ServerFrame>, CallError> {
    match kind {
        FrameKind::Words => decode_message(body, context),
        FrameKind::Screen => {
            let (pane, update) = split_pane(body)?;
            Ok(Some(ServerFrame::Screen(pane, update.to_vec())))
        }
        FrameKind::Recording => Ok(Some(ServerFrame::Recording(body.to_vec()))),
        FrameKind::Clipboard => {
            let (pane, text) = split_pane(body)?;
            Ok(Some(ServerFrame::Copied(pane, String::from_utf8_lossy(text).into_owned())))
        }
        FrameKind::Delivered => {
            context.delivered = read_delivered(body);
            Ok(None)
        }
        FrameKind::Image => {
            let (pane, image) = split_pane(body)?;
            Ok(Some(ServerFrame::Image(pane, image.to_vec())))
        }
        FrameKind::Text => {
            context.text = Some(decode_text(body)?);
            Ok(None)
        }
        FrameKind::Keys => Err(malformed("unexpected keys frame")),
    }
}

fn split_pane(body: &[u8]) -> Result<(PaneId, &[u8]), CallError> {
    let (pane, rest) = body.split_first_chunk().ok_or_else(|| malformed("frame without a pane id"))?;
    Ok((PaneId::from_bytes(*pane), rest))
}

fn decode_text(body: &[u8]) -> Result<(u64, String), CallError> {
    let (id, text) = body.split_first_chunk().ok_or_else(|| malformed("text frame without an id"))?;
    Ok((u64::from_le_bytes(*id), String::from_utf8(text.to_vec()).map_err(malformed)?))
}

fn decode_message(body: &[u8], context: &mut FrameContext) -> Result<Option<ServerFrame>, CallError> {
    let message: ServerMessage<'_> = serde_json::from_slice(body).map_err(malformed)?;
    match message {
        ServerMessage { id: Some(id), reply: Some(reply), session, unread, .. } => {
            context.assumed_session = session;
            context.unread = unread.unwrap_or_default();
            Ok(Some(ServerFrame::Answer(id, Ok(reply.to_owned()))))
        }
        ServerMessage { id: Some(id), refusal: Some(refused), .. } => {
            Ok(Some(ServerFrame::Answer(id, Err(refused))))
        }
        // A refusal without an id refuses the whole connection.
        ServerMessage { id: None, refusal: Some(refused), .. } => Err(CallError::from(refused)),
        ServerMessage { notice: Some(refused), .. } => Ok(Some(ServerFrame::Notice(Box::new(refused)))),
        ServerMessage { event: Some(event), .. } => Ok(Some(ServerFrame::Event(Box::new(event)))),
        ServerMessage { welcome: Some(welcome), .. } => {
            context.client = Some(welcome.client);
            Ok(None)
        }
        _ => Ok(None),
    }
}
