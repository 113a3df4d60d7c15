//! What a screen looks like to those who do not draw it themselves: plain text, ANSI, JSON, HTML, a picture.

mod ansi;
mod html;
mod json;
#[cfg(feature = "png")]
mod png;
mod repaint;
mod styled_lines;
mod svg;
mod text;

use std::borrow::Cow;

use crate::color_overrides::{BACKGROUND, FOREGROUND};
use crate::palette::TerminalPalette;
use crate::screen::Screen;
use crate::style::Rgb;
use crate::style::{Attrs, Color, Style};

pub use json::ScreenView;
#[cfg(feature = "png")]
pub use png::ScreenImage;
pub use styled_lines::StyledLine;

/// The colors a span is drawn in, with everything taken into account.
struct SpanColors {
    fg: Rgb,
    bg: Option<Rgb>,
}

impl Screen {
    /// The colors in which the screen is drawn: light and dark may be exchanged (DECSCNM).
    fn drawn_in(&self) -> Cow<'_, TerminalPalette> {
        let own = &self.terminal.colors.palette;
        if !self.modes().reverse_video() {
            return Cow::Borrowed(own);
        }
        let mut colors = own.clone();
        colors.overrides.set(FOREGROUND, own.get(BACKGROUND));
        colors.overrides.set(BACKGROUND, own.get(FOREGROUND));
        Cow::Owned(colors)
    }
}

/// Work out the colors of a style. The background is `None` where it is the screen's own.
fn paint(style: &Style, colors: &TerminalPalette) -> SpanColors {
    let own = (colors.get(FOREGROUND), colors.get(BACKGROUND));
    let fg = lookup(style.fg, own.0, style.attrs.contains(Attrs::BOLD), colors);
    let bg = lookup(style.bg, own.1, false, colors);
    let (fg, bg) = if style.attrs.contains(Attrs::REVERSE) { (bg, fg) } else { (fg, bg) };
    let fg = match (style.attrs.contains(Attrs::HIDDEN), style.attrs.contains(Attrs::DIM)) {
        (true, _) => bg,
        (false, true) => half_way(fg, bg),
        _ => fg,
    };
    SpanColors { fg, bg: (bg != own.1).then_some(bg) }
}

/// Bold makes the first eight colors bright, as most terminals do.
fn lookup(color: Color, own: Rgb, bold: bool, colors: &TerminalPalette) -> Rgb {
    match color {
        Color::Default => own,
        Color::Indexed(n @ 0..8) if bold => colors.get(u16::from(n) + 8),
        Color::Indexed(n) => colors.get(u16::from(n)),
        Color::Rgb(r, g, b) => (r, g, b),
    }
}

fn half_way(a: Rgb, b: Rgb) -> Rgb {
    let middle = |a: u8, b: u8| ((u16::from(a) + u16::from(b)) / 2) as u8;
    (middle(a.0, b.0), middle(a.1, b.1), middle(a.2, b.2))
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text between tags.
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
