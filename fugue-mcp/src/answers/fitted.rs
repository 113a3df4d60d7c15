//! Facts that fit: clients cut what is too long, and some keep the beginning of broken JSON. So a long reply is
//! shortened here, by details first, then by what comes last, and says so.

use serde_json::{Map, Value, json};

use super::counted::counted;

/// At most this much, as JSON.
const MOST: usize = 24 << 10;

/// A single value may take nearly all of it.
const TEXT: usize = 20 << 10;

/// What is said of a pane when there is no room for more.
const OF_A_PANE: [&str; 7] = ["pane_id", "name", "command", "state", "exit", "active", "agent"];

/// What is left out of a window when there is no room for more.
const DETAILS: [&str; 3] = ["session_id", "dimensions", "zoomed"];

/// What a long command is cut to.
const COMMAND: usize = 60;

/// Each makes a reply smaller than the one before.
const STEPS: [fn(&mut Value); 3] = [shorten, count, cut];

/// A list this much longer than its room does not fit without its details either: then they need not be gone through.
const HOPELESS: usize = 3 * MOST;

/// The reply, or as much of it as fits.
pub(super) fn fitted(text: &str) -> serde_json::Result<Value> {
    if text.len() <= MOST {
        return serde_json::from_str(text);
    }
    let short = (text.len() > HOPELESS).then(|| counted(text)).flatten();
    let mut reply = short.map_or_else(|| serde_json::from_str(text), Ok)?;
    for step in STEPS {
        step(&mut reply);
        if size(&reply) + HINT.len() <= MOST {
            break;
        }
    }
    if let Value::Object(fields) = &mut reply {
        fields.insert("hint".into(), HINT.into());
    }
    Ok(reply)
}

const HINT: &str = "shortened to fit; fugue_list_panes with a session, or a key, shows more";

fn size(value: &Value) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// Leaves out details, and the rest of long texts.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => end(text, TEXT),
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) if fields.contains_key("pane_id") => shorten_pane(fields),
        Value::Object(fields) => {
            if fields.contains_key("window_id") {
                DETAILS.iter().for_each(|name| drop(fields.shift_remove(*name)));
            }
            fields.values_mut().for_each(shorten);
        }
        _ => {}
    }
}

fn shorten_pane(pane: &mut Map<String, Value>) {
    pane.retain(|name, _| OF_A_PANE.contains(&name.as_str()));
    if let Some(Value::String(command)) = pane.get_mut("command") {
        end(command, COMMAND);
    }
}

fn end(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
}

/// Of each session only how much is in it: it is better to know of all than to know all of some.
fn count(reply: &mut Value) {
    let sessions = reply.get_mut("sessions").and_then(Value::as_array_mut);
    for session in sessions.into_iter().flatten().filter_map(Value::as_object_mut) {
        let Some(Value::Array(windows)) = session.shift_remove("windows") else { continue };
        let panes: usize = windows.iter().filter_map(|window| window["panes"].as_array()).map(Vec::len).sum();
        session.insert("window_count".into(), json!(windows.len()));
        session.insert("pane_count".into(), json!(panes));
    }
}

/// Leaves out what comes last, and says how much that was.
fn cut(reply: &mut Value) {
    let Value::Object(fields) = reply else { return };
    let before: usize = fields.values().filter(|value| !is_many(value)).map(size).sum();
    let Some(many) = fields.values_mut().find(|value| is_many(value)) else { return };
    let mut room = MOST.saturating_sub(before + 512);
    let mut fits = |bytes: usize| {
        room = room.saturating_sub(bytes + 1);
        room > 0
    };
    let omitted = match many {
        Value::Array(values) => {
            let kept = values.iter().take_while(|value| fits(size(value))).count();
            values.drain(kept..).count()
        }
        Value::Object(entries) => {
            let all = entries.len();
            entries.retain(|name, value| fits(name.len() + 4 + size(value)));
            all - entries.len()
        }
        _ => 0,
    };
    fields.insert("omitted".into(), json!(omitted));
}

fn is_many(value: &Value) -> bool {
    value.as_array().is_some_and(|values| !values.is_empty()) || value.is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(panes: usize) -> Value {
        let pane = |number: usize| {
            json!({
                "pane_id": format!("019a0000-0000-7000-8000-{number:012}"), "command": "x".repeat(90), "state": "running",
                "place": { "x": 0 }, "active": false, "cwd": "/home/somebody/somewhere",
            })
        };
        let session = |number: usize| {
            json!({
                "session_id": "s", "name": format!("s{number}"), "windows": [{ "window_id": "w", "panes": [pane(number)] }],
            })
        };
        json!({ "sessions": (0..panes).map(session).collect::<Vec<_>>() })
    }

    fn shown(reply: &Value) -> Value {
        fitted(&reply.to_string()).unwrap()
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(shown(&sessions(20)), sessions(20));
    }

    #[test]
    fn details_go_first_and_every_pane_is_still_there() {
        let shown = shown(&sessions(100));
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 100);
        assert_eq!(shown["sessions"][99]["windows"][0]["panes"][0].get("cwd"), None);
        assert!(size(&shown) <= MOST && shown["hint"].is_string());
    }

    #[test]
    fn then_panes_are_only_counted_and_every_session_is_still_there() {
        let shown = shown(&sessions(300));
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 300);
        assert_eq!(shown["sessions"][299]["pane_count"], 1);
        assert!(size(&shown) <= MOST && shown.get("omitted").is_none());
    }

    #[test]
    fn a_list_counted_while_it_is_read_is_the_list_counted_after() {
        let (list, mut after) = (sessions(300), sessions(300));
        count(&mut after);
        assert_eq!(counted(&list.to_string()), Some(after));
        assert_eq!(counted(r#"{"sessions":[],"more":1}"#), None, "another reply");
        assert_eq!(counted(r#"{"entries":{}}"#), None);
    }

    #[test]
    fn then_what_comes_last_goes_and_is_counted() {
        let shown = shown(&sessions(1000));
        let kept = shown["sessions"].as_array().unwrap().len();
        assert_eq!(shown["omitted"], json!(1000 - kept));
        assert!(kept > 300 && size(&shown) <= MOST, "{kept} sessions, {} bytes", size(&shown));
    }

    #[test]
    fn a_session_full_of_long_values_is_bounded_too() {
        let entries: Map<_, _> =
            (0..200).map(|n| (format!("k{n}"), Value::from("é".repeat(15_000)))).collect();
        let shown = shown(&json!({ "session_id": "s", "entries": entries }));
        assert!(size(&shown) <= MOST && shown["omitted"].as_u64() >= Some(198), "{}", size(&shown));
    }
}
