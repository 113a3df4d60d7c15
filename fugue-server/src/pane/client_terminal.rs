//! The colors of the terminal in which a pane is shown.

use fugue_protocol::RgbColor;
use fugue_screen::TerminalPalette;

/// The colors of a terminal, where they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ClientColors {
    pub(crate) foreground: Option<RgbColor>,
    pub(crate) background: Option<RgbColor>,
    pub(crate) palette: [Option<RgbColor>; 16],
}

impl ClientColors {
    /// Returns all colors, with the screen's defaults for the unknown ones. The cursor has the foreground color.
    pub(super) fn palette(self) -> TerminalPalette {
        let rgb = |RgbColor(red, green, blue)| (red, green, blue);
        let mut colors = TerminalPalette::default();
        colors.foreground = self.foreground.map_or(colors.foreground, rgb);
        colors.background = self.background.map_or(colors.background, rgb);
        colors.cursor = colors.foreground;
        let entries = colors.palette.iter_mut().zip(self.palette);
        entries.for_each(|(color, known)| *color = known.map_or(*color, rgb));
        colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_colors_replace_the_defaults() {
        let mut colors = ClientColors { background: Some(RgbColor(1, 2, 3)), ..ClientColors::default() };
        colors.palette[1] = Some(RgbColor(4, 5, 6));
        let (palette, defaults) = (colors.palette(), TerminalPalette::default());
        assert_eq!((palette.background, palette.palette[1]), ((1, 2, 3), (4, 5, 6)));
        assert_eq!((palette.foreground, palette.palette[0]), (defaults.foreground, defaults.palette[0]));
    }
}
