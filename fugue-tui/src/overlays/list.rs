//! A list to choose from: typing filters it, the arrow keys move, Enter chooses.

use std::cell::Cell as Shared;
use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Rect};
use fugue_screen::keys::{Code, Key};
use fugue_screen::mouse::{Action, Button, MouseEvent};
use fugue_screen::{CursorShape, Mirror};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::outcome::Outcome;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;

/// The longest filter: longer than any row, so that a paste costs nothing.
const LONGEST: usize = 200;

/// A row of a list.
pub(crate) struct ListRow {
    pub(crate) text: String,
    pub(crate) detail: String,
    /// The command line that choosing it runs.
    pub(crate) command: String,
    /// The pane that is previewed while the row is selected.
    pub(crate) pane: Option<PaneId>,
}

/// A list with a filter.
pub(crate) struct List {
    title: &'static str,
    rows: Vec<ListRow>,
    filter: String,
    /// The indexes of the matching rows, the best match first.
    fitting: Vec<usize>,
    chosen: usize,
    matcher: Matcher,
    /// The number of things in the list, where that is not the number of rows.
    count: Option<usize>,
    /// Shown instead of the rows when there are none.
    empty: &'static str,
    /// The first visible row, and the line after the last one, for clicks.
    first: Shared<usize>,
    end: Shared<u16>,
}

impl List {
    pub(crate) fn new(title: &'static str, rows: Vec<ListRow>, chosen: usize) -> Self {
        let fitting = (0..rows.len()).collect();
        Self {
            title,
            rows,
            filter: String::new(),
            fitting,
            chosen,
            matcher: Matcher::new(Config::DEFAULT),
            count: None,
            empty: "Nothing to show",
            first: Shared::default(),
            end: Shared::default(),
        }
    }

    /// Sets the number of things in the list, where that is not the number of rows.
    pub(crate) fn counting(self, count: usize) -> Self {
        Self { count: Some(count), ..self }
    }

    /// Sets the text for a list without rows.
    pub(crate) fn when_empty(self, empty: &'static str) -> Self {
        Self { empty, ..self }
    }

    /// Whether it has this title.
    pub(crate) fn is_titled(&self, title: &str) -> bool {
        self.title == title
    }

    /// Replaces the rows. The filter stays, and so does the selected row: what Enter would do never changes under the
    /// user's hand. If it is gone, the first row of its pane is selected.
    pub(crate) fn renew(&mut self, newer: Self) {
        let before = self.row().map(|row| (row.command.clone(), row.pane));
        (self.rows, self.count) = (newer.rows, newer.count);
        self.narrow();
        let Some((command, pane)) = before else { return };
        let find = |fits: &dyn Fn(&ListRow) -> bool| self.fitting.iter().position(|at| fits(&self.rows[*at]));
        let own = find(&|row| row.command == command);
        self.chosen = own.or_else(|| find(&|row| pane.is_some() && row.pane == pane)).unwrap_or(0);
    }

    fn row(&self) -> Option<&ListRow> {
        self.rows.get(*self.fitting.get(self.chosen)?)
    }

    pub(super) fn preview(&self) -> Option<PaneId> {
        self.row()?.pane
    }

    pub(super) fn key(&mut self, key: Key) -> Outcome {
        match (key.mods.ctrl, key.code) {
            (_, Code::Escape) | (true, Code::Char('c' | 'g')) => return Outcome::Close,
            (_, Code::Enter) => {
                return self.row().map_or(Outcome::Close, |row| match row.command.as_str() {
                    "" => Outcome::Close,
                    command => Outcome::Run(command.to_owned()),
                });
            }
            (_, Code::Up) | (true, Code::Char('p' | 'k')) => self.chosen = self.chosen.saturating_sub(1),
            (_, Code::Down | Code::Tab) | (true, Code::Char('n' | 'j')) => self.go(self.chosen + 1),
            (_, Code::PageUp) => self.chosen = self.chosen.saturating_sub(10),
            (_, Code::PageDown) => self.go(self.chosen + 10),
            (_, Code::Home) => self.chosen = 0,
            (_, Code::End) => self.go(usize::MAX),
            (_, Code::Backspace) => drop(self.filter.pop().map(|_| self.narrow())),
            (true, Code::Char('u')) => {
                self.filter.clear();
                self.narrow();
            }
            (false, Code::Char(c)) => self.narrow_by(std::iter::once(c)),
            _ => {}
        }
        Outcome::Stay
    }

    /// Appends to the filter, and filters once.
    pub(super) fn narrow_by(&mut self, text: impl Iterator<Item = char>) {
        let room = LONGEST.saturating_sub(self.filter.chars().count());
        self.filter.extend(text.take(room));
        self.narrow();
    }

    /// Sets the filter.
    pub(crate) fn filtered(mut self, text: &str) -> Self {
        if !text.is_empty() {
            text.clone_into(&mut self.filter);
            self.narrow();
        }
        self
    }

    /// A click chooses a row, the wheel moves.
    pub(super) fn mouse(&mut self, event: MouseEvent) -> Outcome {
        match event.action {
            Action::Press(Button::WheelUp) => self.chosen = self.chosen.saturating_sub(1),
            Action::Press(Button::WheelDown) => self.go(self.chosen + 1),
            Action::Press(Button::Left) if event.row > 0 => {
                let at = self.first.get() + usize::from(event.row) - 1;
                if at < self.fitting.len() && event.row < self.end.get() {
                    self.chosen = at;
                    return self.key(Key::plain(Code::Enter));
                }
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn go(&mut self, to: usize) {
        self.chosen = to.min(self.fitting.len().saturating_sub(1));
    }

    fn narrow(&mut self) {
        let words: Vec<String> = self.filter.split_whitespace().map(str::to_lowercase).collect();
        let atoms = self.filter.split_whitespace().map(pattern).collect::<Vec<_>>();
        let mut scored: Vec<(u32, usize)> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let detail = row.detail.to_lowercase();
            let mut buffer = Vec::new();
            let text = Utf32Str::new(&row.text, &mut buffer);
            // The letters of any word occur somewhere in a sentence: there the word must occur as it is.
            let score = |(atom, word): (&Pattern, &String)| {
                let fits = atom.score(text, &mut self.matcher).map(|score| score + 1);
                fits.or_else(|| detail.contains(word.as_str()).then_some(1))
            };
            let scores: Option<Vec<u32>> = atoms.iter().zip(&words).map(score).collect();
            scored.extend(scores.map(|scores| (scores.into_iter().sum(), at)));
        }
        scored.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
        self.fitting = scored.into_iter().map(|(_, at)| at).collect();
        self.chosen = 0;
    }

    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        mirrors: &BTreeMap<PaneId, Mirror>,
        bottom: u16,
    ) -> TerminalCursor {
        let cols = canvas.size().cols;
        canvas.fill(Rect { col: 0, row: 0, cols, rows: bottom }, &CanvasCell::default());
        let head = canvas.text(0, 1, cols, self.title, canvas.style(ThemePart::Faint));
        let head = canvas.text(0, head + 1, cols, &self.filter, canvas.style(ThemePart::Panel));
        let count = match self.filter.is_empty() {
            true => self.count.unwrap_or(self.rows.len()).to_string(),
            false => format!("{} found", self.fitting.len()),
        };
        let begin = cols.saturating_sub(count.len() as u16 + 1).max(head + 1);
        canvas.text(0, begin, cols, &count, canvas.style(ThemePart::Faint));
        let preview = self.preview().and_then(|pane| mirrors.get(&pane)).filter(|_| bottom > 12);
        let end = if preview.is_some() { bottom / 2 } else { bottom };
        self.rows(canvas, 1, end);
        if self.fitting.is_empty() {
            let words = if self.rows.is_empty() { self.empty } else { "No matches" };
            canvas.text(1, 1, cols, words, canvas.style(ThemePart::Faint));
        }
        if let Some(mirror) = preview {
            show(canvas, mirror, end, bottom);
        }
        TerminalCursor {
            row: 0,
            col: head.min(cols.saturating_sub(1)),
            shape: CursorShape::Bar,
            blinking: true,
            color: None,
        }
    }

    fn rows(&self, canvas: &mut Canvas, begin: u16, end: u16) {
        let cols = canvas.size().cols;
        let room = usize::from(end.saturating_sub(begin)).max(1);
        let first = (self.chosen + 1).saturating_sub(room);
        self.first.set(first);
        self.end.set(end);
        let width = self
            .rows
            .iter()
            .map(|row| row.text.chars().count())
            .max()
            .unwrap_or(0)
            .min(usize::from(cols) / 2);
        for (number, at) in (begin..end).zip(self.fitting.iter().skip(first)) {
            let (row, chosen) = (&self.rows[*at], first + usize::from(number - begin) == self.chosen);
            let style = if chosen { canvas.style(ThemePart::Chosen) } else { canvas.style(ThemePart::Panel) };
            if chosen {
                canvas.fill(Rect { col: 0, row: number, cols, rows: 1 }, &CanvasCell::blank(style));
            }
            let after = canvas.truncated_text(number, 1, cols, &row.text, style);
            let detail = after.max(width as u16 + 1) + 2;
            let faint = if chosen { style } else { canvas.style(ThemePart::Faint) };
            canvas.truncated_text(number, detail, cols, &row.detail, faint);
        }
    }
}

fn pattern(word: &str) -> Pattern {
    Pattern::parse(word, CaseMatching::Smart, Normalization::Smart)
}

/// Draws the end of a screen, below a line.
fn show(canvas: &mut Canvas, mirror: &Mirror, line: u16, bottom: u16) {
    let cols = canvas.size().cols;
    canvas.fill(
        Rect { col: 0, row: line, cols, rows: 1 },
        &CanvasCell::of('─', canvas.style(ThemePart::Border)),
    );
    let used = mirror.rows.iter().rposition(|row| !row.spans.is_empty()).map_or(0, |at| at + 1);
    let room = usize::from(bottom - line - 1);
    for (row, view) in (line + 1..bottom).zip(&mirror.rows[used.saturating_sub(room)..]) {
        canvas.view(row, (0, cols), 0, view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_a_limit() {
        let mut list = List::new("", Vec::new(), 0);
        list.narrow_by("a".repeat(LONGEST - 1).chars());
        list.narrow_by("bc".chars());
        assert_eq!(list.filter.len(), LONGEST);
        assert!(list.filter.ends_with("ab"));
    }

    #[test]
    fn letters_match_names_and_whole_words_match_sentences() {
        let row = |text: &str, detail: &str| ListRow {
            text: text.into(),
            detail: detail.into(),
            command: String::new(),
            pane: None,
        };
        let rows =
            [row("subscribe-events", "Stream what happens, from an event on"), row("zoom-pane", "Fill it")];
        let found = |filter: &str| {
            let list =
                List::new("", rows.iter().map(|of| row(&of.text, &of.detail)).collect(), 0).filtered(filter);
            list.fitting
        };
        assert_eq!(found("zmp"), [1]);
        assert_eq!(found("fill zoom"), [1]);
        assert_eq!(found("STREAM"), [0]);
        assert_eq!(found("strm"), [] as [usize; 0], "letters of a sentence are not a word");
    }

    #[test]
    fn a_renewed_list_keeps_its_selection_or_goes_to_the_row_of_its_pane() {
        let pane = |number: u8| Some(PaneId::from_bytes([number; 16]));
        let row = |command: &str, pane: Option<PaneId>| ListRow {
            text: command.into(),
            detail: String::new(),
            command: command.into(),
            pane,
        };
        let list = |rows: &[(&str, u8)]| {
            List::new("", rows.iter().map(|(command, number)| row(command, pane(*number))).collect(), 0)
        };
        let mut open = list(&[("go 1", 1), ("answer a 1", 1), ("go 2", 2)]);
        open.chosen = 1;
        let chosen = |list: &List| list.row().map(|row| row.command.clone());
        open.renew(list(&[("go 2", 2), ("answer b 1", 2), ("go 1", 1), ("answer a 1", 1)]));
        assert_eq!(chosen(&open).as_deref(), Some("answer a 1"));
        open.renew(list(&[("go 2", 2), ("go 1", 1), ("answer c 1", 1)]));
        assert_eq!(chosen(&open).as_deref(), Some("go 1"), "it is another question");
        open.renew(list(&[("go 2", 2)]));
        assert_eq!(chosen(&open).as_deref(), Some("go 2"));
    }
}
