//! Drawing copy mode over its pane.

use fugue_protocol::{Rect, Size};
use fugue_screen::{CursorShape, RowView, Style, Underline};

use super::CopyMode;
use super::rows::CopyPosition;
use super::search::Match;
use crate::draw::{self, MessageKind, ViewOrigin};
use crate::paint::{Canvas, TerminalCursor};
use crate::theme::ThemePart;

/// Gives a cell the colors and lines of a style. Some themes distinguish matches without colors.
fn highlight(cell: &mut Style, style: Style) {
    (cell.fg, cell.bg) = (style.fg, style.bg);
    cell.attrs.insert(style.attrs);
    if style.underline != Underline::None {
        cell.underline = style.underline;
    }
}

/// Gives a cell the style of the selection, which replaces that of a match; a match is underlined in it.
fn select(cell: &mut Style, style: Style, is_match: bool) {
    let underline = if is_match { Underline::Single } else { style.underline };
    *cell = Style { underline, ..style };
}

/// Whether a match covers a column of a row.
fn is_within((first, last): Match, row: usize, col: usize) -> bool {
    let at = CopyPosition { row, col };
    (first..=last).contains(&at)
}

impl CopyMode {
    /// Draws the visible part of the pane, and the prompt or message on the status line.
    pub(crate) fn draw(
        &self,
        canvas: &mut Canvas,
        place: Rect,
        (origin, room): (ViewOrigin, Size),
        bottom: u16,
    ) -> Option<TerminalCursor> {
        let prompt = self.draw_foot(canvas, bottom);
        let cursor = self.draw_rows(canvas, place, (origin, room));
        prompt.or(cursor)
    }

    /// Draws the rows alone, and returns the cursor.
    pub(crate) fn draw_rows(
        &self,
        canvas: &mut Canvas,
        place: Rect,
        (origin, room): (ViewOrigin, Size),
    ) -> Option<TerminalCursor> {
        let (place, skip) = draw::visible_part(place, origin, room)?;
        let (begin, end) = (place.col, place.col + place.cols);
        let first = self.top + usize::from(skip.row);
        let found = self.matches_between(first..first + usize::from(place.rows));
        for at in 0..place.rows {
            let (number, row) = (first + usize::from(at), place.row + at);
            canvas.view(row, (begin, end), skip.col, self.rows.get(number).unwrap_or(&RowView::default()));
            if !self.colors.is_empty() {
                (begin..end).for_each(|col| canvas.restyle(row, col, |style| self.colors.apply_to(style)));
            }
            self.mark(canvas, number, row, (begin, end, skip.col), &found);
        }
        if self.shows_position {
            let covered = self.last_current_col(&found).checked_sub(skip.col).map(|col| begin + col);
            self.draw_mode(canvas, place, covered.filter(|_| self.cursor().0 == skip.row));
        }
        let (row, col) = self.cursor();
        let (row, col) = (row.checked_sub(skip.row)?, col.checked_sub(skip.col)?);
        let seen = row < place.rows && col < place.cols;
        let (row, col) = (place.row + row, begin + col);
        seen.then_some(TerminalCursor { row, col, shape: CursorShape::Block, blinking: false, color: None })
    }

    /// The cursor, as row and column of the pane.
    pub(crate) fn cursor(&self) -> (u16, u16) {
        let row = u16::try_from(self.position.row.saturating_sub(self.top)).unwrap_or(u16::MAX);
        let last = self.size.cols.saturating_sub(1);
        (row, u16::try_from(self.position.col).unwrap_or(last).min(last))
    }

    /// The last column of the match at the cursor in its row, or else the cursor's.
    fn last_current_col(&self, found: &[Match]) -> u16 {
        let (_, col) = self.cursor();
        let last = match found.iter().find(|(first, _)| self.is_current(*first)) {
            Some((first, last)) if last.row > first.row => self.last_col(first.row),
            Some((_, last)) => last.col,
            None => return col,
        };
        u16::try_from(last).unwrap_or(u16::MAX).min(self.size.cols)
    }

    /// Highlights matches and the selection.
    fn mark(
        &self,
        canvas: &mut Canvas,
        number: usize,
        row: u16,
        (begin, end, skip): (u16, u16, u16),
        found: &[Match],
    ) {
        let seen = |col: usize| {
            let col = u16::try_from(col).ok()?.checked_sub(skip)? + begin;
            (col < end).then_some(col)
        };
        let touches = |(first, last): &&Match| (first.row..=last.row).contains(&number);
        for (first, last) in found.iter().filter(touches) {
            let is_current = self.is_current(*first);
            let part = if is_current { ThemePart::CurrentMatch } else { ThemePart::Match };
            let style = canvas.style(part);
            let begins = if first.row == number { first.col } else { 0 };
            let ends = if last.row == number { last.col } else { self.last_col(number) };
            for col in (begins..=ends).filter_map(seen) {
                canvas.restyle(row, col, |cell| highlight(cell, style));
            }
        }
        if let Some((first, last)) = self.selected(number) {
            let style = canvas.style(ThemePart::Selection);
            for col in first..=last {
                let is_match = found.iter().any(|found| is_within(*found, number, col));
                if let Some(col) = seen(col) {
                    canvas.restyle(row, col, |cell| select(cell, style, is_match));
                }
            }
        }
    }

    /// Draws the mode and the scroll position in the upper right corner, after the number of the match: as much of it as the
    /// pane has room for. If it would cover the cursor or its match, which ends at column `current` of the first row, it is
    /// drawn in the lower right corner.
    fn draw_mode(&self, canvas: &mut Canvas, place: Rect, current: Option<u16>) {
        let (begin, end) = (place.col, place.col + place.cols);
        let past = self.rows.len().saturating_sub(self.height());
        let found = self.match_words().map(|words| format!("{words}  ")).unwrap_or_default();
        let position = format!("[{}/{past}]", past.saturating_sub(self.top));
        let texts = [format!(" {found}copy {position} "), format!(" copy {position} "), position];
        let fits = |text: &&String| text.len() <= usize::from(end - begin);
        let text = texts.iter().find(fits).unwrap_or(&texts[2]);
        let col = end.saturating_sub(text.len() as u16).max(begin);
        let is_covered = current.is_some_and(|current| current >= col);
        let row = if is_covered { place.row + place.rows - 1 } else { place.row };
        canvas.text(row, col, end, text, canvas.style(ThemePart::BarStrong));
    }

    /// Draws the open prompt or the message, and returns the cursor of the prompt.
    fn draw_foot(&self, canvas: &mut Canvas, bottom: u16) -> Option<TerminalCursor> {
        let text = self.foot_text().filter(|_| bottom < canvas.size().rows)?;
        draw::question(canvas, bottom, &format!(" {text}"), MessageKind::Info);
        let last = canvas.size().cols.saturating_sub(1);
        let col = u16::try_from(1 + self.prompt_cols()?).unwrap_or(last).min(last);
        Some(TerminalCursor { row: bottom, col, shape: CursorShape::Bar, blinking: true, color: None })
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::PaneId;

    use super::*;

    /// The first and the last row of a pane after these keys.
    fn drawn(text: &str, keys: &str) -> [String; 2] {
        let size = Size::new(40, 3);
        let mut copy = CopyMode::new(PaneId::from_bytes([0; 16]), text, size, None);
        keys.split(' ').for_each(|key| drop(copy.key(key.parse().unwrap())));
        let mut canvas = Canvas::new(size);
        let place = Rect { row: 0, col: 0, cols: 40, rows: 3 };
        copy.draw(&mut canvas, place, (ViewOrigin::default(), size), 3);
        [0, 2].map(|row| canvas.text_of(row))
    }

    #[test]
    fn the_position_does_not_cover_the_cursor_or_its_match() {
        let text = "one two three four five six seven eight!\nb\nc\nd";
        let end = |keys: &str| drawn(text, keys).map(|row| row.ends_with(" copy [1/1] "));
        assert_eq!(end("g g"), [true, false]);
        assert_eq!(end("g g $"), [false, true], "the cursor is there");
        assert_eq!(drawn(text, "g g $")[0], "one two three four five six seven eight!");
        assert_eq!(end("g g j $"), [true, false]);
        assert_eq!(end("g g / t w o Enter"), [true, false]);
        assert_eq!(end("g g / t w o . * Enter"), [false, true], "the match reaches it");
    }
}
