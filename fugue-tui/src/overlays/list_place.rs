//! The place of a list: a box over the panes, or the whole room in a small terminal.

use fugue_protocol::{Rect, Size};

/// A smaller terminal shows a list without a frame, over everything.
const MIN_COLS: u16 = 60;
const MIN_ROWS: u16 = 10;

/// The most columns of a box: longer lines are hard to read.
const MAX_COLS: u16 = 110;

/// The least columns of a box: a filter of some length fits.
const MIN_BOX_COLS: u16 = 34;

/// The least columns beside a box; it takes them all where there would be fewer.
const MIN_REST_COLS: u16 = 8;

/// The least rows above and below a box in the middle, together; it takes them all where there would be fewer.
const MIN_REST_ROWS: u16 = 4;

/// The rows of a preview that are worth showing.
const MIN_PREVIEW_ROWS: u16 = 5;

/// Where a list belongs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// In the middle.
    #[default]
    Center,
    /// Beside this cell, at which the person pointed.
    Cell { row: u16, col: u16 },
}

/// What a list holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ListContent {
    pub(super) cols: u16,
    pub(super) rows: usize,
    /// Whether a row is the filter's.
    pub(super) has_filter: bool,
    /// Whether some rows have a preview: then there is room for it.
    pub(super) has_previews: bool,
    /// Whether the selected row has one.
    pub(super) previews: bool,
}

/// The place of a list and its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListPlace {
    /// Everything, with the frame.
    pub(super) outer: Rect,
    pub(super) framed: bool,
    /// The rows of the list.
    pub(super) rows: Rect,
    /// The rows of the preview, if there is one; a line above them separates them from the list.
    pub(super) preview: Option<Rect>,
}

impl ListPlace {
    /// The place of a list in the room above the status line.
    pub(super) fn new(room: Size, content: ListContent, anchor: Anchor) -> Self {
        let framed = room.cols >= MIN_COLS && room.rows >= MIN_ROWS;
        let outer = if framed {
            framed_place(room, content, anchor)
        } else {
            Rect { col: 0, row: 0, cols: room.cols, rows: room.rows }
        };
        let edge = u16::from(framed);
        // Without a frame, the title is in the row of the filter.
        let above = edge + u16::from(content.has_filter || !framed);
        let inside = Rect {
            col: outer.col + edge,
            row: outer.row + above,
            cols: outer.cols - 2 * edge,
            rows: outer.rows.saturating_sub(above + edge),
        };
        let (rows, preview) = split(inside, content, most_preview_rows(room, framed));
        Self { outer, framed, rows, preview }
    }

    /// The row of the filter.
    pub(super) fn filter_row(&self) -> u16 {
        self.outer.row + u16::from(self.framed)
    }

    /// Whether a cell of the terminal is inside.
    pub(super) fn contains(&self, row: u16, col: u16) -> bool {
        let Rect { col: left, row: top, cols, rows } = self.outer;
        (top..top + rows).contains(&row) && (left..left + cols).contains(&col)
    }

    /// The visible row of the list at a row of the terminal.
    pub(super) fn row_at(&self, row: u16) -> Option<usize> {
        let inside = (self.rows.row..self.rows.row + self.rows.rows).contains(&row);
        inside.then(|| usize::from(row - self.rows.row))
    }
}

fn framed_place(room: Size, content: ListContent, anchor: Anchor) -> Rect {
    // A frame, with a margin where there is room, so that the panes stay visible. Lines are short to be read easily, unless
    // that would cut them.
    let wide = (content.cols + 2).min(room.cols / 10 * 9);
    let most = Size::new((room.cols - 4).min(MAX_COLS.max(wide)), room.rows - 2);
    let wanted_rows = content.rows.max(1) + 2 + usize::from(content.has_filter);
    let wanted_rows = u16::try_from(wanted_rows).unwrap_or(u16::MAX);
    let wanted = match content.has_previews {
        true => Size::new(most.cols, wanted_rows.saturating_add(1 + most_preview_rows(room, true))),
        false => Size::new(content.cols + 2, wanted_rows),
    };
    let (cols, rows) = (wanted.cols.clamp(MIN_BOX_COLS, most.cols), wanted.rows.min(most.rows));
    // A few columns of cut text beside a box, or a row above and below it, are only in the way.
    let cols = if room.cols - cols < MIN_REST_COLS { room.cols } else { cols };
    let is_tall = anchor == Anchor::Center && room.rows - rows < MIN_REST_ROWS;
    let rows = if is_tall { room.rows } else { rows };
    let (col, row) = match anchor {
        Anchor::Center => ((room.cols - cols) / 2, (room.rows - rows) / 2),
        Anchor::Cell { row, col } => (col.min(room.cols - cols), row.min(room.rows - rows)),
    };
    Rect { col, row, cols, rows }
}

/// The most rows of a preview, such that at least half of a list that takes all the room is left for its rows. The filter
/// has a row, the line above the preview another; a box has a frame and a margin as well.
fn most_preview_rows(room: Size, framed: bool) -> u16 {
    room.rows.saturating_sub(if framed { 6 } else { 2 }) / 2
}

/// Divides the inside between the list and its preview.
fn split(inside: Rect, content: ListContent, most: u16) -> (Rect, Option<Rect>) {
    let preview = most.min(inside.rows.saturating_sub(2));
    if !content.previews || preview < MIN_PREVIEW_ROWS {
        return (inside, None);
    }
    let list = inside.rows - 1 - preview;
    let preview = Rect { row: inside.row + list + 1, rows: preview, ..inside };
    (Rect { rows: list, ..inside }, Some(preview))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(cols: u16, rows: usize, previews: bool) -> ListContent {
        ListContent { cols, rows, has_filter: true, has_previews: previews, previews }
    }

    #[test]
    fn a_list_is_a_box_in_the_middle_or_at_the_pointer() {
        let room = Size::new(80, 23);
        let place = ListPlace::new(room, content(40, 5, false), Anchor::Center);
        assert_eq!(place.outer, Rect { col: 19, row: 7, cols: 42, rows: 8 });
        assert_eq!(place.rows, Rect { col: 20, row: 9, cols: 40, rows: 5 });
        assert_eq!((place.row_at(9), place.row_at(8), place.row_at(14)), (Some(0), None, None));
        assert!(place.contains(7, 19) && !place.contains(6, 19));
        let corner = ListPlace::new(room, content(40, 5, false), Anchor::Cell { row: 22, col: 79 });
        assert_eq!(corner.outer, Rect { col: 38, row: 15, cols: 42, rows: 8 });
    }

    #[test]
    fn a_long_list_leaves_no_slivers_around_it() {
        let place = ListPlace::new(Size::new(80, 23), content(200, 500, false), Anchor::Center);
        assert_eq!((place.outer, place.framed), (Rect { col: 0, row: 0, cols: 80, rows: 23 }, true));
        let rows = |count| ListPlace::new(Size::new(80, 23), content(40, count, false), Anchor::Center).outer;
        assert_eq!([rows(16).rows, rows(17).rows], [19, 23], "four rows are left, or none");
        let corner =
            ListPlace::new(Size::new(80, 23), content(40, 500, false), Anchor::Cell { row: 9, col: 9 });
        assert_eq!((corner.outer.row, corner.outer.rows), (2, 21), "what was pointed at is seen beside it");
        let small = ListPlace::new(Size::new(59, 23), content(200, 500, false), Anchor::Center);
        assert_eq!((small.outer, small.framed), (Rect { col: 0, row: 0, cols: 59, rows: 23 }, false));
        let previewed = ListPlace::new(Size::new(80, 23), content(30, 4, true), Anchor::Center);
        assert_eq!((previewed.outer.row, previewed.outer.rows), (3, 16), "no larger than it needs to be");
        assert_eq!(previewed.rows.rows, 4);
        assert_eq!(previewed.preview.map(|rect| (rect.row, rect.rows)), Some((10, 8)));
    }

    #[test]
    fn a_preview_leaves_at_least_half_of_the_rows_to_a_long_list() {
        for (cols, rows) in [(80, 23), (120, 34), (200, 49), (50, 23)] {
            let place = ListPlace::new(Size::new(cols, rows), content(30, 40, true), Anchor::Center);
            let preview = place.preview.map_or(0, |rect| rect.rows);
            assert!(preview >= MIN_PREVIEW_ROWS && place.rows.rows >= preview, "{cols}x{rows}: {place:?}");
        }
    }
}
