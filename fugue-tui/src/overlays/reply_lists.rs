//! Lists of past status messages, attached clients, and the lines of a reply.

use std::collections::VecDeque;

use fugue_protocol::views::{ClientList, ClientView};

use super::list::{List, ListRow};
use crate::text_wrap::wrapped;

/// The attached clients; Enter detaches one.
pub(crate) fn clients(list: &ClientList, own: Option<u64>) -> List {
    let row = |client: &ClientView| {
        let this = if Some(client.client) == own { "  this terminal" } else { "" };
        let watches = if client.read_only { "  read-only" } else { "" };
        ListRow {
            text: format!("session {}", client.session_name),
            detail: format!("{}{watches}{this}", client.dimensions),
            command: format!("detach-client {}", client.client),
            ..ListRow::default()
        }
    };
    List::new("Detach client", list.clients.iter().map(row).collect(), 0).doing("detach")
}

/// The reply of a verb, line by line.
pub(crate) fn reply(verb: &'static str, lines: &[&str]) -> List {
    let plain = |line: &&str| ListRow { text: (*line).to_owned(), ..ListRow::default() };
    List::new(verb, lines.iter().map(plain).collect(), 0)
}

/// Past status messages, the newest first and unabridged: long ones are wrapped.
pub(crate) fn past_messages(history: &VecDeque<(String, String)>, cols: u16) -> List {
    let plain = |text: String| ListRow { text, ..ListRow::default() };
    let rows = |(at, words): &(String, String)| {
        let pieces = wrapped(words.trim(), usize::from(cols).saturating_sub(at.len() + 4));
        let indent = " ".repeat(at.len());
        let first = |number: usize| if number == 0 { at.as_str() } else { &indent };
        let rows = pieces.iter().enumerate().map(|(number, piece)| format!("{}  {piece}", first(number)));
        rows.map(plain).collect::<Vec<_>>()
    };
    List::new("Status messages", history.iter().rev().flat_map(rows).collect(), 0)
        .when_empty("No messages yet")
}
