//! Searching a pane's text for a pattern.

use std::collections::VecDeque;
use std::fmt::Write;
use std::ops::Range;
use std::time::Duration;

use fugue_protocol::Refusal;
use fugue_screen::{Position, Screen, TextLine};

use super::match_window;
use super::pattern::{CpuTimer, Pattern};
use super::text_range::cursor;

/// The CPU time that a search may take before it stops.
const MAX_TIME: Duration = Duration::from_millis(500);

/// The result of a search.
#[derive(Default)]
pub(crate) struct SearchResult {
    /// The last matching lines with their context, each after its cursor: `119:7: text` where it matches, `118:0- text`
    /// where it does not, and `--` between groups.
    pub(crate) text: String,
    /// The number of the first line shown.
    pub(crate) from: u64,
    /// The first match shown, if there are matches before it that are not.
    pub(crate) start: Option<Position>,
    /// The number of lines that match, shown or not.
    pub(crate) matches: u64,
    /// The line at which to continue, if the search took too long and stopped before it.
    pub(crate) stopped_at: Option<u64>,
}

/// Searches the text between two positions; the newest `most` rows are shown.
pub(crate) fn search(
    screen: &Screen,
    wanted: &str,
    from: Position,
    to: Position,
    most: usize,
    context: usize,
) -> Result<SearchResult, Refusal> {
    let (wanted, timer) = (Pattern::compile("grep", wanted)?, CpuTimer::start());
    let mut shown = ShownRows { most: most.max(1), ..ShownRows::default() };
    let (mut before, mut after) = (VecDeque::new(), 0);
    let (mut matches, mut stopped_at) = (0, None);
    for line in screen.iter_lines(from.line, to.line.saturating_add(1)) {
        if stopped_at.is_some() {
            break;
        }
        let found = matches_between(&wanted, &line, from, to);
        stopped_at = (timer.elapsed() > MAX_TIME && line.number < to.line).then_some(line.number + 1);
        if !found.is_empty() {
            matches += 1;
            before.drain(..).for_each(|line| shown.add_context(&line));
            shown.add_matches(&line, &found);
            after = context;
        } else if after > 0 {
            after -= 1;
            shown.add_context(&line);
        } else if context > 0 {
            before.push_back(line);
            before.drain(..before.len().saturating_sub(context));
        }
    }
    Ok(SearchResult {
        from: shown.first_line(to),
        start: shown.start(),
        text: shown.text(),
        matches,
        stopped_at,
    })
}

/// Returns the matches in a line that lie between two positions.
pub(crate) fn matches_between(
    wanted: &Pattern,
    line: &TextLine,
    from: Position,
    to: Position,
) -> Vec<Range<usize>> {
    let at = |offset| Position { line: line.number, offset };
    let lies_between = |found: &Range<usize>| at(found.start) >= from && at(found.end) <= to;
    wanted.ranges(&line.text).filter(lies_between).collect()
}

/// The rows that are shown.
#[derive(Default)]
struct ShownRows {
    most: usize,
    rows: VecDeque<FoundRow>,
    /// Whether matches were dropped to make room for newer ones.
    has_dropped: bool,
}

struct FoundRow {
    at: Position,
    is_match: bool,
    text: String,
}

impl ShownRows {
    fn add_context(&mut self, line: &TextLine) {
        let text = match_window::beginning(&line.text);
        self.add(FoundRow { at: Position { line: line.number, offset: 0 }, is_match: false, text });
    }

    fn add_matches(&mut self, line: &TextLine, found: &[Range<usize>]) {
        for (offset, text) in match_window::windows(&line.text, found) {
            self.add(FoundRow { at: Position { line: line.number, offset }, is_match: true, text });
        }
    }

    fn add(&mut self, row: FoundRow) {
        self.rows.push_back(row);
        if self.rows.len() > self.most {
            self.has_dropped |= self.rows.pop_front().is_some_and(|row| row.is_match);
        }
    }

    fn first_line(&self, to: Position) -> u64 {
        self.rows.front().map_or(to.line, |row| row.at.line)
    }

    fn start(&self) -> Option<Position> {
        self.rows.front().filter(|_| self.has_dropped).map(|row| row.at)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut last = None;
        for row in &self.rows {
            if last.is_some_and(|last| last + 1 < row.at.line) {
                text.push_str("--\n");
            }
            let mark = if row.is_match { ':' } else { '-' };
            let _ = writeln!(text, "{}{mark} {}", cursor(row.at), row.text);
            last = Some(row.at.line);
        }
        text.truncate(text.trim_end_matches('\n').len());
        text
    }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;
    use crate::pane::text::pattern::slow_pattern;

    fn found(most: usize, context: usize) -> SearchResult {
        let mut screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
        (1..=40).for_each(|number| screen.feed(format!("line {number}\r\n").as_bytes()));
        search(&screen, "[05]$", Position { line: 0, offset: 0 }, screen.end(), most, context).unwrap()
    }

    #[test]
    fn matching_lines_are_shown_with_their_cursors_and_context() {
        let found = found(6, 1);
        let shown = "33:0- line 34\n34:6: line 35\n35:0- line 36\n--\n38:0- line 39\n39:6: line 40\n40:0- ";
        assert_eq!(found.text, shown);
        assert_eq!((found.matches, found.from), (8, 33));
    }

    #[test]
    fn of_many_matches_the_newest_are_shown_and_all_are_counted() {
        let found = found(2, 0);
        assert_eq!((found.text.as_str(), found.matches), ("34:6: line 35\n--\n39:6: line 40", 8));
        assert_eq!(found.start, Some(Position { line: 34, offset: 6 }), "there are more before it");
    }

    #[test]
    fn every_match_of_a_long_line_is_shown_and_can_be_read_from_its_cursor() {
        let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
        let (gap, end) = ("a".repeat(4_000), "b".repeat(5_000));
        screen.feed(format!("{gap}ERROR 1{gap}ERROR 2{end}\r\n").as_bytes());
        let begin = Position { line: 0, offset: 0 };
        let found = search(&screen, "ERROR", begin, screen.end(), 100, 0).unwrap();
        assert!(found.text.lines().all(|row| row.contains("ERROR") && row.len() < 600), "{}", found.text);
        let cursors: Vec<_> = found.text.lines().map(|row| row.split(": ").next().unwrap()).collect();
        assert_eq!(cursors, ["0:4000", "0:8007"]);
        assert!(screen.text_since(Position { line: 0, offset: 8_007 }).starts_with("ERROR 2bbb"));
        // A page before the second match has the first one.
        let second = Position { line: 0, offset: 8_007 };
        assert_eq!(search(&screen, "ERROR", begin, second, 100, 0).unwrap().text.lines().count(), 1);
    }

    #[test]
    fn a_search_that_takes_too_long_stops_and_can_go_on_where_it_stopped() {
        let mut screen = Screen::new(Size { cols: 80, rows: 5 }, Limits::default());
        slow_pattern::lines().take(9_000).for_each(|line| screen.feed(line.as_bytes()));
        let begin = |line| Position { line, offset: 0 };
        let search =
            |line| search(&screen, slow_pattern::SLOW, begin(line), screen.end(), 10, 0).expect("a result");
        let first = search(0).stopped_at.expect("it stops");
        assert!(first > 0 && first < screen.end().line, "{first}");
        assert!(search(first).stopped_at.is_none_or(|second| second > first));
        assert_eq!(search(screen.end().line).stopped_at, None, "the search has reached the end");
    }
}
