//! Large and hostile replies against the output schemas of their tools, without a daemon. `fugue/tests/mcp` does the same
//! with a real one.

use fugue_protocol::render::TextBudget;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::tools;

/// Text that breaks terminals and careless parsers.
const HOSTILE: &str = "a\u{202e}b\u{2066}\0 \"\\{}[]\u{1b}[31m\u{7}👩‍👩‍👧 \u{feff}";

/// Renders a reply, checks it against the tool's schema and its size, and returns it.
fn shown(tool: &str, reply: &Value) -> Value {
    let entry = tools::find(tool).expect("a tool");
    let raw = RawValue::from_string(reply.to_string()).expect("JSON");
    let result = super::success(entry, &raw, TextBudget::DEFAULT);
    assert_ne!(result.is_error, Some(true), "{tool}: {:?}", result.content);
    let content = result.structured_content.expect("structured content");
    let schema = Value::Object((**entry.tool.output_schema.as_ref().expect("a schema")).clone());
    let schema = jsonschema::validator_for(&schema).expect("a valid schema");
    let errors: Vec<_> = schema.iter_errors(&content).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{tool}: {errors:?}");
    assert!(content.to_string().len() <= 26 << 10, "{tool}: {} bytes", content.to_string().len());
    content
}

fn id(number: usize) -> String {
    format!("019a0000-0000-7000-8000-{number:012}")
}

fn pane(number: usize) -> Value {
    json!({
        "pane_id": id(number), "window_id": id(1), "session_id": id(2), "name": "ñ".repeat(100), "title": HOSTILE,
        "command": HOSTILE.repeat(20), "cwd": "/x".repeat(500), "pid": 7, "state": "exited", "exit": { "signal": 9 },
        "agent": { "name": HOSTILE, "state": "working", "since": 1, "sure": "guess" },
        "dimensions": { "cols": 80, "rows": 24 }, "place": { "col": 0, "row": 0, "cols": 80, "rows": 24 }, "active": true,
    })
}

/// As many sessions, with a window each, that have `panes` panes together.
fn sessions(count: usize, panes: usize) -> Value {
    let window = |number: usize| {
        let panes: Vec<_> = (0..panes / count).map(|at| pane(number * panes / count + at)).collect();
        json!({
            "window_id": id(1), "session_id": id(2), "name": "名".repeat(100), "index": 0, "active": true,
            "zoomed": false, "dimensions": { "cols": 80, "rows": 24 }, "panes": panes,
        })
    };
    let session = |number: usize| {
        json!({
            "session_id": id(2), "name": format!("{number}{}", "名".repeat(90)), "created_at": 0, "tags": ["x"],
            "metadata": { HOSTILE: HOSTILE }, "windows": [window(number)],
        })
    };
    json!({ "sessions": (0..count).map(session).collect::<Vec<_>>(), "warnings": [HOSTILE] })
}

#[test]
fn sessions_keep_their_schema_from_none_to_a_thousand_panes() {
    assert_eq!(shown("fugue_list_sessions", &json!({ "sessions": [] })), json!({ "sessions": [] }));
    for (count, panes) in [(1, 1), (1, 1_000), (1_000, 1_000), (30, 990)] {
        let mut list = sessions(count, panes);
        let brief = shown("fugue_list_sessions", &list);
        assert!(brief["sessions"][0]["name"].is_string() && brief["warnings"][0].is_string());
        assert_eq!(brief.get("hint").is_some(), panes > 1, "what is left out is said");
        list["detailed"] = json!(true);
        shown("fugue_list_sessions", &list);
    }
}

#[test]
fn panes_with_the_same_last_digits_have_their_whole_id() {
    let mut list = sessions(1, 3);
    list["sessions"][0]["windows"][0]["panes"][2]["pane_id"] = json!("019a0000-0000-7000-8000-111100000000");
    let brief = shown("fugue_list_sessions", &list);
    let panes = &brief["sessions"][0]["windows"][0]["panes"];
    let ids = [0, 1, 2].map(|at| panes[at]["pane_id"].as_str().expect("an id"));
    assert_eq!(ids, [id(0).as_str(), "00000001", "019a0000-0000-7000-8000-111100000000"]);
}

#[test]
fn a_thousand_panes_and_one_pane_keep_their_schemas() {
    assert_eq!(shown("fugue_list_panes", &json!({ "panes": [] })), json!({ "panes": [] }));
    let list = shown("fugue_list_panes", &json!({ "panes": (0..1_000).map(pane).collect::<Vec<_>>() }));
    assert!(list["omitted"].as_u64() > Some(0) && list["panes"][0]["session_id"].is_string());
    let mut long = pane(1);
    long["command"] = json!(HOSTILE.repeat(5_000));
    for tool in ["fugue_respawn_pane", "fugue_rename_pane", "fugue_focus_pane"] {
        assert_eq!(shown(tool, &long)["pane_id"], json!(id(1)));
    }
    for tool in ["fugue_zoom_pane", "fugue_select_window"] {
        assert!(shown(tool, &sessions(1, 1_000)["sessions"][0]["windows"][0])["window_id"].is_string());
    }
    assert!(shown("fugue_rename_session", &sessions(1, 1_000)["sessions"][0])["session_id"].is_string());
}

#[test]
fn messages_keep_their_schemas_whatever_their_payloads() {
    let message = |number: usize, payload: Value| {
        json!({
            "message_id": id(number), "target": { "broadcast": true }, "msg_type": "型".repeat(100), "bytes": 1,
            "payload": payload, "sent_at": 1, "expires_at": 2, "number": number, "receipts": [],
        })
    };
    let large = || json!({ HOSTILE: "é".repeat(100_000) });
    let deep = || (0..32).fold(json!(null), |inner, _| json!({ "in": [inner] }));
    for payload in [json!({}), deep(), large()] {
        let messages: Vec<_> = (0..200).map(|number| message(number, payload.clone())).collect();
        shown("fugue_list_messages", &json!({ "messages": messages, "older": 0 }));
        let page =
            json!({ "session_id": id(1), "session_name": "s", "acknowledged": 0, "more": 0, "unread": 200 });
        let page = page.as_object().expect("a page").clone();
        let page: Value = page.into_iter().chain([("messages".to_owned(), json!(messages))]).collect();
        shown("fugue_poll_messages", &page);
        let sent =
            json!({ "message_id": id(1), "recipients": [], "outcome": "arrived", "answer": messages[0] });
        for tool in ["fugue_request_help", "fugue_send_orchestration"] {
            shown(tool, &sent);
        }
        shown("fugue_message_status", &messages[0]);
    }
}
