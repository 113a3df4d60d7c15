//! The outer terminal's own colors, as far as it reported them.

use std::collections::BTreeMap;

use fugue_protocol::RgbColor;
use fugue_screen::Rgb;

use crate::tty::terminal_replies::is_dark;

/// Colors that the daemon needs to know, for programs that ask for them.
const PALETTE: u8 = 16;

/// The outer terminal's colors.
#[derive(Debug, Default)]
pub(crate) struct OuterColors {
    pub(crate) foreground: Option<Rgb>,
    pub(crate) background: Option<Rgb>,
    pub(crate) palette: BTreeMap<u8, Rgb>,
}

fn wire((red, green, blue): Rgb) -> RgbColor {
    RgbColor(red, green, blue)
}

impl OuterColors {
    /// Whether the background is dark; an unknown one is taken for dark.
    pub(crate) fn is_dark(&self) -> bool {
        self.background.is_none_or(is_dark)
    }

    pub(crate) fn wire_foreground(&self) -> Option<RgbColor> {
        self.foreground.map(wire)
    }

    pub(crate) fn wire_background(&self) -> Option<RgbColor> {
        self.background.map(wire)
    }

    /// The palette up to the first color that is not known: on the wire a color's number is its position.
    pub(crate) fn wire_palette(&self) -> Vec<RgbColor> {
        (0..PALETTE).map_while(|number| self.palette.get(&number).copied().map(wire)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_ends_at_the_first_unknown_color() {
        let mut colors = OuterColors::default();
        assert!(colors.is_dark() && colors.wire_palette().is_empty());
        colors.palette = BTreeMap::from([(0, (0, 0, 0)), (1, (9, 0, 0)), (3, (9, 9, 0))]);
        assert_eq!(colors.wire_palette(), [RgbColor(0, 0, 0), RgbColor(9, 0, 0)]);
        colors.background = Some((255, 255, 255));
        assert!(!colors.is_dark());
    }
}
