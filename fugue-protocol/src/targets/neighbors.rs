//! Panes by their position: at an edge or a corner of the window, or beside another pane.

use super::tree::{TargetPane, TargetWindow};
use crate::Rect;

/// The pane of a token such as `{top-left}` or `{left-of}`; the latter is beside `from`, or at the other edge of the window
/// if there is none.
pub(super) fn positioned<'t, 'a>(
    window: &'t TargetWindow<'a>,
    token: &str,
    from: Option<&TargetPane<'a>>,
) -> Option<&'t TargetPane<'a>> {
    let from = from.map(|pane| pane.place);
    match token.trim_start_matches('{').trim_end_matches('}') {
        "left-of" => beside(window, from?, Rect::is_left_of).or_else(|| {
            let end = window.panes.iter().map(|pane| right(pane.place)).max();
            beside(window, from?, |a, b| a.shares_rows(b) && Some(right(a)) == end)
        }),
        "right-of" => beside(window, from?, |a, b| b.is_left_of(a))
            .or_else(|| beside(window, from?, |a, b| a.shares_rows(b) && a.col == 0)),
        "up-of" => beside(window, from?, Rect::is_above).or_else(|| {
            let end = window.panes.iter().map(|pane| bottom(pane.place)).max();
            beside(window, from?, |a, b| a.shares_columns(b) && Some(bottom(a)) == end)
        }),
        "down-of" => beside(window, from?, |a, b| b.is_above(a))
            .or_else(|| beside(window, from?, |a, b| a.shares_columns(b) && a.row == 0)),
        "top" => edge(window, |place| i32::from(place.row)),
        "bottom" => edge(window, |place| -bottom(place)),
        "left" => edge(window, |place| i32::from(place.col)),
        "right" => edge(window, |place| -right(place)),
        "top-left" => edge(window, |place| i32::from(place.row) * FAR + i32::from(place.col)),
        "top-right" => edge(window, |place| i32::from(place.row) * FAR - right(place)),
        "bottom-left" => edge(window, |place| -bottom(place) * FAR + i32::from(place.col)),
        "bottom-right" => edge(window, |place| -bottom(place) * FAR - right(place)),
        _ => None,
    }
}

/// More than any window has columns, so that the row decides first.
const FAR: i32 = 20_000;

fn bottom(place: Rect) -> i32 {
    i32::from(place.row) + i32::from(place.rows)
}

fn right(place: Rect) -> i32 {
    i32::from(place.col) + i32::from(place.cols)
}

/// The first pane with the least distance from an edge.
fn edge<'t, 'a>(window: &'t TargetWindow<'a>, distance: impl Fn(Rect) -> i32) -> Option<&'t TargetPane<'a>> {
    window.panes.iter().min_by_key(|pane| distance(pane.place))
}

fn beside<'t, 'a>(
    window: &'t TargetWindow<'a>,
    from: Rect,
    is_so: impl Fn(Rect, Rect) -> bool,
) -> Option<&'t TargetPane<'a>> {
    window.panes.iter().find(|pane| pane.place != from && is_so(pane.place, from))
}

impl Rect {
    /// Whether it ends at the border on the other's left, at one of the same rows.
    fn is_left_of(self, other: Self) -> bool {
        right(self) + 1 == i32::from(other.col) && self.shares_rows(other)
    }

    /// Whether it ends at the border above the other, at one of the same columns.
    fn is_above(self, other: Self) -> bool {
        bottom(self) + 1 == i32::from(other.row) && self.shares_columns(other)
    }

    fn shares_rows(self, other: Self) -> bool {
        self.row < other.row + other.rows && other.row < self.row + self.rows
    }

    fn shares_columns(self, other: Self) -> bool {
        self.col < other.col + other.cols && other.col < self.col + self.cols
    }
}
