//! The exit status of a program, at the lower right of its pane. It is drawn only in panes without a border above them,
//! since the title in that border shows the same.

use fugue_protocol::views::WindowView;
use fugue_protocol::{Rect, Size};
use unicode_width::UnicodeWidthStr;

use super::border_titles::exit_state;
use super::view_origin::{ViewOrigin, visible_part};
use crate::paint::Canvas;

/// Draws the exit status in all such panes of a window.
pub(crate) fn draw(
    canvas: &mut Canvas,
    window: &WindowView,
    close_key: Option<&str>,
    origin: ViewOrigin,
    room: Size,
) {
    let panes = window.panes.iter().filter(|pane| !window.zoomed || pane.active);
    for pane in panes.filter(|pane| pane.place.row == 0) {
        let place = visible_part(pane.place, origin, room).map(|(place, _)| place);
        let Some(((words, part), Rect { col, row, cols, rows })) = exit_state(pane).zip(place) else {
            continue;
        };
        let long = close_key.map(|key| format!(" {words} · {key} to close "));
        let fits = |text: &String| text.width() <= usize::from(cols);
        let text = long.filter(fits).unwrap_or_else(|| format!(" {words} "));
        let begin = (col + cols).saturating_sub(text.width() as u16).max(col);
        canvas.text(row + rows - 1, begin, col + cols, &text, canvas.style(part));
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::views::{ExitStatus, Life};

    use super::*;
    use crate::agents::tests::session;

    /// The last row of a pane with this many columns that begins at this row.
    fn last_row(cols: u16, first_row: u16) -> String {
        let mut window = session(1, None, 0).windows[0].clone();
        let (size, rows) = (Size::new(cols, 3), 3 - first_row);
        let pane = &mut window.panes[0];
        pane.place = Rect { col: 0, row: first_row, cols, rows };
        (pane.state, pane.exit) = (Life::Exited, Some(ExitStatus::Code(3)));
        window.dimensions = size;
        let mut canvas = Canvas::new(size);
        draw(&mut canvas, &window, Some("C-b x"), ViewOrigin::default(), size);
        canvas.text_of(2).trim().to_owned()
    }

    #[test]
    fn a_pane_at_the_top_says_how_its_program_ended() {
        assert_eq!(last_row(40, 0), "✗ exit 3 · C-b x to close");
        assert_eq!(last_row(12, 0), "✗ exit 3");
        assert_eq!(last_row(40, 1), "", "the border above shows it");
    }
}
