//! Reading a pane's text: its screen, its history, or the output of its last command.

use fugue_core::edge_request::ReadRequest;
use fugue_protocol::verbs::{Mode, OutputCursor};
use fugue_protocol::views::{CommandPlace, CommandView, CursorAndHistory, ExitStatus, Life, PaneOutput};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{CommandRecord, MarkedCommand, Position, Screen};

use super::line_reader::{TextPart, lines};
use super::screen_rows;
use super::text_range::cursor;

/// Returns the cursor at the end of a pane's output.
pub(crate) fn end_cursor(screen: &Screen) -> OutputCursor {
    let screen_sum = screen.on_alternate().then(|| screen_rows::checksum(screen));
    OutputCursor { screen: screen_sum, ..cursor(screen.end()) }
}

/// Reads the text that is asked for.
pub(crate) fn read(
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
        dropped: part.dropped,
        lines_missing: part.lines_missing,
        bytes_missing: part.bytes_missing,
        note,
        commands: if reading.commands && mode == Mode::History { commands(screen) } else { Vec::new() },
        screen: reading.screen_state.then(|| screen_state(screen)),
        state: if exit.is_some() { Life::Exited } else { Life::Running },
        exit,
    })
}

/// Where the cursor is, and how long the history is.
fn screen_state(screen: &Screen) -> CursorAndHistory {
    let cursor = screen.cursor();
    CursorAndHistory {
        cursor_col: cursor.col,
        cursor_row: cursor.row,
        cursor_visible: cursor.visible,
        history_lines: Some(screen.line_of_row(0).saturating_sub(screen.first_line())),
        history_limit: Some(screen.history_limits().lines),
        bracketed_paste: screen.modes().bracketed_paste(),
    }
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
        .then(|| {
            "a full-screen program is running (use mode `screen` to see it); this output is from before it started"
                .into()
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
