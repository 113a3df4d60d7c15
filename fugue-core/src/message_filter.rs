//! Filters of messages by type and sender.

use fugue_protocol::agent_messages::Subscription;
use fugue_protocol::refusal::Quota;
use fugue_protocol::{Refusal, limits};

use crate::inbox::StoredMessage;
use crate::world::{Session, World};

/// Patterns for types and senders; an empty list matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    msg_types: Vec<String>,
    from: Vec<String>,
}

impl Filter {
    /// Builds a filter, and refuses too many or too long patterns.
    pub(crate) fn new(msg_types: Vec<String>, from: Vec<String>) -> Result<Self, Refusal> {
        if msg_types.len() + from.len() > limits::PATTERNS {
            return Err(Refusal::TooMany { what: Quota::Patterns, limit: limits::PATTERNS });
        }
        let longest = msg_types.iter().chain(&from).map(String::len).max().unwrap_or_default();
        if longest > limits::LEASE_CHARS {
            return Err(Refusal::TooMany { what: Quota::PatternBytes, limit: limits::LEASE_CHARS });
        }
        Ok(Self { msg_types, from })
    }

    /// The filter of a subscription.
    pub(crate) fn of(subscription: &Subscription) -> Self {
        Self { msg_types: subscription.msg_types.clone(), from: subscription.from.clone() }
    }

    /// Whether a message matches.
    pub(crate) fn takes(&self, message: &StoredMessage, world: &World) -> bool {
        self.takes_type(message.header.msg_type.as_str()) && self.takes_sender(message, world)
    }

    fn takes_type(&self, msg_type: &str) -> bool {
        self.msg_types.is_empty() || self.msg_types.iter().any(|pattern| matches(pattern, msg_type))
    }

    fn takes_sender(&self, message: &StoredMessage, world: &World) -> bool {
        let Some(from) = &message.header.from else { return self.from.is_empty() };
        let now = world.sessions.get(&from.session);
        self.from.is_empty()
            || self.from.iter().any(|wanted| {
                *wanted == from.session.to_string()
                    || from.name.as_str() == wanted
                    || now.is_some_and(|session| {
                        session.name.as_str() == wanted
                            || session.tags.iter().any(|tag| tag.as_str() == wanted)
                    })
            })
    }

    /// The sessions whose messages can match; empty when anybody's can.
    pub(crate) fn senders<'a>(&self, world: &'a World) -> Vec<&'a Session> {
        let named = |session: &&Session| {
            self.from.iter().any(|wanted| {
                *wanted == session.id.to_string()
                    || session.name.as_str() == wanted
                    || session.tags.iter().any(|tag| tag.as_str() == wanted)
            })
        };
        world.sessions.values().filter(named).collect()
    }
}

/// Whether a text matches a pattern in which `*` matches anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<_> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_matches_anything() {
        for (pattern, text, fits) in [
            ("task.*", "task.assigned", true),
            ("task.*", "task", false),
            ("*", "", true),
            ("*.update", "status.update", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("task", "task", true),
            ("task", "tasks", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
