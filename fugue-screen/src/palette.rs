//! The colors of a terminal: the viewer's palette, and what the program in the pane has changed of it.

use crate::color_overrides::{BACKGROUND, CURSOR, ColorOverrides, FOREGROUND, SPECIAL};
use crate::style::Rgb;

/// The first sixteen colors of xterm's palette.
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

/// The colors of a viewer's terminal, which programs may ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalPalette {
    /// The color of text.
    pub foreground: Rgb,
    /// The color behind text.
    pub background: Rgb,
    /// The color of the cursor.
    pub cursor: Rgb,
    /// The first sixteen colors of the palette.
    pub palette: [Rgb; 16],
    /// The colors that the program in the pane has changed.
    pub(crate) overrides: ColorOverrides,
}

impl Default for TerminalPalette {
    fn default() -> Self {
        Self {
            foreground: (229, 229, 229),
            background: (0, 0, 0),
            cursor: (229, 229, 229),
            palette: BASIC_COLORS,
            overrides: ColorOverrides::default(),
        }
    }
}

impl TerminalPalette {
    /// Whether the background is dark, which some programs ask for.
    pub(crate) fn is_dark(&self) -> bool {
        let (r, g, b) = self.get(BACKGROUND);
        2 * u32::from(r) + 5 * u32::from(g) + u32::from(b) < 8 * 128
    }

    /// The color in a slot, as the program sees it now.
    pub(crate) fn get(&self, slot: u16) -> Rgb {
        self.overrides.get(slot).unwrap_or_else(|| self.viewer_color(slot))
    }

    fn viewer_color(&self, slot: u16) -> Rgb {
        match slot {
            FOREGROUND => self.foreground,
            BACKGROUND => self.background,
            CURSOR => self.cursor,
            SPECIAL.. => self.foreground,
            0..16 => self.palette[usize::from(slot)],
            _ => standard(slot as u8),
        }
    }
}

/// The colors of a pane, and when its program last changed them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PaneColors {
    pub palette: TerminalPalette,
    /// The revision in which the overrides last changed.
    pub revision: u64,
}

impl PaneColors {
    /// Takes the colors of another viewer; the program's overrides stay.
    pub(crate) fn set_viewer_palette(&mut self, palette: TerminalPalette) {
        let overrides = std::mem::take(&mut self.palette.overrides);
        self.palette = TerminalPalette { overrides, ..palette };
    }

    pub(crate) fn set(&mut self, slot: u16, color: Rgb, revision: u64) {
        self.palette.overrides.set(slot, color);
        self.revision = revision;
    }

    pub(crate) fn reset(&mut self, slots: std::ops::Range<u16>, revision: u64) {
        self.palette.overrides.remove(slots);
        self.revision = revision;
    }
}

/// A color of xterm's 256-color palette.
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

/// Parses a color as X11 writes it: `rgb:rr/gg/bb` with one to four digits each, `rgbi:` with fractions, or `#rrggbb`
/// with one to four digits each.
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

/// A part of `rgbi:`: a number from 0 to 1.
fn intensity(number: &str) -> Option<u8> {
    let value: f64 = number.parse().ok()?;
    (0.0..=1.0).contains(&value).then(|| (value * 255.0).round() as u8)
}

/// A part of `#rrggbb`: the highest digits of the value.
fn top(hex: &str) -> Option<u8> {
    let value = u32::from_str_radix(hex, 16).ok()?;
    u8::try_from(value << 16 >> (4 * hex.len() + 8)).ok()
}

/// A part of `rgb:`: a fraction of the largest number with as many digits.
fn scaled(hex: &str) -> Option<u8> {
    if !(1..=4).contains(&hex.len()) || !hex.is_ascii() {
        return None;
    }
    let value = u32::from_str_radix(hex, 16).ok()?;
    u8::try_from(value * 255 / ((1 << (4 * hex.len())) - 1)).ok()
}
