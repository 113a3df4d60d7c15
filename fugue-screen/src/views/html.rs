//! The screen as HTML: one `pre` element with inline styles, which can be put into any page.

use super::{SpanColors, escape, hex, span_colors};
use crate::color_overrides::{BACKGROUND, FOREGROUND};
use crate::palette::TerminalPalette;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::{Attrs, Style, Underline};

impl Screen {
    /// The visible screen as HTML.
    pub fn screen_html(&self) -> String {
        let colors = self.drawn_palette();
        let (fg, bg) = (hex(colors.get(FOREGROUND)), hex(colors.get(BACKGROUND)));
        let mut out = format!("<pre style=\"color:{fg};background:{bg}\">");
        for row in self.rows() {
            row.spans.iter().for_each(|span| push_html_span(span, &colors, &mut out));
            out.push('\n');
        }
        out.push_str("</pre>\n");
        out
    }
}

fn push_html_span(span: &Span, colors: &TerminalPalette, out: &mut String) {
    let css = css(&span.style, &span_colors(&span.style, colors));
    let link =
        span.link.as_deref().filter(|link| link.starts_with("http://") || link.starts_with("https://"));
    if let Some(link) = link {
        out.push_str("<a href=\"");
        escape(link, out);
        out.push_str("\">");
    }
    if !css.is_empty() {
        out.push_str(&format!("<span style=\"{css}\">"));
    }
    escape(&span.text, out);
    out.push_str(if css.is_empty() { "" } else { "</span>" });
    out.push_str(if link.is_some() { "</a>" } else { "" });
}

/// The CSS of a style; empty for plain text.
fn css(style: &Style, colors: &SpanColors) -> String {
    let mut out = String::new();
    if *style == Style::default() {
        return out;
    }
    out.push_str(&format!("color:{}", hex(colors.fg)));
    if let Some(bg) = colors.bg {
        out.push_str(&format!(";background:{}", hex(bg)));
    }
    out.push_str(&font(style));
    out
}

/// The CSS for the font and the lines of a style. Each declaration begins with a semicolon.
pub(super) fn font(style: &Style) -> String {
    let mut out = String::new();
    if style.attrs.contains(Attrs::BOLD) {
        out.push_str(";font-weight:bold");
    }
    if style.attrs.contains(Attrs::ITALIC) {
        out.push_str(";font-style:italic");
    }
    let lines = decoration(style);
    if !lines.is_empty() {
        out.push_str(&format!(";text-decoration:{lines}"));
    }
    out
}

/// The CSS for the lines under, through and above text.
pub(super) fn decoration(style: &Style) -> String {
    let mut parts: Vec<&str> = Vec::new();
    if style.underline != Underline::None {
        parts.push("underline");
    }
    if style.attrs.contains(Attrs::STRIKE) {
        parts.push("line-through");
    }
    if style.attrs.contains(Attrs::OVERLINE) {
        parts.push("overline");
    }
    match style.underline {
        Underline::Double => parts.push("double"),
        Underline::Curly => parts.push("wavy"),
        Underline::Dotted => parts.push("dotted"),
        Underline::Dashed => parts.push("dashed"),
        _ => {}
    }
    parts.join(" ")
}
