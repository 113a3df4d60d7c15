//! Reading a pane's text: its screen, its history, the output of its last command, or a picture of it.

use base64::prelude::{BASE64_STANDARD, Engine};
use fugue_core::edge_request::ReadRequest;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{Format, Mode, OutputCursor};
use fugue_protocol::views::{CommandView, ExitStatus, Life, PaneOutput, Picture};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{CommandRecord, Position, Screen};
use tokio::sync::oneshot;

use super::search;

/// The most text in a reply; the newest is kept.
const MAX_BYTES: usize = 16 << 20;

/// Converts a position of the screen to a cursor.
pub(super) fn cursor(position: Position) -> OutputCursor {
    OutputCursor { line: position.line, offset: position.offset }
}

/// Converts a cursor to a position of the screen.
pub(super) fn position(cursor: OutputCursor) -> Position {
    Position { line: cursor.line, offset: cursor.offset }
}

/// Reads the text that is asked for.
pub(super) fn read(
    pane: PaneId,
    screen: &Screen,
    reading: &ReadRequest,
    exit: Option<ExitStatus>,
) -> Result<PaneOutput, Refusal> {
    let part = match reading.mode {
        Mode::Screen => rows(screen, reading.ansi),
        Mode::History => lines(screen, reading, bounds(screen, reading))?,
        Mode::LastCommand => last_command(pane, screen, reading)?,
    };
    let more = part.from > screen.first_line() && reading.grep.is_none();
    Ok(PaneOutput {
        pane_id: pane,
        text: part.text,
        from_line: part.from,
        to_line: part.to.line + 1,
        oldest_line: screen.first_line(),
        cursor: cursor(part.to).to_string(),
        start: more.then(|| OutputCursor { line: part.from, offset: 0 }.to_string()),
        matches: part.matches,
        command: part.command,
        lines_missing: part.missing,
        note: note_beyond_end(screen, reading.since),
        state: if exit.is_some() { Life::Exited } else { Life::Running },
        exit,
    })
}

/// Returns a note if a cursor is past the end of the text: nothing is after it, and what its holder expects never will be.
fn note_beyond_end(screen: &Screen, since: Option<OutputCursor>) -> Option<String> {
    let (since, end) = (since?, cursor(screen.end()));
    (since.line > end.line).then(|| {
        format!(
            "Cursor {since} is past the end ({end}): the screen was cleared, or the cursor is from another pane"
        )
    })
}

/// The part of the text that is returned.
#[derive(Default)]
struct TextPart {
    text: String,
    from: u64,
    to: Position,
    missing: u64,
    matches: Option<u64>,
    command: Option<CommandView>,
}

/// Reads the rows of the screen.
fn rows(screen: &Screen, ansi: bool) -> TextPart {
    let rows = if ansi { screen.screen_ansi() } else { screen.screen_rows() };
    let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
    let from = screen.end().line.saturating_sub(used.saturating_sub(1) as u64);
    TextPart { text: rows[..used].join("\n"), from, to: screen.end(), ..TextPart::default() }
}

/// Returns where the text that is asked for begins and ends: after one cursor, before another, or all of it.
fn bounds(screen: &Screen, reading: &ReadRequest) -> (Position, Position) {
    let from = reading.since.map_or(Position::default(), position);
    let end = reading.before.map_or_else(|| screen.end(), |before| position_before(screen, before));
    (from, end)
}

/// Returns the position before a cursor: at the beginning of a line it is the end of the line above.
fn position_before(screen: &Screen, before: OutputCursor) -> Position {
    match before {
        OutputCursor { line: line @ 1.., offset: 0 } => {
            Position { line: (line - 1).min(screen.end().line), offset: usize::MAX }
        }
        before => position(before).min(screen.end()),
    }
}

fn lines(
    screen: &Screen,
    reading: &ReadRequest,
    (from, to): (Position, Position),
) -> Result<TextPart, Refusal> {
    if let Some(pattern) = &reading.grep {
        let found = search::search(screen, pattern, from, to, reading.lines, reading.context)?;
        let (text, cut) = newest(found.text);
        let matches = Some(found.matches);
        return Ok(TextPart { text, from: found.from, to, missing: cut, matches, command: None });
    }
    let asked = reading.since.is_some() || reading.mode == Mode::LastCommand;
    let (text, begin, missing) = match reading.ansi {
        true => colored(screen, from, to, reading.lines),
        false => last_lines(screen, from, to, reading.lines),
    };
    let missing = if asked { missing } else { 0 };
    Ok(TextPart { text, from: begin, to, missing, ..TextPart::default() })
}

/// Returns the last lines between two positions, the number of the first of them, and the number of lines before it.
pub(super) fn last_lines(screen: &Screen, from: Position, to: Position, lines: usize) -> (String, u64, u64) {
    let begin = first_of(screen, from, to, lines);
    let offset = if begin == from.line { from.offset } else { 0 };
    let (text, cut) = newest(screen.text_between(Position { line: begin, offset }, to));
    (text, begin + cut, (begin + cut).saturating_sub(from.line))
}

/// Returns the same with colors, in whole lines.
fn colored(screen: &Screen, from: Position, to: Position, lines: usize) -> (String, u64, u64) {
    let begin = first_of(screen, from, to, lines);
    let (text, cut) = newest(screen.lines_ansi(begin, to.line + 1).join("\n"));
    (text, begin + cut, (begin + cut).saturating_sub(from.line))
}

fn first_of(screen: &Screen, from: Position, to: Position, lines: usize) -> u64 {
    let tail = (to.line + 1).saturating_sub(lines as u64);
    from.line.max(tail).max(screen.first_line())
}

fn last_command(pane: PaneId, screen: &Screen, reading: &ReadRequest) -> Result<TextPart, Refusal> {
    let record = screen.last_command().ok_or(Refusal::NoMarks { pane })?;
    let from = reading.since.map_or(record.output_start, |since| record.output_start.max(position(since)));
    let end = reading
        .before
        .map_or(record.output_end, |before| record.output_end.min(position_before(screen, before)));
    let part = lines(screen, reading, (from, without_last_newline(from, end)))?;
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

/// Returns the end without the empty line that a final newline begins.
pub(super) fn without_last_newline(from: Position, end: Position) -> Position {
    match end {
        Position { line, offset: 0 } if line > from.line => Position { line: line - 1, offset: usize::MAX },
        end => end,
    }
}

/// Cuts off the oldest lines if the text is too long for a reply. Returns the number of lines cut off.
fn newest(text: String) -> (String, u64) {
    if text.len() <= MAX_BYTES {
        return (text, 0);
    }
    let over = text.len() - MAX_BYTES;
    let begin = text.bytes().skip(over).position(|byte| byte == b'\n').map_or(text.len(), |at| over + at + 1);
    (text[begin..].to_owned(), text[..begin].matches('\n').count() as u64)
}

/// Returns a picture of the screen.
pub(super) fn picture(pane_id: PaneId, screen: &Screen, format: Format) -> Picture {
    let content = match format {
        Format::Svg => screen.screen_svg(),
        // Painted by `png`.
        Format::Png => String::new(),
        Format::Html => screen.screen_html(),
        Format::Ansi => screen.screen_ansi().join("\n"),
        Format::Json => serde_json::to_string(&screen.view()).unwrap_or_default(),
        Format::Text => screen.screen_text(false),
    };
    Picture { pane_id, format, content }
}

/// Paints the screen as a PNG on another thread, so that the pane is not held up.
pub(super) fn png(
    pane_id: PaneId,
    screen: &Screen,
) -> impl Future<Output = Result<Result<Picture, Refusal>, oneshot::error::RecvError>> + 'static {
    let (answer, picture) = oneshot::channel();
    let image = screen.image();
    tokio::task::spawn_blocking(move || {
        let refuse = |problem| Refusal::argument("format", problem);
        let too_large = || refuse(ArgumentProblem::PictureTooLarge);
        let file = image.ok_or_else(too_large).and_then(|image| {
            image.png().map_err(|why| refuse(ArgumentProblem::PictureFailed { why: why.to_string() }))
        });
        let picture =
            file.map(|file| Picture { pane_id, format: Format::Png, content: BASE64_STANDARD.encode(&file) });
        let _ = answer.send(picture);
    });
    picture
}
