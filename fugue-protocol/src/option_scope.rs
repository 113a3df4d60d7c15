//! The scope of an option of tmux's commands: everything, or one session, window or pane. It is written as `global`,
//! `session:ID`, `window:ID` or `pane:ID`.

use std::fmt;
use std::str::FromStr;

use crate::ids::NotAnId;
use crate::string_type_macros::{text_schema, text_serde};
use crate::{PaneId, SessionId, WindowId};

/// What an option holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OptionScope {
    /// Everything.
    Global,
    /// A session.
    Session(SessionId),
    /// A window.
    Window(WindowId),
    /// A pane.
    Pane(PaneId),
}

/// The error for text that is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAScope {
    /// Its first word is not that of a scope.
    #[error("`{0}` is not a scope: it must be global, session:ID, window:ID or pane:ID")]
    Kind(String),
    /// What follows the first word is not an id.
    #[error(transparent)]
    Id(#[from] NotAnId),
}

impl fmt::Display for OptionScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Session(id) => write!(f, "session:{id}"),
            Self::Window(id) => write!(f, "window:{id}"),
            Self::Pane(id) => write!(f, "pane:{id}"),
        }
    }
}

impl FromStr for OptionScope {
    type Err = NotAScope;

    fn from_str(text: &str) -> Result<Self, NotAScope> {
        match text.split_once(':') {
            None if text == "global" => Ok(Self::Global),
            Some(("session", id)) => Ok(Self::Session(id.parse()?)),
            Some(("window", id)) => Ok(Self::Window(id.parse()?)),
            Some(("pane", id)) => Ok(Self::Pane(id.parse()?)),
            _ => Err(NotAScope::Kind(text.to_owned())),
        }
    }
}

text_schema!(OptionScope);
text_serde!(OptionScope);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_is_written() {
        for scope in [
            OptionScope::Global,
            OptionScope::Session(SessionId::from_bytes([1; 16])),
            OptionScope::Window(WindowId::from_bytes([2; 16])),
            OptionScope::Pane(PaneId::from_bytes([3; 16])),
        ] {
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        for text in ["", "pane", "pane:", "pane:x", "client:1"] {
            assert!(text.parse::<OptionScope>().is_err(), "{text}");
        }
    }
}
