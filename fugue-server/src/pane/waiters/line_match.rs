//! Finding the text that a wait is for: in lines as they are shown, with the blanks before the cursor, and without the echo
//! of what was typed.

use std::borrow::Cow;
use std::ops::Range;

use fugue_protocol::verbs::OutputCursor;
use fugue_screen::{Position, Screen, TextLine};

use super::typed_echo::{EchoRange, TypedEcho};
use crate::pane::match_window;
use crate::pane::pattern::Pattern;
use crate::pane::text_position::cursor;
use crate::pane::text_reader::end_cursor;

/// A line up to this length is returned whole; of a longer one, what is around the match.
const WHOLE_LINE: usize = 4 << 10;

/// A match.
pub(super) struct FoundMatch {
    /// The matching line.
    pub(super) line: String,
    /// The cursor after the match.
    pub(super) after: OutputCursor,
}

/// Returns the first match after a position, searching from this line on while there is time.
pub(super) fn first_match(
    pattern: &Pattern,
    screen: &Screen,
    (first_line, from): (u64, Position),
    echo: &TypedEcho,
    is_in_time: impl Fn() -> bool,
) -> Option<FoundMatch> {
    let caret = screen.cursor_position();
    let lines = screen.iter_lines(first_line, screen.end().line.saturating_add(1));
    let mut lines = lines.take_while(|_| is_in_time());
    lines.find_map(|line| {
        let shown = as_shown(&line, caret);
        // A pattern that ends with `$` may mean the end of the text as well as that of the blanks.
        let texts = [shown.as_ref(), &line.text];
        let found = texts.iter().find_map(|text| in_line(pattern, text, &line, from, screen, echo))?;
        // After a match without characters, too, the same match must not be found again.
        let after = cursor(Position { line: line.number, offset: found.end.max(found.start + 1) });
        Some(FoundMatch { line: whole(&shown, &found), after })
    })
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
    text: &str,
    line: &TextLine,
    from: Position,
    screen: &Screen,
    echo: &TypedEcho,
) -> Option<Range<usize>> {
    let at = |offset| Position { line: line.number, offset };
    let is_new = |found: &Range<usize>| at(found.start) >= from;
    let mut found = pattern.ranges(text).filter(is_new).peekable();
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
