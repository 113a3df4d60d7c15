//! Reading lines of a pane's text between two positions, or those that match a pattern.

use fugue_core::edge_request::ReadRequest;
use fugue_protocol::Refusal;
use fugue_protocol::verbs::OutputCursor;
use fugue_protocol::views::{CommandView, DroppedOutput};
use fugue_screen::{Position, Screen};

use super::search;
use super::text_range::{LineRange, last_lines};
use super::text_range::{cursor, position};

/// The part of the text that is returned.
#[derive(Default)]
pub(crate) struct TextPart {
    pub(crate) text: String,
    pub(crate) start: Position,
    /// The number of the line after the last one.
    pub(crate) to_line: u64,
    pub(crate) cursor: OutputCursor,
    /// Whether there is text before the start.
    pub(crate) has_more: bool,
    pub(crate) lines_missing: u64,
    pub(crate) bytes_missing: u64,
    pub(crate) dropped: Option<DroppedOutput>,
    pub(crate) matches: Option<u64>,
    pub(crate) command: Option<CommandView>,
    pub(crate) note: Option<String>,
}

/// Reads lines between two positions, narrowed by the cursors of the request.
pub(crate) fn lines(
    screen: &Screen,
    reading: &ReadRequest,
    (first, end): (Position, Position),
) -> Result<TextPart, Refusal> {
    let from = reading.since.map_or(first, |since| first.max(position(since)));
    let to = reading.before.map_or(end, |before| end.min(position(before)));
    let range = LineRange { from, to };
    if let Some(pattern) = &reading.grep {
        let found = search::search(screen, pattern, from, to, reading.lines, reading.context)?;
        let stopped_at = found.stopped_at.map(|line| cursor(Position { line, offset: 0 }));
        return Ok(TextPart {
            text: found.text,
            start: found.start.unwrap_or(Position { line: found.from, offset: 0 }),
            to_line: range.end_line(),
            cursor: stopped_at.unwrap_or_else(|| cursor(to)),
            has_more: found.start.is_some(),
            dropped: range.dropped(screen),
            matches: Some(found.matches),
            note: stopped_at.map(note_unfinished),
            ..TextPart::default()
        });
    }
    let last = last_lines(screen, range, reading.lines, reading.ansi);
    // Without a cursor, no particular lines are asked for, so none are missing.
    let asked = reading.since.is_some() || first > Position::default();
    let missing = if asked { last.missing(screen, range) } else { (0, 0) };
    let reaches_back = asked || range.end_line().saturating_sub(reading.lines as u64) < screen.first_line();
    Ok(TextPart {
        has_more: last.start > Position { line: screen.first_line(), offset: 0 },
        start: last.start,
        text: last.text,
        to_line: range.end_line(),
        cursor: cursor(to),
        dropped: range.dropped(screen).filter(|_| reaches_back),
        lines_missing: missing.0,
        bytes_missing: missing.1,
        ..TextPart::default()
    })
}

/// Returns the note for a search that took too long.
fn note_unfinished(cursor: OutputCursor) -> String {
    let line = cursor.line;
    format!("The search took too long and stopped after line {line}; continue from cursor {cursor}")
}
