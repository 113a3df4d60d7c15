//! The reasons why a call got no reply.

use std::fmt;
use std::io;

use fugue_protocol::refusal::Refused;

/// The reason why a call got no reply.
#[derive(Debug)]
pub enum CallError {
    /// The daemon refused the request.
    Refused(Box<Refused>),
    /// No daemon listens at this socket, and none was to be started.
    NoDaemon(String),
    /// The connection broke before the answer came. Whether the request was carried out is unknown.
    Lost(io::Error),
    /// Something on this machine that the call needs cannot be used, such as the socket's directory.
    Local(String),
    /// The daemon sent something that this version cannot read.
    Malformed(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::NoDaemon(socket) => write!(
                f,
                "no fugue daemon is running at {socket}\nhint: start one with `fugue new -d -s NAME`"
            ),
            Self::Lost(why) => write!(
                f,
                "lost the connection to the daemon before it answered: {why}\nhint: the request may have been carried out; check before you repeat it"
            ),
            Self::Local(why) => f.write_str(why),
            Self::Malformed(why) => write!(
                f,
                "cannot read the daemon's reply: {why}\nhint: it may be another version; see `fugue server-status`"
            ),
        }
    }
}

impl std::error::Error for CallError {}

impl From<Refused> for CallError {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}

/// The error for something that this version cannot read or write.
pub(crate) fn malformed(why: impl fmt::Display) -> CallError {
    CallError::Malformed(why.to_string())
}
