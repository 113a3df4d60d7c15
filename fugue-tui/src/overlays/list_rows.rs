//! Drawing the rows of a list in columns: symbol and text, detail, key. Each column starts at the same place in all rows.

use std::ops::Range;

use fugue_protocol::Rect;
use fugue_screen::{Attrs, Underline};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::list::List;
use super::list_place::ListPlace;
use super::list_row::ListRow;
use crate::paint::Canvas;
use crate::theme::ThemePart;

/// More columns than a terminal has. A title or a name may be longer.
pub(super) const WIDEST: u16 = 10_000;

/// Columns between the columns of a list.
pub(super) const GAP: u16 = 2;

/// The columns of the longest text, with its symbol.
pub(super) fn text_cols(rows: &[ListRow]) -> u16 {
    let sign = |row: &ListRow| if row.sign.is_some() { 2 } else { 0 };
    // Notes and choices have no details, and may be as long as the list is wide.
    let rows = rows.iter().filter(|row| !row.note && row.choice.is_none());
    let cols = rows.map(|row| row.text.width() + sign(row)).max().unwrap_or(0);
    u16::try_from(cols).unwrap_or(u16::MAX).min(WIDEST)
}

/// The least columns of a command after a long text.
const MIN_DETAIL_COLS: u16 = 8;

/// The columns of a list, at the same places in all rows.
#[derive(Clone, Copy)]
struct Columns {
    area: Rect,
    /// The column after the texts, where details begin after a gap.
    texts_end: u16,
    /// The column before the keys.
    end: u16,
    has_details: bool,
    /// Whether long texts take the room of details.
    cuts_details: bool,
}

impl Columns {
    fn of(list: &List, terminal: u16, area: Rect) -> Self {
        let widest = |cols: fn(&ListRow) -> usize| list.rows.iter().map(cols).max().unwrap_or(0) as u16;
        let keys = widest(|row| row.key.width());
        // As at the left, a column is left free at the right.
        let end = (area.col + area.cols).saturating_sub(1 + if keys > 0 { keys + GAP } else { 0 });
        let details = if list.shows_details(terminal) { widest(|row| row.detail.width()) } else { 0 };
        let room = end.saturating_sub(area.col + 1);
        // Short details stay whole; long ones leave at least half of the columns to the texts, and commands more.
        let share = if list.drops_details { room / 5 * 3 } else { room / 2 };
        let most = if details > 0 { room.saturating_sub(details + GAP).max(share) } else { room };
        let texts_end = area.col + 1 + text_cols(&list.rows).min(most);
        Self { area, texts_end, end, has_details: details > 0, cuts_details: list.drops_details }
    }

    /// The column of a row's text.
    fn text_start(&self, line: &ListRow) -> u16 {
        self.area.col + 1 + if line.sign.is_some() { 2 } else { 0 }
    }

    /// The column after the room for a row's text.
    fn text_end(&self, line: &ListRow) -> u16 {
        let needed = self.text_start(line).saturating_add(line.text.width() as u16);
        match (self.has_details && !line.detail.is_empty(), self.cuts_details) {
            (false, _) => self.end,
            (true, true) => needed.min(self.end).max(self.texts_end),
            (true, false) => self.texts_end,
        }
    }

    /// The column of a row's detail, if it has one and there is room.
    fn detail_start(&self, line: &ListRow) -> Option<u16> {
        let start = self.text_end(line) + GAP;
        let is_pushed = start > self.texts_end + GAP;
        let has_room = !is_pushed || start + MIN_DETAIL_COLS <= self.end;
        (self.has_details && !line.detail.is_empty() && has_room).then_some(start)
    }
}

/// Draws the visible rows, and returns how many that can be chosen are below them.
pub(super) fn draw(list: &List, canvas: &mut Canvas, place: ListPlace) -> usize {
    let Rect { row: begin, rows, .. } = place.rows;
    let room = usize::from(rows).max(1);
    // The heading above the first row is seen together with it.
    let first = if list.chosen < room { 0 } else { (list.chosen + 1).saturating_sub(room) };
    list.first.set(first);
    let columns = Columns::of(list, canvas.size().cols, place.rows);
    for (at, index) in list.fitting.iter().enumerate().skip(first).take(room) {
        let row = begin + (at - first) as u16;
        let (line, is_chosen) = (&list.rows[*index], at == list.chosen);
        draw_row(canvas, line, row, (columns, is_chosen));
        let hits = list.hits.get(at).map(Vec::as_slice).unwrap_or_default();
        mark_hits(canvas, line, row, (columns, is_chosen), hits);
        if list.is_marked(line) {
            let part = if is_chosen { ThemePart::Chosen } else { ThemePart::ActiveBorder };
            canvas.text(row, place.rows.col, place.rows.col + 1, "●", canvas.style(part));
        }
    }
    list.fitting.iter().skip(first + room).filter(|index| list.rows[**index].is_choosable()).count()
}

/// Draws the lines between groups of rows, which join the frame.
pub(super) fn draw_lines(list: &List, canvas: &mut Canvas, place: ListPlace) {
    let Rect { row: begin, rows, col, cols } = place.rows;
    let style = canvas.style(ThemePart::ActiveBorder);
    let visible = list.fitting.iter().skip(list.first.get()).take(usize::from(rows));
    for (row, index) in (begin..).zip(visible) {
        if list.rows[*index].heading && list.rows[*index].text.is_empty() {
            let line = format!("├{}┤", "─".repeat(usize::from(cols)));
            canvas.text(row, col - 1, col + cols + 1, &line, style);
        }
    }
}

fn draw_row(canvas: &mut Canvas, line: &ListRow, row: u16, (columns, is_chosen): (Columns, bool)) {
    let Columns { area, end, .. } = columns;
    let style = |canvas: &Canvas, part| canvas.style(if is_chosen { ThemePart::Chosen } else { part });
    if is_chosen {
        let blank = crate::paint::CanvasCell::blank(canvas.style(ThemePart::Chosen));
        canvas.fill(Rect { row, rows: 1, ..area }, &blank);
    }
    if let Some((sign, part)) = line.sign {
        canvas.text(row, area.col + 1, end, &sign.to_string(), canvas.row_style(part, is_chosen));
    }
    let usual = if line.heading { ThemePart::ActiveBorder } else { ThemePart::Panel };
    let (col, text_end) = (columns.text_start(line), columns.text_end(line));
    let text_style = style(canvas, line.part.unwrap_or(usual));
    canvas.truncated_text(row, col, text_end, &line.text, text_style);
    if let Some((cols, part)) = line.lead.filter(|_| !is_chosen) {
        recolor(canvas, row, col..text_end.min(col + cols as u16), part);
    }
    for at in (col..text_end).take(line.bold) {
        canvas.restyle(row, at, |style| style.attrs.insert(Attrs::BOLD));
    }
    draw_detail(canvas, line, row, (columns, is_chosen));
    let key_col = (area.col + area.cols).saturating_sub(line.key.width() as u16 + 1);
    canvas.text(row, key_col, area.col + area.cols, &line.key, style(canvas, ThemePart::ActiveBorder));
}

/// Draws a detail, its first columns in their own colors.
fn draw_detail(canvas: &mut Canvas, line: &ListRow, row: u16, (columns, is_chosen): (Columns, bool)) {
    let Some(begin) = columns.detail_start(line) else { return };
    let rest = if line.colors.is_empty() { ThemePart::Faint } else { ThemePart::Panel };
    let rest = canvas.style(if is_chosen { ThemePart::Chosen } else { rest });
    canvas.truncated_text(row, begin, columns.end, &line.detail, rest);
    let mut col = begin;
    for (cols, part) in &line.colors {
        let (end, style) = (col + *cols as u16, canvas.row_style(*part, is_chosen));
        (col..end.min(columns.end)).for_each(|col| canvas.restyle(row, col, |cell| *cell = style));
        col = end;
    }
}

/// Gives columns of a row another part of the theme.
pub(super) fn recolor(canvas: &mut Canvas, row: u16, cols: Range<u16>, part: ThemePart) {
    let style = canvas.style(part);
    cols.for_each(|col| canvas.restyle(row, col, |cell| *cell = style));
}

/// Underlines the characters of a text that the filter found.
fn mark_hits(
    canvas: &mut Canvas,
    line: &ListRow,
    row: u16,
    (columns, is_chosen): (Columns, bool),
    hits: &[u32],
) {
    let (begin, end) = (columns.text_start(line), columns.text_end(line));
    let color = canvas.style(ThemePart::ActiveBorder);
    let mut col = begin;
    for (at, piece) in (0u32..).zip(line.text.graphemes(true)) {
        if hits.contains(&at) && col < end {
            canvas.restyle(row, col, |cell| {
                cell.underline = Underline::Single;
                if !is_chosen {
                    (cell.fg, cell.bg) = (color.fg, color.bg);
                }
            });
        }
        col += piece.width() as u16;
    }
}
