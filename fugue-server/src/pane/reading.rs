//! Reading a pane's text.

use fugue_core::ask::Reading;
use fugue_protocol::PaneId;
use fugue_protocol::verbs::{Cursor, Format};
use fugue_protocol::views::{Exit, Life, Output, Picture};
use fugue_screen::{Position, Screen};

/// A reply holds at most so much text: the newest of it.
const MOST: usize = 16 << 20;

/// The screen's place as a cursor.
pub(super) fn cursor(position: Position) -> Cursor {
    Cursor { line: position.line, offset: position.offset }
}

/// What is asked for, in words.
pub(super) fn read(pane_id: PaneId, screen: &Screen, reading: Reading, exit: Option<Exit>) -> Output {
    let end = screen.end();
    let mut output = match (reading.screen, reading.ansi) {
        (true, ansi) => rows(screen, ansi),
        (false, true) => coloured(screen, reading),
        (false, false) => lines(screen, reading),
    };
    output.pane_id = pane_id;
    output.oldest_line = screen.first_line();
    output.to_line = end.line + 1;
    output.cursor = cursor(end).to_string();
    output.state = if exit.is_some() { Life::Exited } else { Life::Running };
    output.exit = exit;
    output
}

fn blank(text: String, from_line: u64, lines_missing: u64) -> Output {
    Output {
        pane_id: PaneId::from_bytes([0; 16]),
        text,
        from_line,
        to_line: 0,
        oldest_line: 0,
        cursor: String::new(),
        lines_missing,
        state: Life::Running,
        exit: None,
    }
}

/// The rows as they stand.
fn rows(screen: &Screen, ansi: bool) -> Output {
    let rows = if ansi { screen.screen_ansi() } else { screen.screen_rows() };
    let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
    let from = screen.end().line.saturating_sub(used.saturating_sub(1) as u64);
    blank(rows[..used].join("\n"), from, 0)
}

/// The last lines, or what came after a cursor; the newest lines if there are more than wanted.
fn lines(screen: &Screen, reading: Reading) -> Output {
    let (first, end) = (screen.first_line(), screen.end());
    let wanted = reading.since.map_or(0, |since| since.line);
    let tail = (end.line + 1).saturating_sub(reading.lines as u64);
    let from = wanted.max(tail).max(first);
    let offset = reading.since.filter(|since| since.line == from).map_or(0, |since| since.offset);
    let text = screen.text_between(Position { line: from, offset }, end);
    let missing = if reading.since.is_some() { from - wanted } else { 0 };
    fitted(text, from, missing)
}

/// The last lines with their colours.
fn coloured(screen: &Screen, reading: Reading) -> Output {
    let (first, end) = (screen.first_line(), screen.end());
    let from = (end.line + 1).saturating_sub(reading.lines as u64).max(first);
    fitted(screen.lines_ansi(from, end.line + 1).join("\n"), from, 0)
}

/// No more than a reply holds: what is cut off is the oldest, at the beginning of a line.
fn fitted(text: String, from: u64, missing: u64) -> Output {
    if text.len() <= MOST {
        return blank(text, from, missing);
    }
    let over = text.len() - MOST;
    let begin = text.bytes().skip(over).position(|byte| byte == b'\n').map_or(text.len(), |at| over + at + 1);
    let cut = text[..begin].matches('\n').count() as u64;
    blank(text[begin..].to_owned(), from + cut, missing + cut)
}

/// A picture of the screen.
pub(super) fn picture(pane_id: PaneId, screen: &Screen, format: Format) -> Picture {
    let content = match format {
        Format::Svg => screen.screen_svg(),
        Format::Html => screen.screen_html(),
        Format::Ansi => screen.screen_ansi().join("\n"),
        Format::Json => serde_json::to_string(&screen.view()).unwrap_or_default(),
        Format::Text => screen.screen_text(false),
    };
    Picture { pane_id, format, content }
}
