//! One place of the grid, in eight bytes: what is shown there, the number of its style, and how it stands to its neighbours.

/// Content with this bit is the number of a cluster in the cluster table; without it, a character.
const CLUSTER: u32 = 1 << 31;

/// The first half of a character that is two columns wide.
pub(crate) const WIDE: u16 = 1;
/// The second half of such a character; it shows nothing of its own.
pub(crate) const TAIL: u16 = 1 << 1;
/// An empty last column, left because a wide character did not fit; reflow drops it.
pub(crate) const FILLER: u16 = 1 << 2;
/// Selective erase passes over it (DECSCA).
pub(crate) const PROTECTED: u16 = 1 << 3;
/// Every erase that honours ISO guarded areas passes over it (SPA, EPA).
pub(crate) const GUARDED: u16 = 1 << 4;

/// All flags there are; what a snapshot may not exceed.
pub(crate) const FLAGS: u16 = WIDE | TAIL | FILLER | PROTECTED | GUARDED;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cell {
    pub content: u32,
    pub style: u16,
    pub flags: u16,
}

/// What a cell holds, told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    Blank,
    Char(char),
    Cluster(u32),
}

impl Cell {
    pub const BLANK: Cell = Cell { content: 0, style: 0, flags: 0 };

    pub fn blank(style: u16) -> Cell {
        Cell { content: 0, style, flags: 0 }
    }

    #[inline]
    pub fn with_char(self, c: char) -> Cell {
        Cell { content: c as u32, ..self }
    }

    #[inline]
    pub fn with_byte(self, byte: u8) -> Cell {
        Cell { content: u32::from(byte), ..self }
    }

    pub fn with_cluster(self, number: u32) -> Cell {
        Cell { content: number | CLUSTER, ..self }
    }

    pub fn with_flags(self, flags: u16) -> Cell {
        Cell { flags: self.flags | flags, ..self }
    }

    /// The same place with nothing in it, its colours kept.
    pub fn emptied(self) -> Cell {
        Cell { content: 0, flags: self.flags & !(WIDE | TAIL | FILLER), ..self }
    }

    #[inline]
    pub fn content(self) -> Content {
        match self.content {
            0 => Content::Blank,
            c if c & CLUSTER != 0 => Content::Cluster(c & !CLUSTER),
            c => char::from_u32(c).map_or(Content::Blank, Content::Char),
        }
    }

    #[inline]
    pub fn is(self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether it shows nothing at all: neither a character nor a colour.
    #[inline]
    pub fn is_plain_blank(self) -> bool {
        self.style == 0 && (self.content == 0 || self.content == 0x20)
    }
}
