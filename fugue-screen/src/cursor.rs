//! The cursor as viewers see it, and the caret behind it: the position, style and character sets of the next character.

use serde::Serialize;

use crate::cell::{GUARDED, PROTECTED};
use crate::charset::Charsets;
use crate::geometry::Size;
use crate::packed_style::PackedStyle;

/// The shape of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CursorShape {
    /// A block that covers the cell.
    #[default]
    Block,
    /// A line under the cell.
    Underline,
    /// A vertical line at the left edge of the cell.
    Bar,
}

/// The cursor. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Cursor {
    /// Row.
    pub row: u16,
    /// Column.
    pub col: u16,
    /// Whether it is shown.
    pub visible: bool,
    /// Its shape.
    pub shape: CursorShape,
    /// Whether it blinks.
    pub blinking: bool,
}

/// Where the next character goes, and how it will look.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Caret {
    pub row: usize,
    pub col: usize,
    /// The last column has been written; the next character goes to the next row first.
    pub wrap_pending: bool,
    pub style: PackedStyle,
    pub protection: Protection,
    pub charsets: Charsets,
}

impl Caret {
    /// Moves the caret back onto a screen that has become smaller.
    pub(crate) fn clamp(&mut self, size: Size) {
        self.row = self.row.min(usize::from(size.rows) - 1);
        self.col = self.col.min(usize::from(size.cols) - 1);
        self.wrap_pending = false;
    }
}

/// How new characters are protected against erasing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Protection {
    #[default]
    None,
    /// DECSCA: protected against selective erase.
    Dec,
    /// SPA: protected against every erase.
    Iso,
}

impl Protection {
    pub(crate) fn flag(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Dec => PROTECTED,
            Self::Iso => GUARDED,
        }
    }
}

/// The state that DECSC saves and DECRC restores.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SavedCursor {
    pub caret: Caret,
    pub origin: bool,
}
