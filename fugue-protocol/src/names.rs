//! Names and keys chosen by people and agents. A value of these types is always valid.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::escape::is_unsafe;
use crate::limits::{KEY_CHARS, LEASE_CHARS, NAME_CHARS, TAG_CHARS};
use crate::string_type_macros::{text_schema, text_serde};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $most:ident);* $(;)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                check($what, $most, text).map(|()| Self(text.to_owned()))
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) }
        }
        text_schema!($name);
        text_serde!($name);
    )*};
}

names! {
    /// A session's name, unique within a daemon.
    SessionName, "session name", NAME_CHARS;
    /// A window's name. As a reference it must be unique in its session.
    WindowName, "window name", NAME_CHARS;
    /// A pane's name.
    PaneName, "pane name", NAME_CHARS;
    /// A tag of a session, to which messages can be addressed.
    Tag, "tag", TAG_CHARS;
    /// The type of a message, chosen by its sender: `task.assigned`, `status.update`.
    MessageType, "message type", NAME_CHARS;
    /// A key chosen by a sender that may retry: requests with the same key are the same request.
    IdempotencyKey, "key", KEY_CHARS;
    /// The name of a profile by which programs are confined.
    ConfinementName, "profile name", NAME_CHARS;
    /// The name of a lease: a path, a port, a task.
    LeaseName, "lease name", LEASE_CHARS;
}

/// The error for text that is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It is empty or only spaces.
    #[error("a {0} cannot be empty")]
    Empty(&'static str),
    /// It is too long.
    #[error("a {what} can have at most {most} characters, not {has}")]
    #[allow(missing_docs, reason = "the message explains them")]
    TooLong { what: &'static str, most: usize, has: usize },
    /// It contains an invisible character, or one that reorders text.
    #[error("a {0} cannot contain the character {1:?}")]
    Character(&'static str, char),
    /// It begins or ends with a space, which would be invisible.
    #[error("a {0} cannot begin or end with a space")]
    Blank(&'static str),
    /// It would be read as a flag.
    #[error("a {0} cannot begin with `-`")]
    Dash(&'static str),
    /// A reference is read as an id first, so such a name could never be found.
    #[error("a {0} cannot look like a UUID")]
    LooksLikeId(&'static str),
}

/// Characters that begin ids and other signs in targets, as in tmux: a name that begins with one would be taken for it.
const TARGET_SIGNS: [char; 4] = ['%', '@', '$', '='];

/// Whether text begins as ids do in targets. Names that were given by earlier versions may, too.
pub fn begins_as_target(text: &str) -> bool {
    text.starts_with(TARGET_SIGNS)
}

/// The first character of a name that nobody can see, so that the name looks like another one. New names must not have
/// any; those that were given by earlier versions are kept.
pub fn invisible_character(name: &str) -> Option<char> {
    name.chars().find(|c| is_invisible(*c))
}

/// Whether a character leaves nothing but a gap: fillers, selectors of variants, tags and other format characters.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}

fn check(what: &'static str, most: usize, text: &str) -> Result<(), BadName> {
    let has = text.chars().count();
    match text {
        _ if text.trim().is_empty() => Err(BadName::Empty(what)),
        _ if has > most => Err(BadName::TooLong { what, most, has }),
        _ if text.trim() != text => Err(BadName::Blank(what)),
        _ if text.starts_with('-') => Err(BadName::Dash(what)),
        _ if Uuid::parse_str(text).is_ok() => Err(BadName::LooksLikeId(what)),
        _ => text.chars().find(|c| is_deceptive(*c)).map_or(Ok(()), |c| Err(BadName::Character(what, c))),
    }
}

/// Whether a character could make one name look like another. Joiners are refused too, unlike in other text: they are
/// invisible between Latin letters.
fn is_deceptive(c: char) -> bool {
    is_unsafe(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deceptive_and_unusable_names_are_refused_with_the_reason() {
        let why = |text: &str| text.parse::<SessionName>().unwrap_err().to_string();
        assert_eq!(why("  "), "a session name cannot be empty");
        assert_eq!(why("a\u{7}b"), "a session name cannot contain the character '\\u{7}'");
        assert_eq!(why("a\u{202e}b"), "a session name cannot contain the character '\\u{202e}'");
        assert_eq!(why(" a"), "a session name cannot begin or end with a space");
        assert_eq!(why("-s"), "a session name cannot begin with `-`");
        assert_eq!(why("019a0000-0000-7000-8000-000000000000"), "a session name cannot look like a UUID");
        assert_eq!(why(&"x".repeat(101)), "a session name can have at most 100 characters, not 101");
        assert!("work ✨ 日本".parse::<SessionName>().is_ok());
    }

    #[test]
    fn a_tag_can_name_any_parent_session() {
        let longest = "x".repeat(NAME_CHARS);
        assert!(longest.parse::<SessionName>().is_ok());
        assert!(format!("child:{longest}").parse::<Tag>().is_ok());
    }
}
