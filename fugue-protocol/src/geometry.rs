//! Sizes, places and sides, in cells.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits;

/// Columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Size {
    /// Columns.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cols: u16,
    /// Rows.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub rows: u16,
}

impl Size {
    /// The size every terminal had.
    pub const DEFAULT: Self = Self { cols: 80, rows: 24 };

    /// A size of `cols` columns and `rows` rows.
    pub const fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows }
    }

    /// The cells along an axis: columns in a row, rows in a column.
    pub const fn along(self, axis: Axis) -> u16 {
        match axis {
            Axis::Row => self.cols,
            Axis::Column => self.rows,
        }
    }

    /// The larger of both in each direction.
    pub fn at_least(self, least: Size) -> Self {
        Self::new(self.cols.max(least.cols), self.rows.max(least.rows))
    }

    /// The same size but for `cells` along `axis`.
    pub const fn with(self, axis: Axis, cells: u16) -> Self {
        match axis {
            Axis::Row => Self::new(cells, self.rows),
            Axis::Column => Self::new(self.cols, cells),
        }
    }

    /// Whether a window may have this size.
    pub fn is_sane(self) -> bool {
        let side = 1..=limits::SIDE;
        side.contains(&self.cols) && side.contains(&self.rows)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.cols, self.rows)
    }
}

/// A text that is no size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size: write columns, `x`, rows, as in 80x24, each from 1 to {side}", side = limits::SIDE)]
pub struct NotASize(String);

impl FromStr for Size {
    type Err = NotASize;
    fn from_str(text: &str) -> Result<Self, NotASize> {
        let parse = || {
            let (cols, rows) = text.split_once('x')?;
            Some(Self { cols: cols.parse().ok()?, rows: rows.parse().ok()? })
        };
        parse().filter(|size| size.is_sane()).ok_or_else(|| NotASize(text.to_owned()))
    }
}

/// Where a pane stands in its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Rect {
    /// Column of its left edge.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub col: u16,
    /// Row of its upper edge.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub row: u16,
    /// Columns.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub cols: u16,
    /// Rows.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub rows: u16,
}

impl Rect {
    /// A whole window of that size.
    pub const fn whole(size: Size) -> Self {
        Self { col: 0, row: 0, cols: size.cols, rows: size.rows }
    }

    /// Its columns and rows.
    pub const fn size(self) -> Size {
        Size { cols: self.cols, rows: self.rows }
    }

    /// The first cell along an axis.
    pub const fn start(self, axis: Axis) -> u16 {
        match axis {
            Axis::Row => self.col,
            Axis::Column => self.row,
        }
    }

    /// The cell after the last one along an axis.
    pub const fn end(self, axis: Axis) -> u16 {
        self.start(axis) + self.size().along(axis)
    }

    /// The same place but for where it starts and how long it is along `axis`.
    pub const fn with(self, axis: Axis, start: u16, cells: u16) -> Self {
        match axis {
            Axis::Row => Self { col: start, cols: cells, ..self },
            Axis::Column => Self { row: start, rows: cells, ..self },
        }
    }
}

/// The direction in which the children of a split follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Axis {
    /// Side by side, like the words of a row of text.
    Row,
    /// One below the other, like the numbers of a column.
    Column,
}

impl Axis {
    /// The other axis.
    pub const fn other(self) -> Self {
        match self {
            Axis::Row => Axis::Column,
            Axis::Column => Axis::Row,
        }
    }

    /// What cells along this axis are called, for sentences.
    pub const fn unit(self) -> &'static str {
        match self {
            Axis::Row => "columns",
            Axis::Column => "rows",
        }
    }
}

/// A side of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Side {
    /// To the right; `horizontal` says the same.
    #[serde(alias = "horizontal")]
    Right,
    /// Below; `vertical` says the same.
    #[serde(alias = "vertical", alias = "down")]
    Below,
    /// To the left.
    Left,
    /// Above.
    #[serde(alias = "up")]
    Above,
}

impl Side {
    /// All four, with the flag and the letter that name each on a command line.
    pub const ALL: [(Side, &'static str, char); 4] = [
        (Side::Right, "right", 'R'),
        (Side::Below, "below", 'D'),
        (Side::Left, "left", 'L'),
        (Side::Above, "above", 'U'),
    ];

    /// The axis this side lies on.
    pub const fn axis(self) -> Axis {
        match self {
            Side::Right | Side::Left => Axis::Row,
            Side::Below | Side::Above => Axis::Column,
        }
    }

    /// Whether it is the later side in reading order: right or below.
    pub const fn is_after(self) -> bool {
        matches!(self, Side::Right | Side::Below)
    }

    /// The side across.
    pub const fn opposite(self) -> Self {
        match self {
            Side::Right => Side::Left,
            Side::Below => Side::Above,
            Side::Left => Side::Right,
            Side::Above => Side::Below,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name, _) = Side::ALL[*self as usize];
        f.write_str(name)
    }
}

/// A text that names no side.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a side: say right, below, left or above (horizontal is right, vertical is below)")]
pub struct NotASide(String);

impl FromStr for Side {
    type Err = NotASide;
    fn from_str(text: &str) -> Result<Self, NotASide> {
        match text {
            "right" | "horizontal" => Ok(Self::Right),
            "below" | "vertical" | "down" => Ok(Self::Below),
            "left" => Ok(Self::Left),
            "above" | "up" => Ok(Self::Above),
            other => Err(NotASide(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_nothing_or_of_ten_thousand_are_no_sizes() {
        for text in ["0x24", "80x0", "10000x24", "80", "80x24x2", "-1x5", "axb", ""] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
        assert_eq!("200x50".parse(), Ok(Size { cols: 200, rows: 50 }));
    }

    #[test]
    fn horizontal_is_right_and_vertical_is_below() {
        assert_eq!(serde_json::from_str::<Side>("\"horizontal\"").unwrap(), Side::Right);
        assert_eq!("vertical".parse(), Ok(Side::Below));
    }
}
