//! A style as it is stored: sixteen bytes that are quick to compare and to look up. Viewers get a [`Style`].

use crate::style::{Attrs, Color, Style, Underline};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PackedStyle {
    /// Colors as [`Color::bits`] encodes them.
    pub fg: u32,
    pub bg: u32,
    pub underline_color: u32,
    /// Attributes that are on or off, and above them the underline.
    pub attrs: u16,
    /// The number of a hyperlink in the interner; 0 is none.
    pub link: u16,
}

const UNDERLINE_AT: u32 = 12;

impl PackedStyle {
    /// The default style with the same link: SGR 0 does not end links.
    #[inline]
    pub(crate) fn plain(self) -> Self {
        Self { link: self.link, ..Self::default() }
    }

    /// The style that erasing leaves behind: the background alone.
    pub(crate) fn erased(self) -> Self {
        Self { bg: self.bg, ..Self::default() }
    }

    #[inline]
    pub(crate) fn on(&mut self, attrs: Attrs) {
        self.attrs |= attrs.0;
    }

    #[inline]
    pub(crate) fn off(&mut self, attrs: Attrs) {
        self.attrs &= !attrs.0;
    }

    pub(crate) fn flip(&mut self, attrs: Attrs) {
        self.attrs ^= attrs.0;
    }

    #[inline]
    pub(crate) fn set_underline(&mut self, underline: Underline) {
        self.attrs = self.attrs & Attrs::ALL | underline.number() << UNDERLINE_AT;
    }

    pub(crate) fn underline(self) -> Underline {
        Underline::from_number(self.attrs >> UNDERLINE_AT)
    }

    /// Builds a style from stored parts; meaningless bits are dropped.
    pub(crate) fn from_parts([fg, bg, underline_color]: [u32; 3], attrs: u16, link: u16) -> Self {
        let known = |bits| Color::from_bits(bits).bits();
        let mut look =
            Self { fg: known(fg), bg: known(bg), underline_color: known(underline_color), attrs, link };
        look.set_underline(look.underline());
        look
    }

    /// A cheap hash of all parts.
    #[inline]
    pub(crate) fn hash(&self) -> u64 {
        let colors = u64::from(self.fg) << 32 | u64::from(self.bg);
        let rest = u64::from(self.underline_color) << 32 | u64::from(self.attrs) << 16 | u64::from(self.link);
        (colors.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ rest).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}

impl From<PackedStyle> for Style {
    fn from(look: PackedStyle) -> Self {
        Self {
            fg: Color::from_bits(look.fg),
            bg: Color::from_bits(look.bg),
            underline_color: Color::from_bits(look.underline_color),
            underline: look.underline(),
            attrs: Attrs(look.attrs & Attrs::ALL),
        }
    }
}

impl From<Style> for PackedStyle {
    fn from(style: Style) -> Self {
        let colors = [style.fg, style.bg, style.underline_color].map(Color::bits);
        Self::from_parts(colors, style.attrs.0 | style.underline.number() << UNDERLINE_AT, 0)
    }
}
