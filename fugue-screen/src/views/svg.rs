//! A picture of the screen. SVG, since it needs no font files and can be looked at anywhere.

use super::html::{decoration, font};
use super::{escape, hex, paint};
use crate::color_overrides::{BACKGROUND, CURSOR, FOREGROUND};
use crate::cursor::CursorShape;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::Style;

/// A cell in units of the picture; the font is as wide as browsers draw monospace text of this size.
const CELL: (f64, f64) = (8.4, 17.0);
const FONT: &str =
    "font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\"";
/// Where letters stand in their cell.
const BASELINE: f64 = 13.0;

impl Screen {
    /// What is visible, as a picture.
    pub fn screen_svg(&self) -> String {
        let colors = self.drawn_in();
        let (width, height) = (f64::from(self.size().cols) * CELL.0, f64::from(self.size().rows) * CELL.1);
        let (fg, bg) = (hex(colors.get(FOREGROUND)), hex(colors.get(BACKGROUND)));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" {FONT} fill=\"{fg}\" xml:space=\"preserve\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{bg}\"/>\n"
        );
        self.svg_cursor(&mut out);
        for (at, row) in self.rows().iter().enumerate() {
            let mut col = 0;
            for span in &row.spans {
                self.svg_span(span, at, col, &mut out);
                col += span.columns();
            }
        }
        out.push_str("</svg>\n");
        out
    }

    fn svg_span(&self, span: &Span, row: usize, col: usize, out: &mut String) {
        let paint = paint(&span.style, &self.drawn_in());
        let (x, y) = (col as f64 * CELL.0, row as f64 * CELL.1);
        let width = span.columns() as f64 * CELL.0;
        if let Some(bg) = paint.bg {
            let (fill, height) = (hex(bg), CELL.1);
            out.push_str(&format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{fill}\"/>\n"
            ));
        }
        if span.text.trim().is_empty() && decoration(&span.style).is_empty() {
            return;
        }
        let baseline = y + BASELINE;
        out.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\"{}",
            attributes(&span.style)
        ));
        if span.style != Style::default() {
            out.push_str(&format!(" fill=\"{}\"", hex(paint.fg)));
        }
        out.push('>');
        escape(&span.text, out);
        out.push_str("</text>\n");
    }

    fn svg_cursor(&self, out: &mut String) {
        let cursor = self.cursor();
        if !cursor.visible {
            return;
        }
        let (x, y) = (f64::from(cursor.col) * CELL.0, f64::from(cursor.row) * CELL.1);
        let (dy, width, height) = match cursor.shape {
            CursorShape::Block => (0.0, CELL.0, CELL.1),
            CursorShape::Underline => (CELL.1 - 2.0, CELL.0, 2.0),
            CursorShape::Bar => (0.0, 2.0, CELL.1),
        };
        let (y, fill) = (y + dy, hex(self.terminal.colors.palette.get(CURSOR)));
        out.push_str(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" opacity=\"0.5\"/>\n"
        ));
    }
}

fn attributes(style: &Style) -> String {
    match font(style).strip_prefix(';') {
        Some(css) => format!(" style=\"{css}\""),
        None => String::new(),
    }
}
