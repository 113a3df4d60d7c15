//! Renderings of a screen for those that do not draw it themselves: plain text, ANSI, JSON, HTML, pictures.

mod ansi;
mod box_shapes;
mod html;
mod json;
#[cfg(feature = "png")]
mod png;
mod repaint;
mod since;
mod styled_lines;
mod svg;
mod text;

use std::borrow::Cow;

use crate::color_overrides::{BACKGROUND, FOREGROUND};
use crate::palette::TerminalPalette;
use crate::row_view::spans;
use crate::screen::Screen;
use crate::style::{Attrs, Color, Rgb, Style};

pub use ansi::LastLinesAnsi;
pub use json::ScreenView;
#[cfg(feature = "png")]
pub use png::ScreenImage;
pub use styled_lines::StyledLine;

/// The background of pictures where it would be black. Pure black looks harsh beside a page, and hides its own edge.
const SOFT_BLACK: Rgb = (0x16, 0x18, 0x1d);

/// The colors that a span is drawn in, after attributes such as reverse and dim are applied.
struct SpanColors {
    fg: Rgb,
    bg: Option<Rgb>,
}

/// The cells of the largest picture: about 300 columns and 200 rows. More is of no use to a reader, and takes long to draw.
const MOST_CELLS: usize = 62_500;

/// The addresses of all links in a picture, in bytes. Each cell may have one, so they can be far more than the text.
const MOST_LINK_BYTES: usize = 8 << 20;

impl Screen {
    /// Whether a picture of the screen has a size that is of use.
    pub fn fits_picture(&self) -> bool {
        let (size, interner) = (self.size(), &self.terminal.interner);
        let rows = self.terminal.buffers.grid.rows.iter();
        let links = rows.flat_map(spans).map(|span| interner.style(span.first.style()).link);
        let link_bytes = links.filter_map(|link| interner.link(link)).map(str::len).sum::<usize>();
        usize::from(size.cols) * usize::from(size.rows) <= MOST_CELLS && link_bytes <= MOST_LINK_BYTES
    }

    /// The colors that the screen is drawn in. DECSCNM exchanges foreground and background.
    fn drawn_palette(&self) -> Cow<'_, TerminalPalette> {
        let own = &self.terminal.colors.palette;
        if !self.modes().reverse_video() {
            return Cow::Borrowed(own);
        }
        let mut colors = own.clone();
        colors.overrides.set(FOREGROUND, own.get(BACKGROUND));
        colors.overrides.set(BACKGROUND, own.get(FOREGROUND));
        Cow::Owned(colors)
    }

    /// The colors that a picture is drawn in.
    fn picture_palette(&self) -> Cow<'_, TerminalPalette> {
        let mut colors = self.drawn_palette();
        let slot = if self.modes().reverse_video() { FOREGROUND } else { BACKGROUND };
        if colors.get(slot) == (0, 0, 0) {
            colors.to_mut().overrides.set(slot, SOFT_BLACK);
        }
        colors
    }
}

/// Returns the colors of a style. The background is `None` where it is the screen's own.
fn span_colors(style: &Style, colors: &TerminalPalette) -> SpanColors {
    let own = (colors.get(FOREGROUND), colors.get(BACKGROUND));
    let fg = lookup(style.fg, own.0, style.attrs.contains(Attrs::BOLD), colors);
    let bg = lookup(style.bg, own.1, false, colors);
    let (fg, bg) = if style.attrs.contains(Attrs::REVERSE) { (bg, fg) } else { (fg, bg) };
    let fg = match (style.attrs.contains(Attrs::HIDDEN), style.attrs.contains(Attrs::DIM)) {
        (true, _) => bg,
        (false, true) => halfway(fg, bg),
        _ => fg,
    };
    SpanColors { fg, bg: (bg != own.1).then_some(bg) }
}

/// Looks up a color. Bold makes the first eight colors bright, as most terminals do.
fn lookup(color: Color, own: Rgb, bold: bool, colors: &TerminalPalette) -> Rgb {
    match color {
        Color::Default => own,
        Color::Indexed(n @ 0..8) if bold => colors.get(u16::from(n) + 8),
        Color::Indexed(n) => colors.get(u16::from(n)),
        Color::Rgb(r, g, b) => (r, g, b),
    }
}

fn halfway(a: Rgb, b: Rgb) -> Rgb {
    let middle = |a: u8, b: u8| ((u16::from(a) + u16::from(b)) / 2) as u8;
    (middle(a.0, b.0), middle(a.1, b.1), middle(a.2, b.2))
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Appends text, escaped for HTML and XML.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests;
