//! The panes of a window, each at its place in the layout. A terminal smaller than the window shows the part with the
//! cursor.

use std::collections::BTreeMap;

use fugue_protocol::views::{Life, PaneView, WindowView, program_in_pane};
use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::{Attrs, Color, Mirror};

use super::borders;
pub(crate) use super::borders::border_at;
use crate::paint::{Canvas, CanvasCell, TerminalCursor};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The window's cell at the upper left corner of the terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ViewOrigin {
    pub(crate) row: u16,
    pub(crate) col: u16,
}

impl ViewOrigin {
    /// The terminal's cell for a window's cell, if it is visible.
    pub(crate) fn onto(self, row: u16, col: u16, room: Size) -> Option<(u16, u16)> {
        let (row, col) = (row.checked_sub(self.row)?, col.checked_sub(self.col)?);
        (row < room.rows && col < room.cols).then_some((row, col))
    }
}

/// The part of a window to show: its beginning, unless the cursor is beyond that.
pub(crate) fn origin(window: &WindowView, mirrors: &BTreeMap<PaneId, Mirror>, room: Size) -> ViewOrigin {
    let active = window.panes.iter().find(|pane| pane.active);
    let Some((pane, mirror)) = active.and_then(|pane| Some((pane, mirrors.get(&pane.pane_id)?))) else {
        return ViewOrigin::default();
    };
    origin_around(window, pane.place.row + mirror.cursor.row, pane.place.col + mirror.cursor.col, room)
}

/// The part of a window that shows a cell.
pub(crate) fn origin_around(window: &WindowView, row: u16, col: u16, room: Size) -> ViewOrigin {
    let far = |cursor: u16, room: u16, whole: u16| match whole > room && cursor >= room {
        true => (cursor + 1 - room).min(whole - room),
        false => 0,
    };
    ViewOrigin {
        row: far(row, room.rows, window.dimensions.rows),
        col: far(col, room.cols, window.dimensions.cols),
    }
}

/// The visible part of a pane: its place on the terminal, and the pane's cell at its upper left corner.
pub(crate) fn visible_part(place: Rect, origin: ViewOrigin, room: Size) -> Option<(Rect, ViewOrigin)> {
    let skip =
        ViewOrigin { row: origin.row.saturating_sub(place.row), col: origin.col.saturating_sub(place.col) };
    let (row, col) = (place.row.saturating_sub(origin.row), place.col.saturating_sub(origin.col));
    let rows = place.rows.saturating_sub(skip.row).min(room.rows.saturating_sub(row));
    let cols = place.cols.saturating_sub(skip.col).min(room.cols.saturating_sub(col));
    (rows > 0 && cols > 0).then_some((Rect { col, row, cols, rows }, skip))
}

/// Draws a window.
pub(crate) fn draw(
    canvas: &mut Canvas,
    tree: &Tree,
    window: &WindowView,
    mirrors: &BTreeMap<PaneId, Mirror>,
    origin: ViewOrigin,
    room: Size,
) {
    fill_outside(canvas, window.dimensions, room);
    for pane in window.panes.iter().filter(|pane| !window.zoomed || pane.active) {
        if let Some(mirror) = mirrors.get(&pane.pane_id) {
            draw_screen(canvas, pane.place, mirror, origin, room);
        }
    }
    borders::draw(canvas, tree, window, origin, room);
}

/// Fills the room outside the window.
fn fill_outside(canvas: &mut Canvas, window: Size, room: Size) {
    let dot = CanvasCell::of('·', canvas.style(ThemePart::Outside));
    if window.cols < room.cols {
        let cols = room.cols - window.cols;
        canvas.fill(Rect { col: window.cols, row: 0, cols, rows: room.rows }, &dot);
    }
    if window.rows < room.rows {
        let rows = room.rows - window.rows;
        canvas.fill(Rect { col: 0, row: window.rows, cols: room.cols, rows }, &dot);
    }
    if window.cols < room.cols || window.rows < room.rows {
        say_whose_size(canvas, window, room);
    }
}

/// Says in the room outside the window why it is not filled, where there is room for that.
fn say_whose_size(canvas: &mut Canvas, window: Size, room: Size) {
    let text = format!(" {window}, sized by another terminal ");
    let (row, col) = if window.rows < room.rows { (window.rows, 0) } else { (0, window.cols) };
    if usize::from(room.cols.saturating_sub(col)) >= text.len() {
        canvas.text(row, col, room.cols, &text, canvas.style(ThemePart::Faint));
    }
}

fn draw_screen(canvas: &mut Canvas, place: Rect, mirror: &Mirror, origin: ViewOrigin, room: Size) {
    let skip = origin.col.saturating_sub(place.col);
    let col = place.col.saturating_sub(origin.col);
    let end = (place.col + place.cols).saturating_sub(origin.col).min(room.cols);
    for (number, view) in (place.row..place.row + place.rows).zip(&mirror.rows) {
        if let Some(row) = number.checked_sub(origin.row).filter(|row| *row < room.rows) {
            canvas.view(row, (col, end), skip, view);
            apply_program_colors(canvas, row, (col, end), mirror);
        }
    }
}

/// Applies what the program has set for its whole screen.
pub(super) fn apply_program_colors(canvas: &mut Canvas, row: u16, (begin, end): (u16, u16), mirror: &Mirror) {
    if mirror.modes.reverse_video() {
        reverse_colors(canvas, row, (begin, end));
    }
    if !mirror.colors.is_empty() {
        (begin..end).for_each(|col| canvas.restyle(row, col, |style| mirror.colors.apply_to(style)));
    }
}

/// Reverses the cells for which the program chose no colors of its own.
fn reverse_colors(canvas: &mut Canvas, row: u16, (begin, end): (u16, u16)) {
    for col in begin..end {
        canvas.restyle(row, col, |style| {
            if style.fg == Color::Default || style.bg == Color::Default {
                style.attrs.toggle(Attrs::REVERSE);
            }
        });
    }
}

/// The cursor of the active pane, if it is visible.
pub(crate) fn cursor(
    window: &WindowView,
    mirrors: &BTreeMap<PaneId, Mirror>,
    origin: ViewOrigin,
    room: Size,
) -> Option<TerminalCursor> {
    let pane = window.panes.iter().find(|pane| pane.active && pane.state != Life::Lost)?;
    let mirror = mirrors.get(&pane.pane_id)?;
    let cursor = mirror.cursor;
    let inside = cursor.visible && cursor.row < pane.place.rows && cursor.col < pane.place.cols;
    let (row, col) =
        origin.onto(pane.place.row + cursor.row, pane.place.col + cursor.col, room).filter(|_| inside)?;
    let color = mirror.colors.cursor();
    Some(TerminalCursor { row, col, shape: cursor.shape, blinking: cursor.blinking, color })
}

/// The pane at a window's cell.
pub(crate) fn pane_at(window: &WindowView, row: u16, col: u16) -> Option<&PaneView> {
    let within = |place: Rect| {
        (place.row..place.row + place.rows).contains(&row)
            && (place.col..place.col + place.cols).contains(&col)
    };
    window.panes.iter().filter(|pane| !window.zoomed || pane.active).find(|pane| within(pane.place))
}

/// The label of a pane: its name, or its program and title, and how the program ended.
pub(crate) fn label(pane: &PaneView) -> String {
    let label = name(pane);
    match (pane.state, pane.exit) {
        (Life::Exited, Some(exit)) => format!("{label} [{exit}]"),
        (Life::Lost, _) => format!("{label} [lost]"),
        _ => label,
    }
}

/// The name of a pane, or else its program and title.
pub(crate) fn name(pane: &PaneView) -> String {
    pane.name.as_ref().map_or_else(|| program_and_title(pane), ToString::to_string)
}

/// The program in the foreground and the title, which often names the program, too.
fn program_and_title(pane: &PaneView) -> String {
    let agent = pane.agent.as_ref().map(|agent| agent.name.as_str());
    match (program_in_pane(agent, pane.foreground.as_deref()), pane.title.as_str()) {
        (Some(program), "") => program.to_owned(),
        (Some(program), title) if !title.contains(program) => format!("{program} · {title}"),
        (None, "") => pane.command.clone(),
        (_, title) => title.to_owned(),
    }
}
