//! Borders: every cell of a window that no pane covers. Where borders meet, the character joins them.

use fugue_protocol::views::{PaneView, WindowView};
use fugue_protocol::{PaneId, Rect, Size};

use super::border_titles;
use super::view_origin::ViewOrigin;
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The character for each set of neighbors that are borders, as bits: above, below, left, right.
const JOINTS: [char; 16] = ['·', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];

/// Draws the borders, those around the active pane in its color, and the panes' titles on them. While a popup has the
/// keyboard, no pane looks active.
pub(super) fn draw(canvas: &mut Canvas, tree: &Tree, window: &WindowView, origin: ViewOrigin, room: Size) {
    if tree.title_rows() == 0 && (window.zoomed || window.panes.len() < 2) {
        return;
    }
    let (lines, has_keyboard) = (BorderMap::of(window), !tree.shows_popup());
    let active = window.panes.iter().find(|pane| pane.active).map(|pane| pane.place);
    let halves = SharedBorder::of(window).filter(|_| tree.title_rows() == 0);
    for (row, col) in lines.cells(|row| row >= origin.row && canvas.draws(row - origin.row)) {
        let own = has_keyboard
            && active.is_some_and(|place| match &halves {
                Some(border) => border.is_half_of(place, row, col),
                None => touches(place, row, col),
            });
        put(canvas, (row, col), lines.joint(row, col), own, (origin, room));
    }
    if let Some((border, active)) = SharedBorder::of(window).zip(active) {
        let (row, col, arrow) = border.arrow(active);
        put(canvas, (row, col), arrow, has_keyboard, (origin, room));
    }
    for pane in visible_panes(window) {
        border_titles::draw(canvas, tree, pane, (origin, room));
    }
}

/// Draws a cell of a border.
fn put(canvas: &mut Canvas, (row, col): (u16, u16), c: char, own: bool, (origin, room): (ViewOrigin, Size)) {
    let part = if own { ThemePart::ActiveBorder } else { ThemePart::Border };
    let cell = CanvasCell::of(c, canvas.style(part));
    if let Some((row, col)) = origin.onto(row, col, room) {
        canvas.put(row, col, canvas.size().cols, cell);
    }
}

/// The border between the only two panes. As in tmux, its first half belongs to the first pane, so that its color tells
/// which one is active, and an arrow in its middle points at that one.
struct SharedBorder {
    first: Rect,
    second: Rect,
}

impl SharedBorder {
    fn of(window: &WindowView) -> Option<Self> {
        let places: Vec<Rect> = visible_panes(window).map(|pane| pane.place).collect();
        let [first, second] = places.as_slice() else { return None };
        Some(Self { first: *first, second: *second })
    }

    /// Whether the panes are beside each other, and not one above the other.
    fn is_vertical(&self) -> bool {
        self.first.row == self.second.row
    }

    /// Whether a cell of the border is in the half of the active pane.
    fn is_half_of(&self, active: Rect, row: u16, col: u16) -> bool {
        let is_first_half = match self.is_vertical() {
            true => row <= self.first.row + self.first.rows / 2,
            false => col <= self.first.col + self.first.cols / 2,
        };
        is_first_half == (active == self.first)
    }

    /// The arrow, and where it is.
    fn arrow(&self, active: Rect) -> (u16, u16, char) {
        let (first, second, is_first) = (self.first, self.second, self.first == active);
        match self.is_vertical() {
            true => (first.row + first.rows / 2, second.col - 1, if is_first { '◂' } else { '▸' }),
            false => (second.row - 1, first.col + first.cols / 2, if is_first { '▴' } else { '▾' }),
        }
    }
}

/// Whether a border's cell is beside a pane.
fn touches(place: Rect, row: u16, col: u16) -> bool {
    let near = |at: u16, start: u16, cells: u16| at + 1 >= start && at <= start + cells;
    near(row, place.row, place.rows) && near(col, place.col, place.cols)
}

/// The visible panes: all of them, or the zoomed one.
fn visible_panes(window: &WindowView) -> impl Iterator<Item = &PaneView> {
    window.panes.iter().filter(|pane| !window.zoomed || pane.active)
}

/// A map of a window's borders.
pub(super) struct BorderMap {
    cols: u16,
    rows: u16,
    open: Vec<bool>,
}

impl BorderMap {
    pub(super) fn of(window: &WindowView) -> Self {
        let extent =
            |end: fn(&Rect) -> u16| visible_panes(window).map(|pane| end(&pane.place)).max().unwrap_or(0);
        let (cols, rows) = (extent(|place| place.col + place.cols), extent(|place| place.row + place.rows));
        let mut lines = Self { cols, rows, open: vec![true; usize::from(cols) * usize::from(rows)] };
        for place in visible_panes(window).map(|pane| pane.place) {
            for row in place.row..place.row + place.rows {
                let begin = usize::from(row) * usize::from(cols) + usize::from(place.col);
                lines.open[begin..begin + usize::from(place.cols)].fill(false);
            }
        }
        lines
    }

    pub(super) fn is_border(&self, row: u16, col: u16) -> bool {
        row < self.rows
            && col < self.cols
            && self.open[usize::from(row) * usize::from(self.cols) + usize::from(col)]
    }

    /// The border cells in these rows.
    fn cells(&self, rows: impl Fn(u16) -> bool) -> Vec<(u16, u16)> {
        (0..self.rows)
            .filter(|row| rows(*row))
            .flat_map(move |row| (0..self.cols).map(move |col| (row, col)))
            .filter(|(row, col)| self.is_border(*row, *col))
            .collect()
    }

    fn joint(&self, row: u16, col: u16) -> char {
        let above = row > 0 && self.is_border(row - 1, col);
        let left = col > 0 && self.is_border(row, col - 1);
        let bits = usize::from(above)
            | usize::from(self.is_border(row + 1, col)) << 1
            | usize::from(left) << 2
            | usize::from(self.is_border(row, col + 1)) << 3;
        match (bits, self.rows, self.cols) {
            // A border of one cell runs in the direction in which there is no room.
            (0, 1, _) => '│',
            (0, ..) => '─',
            _ => JOINTS[bits],
        }
    }
}

/// Joins the borders that end at the right edge of a window with the line of the sidebar there.
pub(crate) fn join_sidebar(canvas: &mut Canvas, window: &WindowView, origin: ViewOrigin, room: Size) {
    if window.zoomed || window.panes.len() < 2 {
        return;
    }
    let (lines, last) = (BorderMap::of(window), origin.col + room.cols.saturating_sub(1));
    let cell = CanvasCell::of('┤', canvas.style(ThemePart::Border));
    for row in (0..room.rows).filter(|row| lines.is_border(origin.row + row, last)) {
        canvas.put(row, room.cols, canvas.size().cols, cell.clone());
    }
}

/// The pane that ends at a border's cell, and whether the border is vertical: dragging the border resizes that pane.
pub(crate) fn border_at(window: &WindowView, row: u16, col: u16) -> Option<(PaneId, bool)> {
    if window.zoomed || !BorderMap::of(window).is_border(row, col) {
        return None;
    }
    let across =
        |place: &Rect| place.col + place.cols == col && (place.row..place.row + place.rows).contains(&row);
    let along =
        |place: &Rect| place.row + place.rows == row && (place.col..place.col + place.cols).contains(&col);
    let found = |test: &dyn Fn(&Rect) -> bool| {
        window.panes.iter().find(|pane| test(&pane.place)).map(|pane| pane.pane_id)
    };
    found(&across).map(|pane| (pane, true)).or_else(|| found(&along).map(|pane| (pane, false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::{session, tree};

    /// The borders of a window with these panes: `#` for a cell in the color of the active one.
    fn drawn(places: &[Rect], active: usize, size: Size) -> Vec<String> {
        let mut window = session(1, None, 0).windows[0].clone();
        let pane = window.panes[0].clone();
        let panes = places.iter().enumerate();
        let panes = panes.map(|(at, place)| PaneView { place: *place, active: at == active, ..pane.clone() });
        window.panes = panes.collect();
        let mut canvas = Canvas::new(size);
        draw(&mut canvas, &tree(Vec::new()), &window, ViewOrigin::default(), size);
        let style = canvas.style(ThemePart::ActiveBorder);
        let shown = |(col, cell): (u16, &CanvasCell), row| match canvas.char_at(row, col) {
            Some(c @ ('◂' | '▸' | '▴' | '▾')) => c,
            Some('│' | '─' | '├' | '┤') if cell.style == style => '#',
            c => c.unwrap_or(' '),
        };
        let rows =
            (0..size.rows).map(|row| (0..).zip(canvas.row(row)).map(|cell| shown(cell, row)).collect());
        rows.collect()
    }

    fn place(row: u16, col: u16, rows: u16, cols: u16) -> Rect {
        Rect { row, col, rows, cols }
    }

    #[test]
    fn half_of_the_border_between_two_panes_has_the_color_of_the_active_one() {
        let beside = [place(0, 0, 5, 2), place(0, 3, 5, 2)];
        assert_eq!(drawn(&beside, 0, Size::new(5, 5)), ["  #  ", "  #  ", "  ◂  ", "  │  ", "  │  "]);
        assert_eq!(drawn(&beside, 1, Size::new(5, 5)), ["  │  ", "  │  ", "  ▸  ", "  #  ", "  #  "]);
        let above = [place(0, 0, 1, 6), place(2, 0, 1, 6)];
        assert_eq!(drawn(&above, 0, Size::new(6, 3)), ["      ", "###▴──", "      "]);
        assert_eq!(drawn(&above, 1, Size::new(6, 3)), ["      ", "───▾##", "      "]);
    }

    #[test]
    fn more_panes_have_whole_borders_in_the_color_of_the_active_one() {
        let panes = [place(0, 0, 3, 2), place(0, 3, 1, 2), place(2, 3, 1, 2)];
        assert_eq!(drawn(&panes, 0, Size::new(5, 3)), ["  #  ", "  #──", "  #  "]);
    }
}
