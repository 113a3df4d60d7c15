//! Positions in a pane's text, and numbered logical lines.
//!
//! Lines count from the first one the pane ever had. A number always means the same line, whatever the width.

use serde::Serialize;

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
