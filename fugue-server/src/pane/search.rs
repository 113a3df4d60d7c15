//! Searching a pane's text for a pattern.

use std::collections::VecDeque;
use std::fmt::Write;

use fugue_protocol::Refusal;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_screen::{Position, Screen, TextLine};
use regex::{Regex, RegexBuilder};

/// The most memory that a compiled pattern may take: more is an attack.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Compiles a regular expression, or refuses the argument of this name.
pub(super) fn pattern(what: &'static str, text: &str) -> Result<Regex, Refusal> {
    let built = RegexBuilder::new(text).size_limit(MAX_PATTERN_BYTES).build();
    built.map_err(|why| {
        Refusal::argument(what, ArgumentProblem::InvalidPattern { why: last_line(&why.to_string()) })
    })
}

/// Returns an error message without the drawing that points at the error.
fn last_line(why: &str) -> String {
    let last = why.lines().last().unwrap_or(why).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// The result of a search.
#[derive(Default)]
pub(super) struct SearchResult {
    /// The last matching lines with their context: `120: text`, `119- text`, and `--` between groups.
    pub(super) text: String,
    /// The number of the first line shown.
    pub(super) from: u64,
    /// The number of lines that match, shown or not.
    pub(super) matches: u64,
}

/// Searches from the first line to the last; the newest `most` lines are shown.
pub(super) fn search(
    screen: &Screen,
    wanted: &str,
    from: Position,
    to: Position,
    most: usize,
    context: usize,
) -> Result<SearchResult, Refusal> {
    let wanted = pattern("grep", wanted)?;
    let mut shown = ShownLines { most: most.max(1), ..ShownLines::default() };
    let (mut before, mut after) = (VecDeque::new(), 0);
    let mut matches = 0;
    for line in screen.iter_lines(from.line, to.line.saturating_add(1)) {
        if wanted.is_match(part(&line, from, to)) {
            matches += 1;
            before.drain(..).for_each(|line| shown.add(line, false));
            shown.add(line, true);
            after = context;
        } else if after > 0 {
            after -= 1;
            shown.add(line, false);
        } else if context > 0 {
            before.push_back(line);
            before.drain(..before.len().saturating_sub(context));
        }
    }
    Ok(SearchResult { from: shown.first(to), text: shown.text(), matches })
}

/// Returns the part of a line between two positions.
fn part(line: &TextLine, from: Position, to: Position) -> &str {
    let text = &line.text;
    let start = if line.number == from.line { text.floor_char_boundary(from.offset) } else { 0 };
    let end = if line.number == to.line { text.floor_char_boundary(to.offset) } else { text.len() };
    text.get(start..end).unwrap_or_default()
}

/// The newest lines that are shown.
#[derive(Default)]
struct ShownLines {
    most: usize,
    lines: VecDeque<(TextLine, bool)>,
}

impl ShownLines {
    fn add(&mut self, line: TextLine, matched: bool) {
        self.lines.push_back((line, matched));
        self.lines.drain(..self.lines.len().saturating_sub(self.most));
    }

    fn first(&self, to: Position) -> u64 {
        self.lines.front().map_or(to.line, |(line, _)| line.number)
    }

    /// Formats the lines. Numbers count from 1, as in the header of a reply.
    fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for (line, matched) in &self.lines {
            if last.is_some_and(|last| last + 1 < line.number) {
                text.push_str("--\n");
            }
            let mark = if *matched { ':' } else { '-' };
            let _ = writeln!(text, "{}{mark} {}", line.number + 1, line.text);
            last = Some(line.number);
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;

    fn found(most: usize, context: usize) -> SearchResult {
        let mut screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
        (1..=40).for_each(|number| screen.feed(format!("line {number}\r\n").as_bytes()));
        search(&screen, "[05]$", Position { line: 0, offset: 0 }, screen.end(), most, context).unwrap()
    }

    #[test]
    fn matching_lines_are_shown_with_their_numbers_and_context() {
        let found = found(6, 1);
        let shown = "34- line 34\n35: line 35\n36- line 36\n--\n39- line 39\n40: line 40\n41- ";
        assert_eq!(found.text, shown);
        assert_eq!((found.matches, found.from), (8, 33));
    }

    #[test]
    fn of_many_matches_the_newest_are_shown_and_all_are_counted() {
        let found = found(2, 0);
        assert_eq!((found.text.as_str(), found.matches), ("35: line 35\n--\n40: line 40", 8));
    }
}
