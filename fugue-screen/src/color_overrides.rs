//! The colors that a program has chosen for its pane (OSC 4, 10, 11, 12), which replace the viewer's own.

use std::collections::BTreeMap;

use crate::binary_format::{DecodeError, Reader, put_number};
use crate::style::{Color, Rgb, Style};

/// Slots of colors outside the 256 of the palette.
pub(crate) const FOREGROUND: u16 = 256;
pub(crate) const BACKGROUND: u16 = 257;
pub(crate) const CURSOR: u16 = 258;
/// The first of the slots for bold, underlined, blinking, reversed and italic text. They are kept for programs that ask
/// for them, but never drawn.
pub(crate) const SPECIAL: u16 = 300;
pub(crate) const SPECIAL_COUNT: u16 = 5;

/// Colors that a program has chosen for its pane, by slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColorOverrides(BTreeMap<u16, Rgb>);

impl ColorOverrides {
    /// Whether the program has chosen no colors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The color of the cursor.
    pub fn cursor(&self) -> Option<Rgb> {
        self.get(CURSOR)
    }

    /// Replaces the default and palette colors of a style that the program has overridden.
    pub fn apply_to(&self, style: &mut Style) {
        self.replace(&mut style.fg, FOREGROUND);
        self.replace(&mut style.bg, BACKGROUND);
        if style.underline_color != Color::Default {
            self.replace(&mut style.underline_color, FOREGROUND);
        }
    }

    fn replace(&self, color: &mut Color, default: u16) {
        let slot = match *color {
            Color::Default => default,
            Color::Indexed(number) => number.into(),
            Color::Rgb(..) => return,
        };
        if let Some((red, green, blue)) = self.get(slot) {
            *color = Color::Rgb(red, green, blue);
        }
    }

    pub(crate) fn get(&self, slot: u16) -> Option<Rgb> {
        self.0.get(&slot).copied()
    }

    pub(crate) fn set(&mut self, slot: u16, color: Rgb) {
        self.0.insert(slot, color);
    }

    pub(crate) fn remove(&mut self, slots: std::ops::Range<u16>) {
        self.0.retain(|slot, _| !slots.contains(slot));
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The overrides that a viewer draws with: all but the special ones.
    pub(crate) fn drawn(&self) -> Self {
        Self(self.0.range(..=CURSOR).map(|(slot, color)| (*slot, *color)).collect())
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.0.len() as u64);
        for (&slot, &(red, green, blue)) in &self.0 {
            [slot, red.into(), green.into(), blue.into()].iter().for_each(|&n| put_number(out, n.into()));
        }
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut colors = BTreeMap::new();
        for _ in 0..input.count(4)? {
            colors.insert(input.small()?, (input.small()?, input.small()?, input.small()?));
        }
        Ok(Self(colors))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Color, Limits, Mirror, Screen, Size, Style, Update};

    /// Feeds text to a screen and updates a viewer's copy of it over the wire format.
    fn feed_and_mirror(screen: &mut Screen, mirror: &mut Mirror, text: &str) {
        screen.feed(text.as_bytes());
        let update = screen.update_since(mirror.revision);
        let decoded = Update::decode(&screen.encode_update_since(mirror.revision)).expect("an update");
        assert_eq!(decoded, update);
        mirror.apply(&decoded);
    }

    #[test]
    fn colors_a_program_chooses_reach_the_viewer_and_can_be_reset() {
        let mut screen = Screen::new(Size { cols: 20, rows: 3 }, Limits::default());
        let mut mirror = Mirror::default();
        feed_and_mirror(&mut screen, &mut mirror, "text");
        assert!(mirror.colors.is_empty());
        let colors = "\x1b]11;#123456\x07\x1b]4;1;#010203\x07\x1b]12;#ffffff\x07";
        feed_and_mirror(&mut screen, &mut mirror, colors);
        let mut style = Style { fg: Color::Indexed(1), ..Style::default() };
        mirror.colors.apply_to(&mut style);
        assert_eq!((style.fg, style.bg), (Color::Rgb(1, 2, 3), Color::Rgb(0x12, 0x34, 0x56)));
        assert_eq!(mirror.colors.cursor(), Some((255, 255, 255)));
        // A viewer that attaches later gets them, too.
        let mut late = Mirror::default();
        feed_and_mirror(&mut screen, &mut late, "");
        assert_eq!(late.colors, mirror.colors);
        feed_and_mirror(&mut screen, &mut mirror, "\x1b]111\x07\x1b]104\x07\x1b]112\x07");
        assert!(mirror.colors.is_empty());
        feed_and_mirror(&mut screen, &mut late, "\x1bc");
        assert!(late.colors.is_empty());
    }
}
