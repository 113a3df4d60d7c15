//! Reading a pane's text: its screen, its history, or the output of its last command.

use fugue_core::edge_request::ReadRequest;
use fugue_protocol::verbs::{Mode, OutputCursor};
use fugue_protocol::views::{CommandPlace, CommandView, ExitStatus, Life, PaneOutput};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{CommandRecord, MarkedCommand, Position, Screen};

use super::text_range::{LineRange, last_lines};
use super::{screen_rows, search};

/// Converts a position of the screen to a cursor.
pub(super) fn cursor(position: Position) -> OutputCursor {
    OutputCursor::new(position.line, position.offset)
}

/// Converts a cursor to a position of the screen.
pub(super) fn position(cursor: OutputCursor) -> Position {
    Position { line: cursor.line, offset: cursor.offset }
}

/// Returns the cursor at the end of a pane's output.
pub(super) fn end_cursor(screen: &Screen) -> OutputCursor {
    let screen_sum = screen.on_alternate().then(|| screen_rows::checksum(screen));
    OutputCursor { screen: screen_sum, ..cursor(screen.end()) }
}

/// Reads the text that is asked for.
pub(super) fn read(
    pane: PaneId,
    screen: &Screen,
    reading: &ReadRequest,
    exit: Option<ExitStatus>,
) -> Result<PaneOutput, Refusal> {
    let mode = reading.mode.unwrap_or_else(|| default_mode(screen, reading));
    let part = match mode {
        Mode::Screen if screen.on_alternate() => screen_rows::of_program(screen, reading)?,
        Mode::Screen => screen_rows::of_lines(screen, reading)?,
        Mode::History => lines(screen, reading, (Position::default(), screen.end()))?,
        Mode::LastCommand => last_command(pane, screen, reading)?,
    };
    let note = part.note.or_else(|| note(screen, reading.since, mode));
    Ok(PaneOutput {
        pane_id: pane,
        mode,
        full_screen: screen.on_alternate(),
        text: part.text,
        from_line: part.start.line,
        to_line: part.to_line,
        oldest_line: screen.first_line(),
        cursor: part.cursor.to_string(),
        start: part.has_more.then(|| cursor(part.start).to_string()),
        matches: part.matches,
        command: part.command,
        lines_missing: part.lines_missing,
        bytes_missing: part.bytes_missing,
        note,
        commands: if reading.commands && mode == Mode::History { commands(screen) } else { Vec::new() },
        state: if exit.is_some() { Life::Exited } else { Life::Running },
        exit,
    })
}

/// Where the shell's commands and their output are.
fn commands(screen: &Screen) -> Vec<CommandPlace> {
    let place = |marks: MarkedCommand| CommandPlace {
        prompt: cursor(marks.prompt),
        output: marks.output.map(|(start, end)| (cursor(start), cursor(end))),
    };
    screen.marked_commands().map(place).collect()
}

/// The screen of a full-screen program, unless something is asked for that only lines have.
fn default_mode(screen: &Screen, reading: &ReadRequest) -> Mode {
    let of_lines = reading.before.is_some() || reading.grep.is_some();
    if screen.on_alternate() && !of_lines { Mode::Screen } else { Mode::History }
}

/// Returns what the reader should know: that a cursor is past the end, so that what its holder expects will never come,
/// or that the history is not what the pane shows.
fn note(screen: &Screen, since: Option<OutputCursor>, mode: Mode) -> Option<String> {
    let end = cursor(screen.end());
    if let Some(since) = since.filter(|since| since.line > end.line) {
        return Some(format!(
            "Cursor {since} is past the end ({end}): the screen was cleared, or the cursor is from another pane"
        ));
    }
    (screen.on_alternate() && mode != Mode::Screen)
        .then(|| "a full-screen program is running (mode screen shows it); this output is older".into())
}

/// Returns the note for a search that took too long.
fn note_unfinished(cursor: OutputCursor) -> String {
    let line = cursor.line;
    format!("The search took too long and stopped after line {line}; continue from cursor {cursor}")
}

/// The part of the text that is returned.
#[derive(Default)]
pub(super) struct TextPart {
    pub(super) text: String,
    pub(super) start: Position,
    /// The number of the line after the last one.
    pub(super) to_line: u64,
    pub(super) cursor: OutputCursor,
    /// Whether there is text before the start.
    pub(super) has_more: bool,
    pub(super) lines_missing: u64,
    pub(super) bytes_missing: u64,
    pub(super) matches: Option<u64>,
    pub(super) command: Option<CommandView>,
    pub(super) note: Option<String>,
}

/// Reads lines between two positions, narrowed by the cursors of the request.
pub(super) fn lines(
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
            matches: Some(found.matches),
            note: stopped_at.map(note_unfinished),
            ..TextPart::default()
        });
    }
    let last = last_lines(screen, range, reading.lines, reading.ansi);
    // Without a cursor, no particular lines are asked for, so none are missing.
    let asked = reading.since.is_some() || first > Position::default();
    let missing = if asked { last.missing(screen, range) } else { (0, 0) };
    Ok(TextPart {
        has_more: last.start > Position { line: screen.first_line(), offset: 0 },
        start: last.start,
        text: last.text,
        to_line: range.end_line(),
        cursor: cursor(to),
        lines_missing: missing.0,
        bytes_missing: missing.1,
        ..TextPart::default()
    })
}

fn last_command(pane: PaneId, screen: &Screen, reading: &ReadRequest) -> Result<TextPart, Refusal> {
    let record = screen.last_command().ok_or(Refusal::NoMarks { pane })?;
    let mut part = lines(screen, reading, (record.output_start, record.output_end))?;
    // The newline that ends the output belongs to its last line.
    part.text.truncate(part.text.strip_suffix('\n').unwrap_or(&part.text).len());
    Ok(TextPart { command: Some(command(record)), ..part })
}

fn command(record: CommandRecord) -> CommandView {
    CommandView {
        duration_ms: record.took(crate::clock::now().millis()),
        line: record.command_line,
        running: record.running,
        exit_code: record.exit,
    }
}
