//! The colors of the terminal in which a pane is shown.

use fugue_protocol::RgbColor;
use fugue_screen::TerminalPalette;

/// Colors of text and of what is behind it, where they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) foreground: Option<RgbColor>,
    pub(crate) background: Option<RgbColor>,
    pub(crate) palette: [Option<RgbColor>; 16],
}

impl Ground {
    /// As a screen tells them; a cursor has the color of text.
    pub(super) fn colors(self) -> TerminalPalette {
        let rgb = |RgbColor(red, green, blue)| (red, green, blue);
        let mut colors = TerminalPalette::default();
        colors.foreground = self.foreground.map_or(colors.foreground, rgb);
        colors.background = self.background.map_or(colors.background, rgb);
        colors.cursor = colors.foreground;
        let told = colors.palette.iter_mut().zip(self.palette);
        told.for_each(|(known, told)| *known = told.map_or(*known, rgb));
        colors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_told_holds_and_the_rest_is_as_always() {
        let mut ground = Ground { background: Some(RgbColor(1, 2, 3)), ..Ground::default() };
        ground.palette[1] = Some(RgbColor(4, 5, 6));
        let (told, usual) = (ground.colors(), TerminalPalette::default());
        assert_eq!((told.background, told.palette[1]), ((1, 2, 3), (4, 5, 6)));
        assert_eq!((told.foreground, told.palette[0]), (usual.foreground, usual.palette[0]));
    }
}
