//! Why a call did not come to an answer.

use std::fmt;
use std::io;

use fugue_protocol::refusal::{CommandLineWords, Hint, HintWords, Refused};
use fugue_protocol::verbs::{CreateSession, GetServerStatus};

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

impl CallError {
    /// One sentence that names what failed, without the next step.
    pub fn message(&self) -> String {
        match self {
            Self::Refused(refused) => refused.message.clone(),
            Self::NoDaemon(socket) => format!("No fugue daemon is running at {socket}"),
            Self::Lost(why) => format!("Lost the connection to the daemon before it replied: {why}"),
            Self::Place(why) => why.clone(),
            Self::Strange(why) => format!("Cannot read the reply of the daemon: {why}"),
        }
    }

    /// The next step in the language of a surface.
    pub fn hint_in(&self, words: &impl HintWords) -> Option<String> {
        match self {
            Self::Refused(refused) => refused.hint_in(words),
            Self::NoDaemon(_) => {
                Some(words.hint(&Hint::use_verb::<CreateSession>("starts one and creates a session")))
            }
            Self::Lost(_) => Some("the request may have been carried out; check before you try again".into()),
            Self::Place(_) => None,
            Self::Strange(_) => {
                Some(words.hint(&Hint::use_verb::<GetServerStatus>("shows the version of the daemon")))
            }
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        self.hint_in(&CommandLineWords).map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}

impl std::error::Error for CallError {}

impl From<Refused> for CallError {
    fn from(refused: Refused) -> Self {
        Self::Refused(Box::new(refused))
    }
}
