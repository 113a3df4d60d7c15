//! A list of sessions that is too long to show, parsed with its windows and panes only counted. Building two hundred panes
//! in memory only to drop them took most of the time of such a call.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

/// Parses a list of sessions into one with counts; `None` if the text is another reply.
pub(super) fn counted(text: &str) -> Option<Value> {
    let list = serde_json::from_str::<CountedList>(text).ok()?;
    let sessions = list.sessions.into_iter().map(|session| Value::Object(session.0)).collect::<Vec<_>>();
    Some(json!({ "sessions": sessions }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountedList {
    sessions: Vec<CountedSession>,
}

/// A session's fields, with counts in place of its windows.
struct CountedSession(Map<String, Value>);

#[derive(Deserialize)]
struct CountedWindow {
    panes: Vec<IgnoredAny>,
}

impl<'de> Deserialize<'de> for CountedSession {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SessionVisitor)
    }
}

struct SessionVisitor;

impl<'de> Visitor<'de> for SessionVisitor {
    type Value = CountedSession;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<CountedSession, A::Error> {
        let (mut session, mut windows) = (Map::new(), Vec::<CountedWindow>::new());
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "windows" => windows = fields.next_value()?,
                _ => drop(session.insert(name, fields.next_value()?)),
            }
        }
        let panes: usize = windows.iter().map(|window| window.panes.len()).sum();
        session.insert("window_count".into(), json!(windows.len()));
        session.insert("pane_count".into(), json!(panes));
        Ok(CountedSession(session))
    }
}
