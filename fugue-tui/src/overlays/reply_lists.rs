//! Lists of past status messages, attached clients, and the lines of a reply.

use std::collections::VecDeque;

use fugue_protocol::views::{ClientList, ClientView};

use super::list::List;
use super::list_row::ListRow;
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

/// The reply of a verb, line by line and unabridged: long ones are wrapped.
pub(crate) fn reply(verb: &'static str, lines: &[&str], cols: u16) -> List {
    // A box takes nine tenths of the terminal; four columns are its frame and margin, two the indent of further rows.
    let most = usize::from(cols / 10 * 9).saturating_sub(6);
    let rows = lines.iter().flat_map(|line| wrapped(line, most).into_iter().enumerate());
    let row = |(number, piece): (usize, String)| ListRow {
        text: if number == 0 { piece } else { format!("  {piece}") },
        ..ListRow::default()
    };
    List::new(verb, rows.map(row).collect(), 0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_of_a_reply_is_wrapped() {
        let list = reply("source-file", &["short", "one two three four five six"], 30);
        let texts: Vec<&str> = list.rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["short", "one two three four", "  five six"]);
    }
}
