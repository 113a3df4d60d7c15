//! A list of sessions that is far too long to be shown, read without its windows and panes: they are only counted. To read
//! two hundred panes and throw them away took most of the time of such a call.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value, json};

/// The list with counts; nothing when the text is another reply.
pub(super) fn counted(text: &str) -> Option<Value> {
    let list = serde_json::from_str::<List>(text).ok()?;
    let sessions = list.sessions.into_iter().map(|session| Value::Object(session.0)).collect::<Vec<_>>();
    Some(json!({ "sessions": sessions }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    sessions: Vec<Session>,
}

/// A session's fields, its windows counted.
struct Session(Map<String, Value>);

#[derive(Deserialize)]
struct Window {
    panes: Vec<IgnoredAny>,
}

impl<'de> Deserialize<'de> for Session {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Session;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Session, A::Error> {
        let (mut session, mut windows) = (Map::new(), Vec::<Window>::new());
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "windows" => windows = fields.next_value()?,
                _ => drop(session.insert(name, fields.next_value()?)),
            }
        }
        let panes: usize = windows.iter().map(|window| window.panes.len()).sum();
        session.insert("window_count".into(), json!(windows.len()));
        session.insert("pane_count".into(), json!(panes));
        Ok(Session(session))
    }
}
