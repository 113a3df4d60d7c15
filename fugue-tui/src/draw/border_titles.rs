//! The titles of panes on the borders above them: the name, and how the program ended. The state has its place first, since
//! it is what matters most; the name is shortened.

use fugue_protocol::Size;
use fugue_protocol::views::{ExitStatus, Life, PaneView};
use fugue_screen::Style;
use unicode_width::UnicodeWidthStr;

use super::pane_label::name;
use super::view_origin::ViewOrigin;
use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;
use crate::tree::Tree;

/// A narrower pane has no room for a title.
const MIN_COLS: u16 = 8;

/// Draws the title of a pane, unless it says nothing new.
pub(super) fn draw(canvas: &mut Canvas, tree: &Tree, pane: &PaneView, (origin, room): (ViewOrigin, Size)) {
    let place = pane.place;
    if place.row == 0 || place.cols < MIN_COLS || !(tree.title_rows() > 0 || says_more(pane)) {
        return;
    }
    let Some((row, col)) = origin.onto(place.row - 1, place.col + 1, room) else { return };
    let end = (col + place.cols - 2).min(room.cols);
    let has_keyboard = pane.active && !tree.shows_popup();
    let line = canvas.style(if has_keyboard { ThemePart::ActiveBorder } else { ThemePart::Border });
    let text = canvas.style(if has_keyboard { ThemePart::ActiveBorder } else { ThemePart::Faint });
    let state = exit_state(pane);
    // After the name there is at least a blank.
    let reserved = state.as_ref().map_or(1, |(text, _)| text.width() as u16 + 5);
    let begin = col.checked_sub(1).map_or(0, |before| edge(canvas, (row, before), line));
    let begin = draw_agent(canvas, pane, row, begin, end);
    let synced = if tree.is_synchronized(pane.pane_id) { " ⇉" } else { "" };
    let most = end.saturating_sub(reserved);
    let after = canvas.truncated_text(row, begin, most, &format!(" {}{synced}", name(pane)), text);
    let mut after = canvas.text(row, after, end, " ", text);
    if let Some((words, part)) = state {
        after = edge(canvas, (row, after), line);
        after = edge(canvas, (row, after), line);
        after = canvas.text(row, after, end, &format!(" {words} "), canvas.style(part));
    }
    edge(canvas, (row, after), line);
}

/// Draws a cell of the border in the color of the pane that the title names, and returns the column after it.
fn edge(canvas: &mut Canvas, (row, col): (u16, u16), style: Style) -> u16 {
    let cols = canvas.size().cols;
    // A joint with another border keeps its form.
    if canvas.char_at(row, col) == Some('─') {
        canvas.put(row, col, cols, CanvasCell::of('─', style));
    }
    col + 1
}

/// Whether a title says more than which program a pane runs by default.
fn says_more(pane: &PaneView) -> bool {
    pane.name.is_some()
        || !pane.title.is_empty()
        || pane.agent.is_some()
        || pane.foreground.is_some()
        || pane.state != Life::Running
}

/// How the program ended, with the part of the theme that draws it.
pub(super) fn exit_state(pane: &PaneView) -> Option<(String, ThemePart)> {
    match (pane.state, pane.exit?) {
        (Life::Lost | Life::Running, _) => None,
        (Life::Exited, ExitStatus::Code(0)) => Some(("✓ exit 0".into(), ThemePart::Complete)),
        (Life::Exited, ExitStatus::Code(code)) => Some((format!("✗ exit {code}"), ThemePart::Failed)),
        (Life::Exited, other) => Some((format!("✗ {other}"), ThemePart::Failed)),
    }
}

/// Draws the symbol of the pane's agent state before its name.
fn draw_agent(canvas: &mut Canvas, pane: &PaneView, row: u16, col: u16, end: u16) -> u16 {
    let Some(agent) = &pane.agent else { return col };
    let (sign, part) = crate::agents::state_symbol(agent.state);
    canvas.text(row, col, end, &format!(" {sign}"), canvas.style(part))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Rect;

    use super::*;
    use crate::agents::tests::{session, tree};

    /// A pane of this width with its border above it.
    fn drawn(tree: &Tree, pane: &PaneView, cols: u16) -> Canvas {
        let mut canvas = Canvas::new(Size::new(cols, 3));
        canvas.fill(Rect { col: 0, row: 0, cols, rows: 1 }, &CanvasCell::of('─', Style::default()));
        let pane = PaneView { place: Rect { col: 0, row: 1, cols, rows: 2 }, ..pane.clone() };
        draw(&mut canvas, tree, &pane, (ViewOrigin::default(), Size::new(cols, 3)));
        canvas
    }

    /// The border above a pane of this width.
    fn border(pane: &PaneView, cols: u16) -> String {
        drawn(&tree(Vec::new()), pane, cols).text_of(0)
    }

    #[test]
    fn no_title_looks_active_while_a_popup_has_the_keyboard() {
        let (mut tree, pane) = (tree(Vec::new()), session(1, Some("working"), 0).windows[0].panes[0].clone());
        let styles = |canvas: Canvas| [canvas.row(0)[0].style, canvas.row(0)[4].style];
        let of = |parts: [ThemePart; 2]| parts.map(|part| Canvas::new(Size::new(1, 1)).style(part));
        assert_eq!(styles(drawn(&tree, &pane, 20)), of([ThemePart::ActiveBorder; 2]));
        tree.set_popup(Some(pane.window_id));
        assert_eq!(styles(drawn(&tree, &pane, 20)), of([ThemePart::Border, ThemePart::Faint]));
    }

    #[test]
    fn the_exit_code_is_whole_and_the_name_is_shortened() {
        let mut pane = session(1, None, 0).windows[0].panes[0].clone();
        (pane.command, pane.exit) = ("sh -c 'make; exit 3'".into(), Some(ExitStatus::Code(3)));
        assert_eq!(border(&pane, 50), "─ sh -c 'make; exit 3' ── ✗ exit 3 ───────────────");
        assert_eq!(border(&pane, 26), "─ sh -c 'ma… ── ✗ exit 3 ─");
    }

    #[test]
    fn a_title_that_says_nothing_new_is_left_out() {
        let mut pane = session(1, Some("working"), 0).windows[0].panes[0].clone();
        assert_eq!(border(&pane, 20), "─ ▸ codex ──────────");
        pane.agent = None;
        assert_eq!(border(&pane, 20), "─".repeat(20));
        pane.name = "logs".parse().ok();
        assert_eq!(border(&pane, 20), "─ logs ─────────────");
    }
}
