//! Characters that are shown where they were typed before their echo arrives, for daemons that are far away.
//!
//! A prediction is shown only after an earlier one of the same line has come true, so what a program does not echo
//! (a password, a command of vi) does not appear. Every key that is not a character starts over, and so does anything
//! else that happens to the line.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_screen::Mirror;
use fugue_screen::keys::{Code, Key, Mods};
use unicode_width::UnicodeWidthChar;

/// Echoes that take longer than this are predicted: anything shorter is hardly felt.
const SLOW: Duration = Duration::from_millis(30);

/// A prediction that has not come true by then is wrong; on a slower line, four times the usual delay.
const MIN_PATIENCE: Duration = Duration::from_secs(1);

/// The most characters that are predicted: more than fit on a row.
const MAX_TYPED: usize = 512;

/// A character whose echo has not arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TypedChar {
    col: u16,
    c: char,
    /// What was there before: the same character is no evidence of an echo.
    before: Option<char>,
    at: Instant,
}

/// The characters of one row of one pane whose echo has not arrived.
#[derive(Debug, Default)]
pub(crate) struct EchoPrediction {
    place: Option<(PaneId, u16)>,
    /// The text of the row up to the first of them, or to where the next one is expected.
    line: String,
    typed: VecDeque<TypedChar>,
    /// Whether a prediction has come true since the last key that was not a character.
    is_reliable: bool,
    /// How long echoes take, on average.
    delay: Option<Duration>,
}

/// What is shown of a prediction, in cells of the pane.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PredictedText {
    pub(crate) row: u16,
    pub(crate) col: u16,
    pub(crate) text: String,
}

impl EchoPrediction {
    /// Predicts the echo of a key that was typed into a pane. Returns the row that shows something else now.
    pub(crate) fn type_key(&mut self, pane: PaneId, key: Key, mirror: &Mirror, now: Instant) -> Option<u16> {
        let Some(c) = character(key).filter(|_| mirror.cursor.visible) else { return self.reset() };
        if self.place.is_some_and(|place| place != (pane, mirror.cursor.row)) || !self.is_same_line(mirror) {
            self.reset();
        }
        let col = self.typed.back().map_or(mirror.cursor.col, |last| last.col + 1);
        // Nobody knows what a program does in the last column.
        if col + 1 >= mirror.size.cols || self.typed.len() >= MAX_TYPED {
            return self.reset();
        }
        let row = mirror.cursor.row;
        if self.place.replace((pane, row)).is_none() {
            self.line = text_before(mirror, row, col);
        }
        self.typed.push_back(TypedChar { col, c, before: char_at(mirror, row, col), at: now });
        Some(row)
    }

    /// Compares the predictions with a new screen of a pane. Returns the row that shows something else now.
    pub(crate) fn check(&mut self, pane: PaneId, mirror: &Mirror, now: Instant) -> Option<u16> {
        let (_, row) = self.place.filter(|(place, _)| *place == pane)?;
        if mirror.cursor.row != row || !self.is_same_line(mirror) {
            return self.reset();
        }
        let has_passed = |typed: &TypedChar| mirror.cursor.col > typed.col;
        let mut changed = None;
        while let Some(first) = self.typed.front().copied().filter(has_passed) {
            if char_at(mirror, row, first.col) != Some(first.c) {
                return self.reset();
            }
            self.typed.pop_front();
            self.line.push(first.c);
            if first.before != Some(first.c) {
                self.is_reliable = true;
                let took = now.saturating_duration_since(first.at);
                self.delay = Some(self.delay.map_or(took, |delay| (delay * 7 + took) / 8));
            }
            changed = Some(row);
        }
        changed
    }

    /// Whether a screen still has the line that was typed into: the same text, and the cursor after it.
    fn is_same_line(&self, mirror: &Mirror) -> bool {
        let Some((_, row)) = self.place else { return true };
        let col = self.line.chars().count() as u16;
        let is_in_place = mirror.cursor.col == col || mirror.cursor.col > col && !self.typed.is_empty();
        is_in_place && text_before(mirror, row, col) == self.line
    }

    /// Forgets all predictions. Returns the row that showed them.
    pub(crate) fn reset(&mut self) -> Option<u16> {
        self.is_reliable = false;
        self.line.clear();
        self.typed.clear();
        self.place.take().map(|(_, row)| row)
    }

    /// The pane whose echoes are predicted.
    pub(crate) fn pane(&self) -> Option<PaneId> {
        self.place.map(|(pane, _)| pane)
    }

    /// When the oldest prediction is wrong.
    pub(crate) fn due(&self) -> Option<Instant> {
        let patience = self.delay.map_or(MIN_PATIENCE, |delay| MIN_PATIENCE.max(delay * 4));
        self.typed.front().map(|first| first.at + patience)
    }

    /// Whether echoes take so long that predictions help.
    pub(crate) fn is_slow(&self) -> bool {
        self.delay.is_some_and(|delay| delay >= SLOW)
    }

    /// What to show in a pane.
    pub(crate) fn shown(&self, pane: PaneId) -> Option<PredictedText> {
        let (_, row) = self.place.filter(|(place, _)| *place == pane && self.is_reliable)?;
        let first = self.typed.front()?;
        Some(PredictedText { row, col: first.col, text: self.typed.iter().map(|typed| typed.c).collect() })
    }
}

/// The character that a key types, if it takes one column.
fn character(key: Key) -> Option<char> {
    let Key { code: Code::Char(c), mods } = key else { return None };
    let is_plain = mods == Mods { shift: mods.shift, ..Mods::default() };
    Some(c).filter(|c| is_plain && c.width() == Some(1))
}

/// The characters of a row before a column, one for each column.
fn text_before(mirror: &Mirror, row: u16, col: u16) -> String {
    (0..col).map(|col| char_at(mirror, row, col).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The character in a cell of a screen.
fn char_at(mirror: &Mirror, row: u16, col: u16) -> Option<char> {
    let mut left = usize::from(col);
    for span in &mirror.rows.get(usize::from(row))?.spans {
        if left < span.columns() {
            let plain = span.width == 1 && !span.cluster;
            return span.text.chars().nth(left).filter(|_| plain);
        }
        left -= span.columns();
    }
    Some(' ')
}

#[cfg(test)]
mod tests {
    use fugue_screen::{RowView, Size, Span};

    use super::*;

    const LATER: Duration = Duration::from_millis(100);

    fn pane() -> PaneId {
        PaneId::from_bytes([1; 16])
    }

    /// A screen of two rows with this text, and the cursor after it.
    fn screen(text: &str) -> Mirror {
        let span = Span { text: text.into(), width: 1, ..Span::default() };
        let mut mirror = Mirror { size: Size { cols: 10, rows: 2 }, ..Mirror::default() };
        mirror.rows = vec![RowView { spans: vec![span], wrapped: false }, RowView::default()];
        mirror.cursor.col = text.len() as u16;
        mirror.cursor.visible = true;
        mirror
    }

    fn typed(prediction: &mut EchoPrediction, text: &str, mirror: &Mirror) -> Option<u16> {
        let now = Instant::now();
        let mut type_one = |c| prediction.type_key(pane(), Key::plain(Code::Char(c)), mirror, now);
        text.chars().map(&mut type_one).last().flatten()
    }

    fn shown(prediction: &EchoPrediction) -> String {
        prediction.shown(pane()).map_or(String::new(), |shown| format!("{} {}", shown.col, shown.text))
    }

    #[test]
    fn after_one_echo_the_following_characters_are_shown_at_once() {
        let mut prediction = EchoPrediction::default();
        typed(&mut prediction, "abc", &screen("$ "));
        assert_eq!(shown(&prediction), "", "the program may echo nothing");
        assert_eq!(prediction.check(pane(), &screen("$ a"), Instant::now() + LATER), Some(0));
        assert_eq!(shown(&prediction), "3 bc");
        assert!(prediction.is_slow());
        typed(&mut prediction, "d", &screen("$ a"));
        assert_eq!(shown(&prediction), "3 bcd");
        prediction.check(pane(), &screen("$ abcd"), Instant::now() + LATER);
        assert_eq!(shown(&prediction), "");
        assert_eq!(prediction.due(), None);
    }

    #[test]
    fn another_line_in_the_same_row_starts_over() {
        let mut prediction = EchoPrediction::default();
        typed(&mut prediction, "a", &screen("$ "));
        prediction.check(pane(), &screen("$ a"), Instant::now());
        // The screen scrolled: the row is the same, the line is not. Its length may be the same, too.
        for prompt in ["pw: ", "pw:"] {
            prediction.check(pane(), &screen(prompt), Instant::now());
            typed(&mut prediction, "secret", &screen(prompt));
            assert_eq!(shown(&prediction), "", "{prompt}");
        }
        typed(&mut prediction, "\u{7}", &screen("$ "));
        typed(&mut prediction, "a", &screen("$ "));
        prediction.check(pane(), &screen("$ a"), Instant::now());
        typed(&mut prediction, "secret", &screen("pw:"));
        assert_eq!(shown(&prediction), "", "without an update in between");
    }

    #[test]
    fn a_character_that_was_there_before_is_no_echo() {
        let mut prediction = EchoPrediction::default();
        let mut word = screen("hello");
        word.cursor.col = 2;
        typed(&mut prediction, "l", &word);
        word.cursor.col = 3;
        prediction.check(pane(), &word, Instant::now());
        typed(&mut prediction, "d", &word);
        assert_eq!(shown(&prediction), "", "vi moved the cursor");
    }

    #[test]
    fn a_wrong_prediction_ends_them() {
        let mut prediction = EchoPrediction::default();
        typed(&mut prediction, "abc", &screen("$ "));
        prediction.check(pane(), &screen("$ a"), Instant::now());
        assert_eq!(
            prediction.check(pane(), &screen("$ a*"), Instant::now()),
            Some(0),
            "the row is drawn again"
        );
        assert_eq!(shown(&prediction), "");
        assert!(!prediction.is_slow(), "it came at once");
    }

    #[test]
    fn a_key_that_is_no_character_starts_over() {
        let mut prediction = EchoPrediction::default();
        let mirror = screen("$ a");
        typed(&mut prediction, "a", &screen("$ "));
        prediction.check(pane(), &mirror, Instant::now());
        typed(&mut prediction, "b", &mirror);
        assert_eq!(shown(&prediction), "3 b");
        prediction.type_key(pane(), Key::plain(Code::Enter), &mirror, Instant::now());
        typed(&mut prediction, "secret", &mirror);
        assert_eq!(shown(&prediction), "", "a password is not shown");
        let ctrl = Key { code: Code::Char('a'), mods: Mods { ctrl: true, ..Mods::default() } };
        prediction.type_key(pane(), ctrl, &mirror, Instant::now());
        assert_eq!(prediction.pane(), None);
    }

    #[test]
    fn nothing_is_predicted_at_the_end_of_a_row_or_for_a_hidden_cursor() {
        let mut prediction = EchoPrediction::default();
        assert_eq!(typed(&mut prediction, "x", &screen("$ 456789a")), None);
        let mut hidden = screen("$ ");
        hidden.cursor.visible = false;
        assert_eq!(typed(&mut prediction, "x", &hidden), None);
        let wide = prediction.type_key(pane(), Key::plain(Code::Char('漢')), &screen("$ "), Instant::now());
        assert_eq!(wide, None);
    }

    #[test]
    fn the_echo_in_another_row_ends_the_predictions() {
        let mut prediction = EchoPrediction::default();
        typed(&mut prediction, "ab", &screen("$ "));
        let mut below = screen("$ ");
        below.cursor.row = 1;
        assert_eq!(prediction.check(pane(), &below, Instant::now()), Some(0));
        assert_eq!(prediction.pane(), None);
    }

    #[test]
    fn an_echo_that_never_comes_is_given_up() {
        let mut prediction = EchoPrediction::default();
        typed(&mut prediction, "a", &screen("$ "));
        let due = prediction.due().expect("a time");
        assert!(due > Instant::now() && due <= Instant::now() + MIN_PATIENCE);
        prediction.reset();
        assert_eq!(prediction.due(), None);
    }
}
