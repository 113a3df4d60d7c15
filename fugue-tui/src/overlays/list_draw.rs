//! Drawing a list: a frame with its title and its keys, the filter, the visible rows, and a preview of what is selected.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::{CursorShape, Mirror};
use unicode_width::UnicodeWidthStr;

use super::list::List;
use super::list_foot;
use super::list_place::{ListContent, ListPlace};
use super::list_row::ListRow;
use super::list_rows::{self, GAP, WIDEST, text_cols};
use crate::draw;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::text_wrap::wrapped;
use crate::theme::ThemePart;

/// What is before a filter.
const CARET: &str = "> ";

impl List {
    /// Draws the list over the panes, and returns its cursor.
    pub(super) fn draw(
        &self,
        canvas: &mut Canvas,
        mirrors: &BTreeMap<PaneId, Mirror>,
        bottom: u16,
    ) -> Option<TerminalCursor> {
        let room = Size::new(canvas.size().cols, bottom);
        let content = ListContent {
            cols: content_cols(self, room.cols),
            rows: self.rows.len(),
            has_filter: self.shows_filter(),
            has_previews: self.rows.iter().any(ListRow::has_preview),
            previews: self.row().is_some_and(ListRow::has_preview),
        };
        self.place.set(ListPlace::new(room, content, self.anchor));
        draw(self, canvas, mirrors, bottom)
    }
}

/// The columns that all rows need in a terminal of this width.
fn content_cols(list: &List, terminal: u16) -> u16 {
    let detail = |row: &ListRow| if list.shows_details(terminal) { row.detail.width() } else { 0 };
    let widest = |cols: &dyn Fn(&ListRow) -> usize| list.rows.iter().map(cols).max().unwrap_or(0);
    let with_gap = |cols: usize| if cols > 0 { cols + usize::from(GAP) } else { 0 };
    let empty = if list.rows.is_empty() { list.empty.width() } else { 0 };
    // The keys share their line with the number of the row.
    let foot = list.foot_text(0).width() + 12;
    let text = usize::from(text_cols(&list.rows));
    let rows = text + with_gap(widest(&detail)) + with_gap(widest(&|row| row.key.width()));
    // No terminal is wider.
    u16::try_from(rows.max(empty).max(foot) + 2).unwrap_or(u16::MAX).min(WIDEST)
}

/// Draws the list at its place, and returns the cursor, which is in the filter.
fn draw(
    list: &List,
    canvas: &mut Canvas,
    mirrors: &BTreeMap<PaneId, Mirror>,
    bottom: u16,
) -> Option<TerminalCursor> {
    let place = list.place.get();
    dim_behind(canvas, bottom);
    canvas.fill(place.outer, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    let hidden = list_rows::draw(list, canvas, place);
    if place.framed {
        draw::frame(canvas, place.outer, &list.title);
        list_rows::draw_lines(list, canvas, place);
        list_foot::draw(list, canvas, place.outer, hidden);
    }
    let cursor = (list.shows_filter() || !place.framed).then(|| draw_filter(list, canvas, place));
    if list.fitting.is_empty() {
        let words = if list.rows.is_empty() { &list.empty } else { "No matches" };
        let Rect { col, row, cols, .. } = place.rows;
        canvas.truncated_text(row, col + 1, col + cols, words, canvas.style(ThemePart::Faint));
    }
    if let Some(rect) = place.preview {
        draw_preview(list, canvas, mirrors, rect, place.framed);
    }
    let (row, col) = (place.filter_row(), cursor?);
    Some(TerminalCursor { row, col, shape: CursorShape::Bar, blinking: true, color: None })
}

/// Takes the colors from what is behind a box, so that the box stands out.
fn dim_behind(canvas: &mut Canvas, bottom: u16) {
    let behind = canvas.style(ThemePart::Behind);
    for row in 0..bottom {
        (0..canvas.size().cols).for_each(|col| canvas.restyle(row, col, |style| *style = behind));
    }
}

/// Draws the filter, and returns the column after it.
fn draw_filter(list: &List, canvas: &mut Canvas, place: ListPlace) -> u16 {
    let (row, begin) = (place.filter_row(), place.rows.col + 1);
    let end = place.rows.col + place.rows.cols;
    let mut col = begin;
    if !place.framed {
        col = canvas.text(row, col, end, &format!("{} ", list.title), canvas.style(ThemePart::Faint));
        let position = list.position_text();
        let at = end.saturating_sub(position.width() as u16 + 1).max(col);
        canvas.text(row, at, end, &position, canvas.style(ThemePart::Faint));
    }
    if list.shows_filter() {
        col = canvas.text(row, col, end, CARET, canvas.style(ThemePart::ActiveBorder));
    }
    if list.filter.is_empty() && list.shows_filter() {
        canvas.text(row, col, end, "type to filter", canvas.style(ThemePart::Faint));
    }
    canvas.text(row, col, end, &list.filter, canvas.style(ThemePart::Panel)).min(end.saturating_sub(1))
}

/// Draws the preview of the selected row, below a line that names it.
fn draw_preview(
    list: &List,
    canvas: &mut Canvas,
    mirrors: &BTreeMap<PaneId, Mirror>,
    rect: Rect,
    framed: bool,
) {
    let line = CanvasCell::of('─', canvas.style(ThemePart::Border));
    canvas.fill(Rect { row: rect.row - 1, rows: 1, ..rect }, &line);
    let (begin, end) = (rect.col, rect.col + rect.cols);
    if framed {
        let style = canvas.style(ThemePart::ActiveBorder);
        canvas.text(rect.row - 1, begin - 1, begin, "├", style);
        canvas.text(rect.row - 1, end, end + 1, "┤", style);
    }
    let name = format!(" {} ", list.preview_name());
    canvas.truncated_text(rect.row - 1, begin + 1, end - 1, &name, canvas.style(ThemePart::Faint));
    match (list.row(), list.preview().and_then(|pane| mirrors.get(&pane))) {
        (_, Some(mirror)) => draw_screen(canvas, mirror, rect),
        (Some(row), None) => draw_text(canvas, &row.preview_text, rect),
        (None, None) => {}
    }
}

/// Draws the end of a pane's screen.
fn draw_screen(canvas: &mut Canvas, mirror: &Mirror, rect: Rect) {
    let used = mirror.rows.iter().rposition(|row| !row.spans.is_empty()).map_or(0, |at| at + 1);
    let skipped = used.saturating_sub(usize::from(rect.rows));
    for (row, view) in (rect.row..rect.row + rect.rows).zip(&mirror.rows[skipped..]) {
        canvas.view(row, (rect.col + 1, rect.col + rect.cols - 1), 0, view);
    }
}

/// Draws the beginning of a text, and how many rows of it are out of sight unless it was cut already.
fn draw_text(canvas: &mut Canvas, text: &str, rect: Rect) {
    let (begin, end) = (rect.col + 1, rect.col + rect.cols - 1);
    let lines: Vec<String> =
        text.lines().flat_map(|line| wrapped(line, usize::from(end.saturating_sub(begin)))).collect();
    let room = usize::from(rect.rows);
    let shown = if lines.len() > room { room - 1 } else { lines.len() };
    let mut row = rect.row;
    for line in &lines[..shown] {
        canvas.text(row, begin, end, line, canvas.style(ThemePart::Panel));
        row += 1;
    }
    if shown < lines.len() {
        let more = match text.ends_with('…') {
            true => "… more".to_owned(),
            false => format!("… {} more rows", lines.len() - shown),
        };
        canvas.text(row, begin, end, &more, canvas.style(ThemePart::Faint));
    }
}
