//! Text with its colors as SGR sequences. It is made from parsed cells: nothing that a program wrote is passed on as it
//! was.

use crate::control::sgr_parameters;
use crate::link_schemes::LinkSchemes;
use crate::row_view::Span;
use crate::screen::Screen;
use crate::style::Style;

impl Screen {
    /// The visible rows with their styles as SGR sequences.
    pub fn screen_ansi(&self) -> Vec<String> {
        self.rows().iter().map(|row| line(&row.spans)).collect()
    }

    /// Logical lines `from..to` with their styles as SGR sequences.
    pub fn lines_ansi(&self, from: u64, to: u64) -> Vec<String> {
        self.styled_lines(from, to).iter().map(|styled| line(&styled.spans)).collect()
    }
}

pub(super) fn line(spans: &[Span]) -> String {
    let mut out = String::new();
    let mut last = (Style::default(), None);
    for span in spans {
        // What is printed here reaches a terminal that no client guards.
        let link = span.link.as_deref().filter(|link| LinkSchemes::default().allows(link));
        if link != last.1 {
            out.push_str(&format!("\x1b]8;;{}\x1b\\", link.unwrap_or_default()));
        }
        if span.style != last.0 {
            out.push_str(&format!("\x1b[{}m", sgr_parameters(&span.style)));
        }
        out.push_str(&span.text);
        last = (span.style, link);
    }
    if last.1.is_some() {
        out.push_str("\x1b]8;;\x1b\\");
    }
    if last.0 != Style::default() {
        out.push_str("\x1b[0m");
    }
    out
}
