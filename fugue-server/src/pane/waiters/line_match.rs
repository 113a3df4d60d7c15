//! Finding the text that a wait is for: in lines as they are shown, with the blanks before the cursor, and without the echo
//! of what was typed.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use fugue_protocol::verbs::OutputCursor;
use fugue_screen::{Position, Screen, TextLine};

use super::typed_echo::{EchoRange, TypedEcho};
use crate::pane::text::match_window;
use crate::pane::text::pattern::{CpuTimer, Pattern};
use crate::pane::text::text_range::cursor;
use crate::pane::text::text_reader::end_cursor;

/// A line up to this length is returned whole; of a longer one, what is around the match.
const WHOLE_LINE: usize = 4 << 10;

/// How long a search may take at once, in CPU time: a key that is typed meanwhile waits that long.
const SLICE: Duration = Duration::from_millis(20);

/// How much of a line that was searched before is searched again as it grows, in bytes: a match that began in it is
/// found as soon as it is complete, unless it is longer.
const REPEATED: usize = 8 << 10;

/// A match.
pub(super) struct FoundMatch {
    /// The matching line.
    pub(super) line: String,
    /// The cursor after the match.
    pub(super) after: OutputCursor,
}

/// What a search looks at.
#[derive(Clone, Copy)]
pub(super) struct UnsearchedLines {
    /// The line at which the search begins.
    pub(super) first_line: u64,
    /// A match begins here or later.
    pub(super) from: Position,
    /// Text before this position was searched before and has not changed.
    pub(super) searched: Position,
}

/// How far a search got.
pub(super) struct LineSearch {
    pub(super) found: Option<FoundMatch>,
    /// The CPU time that matching took.
    pub(super) spent: Duration,
    /// The line before which the search stopped because it took long.
    pub(super) stopped_at: Option<u64>,
}

/// Searches for the first match after a position, and stops for now when that takes long.
pub(super) fn first_match(
    pattern: &Pattern,
    screen: &Screen,
    lines: UnsearchedLines,
    echo: &TypedEcho,
) -> LineSearch {
    let (begun, mut spent, end) = (CpuTimer::start(), Duration::ZERO, screen.end().line);
    for line in screen.iter_lines(lines.first_line, end.saturating_add(1)) {
        if line.number > lines.first_line && begun.elapsed() > SLICE {
            return LineSearch { found: None, spent, stopped_at: Some(line.number) };
        }
        let is_known = line.number == end && line.number == lines.searched.line;
        let known = if is_known { lines.searched.offset } else { 0 };
        let timer = CpuTimer::start();
        let found = match_in(pattern, &line, (lines.from, known), screen, echo);
        spent += timer.elapsed();
        if found.is_some() {
            return LineSearch { found, spent, stopped_at: None };
        }
    }
    LineSearch { found: None, spent, stopped_at: None }
}

/// Returns the first match in a line after a position. Its text up to `known` bytes was searched before; while the line
/// grows, only matches that begin shortly before that are found, and the others once it is complete.
fn match_in(
    pattern: &Pattern,
    line: &TextLine,
    (from, known): (Position, usize),
    screen: &Screen,
    echo: &TypedEcho,
) -> Option<FoundMatch> {
    let start = line.text.floor_char_boundary(known.saturating_sub(REPEATED));
    let shown = as_shown(line, screen.cursor_position());
    // A pattern that ends with `$` may mean the end of the text as well as that of the blanks.
    let texts = [Some(shown.as_ref()), (shown.len() != line.text.len()).then_some(line.text.as_str())];
    let in_text = |text| in_line(pattern, (text, start), line, from, screen, echo);
    let found = texts.into_iter().flatten().find_map(in_text)?;
    // After a match without characters, too, the same match must not be found again.
    let after = cursor(Position { line: line.number, offset: found.end.max(found.start + 1) });
    Some(FoundMatch { line: whole(&shown, &found), after })
}

/// Returns the first match on the rows of a full-screen program, which has no lines.
pub(super) fn on_rows(pattern: &Pattern, screen: &Screen, echo: &TypedEcho) -> Option<FoundMatch> {
    let rows = screen.rows_to_cursor();
    rows.iter().find_map(|row| {
        let texts = [row.as_str(), row.trim_end_matches(' ')];
        let mut found = texts.iter().flat_map(|text| pattern.ranges(text));
        let found = found.find(|found| !echo.is_typed(row, found))?;
        Some(FoundMatch { line: whole(row, &found), after: end_cursor(screen) })
    })
}

/// Returns a line with the blanks before the cursor, which are part of a prompt.
fn as_shown(line: &TextLine, caret: Position) -> Cow<'_, str> {
    let blanks = caret.offset.saturating_sub(line.text.len());
    match line.number == caret.line && blanks > 0 {
        true => Cow::Owned(line.text.clone() + &" ".repeat(blanks)),
        false => Cow::Borrowed(&line.text),
    }
}

fn in_line(
    pattern: &Pattern,
    (text, start): (&str, usize),
    line: &TextLine,
    from: Position,
    screen: &Screen,
    echo: &TypedEcho,
) -> Option<Range<usize>> {
    let at = |offset| Position { line: line.number, offset };
    let is_new = |found: &Range<usize>| at(found.start) >= from;
    let mut found = pattern.ranges_from(text, start).filter(is_new).peekable();
    found.peek()?;
    let echoes = echo.ranges(line, screen);
    found.find_map(|found| without_echo(pattern, text, found, &echoes).filter(is_new))
}

/// Returns a match unless it is in an echo. One that ends in an echo counts as far as it is before it.
fn without_echo(
    pattern: &Pattern,
    text: &str,
    found: Range<usize>,
    echoes: &[EchoRange],
) -> Option<Range<usize>> {
    let overlaps = |echo: &&EchoRange| found.start < echo.range.end && echo.range.start < found.end;
    let contains = |echo: &EchoRange| echo.range.start <= found.start && found.end <= echo.range.end;
    match echoes.iter().find(overlaps) {
        None => Some(found),
        Some(echo) if found.end > echo.range.end => Some(found),
        Some(echo) if !echo.is_certain => (!contains(echo)).then_some(found),
        Some(echo) => {
            let before = text.get(found.start..echo.range.start)?;
            let before = pattern.regex.find(before)?;
            Some(found.start + before.start()..found.start + before.end())
        }
    }
}

fn whole(line: &str, found: &Range<usize>) -> String {
    match line.len() <= WHOLE_LINE {
        true => line.to_owned(),
        false => match_window::window(line, found, WHOLE_LINE / 2),
    }
}
