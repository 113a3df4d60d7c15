//! State and events of a newer fugue, which this version does not know. They are carried along in the world, so that
//! neither a downgrade nor a rollback of an upgrade loses them: the version that knows them applies them when it loads
//! the world again.
//!
//! This relies on two properties of events: one about something that is gone changes nothing, and what an older version
//! must not lose is an event of its own, not a new field of an event that the older version knows.

use fugue_protocol::Event;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::World;

/// What this version does not know of a stored world. A newer version writes a checkpoint every two thousand events or
/// four MiB, after which its events are part of its state, so there are not many more of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NewerState {
    /// Events, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    events: Vec<Value>,
    /// Fields of the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<NewerField>,
    /// Whether some of it was not carried along yet, so that the user has not been told of it.
    #[serde(skip)]
    is_news: bool,
}

/// A field of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct NewerField {
    path: Vec<PathStep>,
    value: Value,
}

/// A step into the stored state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum PathStep {
    /// A field, or the entry of a map.
    Key(String),
    /// An item of a list: the one that this version reads as this value. Its place may change.
    Item { item: Value },
}

impl NewerState {
    /// Whether there is nothing that this version does not know.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.fields.is_empty()
    }

    /// Whether the user has not been told of it yet.
    pub fn is_news(&self) -> bool {
        self.is_news
    }

    /// The names of the events and fields, each once.
    pub fn names(&self) -> Vec<String> {
        let events = self.events.iter().map(|event| event["event"].as_str().unwrap_or("unnamed").to_owned());
        let fields = self.fields.iter().filter_map(|field| match field.path.last()? {
            PathStep::Key(key) => Some(key.clone()),
            PathStep::Item { .. } => None,
        });
        let mut names: Vec<_> = events.chain(fields).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl World {
    /// Reads a stored world. State of a newer version is carried along, and what this version knows of that which an
    /// older one carried along takes effect.
    pub fn read(stored: &str) -> serde_json::Result<Self> {
        let mut state: Value = serde_json::from_str(stored)?;
        let carried: NewerState = match state.get_mut("newer") {
            Some(carried) => serde_json::from_value(carried.take())?,
            None => NewerState::default(),
        };
        carried.fields.iter().for_each(|field| restore(&mut state, &field.path, &field.value));
        let mut world: Self = match carried.fields.is_empty() {
            true => serde_json::from_str(stored)?,
            false => serde_json::from_str(&without_carried(&state).to_string())?,
        };
        world.newer = NewerState::default();
        let (known, mut found) = (serde_json::to_value(&world)?, Vec::new());
        find_unknown(&without_carried(&state), &known, &mut Vec::new(), &mut found);
        let is_news = found.iter().any(|field| !carried.fields.contains(field));
        world.newer.fields = found;
        world.number_old_state();
        carried.events.into_iter().for_each(|event| drop(world.evolve_stored(event)));
        world.newer.is_news = is_news;
        Ok(world)
    }

    /// Applies a stored event, or keeps it for the version that knows it. An event has a name; anything else is an error.
    pub fn evolve_stored(&mut self, stored: Value) -> serde_json::Result<()> {
        match serde_json::from_value::<Event>(stored.clone()) {
            Ok(event) => self.evolve(&event),
            Err(why) if !stored["event"].is_string() => return Err(why),
            Err(_) => {
                self.newer.events.push(stored);
                self.newer.is_news = true;
            }
        }
        Ok(())
    }
}

fn without_carried(state: &Value) -> Value {
    let mut state = state.clone();
    state.as_object_mut().map(|fields| fields.shift_remove("newer"));
    state
}

/// Collects the fields of `stored` that `known`, which was read from it, does not have. An empty value is what a field
/// has without being stored.
fn find_unknown(stored: &Value, known: &Value, path: &mut Vec<PathStep>, found: &mut Vec<NewerField>) {
    match (stored, known) {
        (Value::Object(stored), Value::Object(known)) => {
            for (key, value) in stored.iter().filter(|(_, value)| !is_empty(value)) {
                path.push(PathStep::Key(key.clone()));
                match known.get(key) {
                    Some(known) => find_unknown(value, known, path, found),
                    None => found.push(NewerField { path: path.clone(), value: value.clone() }),
                }
                path.pop();
            }
        }
        (Value::Array(stored), Value::Array(known)) if stored.len() == known.len() => {
            for (value, known) in stored.iter().zip(known).filter(|(value, known)| value != known) {
                path.push(PathStep::Item { item: known.clone() });
                find_unknown(value, known, path, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Puts a field back where it was, unless what it belonged to is gone.
fn restore(state: &mut Value, path: &[PathStep], value: &Value) {
    let (state, rest) = match (state, path) {
        (Value::Object(fields), [PathStep::Key(key)]) => {
            fields.entry(key).or_insert_with(|| value.clone());
            return;
        }
        (Value::Object(fields), [PathStep::Key(key), rest @ ..]) => (fields.get_mut(key), rest),
        (Value::Array(items), [PathStep::Item { item }, rest @ ..]) => {
            (items.iter_mut().find(|found| *found == item), rest)
        }
        _ => return,
    };
    if let Some(state) = state {
        restore(state, rest, value);
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::events::SessionCreated;
    use fugue_protocol::{SessionId, Timestamp, WindowId};
    use serde_json::json;

    use super::*;

    fn session() -> SessionId {
        SessionId::from_bytes([1; 16])
    }

    fn world() -> World {
        let mut world = World::default();
        world.evolve(&Event::SessionCreated(SessionCreated {
            session: session(),
            name: "work".parse().expect("a name"),
            parent: None,
            window: WindowId::from_bytes([2; 16]),
            created_at: Timestamp::from_millis(1),
            tags: Vec::new(),
            metadata: Default::default(),
            environment: Default::default(),
            closes_with: None,
            number: None,
        }));
        world.warnings = vec!["one".into(), "two".into()];
        world
    }

    fn stored(world: &World) -> Value {
        serde_json::to_value(world).expect("plain data")
    }

    fn read(stored: &Value) -> World {
        World::read(&stored.to_string()).expect("a world")
    }

    #[test]
    fn a_world_of_this_version_has_nothing_unknown() {
        let read = read(&stored(&world()));
        assert_eq!((read.newer.is_empty(), stored(&read)), (true, stored(&world())));
    }

    #[test]
    fn fields_of_a_newer_version_are_there_again_after_an_older_one_has_stored_the_world() {
        let mut newer = stored(&world());
        newer["colors"] = json!({ "work": "red" });
        newer["sessions"][session().to_string()]["mark"] = json!("important");
        let mut older = read(&newer);
        assert_eq!(older.newer.names(), ["colors", "mark"]);
        let renamed = Event::SessionRenamed { session: session(), name: "play".parse().expect("a name") };
        older.evolve(&renamed);
        let again = read(&stored(&read(&stored(&older))));
        assert!(older.newer.is_news() && !again.newer.is_news(), "the user is told once");
        assert_eq!(
            again.newer.fields, older.newer.fields,
            "an older version carries it along however often it starts"
        );
        let mut state = stored(&again);
        again.newer.fields.iter().for_each(|field| restore(&mut state, &field.path, &field.value));
        assert_eq!(state["colors"], newer["colors"]);
        let session = &state["sessions"][session().to_string()];
        assert_eq!((&session["mark"], &session["name"]), (&json!("important"), &json!("play")));
    }

    #[test]
    fn a_field_of_something_that_was_closed_meanwhile_is_dropped() {
        let mut newer = stored(&world());
        newer["sessions"][session().to_string()]["mark"] = json!("important");
        let mut older = read(&newer);
        older.sessions.clear();
        assert!(read(&stored(&older)).newer.is_empty());
    }

    #[test]
    fn a_field_of_a_list_item_follows_the_item() {
        let path = [PathStep::Key("list".into()), PathStep::Item { item: json!({ "id": 2 }) }];
        let path = [path.as_slice(), &[PathStep::Key("mark".into())]].concat();
        let mut state = json!({ "list": [{ "id": 2 }, { "id": 1 }] });
        restore(&mut state, &path, &json!("x"));
        assert_eq!(state, json!({ "list": [{ "id": 2, "mark": "x" }, { "id": 1 }] }));
        let mut found = Vec::new();
        find_unknown(&state, &json!({ "list": [{ "id": 2 }, { "id": 1 }] }), &mut Vec::new(), &mut found);
        assert_eq!(found, [NewerField { path, value: json!("x") }]);
    }

    #[test]
    fn an_event_that_an_older_version_kept_takes_effect_once_it_is_known() {
        let mut older = world();
        older.evolve_stored(json!({ "event": "session_marked", "session": session() })).expect("kept");
        let known = Event::SessionRenamed { session: session(), name: "play".parse().expect("a name") };
        older.newer.events.push(serde_json::to_value(&known).expect("plain data"));
        let newer = read(&stored(&older));
        assert_eq!(newer.sessions[&session()].name.as_str(), "play");
        assert_eq!(newer.newer.names(), ["session_marked"]);
    }

    #[test]
    fn what_is_no_event_is_an_error() {
        assert!(World::default().evolve_stored(json!({ "session": session() })).is_err());
    }
}
