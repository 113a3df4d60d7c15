//! The name of a host in a fleet, and the names of sessions on other hosts.

use std::fmt;
use std::str::FromStr;

use crate::SessionName;
use crate::limits::NAME_CHARS;
use crate::string_type_macros::{text_schema, text_serde};

/// The longest name, in characters. It leaves most of a session's name as `host/session` within [`NAME_CHARS`].
const MOST: usize = 32;

/// The name of a host in a fleet. It is a part of NATS subjects, in which dots, stars and spaces have a meaning.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FleetHost(String);

/// The error for text that cannot be the name of a host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host name: use 1 to {MOST} lowercase letters, digits and hyphens")]
pub struct BadFleetHost(String);

impl FleetHost {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of a session on this host, as other hosts show it: `host/session`. A name that is too long is cut.
    pub fn session_name(&self, session: &str) -> Result<SessionName, crate::names::BadName> {
        let whole = format!("{self}/{session}");
        match whole.char_indices().nth(NAME_CHARS) {
            None => whole.parse(),
            Some(_) => whole.chars().take(NAME_CHARS - 1).chain(['…']).collect::<String>().parse(),
        }
    }

    /// Splits `host/session`; nothing if the text has another form.
    pub fn split(text: &str) -> Option<(Self, &str)> {
        let (host, session) = text.split_once('/')?;
        (!session.is_empty()).then(|| host.parse().ok()).flatten().map(|host| (host, session))
    }
}

impl FromStr for FleetHost {
    type Err = BadFleetHost;
    fn from_str(text: &str) -> Result<Self, BadFleetHost> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let fits = (1..=MOST).contains(&text.len()) && !text.starts_with('-') && text.chars().all(plain);
        if fits { Ok(Self(text.to_owned())) } else { Err(BadFleetHost(text.to_owned())) }
    }
}

impl fmt::Display for FleetHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

text_schema!(FleetHost);
text_serde!(FleetHost);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_name_is_one_token_of_a_subject() {
        for good in ["a", "gpu-1", &"a".repeat(32)] {
            assert!(good.parse::<FleetHost>().is_ok(), "{good}");
        }
        for bad in ["", "a.b", "*", ">", "a b", "A", "-a", "a/b", &"a".repeat(33)] {
            assert!(bad.parse::<FleetHost>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_session_on_another_host_is_named_after_both() {
        assert_eq!(FleetHost::split("gpu/feature/login"), Some(("gpu".parse().unwrap(), "feature/login")));
        assert_eq!(FleetHost::split("gpu/"), None);
        assert_eq!(FleetHost::split("work"), None);
        let host: FleetHost = "gpu".parse().unwrap();
        assert_eq!(host.session_name("work").unwrap().as_str(), "gpu/work");
        let long = host.session_name(&"x".repeat(100)).unwrap();
        assert_eq!((long.as_str().chars().count(), long.as_str().ends_with("x…")), (100, true));
    }
}
