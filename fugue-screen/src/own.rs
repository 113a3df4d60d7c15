//! The colors that a program has chosen for its pane (OSC 4, 10, 11, 12), for whoever draws it.

use std::collections::BTreeMap;

use crate::bytes::{DecodeError, Reader, put_number};
use crate::colors::{BACKGROUND, CURSOR, FOREGROUND, Rgb};
use crate::style::{Color, Style};

/// TerminalPalette of a pane's own, in place of the terminal's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColorOverrides(BTreeMap<u16, Rgb>);

impl ColorOverrides {
    /// Of all that a program has changed, what is drawn.
    pub(crate) fn of(changed: &BTreeMap<u16, Rgb>) -> Self {
        Self(changed.range(..=CURSOR).map(|(number, color)| (*number, *color)).collect())
    }

    /// Whether the terminal's own colors are all right.
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
        if style.underline_color != Color::Default {
            self.put(&mut style.underline_color, FOREGROUND);
        }
    }

    fn put(&self, color: &mut Color, default: u16) {
        let number = match *color {
            Color::Default => default,
            Color::Indexed(number) => number.into(),
            Color::Rgb(..) => return,
        };
        if let Some((red, green, blue)) = self.0.get(&number) {
            *color = Color::Rgb(*red, *green, *blue);
        }
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.0.len() as u64);
        for (&number, &(red, green, blue)) in &self.0 {
            [number, red.into(), green.into(), blue.into()].iter().for_each(|&n| put_number(out, n.into()));
        }
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut own = BTreeMap::new();
        for _ in 0..input.count(4)? {
            own.insert(input.small()?, (input.small()?, input.small()?, input.small()?));
        }
        Ok(Self(own))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Color, Limits, Mirror, Screen, Size, Style, Update};

    /// A screen that was written to, and a viewer's copy of it.
    fn seen(screen: &mut Screen, mirror: &mut Mirror, text: &str) {
        screen.feed(text.as_bytes());
        let update = screen.update_since(mirror.revision);
        let told = Update::decode(&update.encode()).expect("an update");
        assert_eq!(told, update);
        mirror.apply(&told);
    }

    #[test]
    fn a_programs_own_colors_reach_the_viewer_and_go_again() {
        let mut screen = Screen::new(Size { cols: 20, rows: 3 }, Limits::default());
        let mut mirror = Mirror::default();
        seen(&mut screen, &mut mirror, "text");
        assert!(mirror.colors.is_empty());
        seen(&mut screen, &mut mirror, "\x1b]11;#123456\x07\x1b]4;1;#010203\x07\x1b]12;#ffffff\x07");
        let mut style = Style { fg: Color::Indexed(1), ..Style::default() };
        mirror.colors.put_on(&mut style);
        assert_eq!((style.fg, style.bg), (Color::Rgb(1, 2, 3), Color::Rgb(0x12, 0x34, 0x56)));
        assert_eq!(mirror.colors.cursor(), Some((255, 255, 255)));
        // Who comes later is told them, too.
        let mut late = Mirror::default();
        seen(&mut screen, &mut late, "");
        assert_eq!(late.colors, mirror.colors);
        seen(&mut screen, &mut mirror, "\x1b]111\x07\x1b]104\x07\x1b]112\x07");
        assert!(mirror.colors.is_empty());
        seen(&mut screen, &mut late, "\x1bc");
        assert!(late.colors.is_empty());
    }
}
