//! The line in a pane whose program was lost: what it was, and the key that starts it again. It covers the last row of the
//! screen that the program left.

use fugue_protocol::escape::escape;
use fugue_protocol::views::{Life, LostProgram, PaneView, WindowView};
use fugue_protocol::{Rect, Size};

use super::view_origin::{ViewOrigin, visible_part};
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// Draws the lines of all lost panes of a window.
pub(crate) fn draw(
    canvas: &mut Canvas,
    window: &WindowView,
    restore_key: Option<&str>,
    origin: ViewOrigin,
    room: Size,
) {
    for pane in window.panes.iter().filter(|pane| !window.zoomed || pane.active) {
        let place = (pane.state == Life::Lost).then(|| visible_part(pane.place, origin, room)).flatten();
        if let Some((Rect { col, row, cols, rows }, _)) = place {
            let (row, style) = (row + rows - 1, canvas.style(ThemePart::Failed));
            canvas.fill(Rect { col, row, cols, rows: 1 }, &CanvasCell::of(' ', style));
            canvas.text(row, col, col + cols, &line(pane, restore_key), style);
        }
    }
}

/// What was lost. The key comes first, since a narrow pane shows only the beginning.
fn line(pane: &PaneView, restore_key: Option<&str>) -> String {
    let lost = pane.lost.as_ref();
    let command = lost.and_then(|lost| lost.restart.as_deref());
    let what = match (command, restore_key) {
        (Some(command), Some(key)) => {
            format!("Lost in a restart. Press {key} to run it again: {}", escape(command))
        }
        (Some(command), None) => {
            format!("Lost in a restart. To run it again, use restore-panes: {}", escape(command))
        }
        (None, _) => format!("Lost in a restart: {}", escape(&pane.command)),
    };
    let cwd = pane.cwd.as_ref().map(|cwd| format!(" in {}", escape(cwd))).unwrap_or_default();
    format!("{what}{cwd}{}", lost.map(survivors).unwrap_or_default())
}

fn survivors(lost: &LostProgram) -> String {
    let survivors: Vec<_> = lost.survivors.iter().map(ToString::to_string).collect();
    match survivors.is_empty() {
        true => String::new(),
        false => format!("; still running without a terminal: {}", escape(&survivors.join(", "))),
    }
}
