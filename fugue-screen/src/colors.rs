//! The colors a program can ask for (OSC 4, 10, 11, 12). What it may change holds for this pane only.

use std::collections::BTreeMap;

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// The first sixteen palette colors, as xterm has them.
pub const BASIC_COLORS: [Rgb; 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// The terminal's own colors, which a viewer knows and a program may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalPalette {
    /// Text.
    pub foreground: Rgb,
    /// What is behind it.
    pub background: Rgb,
    /// The cursor.
    pub cursor: Rgb,
    /// The first sixteen of the palette.
    pub palette: [Rgb; 16],
    pub(crate) changed: BTreeMap<u16, Rgb>,
}

/// Numbers in `changed` for what is not in the palette.
pub(crate) const FOREGROUND: u16 = 256;
pub(crate) const BACKGROUND: u16 = 257;
pub(crate) const CURSOR: u16 = 258;
/// TerminalPalette for bold, underline, blink, reverse and italic text follow from here; we keep them for who asks.
pub(crate) const SPECIAL: u16 = 300;
pub(crate) const MOST_SPECIAL: u16 = 5;

impl Default for TerminalPalette {
    fn default() -> TerminalPalette {
        TerminalPalette {
            foreground: (229, 229, 229),
            background: (0, 0, 0),
            cursor: (229, 229, 229),
            palette: BASIC_COLORS,
            changed: BTreeMap::new(),
        }
    }
}

impl TerminalPalette {
    /// Whether light text stands on a dark ground, which some programs ask for.
    pub(crate) fn is_dark(&self) -> bool {
        let (r, g, b) = self.get(BACKGROUND);
        2 * u32::from(r) + 5 * u32::from(g) + u32::from(b) < 8 * 128
    }

    /// A color as it is now: a palette number, or one of the three above.
    pub(crate) fn get(&self, number: u16) -> Rgb {
        if let Some(&color) = self.changed.get(&number) {
            return color;
        }
        match number {
            FOREGROUND => self.foreground,
            BACKGROUND => self.background,
            CURSOR => self.cursor,
            SPECIAL.. => self.foreground,
            0..16 => self.palette[usize::from(number)],
            _ => standard(number as u8),
        }
    }
}

/// xterm's palette.
pub(crate) fn standard(number: u8) -> Rgb {
    let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
    match number {
        0..16 => BASIC_COLORS[usize::from(number)],
        16..232 => {
            let n = number - 16;
            (step(n / 36), step(n / 6 % 6), step(n % 6))
        }
        232.. => {
            let grey = 8 + 10 * (number - 232);
            (grey, grey, grey)
        }
    }
}

/// `rgb:rr/gg/bb` with one to four digits each, `rgbi:` with fractions, or `#rrggbb` and its relatives.
pub(crate) fn parse(text: &str) -> Option<Rgb> {
    if let Some(hex) = text.strip_prefix('#') {
        let digits = hex.len() / 3;
        return match hex.is_ascii() && hex.len() % 3 == 0 && (1..=4).contains(&digits) {
            true => Some((top(&hex[..digits])?, top(&hex[digits..2 * digits])?, top(&hex[2 * digits..])?)),
            false => None,
        };
    }
    let (kind, values) = text.split_once(':')?;
    let read = match kind {
        "rgb" => scaled,
        "rgbi" => intensity,
        _ => return None,
    };
    let mut parts = values.split('/');
    let color = (read(parts.next()?)?, read(parts.next()?)?, read(parts.next()?)?);
    parts.next().is_none().then_some(color)
}

/// `rgbi:` gives a number from 0 to 1.
fn intensity(number: &str) -> Option<u8> {
    let value: f64 = number.parse().ok()?;
    (0.0..=1.0).contains(&value).then(|| (value * 255.0).round() as u8)
}

/// `#` gives the highest digits.
fn top(hex: &str) -> Option<u8> {
    let value = u32::from_str_radix(hex, 16).ok()?;
    u8::try_from(value << 16 >> (4 * hex.len() + 8)).ok()
}

/// `rgb:` gives a fraction of the largest number of so many digits.
fn scaled(hex: &str) -> Option<u8> {
    if !(1..=4).contains(&hex.len()) || !hex.is_ascii() {
        return None;
    }
    let value = u32::from_str_radix(hex, 16).ok()?;
    u8::try_from(value * 255 / ((1 << (4 * hex.len())) - 1)).ok()
}
