//! Structured replies that fit. Clients truncate long results, some in the middle of the JSON, so a long reply is
//! shortened here: details go first, then the end of the list. The reply says that it was shortened. What is cut from a
//! page of a longer list (`page.rs`) belongs to the next page.

use serde_json::{Map, Value, json};

use super::page::Page;

/// The size limit of a reply, as JSON.
const MAX_REPLY: usize = 24 << 10;

/// The size limit of a single string.
const MAX_STRING: usize = 20 << 10;

/// The fields of a pane that stay in a shortened reply.
const PANE_FIELDS: [&str; 8] =
    ["pane_id", "session_id", "name", "command", "state", "exit", "active", "agent"];

/// The fields of a window that go in a shortened reply.
const WINDOW_DETAILS: [&str; 3] = ["session_id", "dimensions", "zoomed"];

/// The length limit of a command in a shortened reply.
const MAX_COMMAND: usize = 60;

/// The steps that shorten a reply, taken until it fits.
const STEPS: [fn(&mut Value); 3] = [drop_details, count_panes, cut_list];

/// Parses a reply, and shortens it until it fits.
pub(super) fn truncated(text: &str) -> serde_json::Result<Value> {
    let reply = serde_json::from_str(text)?;
    Ok(if text.len() <= MAX_REPLY { reply } else { shortened(reply) })
}

/// Shortens a reply until it fits.
pub(super) fn fitted(reply: Value) -> Value {
    if size(&reply) <= MAX_REPLY { reply } else { shortened(reply) }
}

fn shortened(mut reply: Value) -> Value {
    let hint = hint(&reply);
    for step in STEPS {
        step(&mut reply);
        if size(&reply) + hint.len() + HINT_FIELD <= MAX_REPLY {
            break;
        }
    }
    if let Value::Object(fields) = &mut reply {
        fields.insert("hint".into(), hint.into());
    }
    reply
}

/// The bytes of the field that says that a reply was shortened, besides its text.
const HINT_FIELD: usize = 16;

/// How to see what was left out, by the list that the reply consists of.
const HINTS: [(&str, &str); 5] = [
    ("sessions", "fugue_list_sessions with `session` shows one session in full"),
    ("panes", "use fugue_list_panes with `session` to list fewer panes"),
    ("answers", "fugue_list_messages shows the other answers"),
    ("messages", "request fewer results, or filter them"),
    ("entries", "set `key` to request a single entry"),
];

fn hint(reply: &Value) -> String {
    if let Some(page) = Page::of(reply) {
        return format!("shortened to fit; {}", page.hint());
    }
    let known = HINTS.iter().find(|(list, _)| reply.get(list).is_some());
    format!("shortened to fit; {}", known.map_or("request less data", |(_, hint)| hint))
}

fn size(value: &Value) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// Drops details of the panes and windows in a list, and the ends of long strings.
fn drop_details(value: &mut Value) {
    match value {
        Value::String(text) => limit(text, MAX_STRING),
        Value::Array(values) => values.iter_mut().for_each(drop_details),
        Value::Object(fields) => {
            for (list, drop_of) in LISTED {
                let items = fields.get_mut(list).and_then(Value::as_array_mut);
                items.into_iter().flatten().filter_map(Value::as_object_mut).for_each(drop_of);
            }
            fields.values_mut().for_each(drop_details);
        }
        _ => {}
    }
}

/// Drops the details of one item of a list.
type DropDetails = fn(&mut Map<String, Value>);

/// The lists whose items have details, and what drops them.
const LISTED: [(&str, DropDetails); 2] = [("panes", drop_pane_details), ("windows", drop_window_details)];

fn drop_window_details(window: &mut Map<String, Value>) {
    window.retain(|name, _| !WINDOW_DETAILS.contains(&name.as_str()));
}

fn drop_pane_details(pane: &mut Map<String, Value>) {
    pane.retain(|name, _| PANE_FIELDS.contains(&name.as_str()));
    if let Some(Value::String(command)) = pane.get_mut("command") {
        limit(command, MAX_COMMAND);
    }
}

fn limit(text: &mut String, max: usize) {
    if text.len() > max {
        text.truncate(text.floor_char_boundary(max));
        text.push('…');
    }
}

/// Replaces the windows of each session by counts: every session listed briefly is better than some in full.
fn count_panes(reply: &mut Value) {
    let sessions = reply.get_mut("sessions").and_then(Value::as_array_mut);
    for session in sessions.into_iter().flatten().filter_map(Value::as_object_mut) {
        let Some(Value::Array(windows)) = session.shift_remove("windows") else { continue };
        let panes: usize = windows.iter().filter_map(|window| window["panes"].as_array()).map(Vec::len).sum();
        session.insert("window_count".into(), json!(windows.len()));
        session.insert("pane_count".into(), json!(panes));
    }
}

/// Drops the end of the longest list, and reports how many entries that was.
fn cut_list(reply: &mut Value) {
    let Value::Object(fields) = reply else { return };
    let lists = fields.iter().filter(|(_, value)| is_list(value)).map(|(name, value)| (size(value), name));
    let Some((longest, name)) = lists.max() else { return };
    let (name, rest) = (name.clone(), fields.values().map(size).sum::<usize>() - longest);
    let page = Page::of_fields(fields).filter(|_| name == Page::LIST);
    let Some(list) = fields.get_mut(&name) else { return };
    let mut room = MAX_REPLY.saturating_sub(rest + 512);
    let mut fits = |bytes: usize| {
        room = room.saturating_sub(bytes + 1);
        room > 0
    };
    let omitted = match list {
        Value::Array(values) if let Some(page) = page => {
            let kept = page.fitting(values, |value| fits(size(value)));
            return page.cut(fields, kept);
        }
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

fn is_list(value: &Value) -> bool {
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
        truncated(&reply.to_string()).unwrap()
    }

    #[test]
    fn a_reply_that_fits_is_unchanged() {
        assert_eq!(shown(&sessions(20)), sessions(20));
    }

    #[test]
    fn details_are_dropped_first_and_every_pane_stays() {
        let shown = shown(&sessions(100));
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 100);
        assert_eq!(shown["sessions"][99]["windows"][0]["panes"][0].get("cwd"), None);
        assert!(size(&shown) <= MAX_REPLY && shown["hint"].is_string());
    }

    #[test]
    fn panes_are_counted_next_and_every_session_stays() {
        let shown = shown(&sessions(300));
        assert_eq!(shown["sessions"].as_array().unwrap().len(), 300);
        assert_eq!(shown["sessions"][299]["pane_count"], 1);
        assert!(size(&shown) <= MAX_REPLY && shown.get("omitted").is_none());
    }

    #[test]
    fn a_shortened_list_of_panes_names_their_sessions_and_a_reply_about_one_pane_keeps_its_fields() {
        let pane = json!({ "pane_id": "p", "session_id": "s", "title": "x".repeat(100), "command": "cat" });
        let list = shown(&json!({ "panes": vec![pane; 200] }));
        assert_eq!(list["panes"][199], json!({ "pane_id": "p", "session_id": "s", "command": "cat" }));
        assert_eq!(list["hint"], "shortened to fit; use fugue_list_panes with `session` to list fewer panes");
        let one = shown(&json!({ "pane_id": "p", "outcome": "matched", "text": "x".repeat(30_000) }));
        assert_eq!(
            (&one["outcome"], one["text"].as_str().map(str::len)),
            (&json!("matched"), Some(MAX_STRING + 3))
        );
    }

    #[test]
    fn the_end_of_the_list_is_dropped_last_and_counted() {
        let shown = shown(&sessions(1000));
        let kept = shown["sessions"].as_array().unwrap().len();
        assert_eq!(shown["omitted"], json!(1000 - kept));
        assert!(kept > 300 && size(&shown) <= MAX_REPLY, "{kept} sessions, {} bytes", size(&shown));
    }

    #[test]
    fn a_session_full_of_long_values_is_shortened_too() {
        let entries: Map<_, _> =
            (0..200).map(|n| (format!("k{n}"), Value::from("é".repeat(15_000)))).collect();
        let shown = shown(&json!({ "session_id": "s", "entries": entries }));
        assert!(size(&shown) <= MAX_REPLY && shown["omitted"].as_u64() >= Some(198), "{}", size(&shown));
    }
}
