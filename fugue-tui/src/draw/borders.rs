//! Borders: every cell of a window that no pane covers. Where borders meet, the character joins them.

use fugue_protocol::views::{PaneView, WindowView};
use fugue_protocol::{PaneId, Rect, Size};

use super::panes::ViewOrigin;
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The character for each set of neighbors that are borders, as bits: above, below, left, right.
const JOINTS: [char; 16] = ['·', '│', '│', '│', '─', '┘', '┐', '┤', '─', '└', '┌', '├', '─', '┴', '┬', '┼'];

/// Draws the borders, those around the active pane in its color, and the panes' titles on them.
pub(super) fn draw(canvas: &mut Canvas, tree: &Tree, window: &WindowView, origin: ViewOrigin, room: Size) {
    if tree.title_rows() == 0 && (window.zoomed || window.panes.len() < 2) {
        return;
    }
    let lines = BorderMap::of(window);
    let active = ActiveBorder::of(window);
    for (row, col) in lines.cells(|row| row >= origin.row && canvas.draws(row - origin.row)) {
        let own = active.as_ref().is_some_and(|active| active.has(row, col));
        let part = if own { ThemePart::ActiveBorder } else { ThemePart::Border };
        let joint = lines.joint(row, col);
        // A thin line of another color is easily missed where nothing else shows which of two panes is active.
        let shared = own && active.as_ref().is_some_and(|active| active.other.is_some());
        let cell = CanvasCell::of(if shared { heavy(joint) } else { joint }, canvas.style(part));
        if let Some((row, col)) = origin.onto(row, col, room) {
            canvas.put(row, col, canvas.size().cols, cell);
        }
    }
    visible_panes(window)
        .for_each(|pane| draw_title(canvas, pane, tree.synced.contains(&pane.pane_id), origin, room));
}

/// The border of the active pane. Two panes share all of their border: the half at the active one's end is its own, as in
/// tmux.
struct ActiveBorder {
    place: Rect,
    /// The other pane, if there are two.
    other: Option<Rect>,
}

impl ActiveBorder {
    fn of(window: &WindowView) -> Option<Self> {
        let place = window.panes.iter().find(|pane| pane.active)?.place;
        let other = match visible_panes(window).collect::<Vec<_>>().as_slice() {
            [one, two] => Some(if one.active { two.place } else { one.place }),
            _ => None,
        };
        Some(Self { place, other })
    }

    fn has(&self, row: u16, col: u16) -> bool {
        let shared = self.other.filter(|other| touches(*other, row, col));
        touches(self.place, row, col) && shared.is_none_or(|other| self.is_own_half(other, row, col))
    }

    /// Whether a cell of the shared border is in the half that the first or the second pane has.
    fn is_own_half(&self, other: Rect, row: u16, col: u16) -> bool {
        let (first, at, middle) = match self.place.row == other.row {
            true => (self.place.col < other.col, row, self.place.row + self.place.rows / 2),
            false => (self.place.row < other.row, col, self.place.col + self.place.cols / 2),
        };
        (at < middle) == first
    }
}

/// The heavy form of a line; joints stay as they are.
fn heavy(joint: char) -> char {
    match joint {
        '│' => '┃',
        '─' => '━',
        joint => joint,
    }
}

/// Whether a border's cell is beside a pane.
fn touches(place: Rect, row: u16, col: u16) -> bool {
    let near = |at: u16, start: u16, cells: u16| at + 1 >= start && at <= start + cells;
    near(row, place.row, place.rows) && near(col, place.col, place.cols)
}

fn draw_title(canvas: &mut Canvas, pane: &PaneView, synced: bool, origin: ViewOrigin, room: Size) {
    let place = pane.place;
    if place.row == 0 || place.cols < 8 {
        return;
    }
    let Some((row, col)) = origin.onto(place.row - 1, place.col + 1, room) else { return };
    let style =
        if pane.active { canvas.style(ThemePart::ActiveBorder) } else { canvas.style(ThemePart::Faint) };
    let end = (col + place.cols - 3).min(room.cols.saturating_sub(1));
    let col = draw_state(canvas, pane, row, col, end);
    let after = canvas.text(
        row,
        col,
        end,
        &format!(" {}{}", super::panes::label(pane), if synced { " ⇉" } else { "" }),
        style,
    );
    canvas.text(row, after, end + 1, " ", style);
}

/// Draws the symbol of the pane's agent state before its name.
fn draw_state(canvas: &mut Canvas, pane: &PaneView, row: u16, col: u16, end: u16) -> u16 {
    let Some(agent) = &pane.agent else { return col };
    let (sign, part) = crate::agents::state_symbol(agent.state);
    canvas.text(row, col, end, &format!(" {sign}"), canvas.style(part))
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
