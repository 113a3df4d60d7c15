//! A screenshot as SVG, which needs no font files and can be viewed anywhere.

use std::fmt::Write;

use super::box_shapes::{CellBox, is_shape, push_shape};
use super::html::{decoration, font};
use super::{escape, hex, span_colors};
use crate::color_overrides::{BACKGROUND, CURSOR, FOREGROUND};
use crate::cursor::CursorShape;
use crate::palette::TerminalPalette;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::Style;

/// A cell in units of the picture; the font is as wide as browsers draw monospace text of this size.
const CELL: (f64, f64) = (8.4, 17.0);
const FONT: &str =
    "font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\"";
/// Browsers keep blanks because of this, and converters because of `xml:space`. Without them, `textLength` would stretch the
/// words of a text over the columns of its blanks.
const BLANKS: &str = "<style>text{white-space:pre}</style>";
/// Distance of the baseline from the top of a cell.
const BASELINE: f64 = 13.0;
/// Space around the text on every side.
const PADDING: f64 = 10.0;

impl Screen {
    /// The visible screen as an SVG picture.
    pub fn screen_svg(&self) -> String {
        let colors = self.picture_palette();
        let width = f64::from(self.size().cols) * CELL.0 + 2.0 * PADDING;
        let height = f64::from(self.size().rows) * CELL.1 + 2.0 * PADDING;
        let (fg, bg) = (hex(colors.get(FOREGROUND)), hex(colors.get(BACKGROUND)));
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\" {FONT} fill=\"{fg}\" xml:space=\"preserve\">\n{BLANKS}\n\
             <rect width=\"100%\" height=\"100%\" fill=\"{bg}\"/>\n"
        );
        self.push_svg_cursor(&colors, &mut out);
        for (at, row) in self.rows().iter().enumerate() {
            let mut col = 0;
            for span in &row.spans {
                push_svg_span(span, cell_at(at, col), &colors, &mut out);
                col += span.columns();
            }
        }
        out.push_str("</svg>\n");
        out
    }

    fn push_svg_cursor(&self, colors: &TerminalPalette, out: &mut String) {
        let cursor = self.cursor();
        if !cursor.visible {
            return;
        }
        let CellBox { x, y, .. } = cell_at(usize::from(cursor.row), usize::from(cursor.col));
        let (dy, width, height) = match cursor.shape {
            CursorShape::Block => (0.0, CELL.0, CELL.1),
            CursorShape::Underline => (CELL.1 - 2.0, CELL.0, 2.0),
            CursorShape::Bar => (0.0, 2.0, CELL.1),
        };
        let (y, fill) = (y + dy, hex(colors.get(CURSOR)));
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" opacity=\"0.5\"/>"
        );
    }
}

fn cell_at(row: usize, col: usize) -> CellBox {
    let (x, y) = (PADDING + col as f64 * CELL.0, PADDING + row as f64 * CELL.1);
    CellBox { x, y, width: CELL.0, height: CELL.1 }
}

fn push_svg_span(span: &Span, first: CellBox, colors: &TerminalPalette, out: &mut String) {
    let painted = span_colors(&span.style, colors);
    let CellBox { x, y, height, .. } = first;
    let width = span.columns() as f64 * CELL.0;
    if let Some(bg) = painted.bg {
        let fill = hex(bg);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{fill}\"/>"
        );
    }
    let fg = hex(painted.fg);
    if span.cluster || !span.text.contains(is_shape) {
        return push_svg_text(&span.text, span, first, width, &fg, out);
    }
    let mut cell = first;
    for piece in shapes_and_text(&span.text) {
        let width = (piece.chars().count() * usize::from(span.width)) as f64 * CELL.0;
        match piece.chars().next() {
            Some(c) if is_shape(c) => push_shape(c, cell, &fg, out),
            _ => push_svg_text(piece, span, cell, width, &fg, out),
        }
        cell.x += width;
    }
}

/// Splits text into single characters that are drawn as shapes, and the text between them.
fn shapes_and_text(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = if is_shape(first) { first.len_utf8() } else { rest.find(is_shape).unwrap_or(rest.len()) };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

fn push_svg_text(text: &str, span: &Span, at: CellBox, width: f64, fg: &str, out: &mut String) {
    if text.trim().is_empty() && decoration(&span.style).is_empty() {
        return;
    }
    let (x, baseline) = (at.x, at.y + BASELINE);
    let _ = write!(
        out,
        "<text x=\"{x:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\"{}",
        attributes(&span.style)
    );
    if span.style != Style::default() {
        let _ = write!(out, " fill=\"{fg}\"");
    }
    out.push('>');
    escape(text, out);
    out.push_str("</text>\n");
}

fn attributes(style: &Style) -> String {
    match font(style).strip_prefix(';') {
        Some(css) => format!(" style=\"{css}\""),
        None => String::new(),
    }
}
