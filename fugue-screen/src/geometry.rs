//! Sizes and areas of a screen, counted in cells, and positions in a pane's text.
//!
//! Lines of text count from the first one the pane ever had. A number always means the same line, whatever the width.

use serde::Serialize;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Size {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

impl Size {
    /// A larger screen is of no use to anyone, but would still take memory.
    pub(crate) const LARGEST: u16 = 1000;

    pub(crate) fn within_limits(self) -> Self {
        Self { cols: self.cols.clamp(1, Self::LARGEST), rows: self.rows.clamp(1, Self::LARGEST) }
    }
}

/// A part of the screen: rows `top..bottom`, columns `left..right`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub top: usize,
    pub bottom: usize,
    pub left: usize,
    pub right: usize,
}

impl Area {
    pub(crate) fn whole(size: Size) -> Self {
        Self { top: 0, bottom: usize::from(size.rows), left: 0, right: usize::from(size.cols) }
    }

    /// The number of its cells. It must not be empty.
    pub(crate) fn cells(&self) -> usize {
        (self.bottom - self.top) * (self.right - self.left)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.top >= self.bottom || self.left >= self.right
    }
}

/// A position in a pane's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Position {
    /// Number of the logical line, counted from the first one the pane ever had.
    pub line: u64,
    /// Offset into the line, in bytes.
    pub offset: usize,
}

/// A logical line with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextLine {
    /// Its number.
    pub number: u64,
    /// Its text, without trailing blanks.
    pub text: String,
}
