//! Lists of messages between agents, past status messages, attached clients, and the lines of a reply.

use std::collections::VecDeque;

use fugue_protocol::agent_messages::Payload;
use fugue_protocol::views::{ClientList, ClientView, MessageList, MessageReport};

use super::list::{List, ListRow};

/// The messages between agents, the newest first; Enter goes to the sender.
pub(crate) fn messages(list: &MessageList) -> List {
    let row = |report: &MessageReport| {
        let message = &report.message;
        let from = message.from_session_name.as_ref().map_or("a person".into(), ToString::to_string);
        let states: Vec<String> = report
            .receipts
            .iter()
            .map(|receipt| format!("{} ({})", receipt.session_name, receipt.state))
            .collect();
        let payload = message.payload.as_ref().map(Payload::to_json).unwrap_or_default();
        let at =
            i64::try_from(message.sent_at.millis()).ok().and_then(chrono::DateTime::from_timestamp_millis);
        let at = at.map(|at| at.with_timezone(&chrono::Local).format("%H:%M").to_string());
        ListRow {
            text: format!("{} {from} → {}", at.unwrap_or_default(), states.join(", ")),
            detail: format!("{}  {payload}", message.msg_type).chars().take(300).collect(),
            command: message.from_session_id.map(|id| format!("attach {id}")).unwrap_or_default(),
            pane: None,
        }
    };
    let rows = list.messages.iter().rev().map(row).collect();
    List::new("Messages:", rows, 0).when_empty("No messages between agents yet")
}

/// The attached clients; Enter detaches one.
pub(crate) fn clients(list: &ClientList, own: Option<u64>) -> List {
    let row = |client: &ClientView| {
        let this = if Some(client.client) == own { "  (this client)" } else { "" };
        let watches = if client.read_only { "  read-only" } else { "" };
        ListRow {
            text: format!("{}: {}", client.client, client.session_name),
            detail: format!("{}{watches}{this}", client.dimensions),
            command: format!("detach-client {}", client.client),
            pane: None,
        }
    };
    List::new("Detach client:", list.clients.iter().map(row).collect(), 0)
}

/// The reply of a verb, line by line.
pub(crate) fn reply(verb: &'static str, lines: &[&str]) -> List {
    let plain = |line: &&str| ListRow {
        text: (*line).to_owned(),
        detail: String::new(),
        command: String::new(),
        pane: None,
    };
    List::new(verb, lines.iter().map(plain).collect(), 0)
}

/// Past status messages, the newest first and unabridged: long ones are wrapped.
pub(crate) fn past_messages(history: &VecDeque<(String, String)>, cols: u16) -> List {
    let plain = |text: String| ListRow { text, detail: String::new(), command: String::new(), pane: None };
    let rows = |(at, words): &(String, String)| {
        let pieces = wrapped(words.trim(), usize::from(cols).saturating_sub(at.len() + 4));
        let indent = " ".repeat(at.len());
        let first = |number: usize| if number == 0 { at.as_str() } else { &indent };
        let rows = pieces.iter().enumerate().map(|(number, piece)| format!("{}  {piece}", first(number)));
        rows.map(plain).collect::<Vec<_>>()
    };
    List::new("Status messages:", history.iter().rev().flat_map(rows).collect(), 0)
        .when_empty("No messages yet")
}

/// Wraps a sentence at blanks.
fn wrapped(words: &str, cols: usize) -> Vec<String> {
    let (mut rows, mut rest) = (Vec::new(), words);
    while rest.chars().count() > cols.max(1) {
        let most = rest.char_indices().nth(cols.max(1)).map_or(rest.len(), |(at, _)| at);
        // A blank right after the row is a place to wrap, too.
        let blank = rest.match_indices(' ').map(|(at, _)| at).take_while(|at| *at <= most).last();
        let end = blank.filter(|at| *at > 0).unwrap_or(most);
        rows.push(rest[..end].to_owned());
        rest = rest[end..].trim_start();
    }
    rows.push(rest.to_owned());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_sentence_is_wrapped_at_blanks() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}
