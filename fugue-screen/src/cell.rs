//! One cell of the grid in eight bytes: its content, the number of its style, and flags that relate it to its
//! neighbors.

/// Content with this bit is the number of a cluster in the interner; without it, a character.
const CLUSTER: u32 = 1 << 31;

/// The cell is the first half of a character that is two columns wide.
pub(crate) const WIDE: u16 = 1;
/// The cell is the second half of such a character and shows nothing of its own.
pub(crate) const TAIL: u16 = 1 << 1;
/// The cell is an empty last column, left because a wide character did not fit. Reflow drops it.
pub(crate) const FILLER: u16 = 1 << 2;
/// Selective erase skips the cell (DECSCA).
pub(crate) const PROTECTED: u16 = 1 << 3;
/// Every erase that honors ISO guarded areas skips the cell (SPA, EPA).
pub(crate) const GUARDED: u16 = 1 << 4;
/// The cell is blank and shows a part of a sixel image.
pub(crate) const PICTURE: u16 = 1 << 5;

/// All flags; a snapshot may contain no others.
pub(crate) const FLAGS: u16 = WIDE | TAIL | FILLER | PROTECTED | GUARDED | PICTURE;

/// A cell: content in the lower half, then the number of the style, then the flags. It is one number rather than three
/// fields, so that loops over whole rows compile to vector code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cell(pub u64);

/// The decoded content of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellContent {
    Blank,
    Char(char),
    Cluster(u32),
}

const CONTENT: u64 = 0xffff_ffff;

impl Cell {
    pub(crate) const BLANK: Self = Self(0);

    pub(crate) fn new(content: u32, style: u16, flags: u16) -> Self {
        Self(u64::from(content) | u64::from(style) << 32 | u64::from(flags) << 48)
    }

    pub(crate) fn blank(style: u16) -> Self {
        Self::new(0, style, 0)
    }

    /// The content as it is stored.
    #[inline]
    pub(crate) fn code(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) fn style(self) -> u16 {
        (self.0 >> 32) as u16
    }

    #[inline]
    pub(crate) fn flags(self) -> u16 {
        (self.0 >> 48) as u16
    }

    #[inline]
    pub(crate) fn with_code(self, code: u32) -> Self {
        Self(self.0 & !CONTENT | u64::from(code))
    }

    #[inline]
    pub(crate) fn with_char(self, c: char) -> Self {
        self.with_code(c as u32)
    }

    #[inline]
    pub(crate) fn with_byte(self, byte: u8) -> Self {
        self.with_code(u32::from(byte))
    }

    pub(crate) fn with_cluster(self, number: u32) -> Self {
        self.with_code(number | CLUSTER)
    }

    pub(crate) fn with_style(self, style: u16) -> Self {
        Self::new(self.code(), style, self.flags())
    }

    #[inline]
    pub(crate) fn with_flags(self, flags: u16) -> Self {
        Self(self.0 | u64::from(flags) << 48)
    }

    #[inline]
    pub(crate) fn without_flags(self, flags: u16) -> Self {
        Self(self.0 & !(u64::from(flags) << 48))
    }

    /// Returns the cell without its content; the colors stay.
    pub(crate) fn emptied(self) -> Self {
        Self::new(0, self.style(), self.flags() & !(WIDE | TAIL | FILLER))
    }

    #[inline]
    pub(crate) fn content(self) -> CellContent {
        match self.code() {
            0 => CellContent::Blank,
            c if c & CLUSTER != 0 => CellContent::Cluster(c & !CLUSTER),
            c => char::from_u32(c).map_or(CellContent::Blank, CellContent::Char),
        }
    }

    /// Whether the content is a character made of several code points.
    #[inline]
    pub(crate) fn is_cluster(self) -> bool {
        self.code() & CLUSTER != 0
    }

    #[inline]
    pub(crate) fn is(self, flag: u16) -> bool {
        self.flags() & flag != 0
    }

    /// Whether the cell shows nothing at all: neither a character nor a color.
    #[inline]
    pub(crate) fn is_plain_blank(self) -> bool {
        self.style() == 0 && (self.code() == 0 || self.code() == 0x20) && !self.is(TAIL)
    }
}
