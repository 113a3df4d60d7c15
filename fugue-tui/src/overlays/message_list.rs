//! The list of messages between agents: who sent what to whom, and its delivery state. The selected one's payload is
//! shown below.

use fugue_protocol::Timestamp;
use fugue_protocol::agent_messages::{DeliveryState, Payload};
use fugue_protocol::views::{MessageList, MessageReport, ReceiptView};
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::list::List;
use super::list_row::ListRow;
use crate::theme::ThemePart;

/// The most characters of a payload in a row.
const ROW_CHARS: usize = 300;

/// The most characters of a payload in the preview, which has at most some forty rows.
const KEPT_CHARS: usize = 4_000;

/// The most recipients that a row names.
const NAMED: usize = 3;

/// The messages between agents, the newest first; Enter goes to the sender.
pub(crate) fn messages(list: &MessageList) -> List {
    let states = list.messages.iter().map(|report| state_text(&report.receipts).width());
    let state_cols = states.max().unwrap_or(0);
    let rows = list.messages.iter().rev().map(|report| row(report, state_cols));
    List::new("Messages", rows.collect(), 0)
        .in_order()
        .doing("go to sender")
        .when_empty("No messages yet; agents send them with fugue's tools")
}

fn row(report: &MessageReport, state_cols: usize) -> ListRow {
    let message = &report.message;
    let outside = if message.from_user { "(user)" } else { "(outside)" };
    let from = message.from_session_name.as_ref().map_or(outside.into(), ToString::to_string);
    let (time, kind) = (clock_time(message.sent_at), format!("{}  ", message.msg_type));
    let state = format!("{:<state_cols$}  ", state_text(&report.receipts));
    let json = message.payload.as_ref().map(Payload::to_json).unwrap_or_default();
    let payload: String = json.chars().take(ROW_CHARS).collect();
    let all = report.receipts.iter().map(|receipt| format!("{} ({})", receipt.session_name, receipt.state));
    let all = all.collect::<Vec<_>>().join(", ");
    ListRow {
        lead: Some((time.width(), ThemePart::Faint)),
        text: format!("{time}  {from} → {}", recipients(&report.receipts)),
        colors: vec![
            (state.width(), state_part(&report.receipts)),
            (kind.width(), ThemePart::Panel),
            (payload.width(), ThemePart::Faint),
        ],
        detail: format!("{state}{kind}{payload}").trim_end().to_owned(),
        name: format!("{} from {from} to {all}", message.msg_type),
        preview_text: message.payload.as_ref().map_or("No payload".into(), payload_text),
        command: message.from_session_id.map(|id| format!("attach {id}")).unwrap_or_default(),
        also: all,
        ..ListRow::default()
    }
}

/// The time of day at this place.
fn clock_time(at: Timestamp) -> String {
    let at = i64::try_from(at.millis()).ok().and_then(chrono::DateTime::from_timestamp_millis);
    at.map(|at| at.with_timezone(&chrono::Local).format("%H:%M").to_string()).unwrap_or_default()
}

/// The names of the recipients, as many as fit into a row.
fn recipients(receipts: &[ReceiptView]) -> String {
    let names: Vec<String> = receipts.iter().take(NAMED).map(|one| one.session_name.to_string()).collect();
    let more = receipts.len().saturating_sub(NAMED);
    if more == 0 { names.join(", ") } else { format!("{} +{more}", names.join(", ")) }
}

/// The state of a message; if it differs between recipients, how many it has reached.
fn state_text(receipts: &[ReceiptView]) -> String {
    let Some(first) = receipts.first() else { return String::new() };
    if receipts.iter().all(|receipt| receipt.state == first.state) {
        return first.state.to_string().replace('_', " ");
    }
    format!("{}/{} read", receipts.iter().filter(|receipt| is_read(receipt)).count(), receipts.len())
}

fn is_read(receipt: &ReceiptView) -> bool {
    matches!(receipt.state, DeliveryState::Read | DeliveryState::Replied)
}

/// The part of the theme for a state: failed if some recipient will not read the message, complete if all have.
fn state_part(receipts: &[ReceiptView]) -> ThemePart {
    let is_lost =
        |one: &ReceiptView| matches!(one.state, DeliveryState::Expired | DeliveryState::DeadLettered);
    match receipts {
        some if some.iter().any(is_lost) => ThemePart::Failed,
        all if all.iter().all(is_read) => ThemePart::Complete,
        _ => ThemePart::Working,
    }
}

/// A payload to read: one field after the other, texts as they are and everything else as indented JSON.
fn payload_text(payload: &Payload) -> String {
    let mut text = String::new();
    let Ok(Value::Object(fields)) = serde_json::to_value(payload) else { return text };
    let mut room = KEPT_CHARS;
    for (name, value) in fields {
        let value = match value {
            Value::String(words) => words.replace('\t', "    "),
            other => serde_json::to_string_pretty(&other).unwrap_or_default(),
        };
        let field = format!("{name}: {value}\n");
        let count = field.chars().count();
        text.extend(field.chars().take(room));
        if count > room {
            return text + "…";
        }
        room -= count;
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fugue_protocol::Size;
    use serde_json::json;

    use super::super::outcome::OverlayOutcome;
    use super::*;
    use crate::paint::Canvas;

    fn id(number: usize) -> String {
        format!("01a00000-0000-7000-8000-{number:012x}")
    }

    /// A list with one message to sessions with these states.
    fn list(payload: &Value, states: &[&str]) -> List {
        let receipt = |(number, state): (usize, &&str)| json!({"session_id": id(number), "session_name": format!("s{number}"), "state": state});
        let receipts: Vec<Value> = states.iter().enumerate().map(receipt).collect();
        let message = json!({
            "message_id": id(1), "target": {"session": "s0"}, "msg_type": "task.assigned", "payload": payload,
            "from_user": true, "bytes": 1, "sent_at": 0, "expires_at": 1, "number": 1, "receipts": receipts,
        });
        let list = json!({"messages": [message], "older": 0});
        messages(&serde_json::from_value(list).expect("messages"))
    }

    fn drawn(list: &List) -> String {
        let mut canvas = Canvas::new(Size::new(80, 24));
        list.draw(&mut canvas, &BTreeMap::new(), 23);
        (0..24).map(|row| canvas.text_of(row)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_payload_of_the_selected_message_is_shown_whole() {
        let shown = drawn(&list(&json!({"text": "one\n\ttwo", "files": ["a", "b"]}), &["queued"]));
        assert!(shown.contains("  (user) → s0  queued  task.assigned  {"), "{shown}");
        assert!(shown.contains("─ task.assigned from (user) to s0 (queued) ─"), "{shown}");
        let rows: Vec<&str> = shown.lines().map(|row| row.trim_matches(['│', ' '])).collect();
        let preview = ["text: one", "two", "files: [", "\"a\",", "\"b\"", "]"];
        assert!(rows.windows(preview.len()).any(|rows| rows == preview), "{shown}");
    }

    #[test]
    fn only_the_session_of_a_sender_can_be_gone_to() {
        let mut list = list(&json!({}), &["queued"]);
        assert!(drawn(&list).contains("╰─ Esc close ─"), "the user has no session");
        assert_eq!(list.key("Enter".parse().unwrap()), OverlayOutcome::Stay);
    }

    #[test]
    fn a_long_payload_is_cut_and_its_rest_is_counted() {
        let long = list(&json!({"text": "word ".repeat(50_000)}), &["read"]);
        assert_eq!(long.rows[0].preview_text.chars().count(), KEPT_CHARS + 1);
        let shown = drawn(&long);
        assert!(shown.contains("│ text: word word ") && shown.contains("… more"), "{shown}");
    }

    #[test]
    fn fields_that_are_left_out_are_marked() {
        let of = |count: usize| list(&json!({"a": "ü".repeat(count), "b": "last"}), &["read"]);
        assert!(of(KEPT_CHARS).rows[0].preview_text.ends_with('…'));
        assert!(of(KEPT_CHARS - 20).rows[0].preview_text.ends_with("b: last\n"));
    }

    #[test]
    fn several_recipients_are_counted() {
        let states = ["read", "queued", "replied", "offered", "read"];
        let shown = drawn(&list(&json!({}), &states));
        assert!(shown.contains("(user) → s0, s1, s2 +2  3/5 read  task.assigned"), "{shown}");
    }
}
