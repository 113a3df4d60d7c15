//! The attachment of this terminal to a session: what it is given, and how it ends.

use fugue_client::{Paths, PollConnection};
use fugue_protocol::SessionId;
use fugue_protocol::refusal::Refused;
use serde_json::value::RawValue;

/// What to attach to, and how.
#[derive(Debug)]
pub struct AttachOptions {
    /// The daemon's paths.
    pub paths: Paths,
    /// The connection over which the session was found; without one, the client opens its own.
    pub connection: Option<PollConnection>,
    /// The session to show first.
    pub session: SessionId,
    /// Whether nothing that is typed reaches a pane.
    pub read_only: bool,
    /// Other names of verbs.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Whether to name a few keys, because a person sees a new daemon for the first time.
    pub welcome: bool,
    /// Renders the reply of a verb for a person.
    pub render_reply: fn(&str, &RawValue) -> String,
}

/// How a visit ended.
#[derive(Debug)]
pub enum AttachEnd {
    /// With this last line to print.
    Line(String),
    /// The daemon was upgraded and speaks another protocol.
    OtherProtocol {
        /// What it said.
        refused: Box<Refused>,
        /// The session that was shown.
        session: SessionId,
    },
}
