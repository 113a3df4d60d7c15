//! Reading what a pane's screen shows now: rows of lines, or the screen of a full-screen program, which has no lines.

use fugue_core::edge_request::ReadRequest;
use fugue_protocol::Refusal;
use fugue_protocol::verbs::OutputCursor;
use fugue_screen::{Position, Screen};

use super::line_reader::{self, TextPart};
use super::pattern::Pattern;
use super::text_range::cursor;

/// Reads the visible rows of lines; after a cursor, those lines that are visible.
pub(super) fn of_lines(screen: &Screen, reading: &ReadRequest) -> Result<TextPart, Refusal> {
    let start = screen.row_position(0);
    if reading.since.is_some() || reading.before.is_some() || reading.grep.is_some() {
        let lines = usize::from(screen.size().rows).min(reading.lines);
        return line_reader::lines(screen, &ReadRequest { lines, ..reading.clone() }, (start, screen.end()));
    }
    let rows = rows(screen, reading.ansi);
    let last = u16::try_from(rows.len().saturating_sub(1)).unwrap_or(u16::MAX);
    let to_line = if rows.is_empty() { start.line } else { screen.line_of_row(last) + 1 };
    Ok(TextPart {
        text: rows.join("\n"),
        start,
        to_line,
        cursor: cursor(screen.end()),
        has_more: start > Position { line: screen.first_line(), offset: 0 },
        ..TextPart::default()
    })
}

/// Reads the screen of a full-screen program; after a cursor, only if it has changed.
pub(super) fn of_program(screen: &Screen, reading: &ReadRequest) -> Result<TextPart, Refusal> {
    let (end, checksum) = (screen.end(), checksum(screen));
    let part = TextPart {
        start: end,
        to_line: end.line,
        cursor: OutputCursor { screen: Some(checksum), ..cursor(end) },
        ..TextPart::default()
    };
    if reading.since.is_some_and(|since| since.screen == Some(checksum)) {
        return Ok(TextPart { note: Some("the screen has not changed since this cursor".into()), ..part });
    }
    let mut rows = rows(screen, reading.ansi);
    let mut matches = None;
    if let Some(wanted) = &reading.grep {
        let wanted = Pattern::compile("grep", wanted)?;
        rows.retain(|row| wanted.regex.is_match(row));
        matches = Some(rows.len() as u64);
    }
    Ok(TextPart { text: rows.join("\n"), matches, ..part })
}

/// Returns the rows down to the last one that shows something.
fn rows(screen: &Screen, ansi: bool) -> Vec<String> {
    let mut rows = if ansi { screen.screen_ansi() } else { screen.screen_rows() };
    rows.truncate(rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1));
    rows
}

/// Returns a checksum of the text on the screen (FNV-1a), which is the same after a restart.
pub(super) fn checksum(screen: &Screen) -> u32 {
    let rows = screen.screen_rows();
    let bytes = rows.iter().flat_map(|row| row.bytes().chain([b'\n']));
    bytes.fold(0x811c_9dc5, |sum: u32, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
