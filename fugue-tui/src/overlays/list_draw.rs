//! Drawing a list: a frame with its title, the filter, the visible rows, and a preview of the selected pane.

use std::collections::BTreeMap;

use fugue_protocol::{PaneId, Rect};
use fugue_screen::{CursorShape, Mirror};
use unicode_width::UnicodeWidthStr;

use super::list::{List, ListRow};
use super::list_place::ListPlace;
use crate::draw;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;

/// Columns between a row's text and its detail.
const GAP: u16 = 2;

/// The columns that all rows need.
pub(super) fn content_cols(list: &List) -> u16 {
    let details = list.rows.iter().map(|row| row.detail.width()).max().unwrap_or(0);
    let details = if details > 0 { details as u16 + GAP } else { 0 };
    let empty = if list.rows.is_empty() { list.empty.width() as u16 } else { 0 };
    (text_cols(&list.rows) + details).max(empty) + 2
}

/// The columns of the longest text, with its symbol.
fn text_cols(rows: &[ListRow]) -> u16 {
    let sign = |row: &ListRow| if row.sign.is_some() { 2 } else { 0 };
    rows.iter().map(|row| row.text.width() + sign(row)).max().unwrap_or(0) as u16
}

/// Draws the list at its place, and returns the cursor.
pub(super) fn draw(list: &List, canvas: &mut Canvas, mirrors: &BTreeMap<PaneId, Mirror>) -> TerminalCursor {
    let place = list.place.get();
    canvas.fill(place.outer, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    let hidden = draw_rows(list, canvas, place);
    if place.framed {
        draw::frame(canvas, place.outer, list.title);
        frame_notes(list, canvas, place.outer, hidden);
    }
    let col = draw_filter(list, canvas, place);
    if list.fitting.is_empty() {
        let words = if list.rows.is_empty() { &list.empty } else { "No matches" };
        let Rect { col, row, cols, .. } = place.rows;
        canvas.truncated_text(row, col + 1, col + cols, words, canvas.style(ThemePart::Faint));
    }
    if let Some(rect) = place.preview {
        draw_preview(canvas, list.preview().and_then(|pane| mirrors.get(&pane)), rect, place.framed);
    }
    let row = place.filter_row();
    TerminalCursor { row, col, shape: CursorShape::Bar, blinking: true, color: None }
}

/// Draws what the frame says besides the title: the count above, and below how many rows are out of sight.
fn frame_notes(list: &List, canvas: &mut Canvas, outer: Rect, hidden: usize) {
    let style = canvas.style(ThemePart::Faint);
    let mut right = |row: u16, text: &str| {
        let col = (outer.col + outer.cols).saturating_sub(text.width() as u16 + 4);
        canvas.text(row, col, outer.col + outer.cols, &format!(" {text} "), style);
    };
    right(outer.row, &list.count_text());
    let bottom = outer.row + outer.rows - 1;
    let more = if hidden > 0 { format!("{hidden} more") } else { String::new() };
    if hidden > 0 {
        right(bottom, &more);
    }
    let (foot, room) = (list.foot_text(), outer.cols.saturating_sub(more.width() as u16 + 6));
    if !foot.is_empty() {
        canvas.truncated_text(bottom, outer.col + 2, outer.col + room, &format!(" {foot} "), style);
    }
}

/// Draws the filter, and returns the column after it.
fn draw_filter(list: &List, canvas: &mut Canvas, place: ListPlace) -> u16 {
    let (row, begin) = (place.filter_row(), place.rows.col + 1);
    let end = place.rows.col + place.rows.cols;
    let mut col = begin;
    if !place.framed {
        col = canvas.text(row, col, end, &format!("{}: ", list.title), canvas.style(ThemePart::Faint));
        let count = list.count_text();
        let at = end.saturating_sub(count.width() as u16 + 1).max(col);
        canvas.text(row, at, end, &count, canvas.style(ThemePart::Faint));
    }
    if list.filter.is_empty() && !list.rows.is_empty() {
        canvas.text(row, col, end, "type to filter", canvas.style(ThemePart::Faint));
    }
    canvas.text(row, col, end, &list.filter, canvas.style(ThemePart::Panel)).min(end.saturating_sub(1))
}

/// Draws the visible rows, and returns how many are below them.
fn draw_rows(list: &List, canvas: &mut Canvas, place: ListPlace) -> usize {
    let Rect { row: begin, rows, .. } = place.rows;
    let room = usize::from(rows).max(1);
    let first = (list.chosen + 1).saturating_sub(room);
    // The heading above the first row is seen together with it.
    let first = if list.chosen < room { 0 } else { first };
    list.first.set(first);
    // Short details stay whole; long ones leave at least half of the columns to the texts.
    let details = list.rows.iter().map(|row| row.detail.width()).max().unwrap_or(0) as u16;
    let most = place.rows.cols.saturating_sub(details + GAP + 2).max(place.rows.cols / 2);
    let texts = text_cols(&list.rows).min(most);
    for (at, index) in list.fitting.iter().enumerate().skip(first).take(room) {
        let row = begin + (at - first) as u16;
        let line = &list.rows[*index];
        draw_row(canvas, line, row, place.rows, (texts, at == list.chosen));
        if list.is_marked(line) {
            let part = if at == list.chosen { ThemePart::Chosen } else { ThemePart::ActiveBorder };
            canvas.text(row, place.rows.col, place.rows.col + 1, "●", canvas.style(part));
        }
    }
    list.fitting.len().saturating_sub(first + room)
}

fn draw_row(canvas: &mut Canvas, line: &ListRow, row: u16, area: Rect, (texts, chosen): (u16, bool)) {
    let style = |canvas: &Canvas, part| canvas.style(if chosen { ThemePart::Chosen } else { part });
    if chosen {
        let blank = CanvasCell::blank(canvas.style(ThemePart::Chosen));
        canvas.fill(Rect { row, rows: 1, ..area }, &blank);
    }
    let (mut col, end) = (area.col + 1, area.col + area.cols);
    if let Some((sign, part)) = line.sign {
        canvas.text(row, col, end, &sign.to_string(), style(canvas, part));
        col += 2;
    }
    let part = if line.heading { ThemePart::ActiveBorder } else { ThemePart::Panel };
    let after = canvas.truncated_text(row, col, end, &line.text, style(canvas, part));
    let detail = after.max(area.col + 1 + texts) + GAP;
    canvas.truncated_text(row, detail, end, &line.detail, style(canvas, ThemePart::Faint));
}

/// Draws the end of a screen, below a line.
fn draw_preview(canvas: &mut Canvas, mirror: Option<&Mirror>, rect: Rect, framed: bool) {
    let line = CanvasCell::of('─', canvas.style(ThemePart::Border));
    let edge = u16::from(framed);
    canvas.fill(Rect { row: rect.row - 1, rows: 1, ..rect }, &line);
    if framed {
        let style = canvas.style(ThemePart::ActiveBorder);
        canvas.text(rect.row - 1, rect.col - edge, rect.col, "├", style);
        canvas.text(rect.row - 1, rect.col + rect.cols, rect.col + rect.cols + edge, "┤", style);
    }
    let Some(mirror) = mirror else { return };
    let used = mirror.rows.iter().rposition(|row| !row.spans.is_empty()).map_or(0, |at| at + 1);
    let skipped = used.saturating_sub(usize::from(rect.rows));
    for (row, view) in (rect.row..rect.row + rect.rows).zip(&mirror.rows[skipped..]) {
        canvas.view(row, (rect.col, rect.col + rect.cols), 0, view);
    }
}
