//! A placeholder: a box in the cells of an image that cannot be shown, with the image's size.

use fugue_protocol::Rect;
use fugue_screen::PixelSize;

use crate::paint::{Canvas, CanvasCell};
use crate::theme::ThemePart;

/// The smallest box with a frame and something in it.
const SMALLEST_FRAME: (u16, u16) = (4, 3);

/// Draws a placeholder.
pub(crate) fn draw(canvas: &mut Canvas, place: Rect, image: PixelSize) {
    let style = canvas.style(ThemePart::Faint);
    canvas.fill(place, &CanvasCell::blank(style));
    let inside = match place.cols >= SMALLEST_FRAME.0 && place.rows >= SMALLEST_FRAME.1 {
        true => {
            frame(canvas, place);
            Rect { col: place.col + 1, row: place.row + 1, cols: place.cols - 2, rows: place.rows - 2 }
        }
        false => place,
    };
    let text = format!("image {}x{}", image.width, image.height);
    let free = inside.cols.saturating_sub(text.len() as u16);
    let row = inside.row + (inside.rows - 1) / 2;
    canvas.truncated_text(row, inside.col + free / 2, inside.col + inside.cols, &text, style);
}

fn frame(canvas: &mut Canvas, place: Rect) {
    let style = canvas.style(ThemePart::Faint);
    let (bottom, right) = (place.row + place.rows - 1, place.col + place.cols - 1);
    for (row, ends) in [(place.row, ('┌', '┐')), (bottom, ('└', '┘'))] {
        canvas.fill(Rect { row, rows: 1, ..place }, &CanvasCell::of('─', style));
        canvas.fill(Rect { row, rows: 1, cols: 1, ..place }, &CanvasCell::of(ends.0, style));
        canvas.fill(Rect { row, rows: 1, cols: 1, col: right }, &CanvasCell::of(ends.1, style));
    }
    for col in [place.col, right] {
        let side = Rect { col, row: place.row + 1, cols: 1, rows: place.rows - 2 };
        canvas.fill(side, &CanvasCell::of('│', style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::{ColorDepth, Painter};
    use fugue_protocol::Size;
    use fugue_screen::{Limits, Screen};

    #[test]
    fn a_placeholder_names_the_size_of_the_image() {
        let text = |cols: u16, rows: u16| {
            let mut canvas = Canvas::new(Size::new(cols, rows));
            let place = Rect { col: 0, row: 0, cols, rows };
            draw(&mut canvas, place, PixelSize { width: 640, height: 480 });
            let mut screen = Screen::new(fugue_screen::Size { cols, rows }, Limits::default());
            screen.feed(&Painter::new(ColorDepth::True).paint(canvas, None));
            screen.screen_rows()
        };
        assert_eq!(text(17, 3), ["┌───────────────┐", "│ image 640x480 │", "└───────────────┘"]);
        assert_eq!(text(13, 2), ["image 640x480", ""]);
        assert_eq!(text(8, 1), ["image 6…"]);
    }
}
