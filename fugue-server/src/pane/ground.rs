//! The colours of the terminal in which a pane is shown.

use fugue_protocol::Colour;
use fugue_screen::Colours;

/// Colours of text and of what is behind it, where they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ground {
    pub(crate) foreground: Option<Colour>,
    pub(crate) background: Option<Colour>,
    pub(crate) palette: [Option<Colour>; 16],
}

impl Ground {
    /// As a screen tells them; a cursor has the colour of text.
    pub(super) fn colours(self) -> Colours {
        let rgb = |Colour(red, green, blue)| (red, green, blue);
        let mut colours = Colours::default();
        colours.foreground = self.foreground.map_or(colours.foreground, rgb);
        colours.background = self.background.map_or(colours.background, rgb);
        colours.cursor = colours.foreground;
        let told = colours.palette.iter_mut().zip(self.palette);
        told.for_each(|(known, told)| *known = told.map_or(*known, rgb));
        colours
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_told_holds_and_the_rest_is_as_always() {
        let mut ground = Ground { background: Some(Colour(1, 2, 3)), ..Ground::default() };
        ground.palette[1] = Some(Colour(4, 5, 6));
        let (told, usual) = (ground.colours(), Colours::default());
        assert_eq!((told.background, told.palette[1]), ((1, 2, 3), (4, 5, 6)));
        assert_eq!((told.foreground, told.palette[0]), (usual.foreground, usual.palette[0]));
    }
}
