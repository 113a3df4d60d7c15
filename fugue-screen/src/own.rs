//! The colours that a program has chosen for its pane (OSC 4, 10, 11, 12), for whoever draws it.

use std::collections::BTreeMap;

use crate::bytes::{Broken, Reader, put_number};
use crate::colours::{BACKGROUND, CURSOR, FOREGROUND, Rgb};
use crate::style::{Colour, Style};

/// Colours of a pane's own, in place of the terminal's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnColours(BTreeMap<u16, Rgb>);

impl OwnColours {
    /// Of all that a program has changed, what is drawn.
    pub(crate) fn of(changed: &BTreeMap<u16, Rgb>) -> Self {
        Self(changed.range(..=CURSOR).map(|(number, colour)| (*number, *colour)).collect())
    }

    /// Whether the terminal's own colours are all right.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The cursor's.
    pub fn cursor(&self) -> Option<Rgb> {
        self.0.get(&CURSOR).copied()
    }

    /// What a character looks like with them.
    pub fn put_on(&self, style: &mut Style) {
        self.put(&mut style.fg, FOREGROUND);
        self.put(&mut style.bg, BACKGROUND);
        if style.underline_colour != Colour::Default {
            self.put(&mut style.underline_colour, FOREGROUND);
        }
    }

    fn put(&self, colour: &mut Colour, default: u16) {
        let number = match *colour {
            Colour::Default => default,
            Colour::Indexed(number) => number.into(),
            Colour::Rgb(..) => return,
        };
        if let Some((red, green, blue)) = self.0.get(&number) {
            *colour = Colour::Rgb(*red, *green, *blue);
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.0.len() as u64);
        for (&number, &(red, green, blue)) in &self.0 {
            [number, red.into(), green.into(), blue.into()].iter().for_each(|&n| put_number(out, n.into()));
        }
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, Broken> {
        let mut own = BTreeMap::new();
        for _ in 0..input.count(4)? {
            own.insert(input.small()?, (input.small()?, input.small()?, input.small()?));
        }
        Ok(Self(own))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Colour, Limits, Mirror, Screen, Size, Style, Update};

    /// A screen that was written to, and a viewer's copy of it.
    fn seen(screen: &mut Screen, mirror: &mut Mirror, text: &str) {
        screen.feed(text.as_bytes());
        let update = screen.update_since(mirror.revision);
        let told = Update::decode(&update.encode()).expect("an update");
        assert_eq!(told, update);
        mirror.apply(&told);
    }

    #[test]
    fn a_programs_own_colours_reach_the_viewer_and_go_again() {
        let mut screen = Screen::new(Size { cols: 20, rows: 3 }, Limits::default());
        let mut mirror = Mirror::default();
        seen(&mut screen, &mut mirror, "text");
        assert!(mirror.colours.is_empty());
        seen(&mut screen, &mut mirror, "\x1b]11;#123456\x07\x1b]4;1;#010203\x07\x1b]12;#ffffff\x07");
        let mut style = Style { fg: Colour::Indexed(1), ..Style::default() };
        mirror.colours.put_on(&mut style);
        assert_eq!((style.fg, style.bg), (Colour::Rgb(1, 2, 3), Colour::Rgb(0x12, 0x34, 0x56)));
        assert_eq!(mirror.colours.cursor(), Some((255, 255, 255)));
        // Who comes later is told them, too.
        let mut late = Mirror::default();
        seen(&mut screen, &mut late, "");
        assert_eq!(late.colours, mirror.colours);
        seen(&mut screen, &mut mirror, "\x1b]111\x07\x1b]104\x07\x1b]112\x07");
        assert!(mirror.colours.is_empty());
        seen(&mut screen, &mut late, "\x1bc");
        assert!(late.colours.is_empty());
    }
}
