//! The style of a character: colors, underline, and the other attributes of SGR.

use serde::Serialize;

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// A color as the program named it. The viewer decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Color {
    /// The terminal's default foreground or background.
    #[default]
    Default,
    /// One of the 256 palette colors.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

impl Color {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Default => 0,
            Self::Indexed(n) => 1 << 24 | u32::from(n),
            Self::Rgb(r, g, b) => 2 << 24 | u32::from(r) << 16 | u32::from(g) << 8 | u32::from(b),
        }
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        let [kind, r, g, b] = bits.to_be_bytes();
        match kind {
            1 => Self::Indexed(b),
            2 => Self::Rgb(r, g, b),
            _ => Self::Default,
        }
    }
}

/// The line under a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Underline {
    /// No line.
    #[default]
    None,
    /// One straight line.
    Single,
    /// Two lines.
    Double,
    /// A wavy line, for errors.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

impl Underline {
    const ALL: [Self; 6] = [Self::None, Self::Single, Self::Double, Self::Curly, Self::Dotted, Self::Dashed];

    /// Returns the underline with this number in `SGR 4:n`; unknown ones are drawn as a single line.
    pub fn from_number(n: u16) -> Self {
        Self::ALL.get(usize::from(n)).copied().unwrap_or(Self::Single)
    }

    /// Its number in `SGR 4:n`.
    pub fn number(self) -> u16 {
        self as u16
    }
}

/// A set of the attributes that are either on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Attrs(pub(crate) u16);

impl Attrs {
    /// Bold.
    pub const BOLD: Self = Self(1);
    /// Faint.
    pub const DIM: Self = Self(1 << 1);
    /// Slanted.
    pub const ITALIC: Self = Self(1 << 2);
    /// Blinking.
    pub const BLINK: Self = Self(1 << 3);
    /// Foreground and background exchanged.
    pub const REVERSE: Self = Self(1 << 4);
    /// Not shown.
    pub const HIDDEN: Self = Self(1 << 5);
    /// Struck through.
    pub const STRIKE: Self = Self(1 << 6);
    /// A line above.
    pub const OVERLINE: Self = Self(1 << 7);
    pub(crate) const ALL: u16 = 0xff;

    /// Whether all of `other` are on.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Turns attributes on.
    pub fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Flips attributes.
    pub fn toggle(&mut self, other: Self) {
        self.0 ^= other.0;
    }

    /// Turns attributes off.
    pub fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl std::ops::BitOr for Attrs {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The style of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// Color of the character.
    pub fg: Color,
    /// Color behind it.
    pub bg: Color,
    /// Color of the line under it; the default follows the foreground.
    pub underline_color: Color,
    /// The line under it.
    pub underline: Underline,
    /// Bold, italic and so on.
    pub attrs: Attrs,
}
