//! A screen as the modules of the agents read it: its rows, with as much of their style as tells hints and selections from
//! other text. A program that has a terminal emulator makes one of its view; this crate needs no emulator.

/// A screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownScreen {
    /// Its rows, the first one at the top.
    pub rows: Vec<ShownRow>,
    /// How many columns it has.
    pub cols: usize,
    /// The row of the cursor, counted from 0.
    pub cursor_row: usize,
    /// Whether the cursor is visible.
    pub shows_cursor: bool,
}

/// A row of a screen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownRow {
    /// Its text, from left to right.
    pub spans: Vec<ShownSpan>,
}

/// A part of a row in one style.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownSpan {
    /// The text.
    pub text: String,
    /// Its style.
    pub style: ShownStyle,
}

/// The part of a style by which agents tell their texts apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShownStyle {
    /// The color of the text.
    pub fg: ShownColor,
    /// The color behind it.
    pub bg: ShownColor,
    /// Whether it is faint.
    pub is_dim: bool,
    /// Whether its colors are exchanged.
    pub is_reverse: bool,
}

/// A color on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShownColor {
    /// The terminal's own.
    #[default]
    Default,
    /// One of the palette.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl ShownRow {
    /// Returns the text without trailing blanks.
    pub fn text(&self) -> String {
        let mut text: String = self.spans.iter().map(|span| span.text.as_str()).collect();
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

impl ShownStyle {
    /// Whether text in this style is a hint: faint, or of a gray that is close to its background. Themes differ, so in doubt
    /// it is text: dark text is what people type on a light background.
    pub(crate) fn is_hint(self) -> bool {
        self.is_dim || gray(self.fg).is_some_and(|gray| is_faint(gray, self.bg))
    }
}

/// Whether a gray is faint on a background. On one that is not known, only a gray that is faint on all of them is.
fn is_faint(gray: u8, background: ShownColor) -> bool {
    /// Grays that are neither text on a light nor on a dark background.
    const ON_LIGHT: u8 = 0x68;
    const ON_DARK: u8 = 0xb0;
    match lightness(background) {
        Some(light) if light >= 0x80 => (ON_LIGHT..light).contains(&gray),
        Some(dark) => (dark.saturating_add(0x18)..ON_DARK).contains(&gray),
        None => (ON_LIGHT..ON_DARK).contains(&gray),
    }
}

/// How light a gray is; none if the color is no gray.
fn gray(color: ShownColor) -> Option<u8> {
    match color {
        ShownColor::Indexed(8) => Some(0x80),
        ShownColor::Rgb(r, g, b) if r.max(g).max(b) - r.min(g).min(b) >= 24 => None,
        other => lightness(other),
    }
}

/// How light a color is, if that does not depend on the terminal's palette.
fn lightness(color: ShownColor) -> Option<u8> {
    match color {
        ShownColor::Indexed(number) if number >= 232 => Some(8 + 10 * (number - 232)),
        ShownColor::Rgb(r, g, b) => {
            let sum = 3 * u16::from(r) + 6 * u16::from(g) + u16::from(b);
            u8::try_from(sum / 10).ok()
        }
        ShownColor::Default | ShownColor::Indexed(_) => None,
    }
}
