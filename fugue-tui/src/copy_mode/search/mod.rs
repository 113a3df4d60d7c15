//! Search with a regular expression, down and up, while it is typed. The client has the whole history, and a long one is
//! searched in steps between which keys are handled, so that no search blocks the client.

mod lines;
mod match_count;
mod pattern;

pub(crate) use pattern::compile;

use std::ops::Range;

use regex::Regex;

use super::CopyMode;
use super::rows::CopyPosition;
pub(super) use lines::Match;
use lines::{SearchLines, matches_in};
use match_count::MatchCount;

/// The rows that one step searches: a few milliseconds' work.
const STEP_ROWS: usize = 4_000;

/// The most characters of a word at the cursor that are searched for. No other word begins like one that is longer.
const LONGEST_WORD: usize = 1_000;

/// The pattern that is searched for, and how far the search has come.
#[derive(Debug, Default)]
pub(super) struct CopySearch {
    text: String,
    down: bool,
    /// Nothing if the text is empty or invalid.
    pattern: Option<Regex>,
    /// Why the text is not a pattern.
    error: Option<String>,
    lines: SearchLines,
    /// The way to the next match, as far as it has not been found.
    seek: Option<Seek>,
    /// Whether the last way led nowhere.
    missed: bool,
    count: MatchCount,
    /// The cursor and the first visible row when the search was begun, while its text is typed.
    origin: Option<(CopyPosition, usize)>,
}

/// The way from a position to the next match, line by line and around the end.
#[derive(Debug)]
struct Seek {
    from: CopyPosition,
    down: bool,
    /// The line to search next, and how many are left. The line of the position comes first, and once more at last.
    line: usize,
    left: usize,
}

impl Seek {
    /// The match to go to among those of the current line.
    fn choose(&self, matches: &[Match], lines: usize) -> Option<CopyPosition> {
        let is_first_line = self.left == lines + 1;
        let fits = |start: &CopyPosition| match (is_first_line, self.down) {
            (false, _) => true,
            (true, true) => *start > self.from,
            (true, false) => *start < self.from,
        };
        let mut starts = matches.iter().map(|(start, _)| *start).filter(fits);
        if self.down { starts.next() } else { starts.next_back() }
    }

    fn advance(&mut self, lines: usize) {
        let step = if self.down { 1 } else { lines.saturating_sub(1) };
        self.line = (self.line + step) % lines.max(1);
        self.left -= 1;
    }
}

impl CopyMode {
    /// Begins to search: the text is typed next. An empty one leaves the last search as it was.
    pub(super) fn begin_search(&mut self, down: bool) {
        self.search.down = down;
        self.search.origin = Some((self.position, self.top));
    }

    /// Searches for what is typed so far, from where the search was begun.
    pub(super) fn type_pattern(&mut self, text: &str) {
        self.return_to_origin();
        self.search_for(text);
        self.seek(self.search.down);
    }

    /// Ends typing: the cursor stays at the match.
    pub(super) fn confirm_search(&mut self, text: &str) {
        self.search.origin = None;
        match &self.search.error {
            _ if text.is_empty() => {}
            Some(why) => self.message = Some(format!("Invalid pattern: {why}")),
            None if self.search.missed => self.say_missed(),
            None => {}
        }
    }

    /// Ends the search, and goes back to where it was begun.
    pub(super) fn cancel_search(&mut self) {
        self.return_to_origin();
        self.search = CopySearch::default();
    }

    fn return_to_origin(&mut self) {
        if let Some((position, top)) = self.search.origin {
            (self.position, self.top) = (position, top);
        }
    }

    fn search_for(&mut self, text: &str) {
        let compiled = (!text.is_empty()).then(|| compile(text)).transpose();
        let (pattern, error) = compiled.map_or_else(|why| (None, Some(why)), |pattern| (pattern, None));
        let lines = if pattern.is_some() { SearchLines::of(&self.rows) } else { SearchLines::default() };
        let CopySearch { down, origin, .. } = self.search;
        self.search =
            CopySearch { text: text.into(), down, origin, pattern, error, lines, ..CopySearch::default() };
    }

    /// Searches for the word at the cursor.
    pub(super) fn search_word(&mut self, down: bool) {
        let (first, last) = self.word_at(self.position);
        let places = std::iter::successors(Some(first), |at| self.after(*at)).take_while(|at| *at <= last);
        let word: String = places.filter_map(|at| self.cell(at)).take(LONGEST_WORD).collect();
        if !word.trim().is_empty() {
            self.search.down = down;
            self.search_for(&regex::escape(&word));
            self.seek(down);
        }
    }

    /// Goes to the next match in the direction of the search, or in the other, and wraps around.
    pub(super) fn search_again(&mut self, same: bool) {
        let down = self.search.down == same;
        match self.search.count.next_match(self.position, down) {
            Some(found) => self.go_to_match(found),
            None => self.seek(down),
        }
    }

    /// Sets out for the next match. What can be done at once is done at once.
    fn seek(&mut self, down: bool) {
        let search = &mut self.search;
        if search.pattern.is_some() {
            let (line, left) = (search.lines.of_row(self.position.row), search.lines.count() + 1);
            search.seek = Some(Seek { from: self.position, down, line, left });
            search.missed = false;
            self.search_step();
            if self.search.seek.is_none() {
                self.search_step();
            }
        }
    }

    /// Whether the next match is still sought: keys that depend on it have to wait.
    pub(super) fn is_seeking(&self) -> bool {
        self.search.seek.is_some()
    }

    pub(super) fn stop_seeking(&mut self) {
        self.search.seek = None;
        self.message = Some("Search stopped".into());
    }

    /// Whether a part of the search is left to do.
    pub(crate) fn is_searching(&self) -> bool {
        let tally = &self.search.count;
        self.search.pattern.is_some() && (self.is_seeking() || !tally.is_complete && !tally.is_over())
    }

    /// Does a part of the search: first the way to the next match, then the count of all.
    pub(crate) fn search_step(&mut self) {
        let Some(pattern) = self.search.pattern.take() else { return };
        match self.search.seek.take() {
            Some(seek) => self.seek_step(seek, &pattern),
            None => self.count_step(&pattern),
        }
        self.search.pattern = Some(pattern);
    }

    fn seek_step(&mut self, mut seek: Seek, pattern: &Regex) {
        let (mut searched, lines) = (0, self.search.lines.count());
        while seek.left > 0 {
            if searched >= STEP_ROWS {
                self.search.seek = Some(seek);
                return;
            }
            let rows = self.search.lines.rows(seek.line);
            searched += rows.len();
            if let Some(found) = seek.choose(&matches_in(&self.cells, rows, pattern), lines) {
                return self.go_to_match(found);
            }
            seek.advance(lines);
        }
        self.search.missed = true;
        if !self.is_asked() {
            self.say_missed();
        }
    }

    fn say_missed(&mut self) {
        self.message = Some(format!("Not found: {}", self.search.text));
    }

    fn count_step(&mut self, pattern: &Regex) {
        let (mut searched, mut tally) = (0, std::mem::take(&mut self.search.count));
        while searched < STEP_ROWS && !tally.is_over() {
            if tally.next == self.search.lines.count() {
                tally.is_complete = true;
                break;
            }
            let rows = self.search.lines.rows(tally.next);
            searched += rows.len();
            tally.add(matches_in(&self.cells, rows, pattern).into_iter().map(|(start, _)| start));
            tally.next += 1;
        }
        self.search.count = tally;
    }

    /// Searches the text as it is laid out now.
    pub(super) fn renew_search(&mut self) {
        let CopySearch { text, down, pattern, .. } = std::mem::take(&mut self.search);
        let lines = if pattern.is_some() { SearchLines::of(&self.rows) } else { SearchLines::default() };
        self.search = CopySearch { text, down, pattern, lines, ..CopySearch::default() };
    }

    /// The number of the match at the cursor, and of all matches.
    pub(super) fn match_words(&self) -> Option<String> {
        self.search.count.words(self.position)
    }

    /// What is to be known about the pattern while it is typed.
    pub(super) fn pattern_note(&self) -> String {
        match &self.search.error {
            Some(why) => format!("  (invalid pattern: {why})"),
            None if self.search.missed => "  (not found)".into(),
            None => String::new(),
        }
    }

    /// The matches that touch these rows. A match may begin before them or end after them.
    pub(super) fn matches_between(&self, rows: Range<usize>) -> Vec<Match> {
        let (lines, end) = (&self.search.lines, rows.end.min(self.rows.len()));
        let Some(pattern) = self.search.pattern.as_ref().filter(|_| rows.start < end) else {
            return Vec::new();
        };
        let touched = lines.of_row(rows.start)..=lines.of_row(end - 1);
        touched.flat_map(|line| matches_in(&self.cells, lines.rows(line), pattern)).collect()
    }

    /// Whether a match begins at the cursor.
    pub(super) fn is_current(&self, start: CopyPosition) -> bool {
        self.position == start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::{PaneId, Size};

    fn copy_mode(text: &str) -> CopyMode {
        CopyMode::new(PaneId::from_bytes([0; 16]), text, Size::new(10, 4), None)
    }

    fn press(copy: &mut CopyMode, keys: &str) {
        keys.split(' ').for_each(|key| drop(copy.key(key.parse().unwrap())));
    }

    fn at(copy: &CopyMode) -> (usize, usize) {
        (copy.position.row, copy.position.col)
    }

    #[test]
    fn a_search_moves_while_it_is_typed_and_escape_goes_back() {
        let mut copy = copy_mode("alpha\nbeta\nbest\nend");
        press(&mut copy, "g g / b e");
        assert_eq!((at(&copy), copy.match_words().as_deref()), ((1, 0), Some("1 of 2")));
        press(&mut copy, "s");
        assert_eq!((at(&copy), copy.match_words().as_deref()), ((2, 0), Some("1 of 1")));
        press(&mut copy, "Backspace");
        assert_eq!(at(&copy), (1, 0));
        press(&mut copy, "Escape");
        assert_eq!((at(&copy), copy.match_words()), ((0, 0), None));
    }

    #[test]
    fn an_invalid_pattern_is_reported_and_nothing_moves() {
        let mut copy = copy_mode("f(x)\ng(x)\nend");
        press(&mut copy, "g g / g (");
        assert_eq!(copy.foot_text().as_deref(), Some("/g(  (invalid pattern: unclosed group)"));
        press(&mut copy, "Enter");
        assert_eq!(copy.foot_text().as_deref(), Some("Invalid pattern: unclosed group"));
        assert_eq!(at(&copy), (0, 0));
        press(&mut copy, "/ g \\ ( Enter");
        assert_eq!(at(&copy), (1, 0));
    }

    #[test]
    fn matches_are_visited_in_both_directions_and_around_the_ends() {
        let mut copy = copy_mode("x1\nx22 x3\ny\nx4");
        press(&mut copy, "g g / x \\ d + Enter");
        assert_eq!(at(&copy), (1, 0), "the match at the cursor is not the next one");
        let mut visited = Vec::new();
        for key in ["n", "n", "n", "n", "N", "N"] {
            press(&mut copy, key);
            visited.push(at(&copy));
        }
        assert_eq!(visited, [(1, 4), (3, 0), (0, 0), (1, 0), (0, 0), (3, 0)]);
        press(&mut copy, "? x Enter");
        assert_eq!((at(&copy), copy.match_words().as_deref()), ((1, 4), Some("3 of 4")));
        press(&mut copy, "/ Enter n");
        assert_eq!(at(&copy), (3, 0), "without a pattern the last one stays, in the new direction");
    }

    #[test]
    fn a_match_that_was_out_of_sight_has_rows_around_it() {
        let lines: Vec<String> = (0..60).map(|n| format!("l{n}")).collect();
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), &lines.join("\n"), Size::new(10, 12), None);
        let mut search = |keys: &str| {
            press(&mut copy, keys);
            (copy.position.row, copy.top)
        };
        assert_eq!(search("G ? l 3 0 Enter"), (30, 27), "upwards, three rows are above it");
        assert_eq!(search("? l 2 8 Enter"), (28, 27), "what is in sight stays where it is");
        assert_eq!(search("/ l 4 5 Enter"), (45, 37), "downwards, three rows are below it");
        assert_eq!(search("/ l 5 9 Enter"), (59, 48), "there are no more rows");
        assert_eq!(search("? l 1 $ Enter"), (1, 0), "nor here");
    }

    #[test]
    fn a_match_may_be_wrapped() {
        let mut copy = copy_mode("first\n0123456789abc\nlast");
        press(&mut copy, "g g / 8 9 a b");
        let position = |row, col| CopyPosition { row, col };
        assert_eq!(copy.matches_between(2..3), [(position(1, 8), position(2, 1))]);
        copy.resize(Size::new(20, 4));
        assert_eq!(copy.matches_between(0..4), [(position(1, 8), position(1, 11))]);
    }

    #[test]
    fn the_word_at_the_cursor_is_searched_with_all_its_rows() {
        let mut copy = copy_mode("abcdefghijklmno\nabcdefghij\nABCDEFGHIJKLMNO");
        press(&mut copy, "g g *");
        assert_eq!((at(&copy), copy.match_words().as_deref()), ((3, 0), Some("2 of 2")));
    }

    #[test]
    fn a_long_history_is_searched_in_steps() {
        let lines = 3 * STEP_ROWS;
        let text: String = (0..lines).map(|n| format!("{n}x\n")).collect();
        let mut copy = copy_mode(&text);
        press(&mut copy, "g g / ^ 9 0 0 0 x Enter");
        assert!(copy.is_seeking() && at(&copy) == (0, 0), "it is not found in the first step");
        while copy.is_searching() {
            copy.search_step();
        }
        assert_eq!((at(&copy), copy.match_words().as_deref()), ((9_000, 0), Some("1 of 1")));
        // A key waits for the match that it depends on, and Escape stops the search.
        press(&mut copy, "g g / ^ 9 0 0 0 x Enter V");
        assert_eq!(at(&copy), (9_000, 0));
        press(&mut copy, "V g g / ^ 9 0 0 0 x Enter Escape");
        assert!(!copy.is_seeking() && at(&copy) == (0, 0));
        press(&mut copy, "/ x Enter");
        assert_eq!(copy.match_words().as_deref(), Some(format!("1 of {STEP_ROWS}+").as_str()));
    }
}
