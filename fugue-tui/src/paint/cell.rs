//! A cell of a frame. A frame has thousands of them and is compared with the last one cell by cell, so a cell is small:
//! what few cells have is kept beside it.

use std::rc::Rc;
use std::sync::Arc;

use fugue_screen::Style;

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CanvasCell {
    /// What it shows, unless that is a cluster.
    pub(super) c: char,
    pub(crate) style: Style,
    /// The columns it takes: 1 or 2, or 0 for the second half of a wide one.
    pub(crate) width: u8,
    pub(super) rare: Option<Rc<RareParts>>,
}

/// What few cells have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RareParts {
    pub(super) cluster: Option<Box<str>>,
    pub(super) link: Option<Arc<str>>,
}

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Glyph<'a> {
    Char(char),
    /// Several characters that are drawn as one.
    Cluster(&'a str),
}

impl Default for CanvasCell {
    fn default() -> Self {
        Self { c: ' ', style: Style::default(), width: 1, rare: None }
    }
}

impl CanvasCell {
    pub(crate) fn blank(style: Style) -> Self {
        Self { style, ..Self::default() }
    }

    pub(crate) fn of(c: char, style: Style) -> Self {
        Self { c, style, ..Self::default() }
    }

    /// A cell with one character or a cluster.
    pub(crate) fn of_text(text: &str, style: Style, width: u8) -> Self {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Self { c, style, width, rare: None },
            _ => {
                let rare = RareParts { cluster: Some(text.into()), link: None };
                Self { style, width, rare: Some(Rc::new(rare)), ..Self::default() }
            }
        }
    }

    pub(crate) fn glyph(&self) -> Glyph<'_> {
        let cluster = self.rare.as_ref().and_then(|rare| rare.cluster.as_deref());
        cluster.map_or(Glyph::Char(self.c), Glyph::Cluster)
    }

    pub(crate) fn link(&self) -> Option<&Arc<str>> {
        self.rare.as_ref()?.link.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_small() {
        assert!(size_of::<CanvasCell>() <= 32, "{} bytes", size_of::<CanvasCell>());
    }

    #[test]
    fn a_cell_has_a_character_or_a_cluster() {
        let of = |text| CanvasCell::of_text(text, Style::default(), 1);
        assert_eq!(of("x").glyph(), Glyph::Char('x'));
        assert_eq!(of("e\u{301}").glyph(), Glyph::Cluster("e\u{301}"));
        assert_eq!(of("e\u{301}"), of("e\u{301}"));
        assert_ne!(of("e\u{301}"), of("e\u{300}"));
        assert_ne!(of("e\u{301}"), of(" "));
    }
}
