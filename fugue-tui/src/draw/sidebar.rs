//! The sidebar, to the right of the panes: sessions below their parents, with their agents.

use fugue_protocol::{Rect, SessionId, Timestamp};

use crate::agents::{self, AgentLine, AgentLineKind};
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// The columns of the sidebar, with its border: room for a name, an age and the beginning of a reason.
pub(crate) const SIDEBAR_COLS: u16 = 34;

/// A narrower terminal has no room for a sidebar.
pub(crate) const MIN_TERMINAL_COLS: u16 = 64;

/// Draws the sidebar from a column on, in the rows above `bottom`.
pub(crate) fn draw(canvas: &mut Canvas, tree: &Tree, col: u16, bottom: u16, now: Timestamp) {
    let size = canvas.size();
    let area = Rect { col, row: 0, cols: size.cols.saturating_sub(col), rows: bottom };
    canvas.fill(area, &CanvasCell::blank(canvas.style(ThemePart::Panel)));
    let border = CanvasCell::of('│', canvas.style(ThemePart::Border));
    canvas.fill(Rect { cols: 1, ..area }, &border);
    for (row, line) in (0..bottom).zip(agents::lines(tree)) {
        draw_line(canvas, tree.here, row, (col + 1, size.cols), &line, now);
    }
}

fn draw_line(
    canvas: &mut Canvas,
    here: SessionId,
    row: u16,
    (begin, end): (u16, u16),
    line: &AgentLine<'_>,
    now: Timestamp,
) {
    let begin = begin + 2 * line.depth.min(6) as u16;
    match &line.kind {
        AgentLineKind::Session(session) => {
            let part = if session.session_id == here { ThemePart::BarStrong } else { ThemePart::Panel };
            let after = canvas.text(row, begin, end, &format!(" {} ", session.name), canvas.style(part));
            draw_right(canvas, row, after, end, &agents::session_text(session));
        }
        AgentLineKind::Pane(pane) => {
            let (sign, part, name, about) = agents::pane_text(pane, now);
            let after = canvas.text(row, begin + 2, end, &sign.to_string(), canvas.style(part));
            let after = canvas.text(row, after + 1, end, &name, canvas.style(ThemePart::Panel));
            canvas.truncated_text(row, after + 1, end, &about, canvas.style(ThemePart::Faint));
        }
    }
}

/// Draws text at the right end, as far as it fits.
fn draw_right(canvas: &mut Canvas, row: u16, after: u16, end: u16, text: &str) {
    let width = unicode_width::UnicodeWidthStr::width(text) as u16;
    let begin = end.saturating_sub(width + 1).max(after + 1);
    canvas.truncated_text(row, begin, end, text, canvas.style(ThemePart::Faint));
}
