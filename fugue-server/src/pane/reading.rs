//! Reading a pane's text.

use fugue_core::edge_request::Reading;
use fugue_protocol::verbs::{Format, Mode, OutputCursor};
use fugue_protocol::views::{CommandView, ExitStatus, Life, PaneOutput, Picture};
use fugue_protocol::{PaneId, Refusal, base64};
use fugue_screen::{CommandRecord, Position, Screen};
use tokio::sync::oneshot;

use super::searching;

/// A reply holds at most so much text: the newest of it.
const MOST: usize = 16 << 20;

/// The screen's place as a cursor.
pub(super) fn cursor(position: Position) -> OutputCursor {
    OutputCursor { line: position.line, offset: position.offset }
}

pub(super) fn position(cursor: OutputCursor) -> Position {
    Position { line: cursor.line, offset: cursor.offset }
}

/// What is asked for, in words.
pub(super) fn read(
    pane: PaneId,
    screen: &Screen,
    reading: &Reading,
    exit: Option<ExitStatus>,
) -> Result<PaneOutput, Refusal> {
    let part = match reading.mode {
        Mode::Screen => rows(screen, reading.ansi),
        Mode::History => lines(screen, reading, whole(screen, reading))?,
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
        note: beyond(screen, reading.since),
        state: if exit.is_some() { Life::Exited } else { Life::Running },
        exit,
    })
}

/// A place behind the end has nothing after it, and never will have what whoever holds it expects.
fn beyond(screen: &Screen, since: Option<OutputCursor>) -> Option<String> {
    let (since, end) = (since?, cursor(screen.end()));
    (since.line > end.line).then(|| {
        format!(
            "since {since} lies behind the end, {end}: the screen was cleared, or it is another pane's cursor"
        )
    })
}

/// What of the text is shown.
#[derive(Default)]
struct Part {
    text: String,
    from: u64,
    to: Position,
    missing: u64,
    matches: Option<u64>,
    command: Option<CommandView>,
}

/// The rows as they stand.
fn rows(screen: &Screen, ansi: bool) -> Part {
    let rows = if ansi { screen.screen_ansi() } else { screen.screen_rows() };
    let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
    let from = screen.end().line.saturating_sub(used.saturating_sub(1) as u64);
    Part { text: rows[..used].join("\n"), from, to: screen.end(), ..Part::default() }
}

/// Where the text that is asked for begins and ends: after one cursor, before another, or all of it.
fn whole(screen: &Screen, reading: &Reading) -> (Position, Position) {
    let from = reading.since.map_or(Position::default(), position);
    let end = reading.before.map_or_else(|| screen.end(), |before| up_to(screen, before));
    (from, end)
}

/// The place before a cursor: at the beginning of a line it is the end of the one above.
fn up_to(screen: &Screen, before: OutputCursor) -> Position {
    match before {
        OutputCursor { line: line @ 1.., offset: 0 } => {
            Position { line: (line - 1).min(screen.end().line), offset: usize::MAX }
        }
        before => position(before).min(screen.end()),
    }
}

fn lines(screen: &Screen, reading: &Reading, (from, to): (Position, Position)) -> Result<Part, Refusal> {
    if let Some(pattern) = &reading.grep {
        let found = searching::search(screen, pattern, from, to, reading.lines, reading.context)?;
        let (text, cut) = newest(found.text);
        let matches = Some(found.matches);
        return Ok(Part { text, from: found.from, to, missing: cut, matches, command: None });
    }
    let asked = reading.since.is_some() || reading.mode == Mode::LastCommand;
    let (text, begin, missing) = match reading.ansi {
        true => colored(screen, from, to, reading.lines),
        false => last_lines(screen, from, to, reading.lines),
    };
    let missing = if asked { missing } else { 0 };
    Ok(Part { text, from: begin, to, missing, ..Part::default() })
}

/// The last lines between two places, the number of the first of them, and how many lie before it.
pub(super) fn last_lines(screen: &Screen, from: Position, to: Position, lines: usize) -> (String, u64, u64) {
    let begin = first_of(screen, from, to, lines);
    let offset = if begin == from.line { from.offset } else { 0 };
    let (text, cut) = newest(screen.text_between(Position { line: begin, offset }, to));
    (text, begin + cut, (begin + cut).saturating_sub(from.line))
}

/// The same with colors, by whole lines.
fn colored(screen: &Screen, from: Position, to: Position, lines: usize) -> (String, u64, u64) {
    let begin = first_of(screen, from, to, lines);
    let (text, cut) = newest(screen.lines_ansi(begin, to.line + 1).join("\n"));
    (text, begin + cut, (begin + cut).saturating_sub(from.line))
}

fn first_of(screen: &Screen, from: Position, to: Position, lines: usize) -> u64 {
    let tail = (to.line + 1).saturating_sub(lines as u64);
    from.line.max(tail).max(screen.first_line())
}

fn last_command(pane: PaneId, screen: &Screen, reading: &Reading) -> Result<Part, Refusal> {
    let record = screen.last_command().ok_or(Refusal::NoMarks { pane })?;
    let from = reading.since.map_or(record.output_start, |since| record.output_start.max(position(since)));
    let end = reading.before.map_or(record.output_end, |before| record.output_end.min(up_to(screen, before)));
    let part = lines(screen, reading, (from, trimmed(from, end)))?;
    Ok(Part { command: Some(command(record)), ..part })
}

fn command(record: CommandRecord) -> CommandView {
    CommandView {
        duration_ms: record.took(crate::clock::now().millis()),
        line: record.command_line,
        running: record.running,
        exit_code: record.exit,
    }
}

/// Without the line that a last newline begins.
pub(super) fn trimmed(from: Position, end: Position) -> Position {
    match end {
        Position { line, offset: 0 } if line > from.line => Position { line: line - 1, offset: usize::MAX },
        end => end,
    }
}

/// No more than a reply holds: what is cut off is the oldest, at the beginning of a line.
fn newest(text: String) -> (String, u64) {
    if text.len() <= MOST {
        return (text, 0);
    }
    let over = text.len() - MOST;
    let begin = text.bytes().skip(over).position(|byte| byte == b'\n').map_or(text.len(), |at| over + at + 1);
    (text[begin..].to_owned(), text[..begin].matches('\n').count() as u64)
}

/// A picture of the screen.
pub(super) fn picture(pane_id: PaneId, screen: &Screen, format: Format) -> Picture {
    let content = match format {
        Format::Svg => screen.screen_svg(),
        // Painted elsewhere.
        Format::Png => String::new(),
        Format::Html => screen.screen_html(),
        Format::Ansi => screen.screen_ansi().join("\n"),
        Format::Json => serde_json::to_string(&screen.view()).unwrap_or_default(),
        Format::Text => screen.screen_text(false),
    };
    Picture { pane_id, format, content }
}

/// A picture in pixels, painted where nobody waits for it.
pub(super) fn painted(
    pane_id: PaneId,
    screen: &Screen,
) -> impl Future<Output = Result<Result<Picture, Refusal>, oneshot::error::RecvError>> + 'static {
    let (answer, told) = oneshot::channel();
    let canvas = screen.canvas();
    tokio::task::spawn_blocking(move || {
        use fugue_protocol::refusal::ArgumentProblem;
        let cannot = |why| Refusal::argument("format", why);
        let large = || cannot(ArgumentProblem::PictureTooLarge);
        let file = canvas.ok_or_else(large).and_then(|canvas| {
            canvas.png().map_err(|why| cannot(ArgumentProblem::PictureFailed { why: why.to_string() }))
        });
        let picture =
            file.map(|file| Picture { pane_id, format: Format::Png, content: base64::encode(&file) });
        let _ = answer.send(picture);
    });
    told
}
