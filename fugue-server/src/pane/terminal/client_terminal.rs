//! The terminal in which a pane is shown: its colors, the size of its cells, and the images that it can show.

use fugue_protocol::RgbColor;
use fugue_screen::{ImageSupport, PixelSize, Screen, TerminalPalette};

/// A client's terminal, as far as it is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ClientTerminal {
    pub(crate) foreground: Option<RgbColor>,
    pub(crate) background: Option<RgbColor>,
    pub(crate) palette: [Option<RgbColor>; 16],
    /// The size of a cell.
    pub(crate) cell: Option<PixelSize>,
    pub(crate) images: ImageSupport,
}

impl ClientTerminal {
    /// Tells a screen about the terminal, for programs that ask.
    pub(crate) fn apply(self, screen: &mut Screen) {
        screen.set_colors(self.colors());
        screen.set_cell_size(self.cell);
        screen.set_image_support(self.images);
    }

    /// Returns all colors, with the screen's defaults for the unknown ones. The cursor has the foreground color.
    fn colors(self) -> TerminalPalette {
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
        let mut terminal =
            ClientTerminal { background: Some(RgbColor(1, 2, 3)), ..ClientTerminal::default() };
        terminal.palette[1] = Some(RgbColor(4, 5, 6));
        let (palette, defaults) = (terminal.colors(), TerminalPalette::default());
        assert_eq!((palette.background, palette.palette[1]), ((1, 2, 3), (4, 5, 6)));
        assert_eq!((palette.foreground, palette.palette[0]), (defaults.foreground, defaults.palette[0]));
    }
}
