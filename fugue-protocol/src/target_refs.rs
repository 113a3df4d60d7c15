//! References to sessions, windows and panes in a request: by id or by name. Text that is an id is never a name.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use crate::ids::{PaneId, SessionId, WindowId};
use crate::string_type_macros::{text_schema, text_serde};

macro_rules! references {
    ($($(#[$doc:meta])* $name:ident($id:ident));* $(;)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            /// By its id.
            Id($id),
            /// By anything else that names it.
            Name(String),
        }

        impl FromStr for $name {
            type Err = Infallible;
            fn from_str(text: &str) -> Result<Self, Infallible> {
                Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Id))
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { Self::Id(id) => id.fmt(f), Self::Name(name) => f.write_str(name) }
            }
        }
        impl From<$id> for $name { fn from(id: $id) -> Self { Self::Id(id) } }
        text_schema!($name);
        text_serde!($name);
    )*};
}

references! {
    /// A session: UUID or name.
    SessionRef(SessionId);
    /// A window: UUID, name, or index in the session.
    WindowRef(WindowId);
    /// A pane: UUID, name, or the last digits of its id if they are unique.
    PaneRef(PaneId);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_an_id_and_everything_else_a_name() {
        let id = "019a0000-0000-7000-8000-000000000001";
        assert!(matches!(id.parse(), Ok(SessionRef::Id(_))));
        assert_eq!("work".parse(), Ok(SessionRef::Name("work".into())));
        assert_eq!(serde_json::to_string(&SessionRef::Name("work".into())).unwrap(), "\"work\"");
    }
}
