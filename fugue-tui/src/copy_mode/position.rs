//! Positions in the text of copy mode: by row, which depends on the width, and by line, which does not.

/// A position in the text: the row from its top, and the column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CopyPosition {
    pub(crate) row: usize,
    pub(crate) col: usize,
}

/// A line of the program's output, and the cells before a position in it.
pub(super) type LinePosition = (usize, usize);
