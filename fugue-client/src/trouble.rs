//! Why a call did not come to an answer.

use std::fmt;
use std::io;

use fugue_protocol::refusal::Refused;

/// What went wrong.
#[derive(Debug)]
pub enum CallError {
    /// The daemon refused.
    Refused(Box<Refused>),
    /// No daemon runs, and none was to be started.
    NoDaemon(String),
    /// The connection broke before the answer came: whether the request was done is not known.
    Lost(io::Error),
    /// The place where the daemon lives cannot be used.
    Place(String),
    /// An answer that this version cannot read.
    Strange(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::NoDaemon(socket) => {
                write!(
                    f,
                    "no fugue daemon runs at {socket}\nhint: `fugue new -d -s NAME` starts one with a session"
                )
            }
            Self::Lost(why) => {
                write!(
                    f,
                    "the daemon went away before it answered: {why}\nhint: look before you try again, it may be done"
                )
            }
            Self::Place(why) => f.write_str(why),
            Self::Strange(why) => {
                write!(
                    f,
                    "the daemon said something unreadable: {why}\nhint: is it of another version? `fugue server-status` tells"
                )
            }
        }
    }
}

impl std::error::Error for CallError {}

impl From<Refused> for CallError {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}
