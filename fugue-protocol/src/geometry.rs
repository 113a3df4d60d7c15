//! Sizes, rectangles and sides, in cells.

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
    /// The classic size of a terminal.
    pub const DEFAULT: Self = Self { cols: 80, rows: 24 };

    /// A size of `cols` columns and `rows` rows.
    pub const fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows }
    }

    /// The number of cells along an axis: columns in a row, rows in a column.
    pub const fn along(self, axis: Axis) -> u16 {
        match axis {
            Axis::Row => self.cols,
            Axis::Column => self.rows,
        }
    }

    /// The larger of the two in each direction.
    pub fn at_least(self, least: Self) -> Self {
        Self::new(self.cols.max(least.cols), self.rows.max(least.rows))
    }

    /// The same size, except for `cells` along `axis`.
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

/// The error for text that is not a size.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a size: use COLSxROWS, such as 80x24, each from 1 to {side}", side = limits::SIDE)]
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

/// The position and size of a pane in its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Rect {
    /// Column of the left edge.
    #[schemars(schema_with = "crate::time::plain_integer")]
    pub col: u16,
    /// Row of the top edge.
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
    /// The rectangle of a whole window.
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

    /// The same rectangle, except for its start and length along `axis`.
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
    /// Side by side, like words in a row of text.
    Row,
    /// Below each other, like numbers in a column.
    Column,
}

impl Axis {
    /// The other axis.
    pub const fn other(self) -> Self {
        match self {
            Self::Row => Self::Column,
            Self::Column => Self::Row,
        }
    }

    /// The name of cells along this axis.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Row => "columns",
            Self::Column => "rows",
        }
    }
}

/// A side of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Side {
    /// To the right; also `horizontal`.
    #[serde(alias = "horizontal")]
    Right,
    /// Below; also `vertical`.
    #[serde(alias = "vertical", alias = "down")]
    Below,
    /// To the left.
    Left,
    /// Above.
    #[serde(alias = "up")]
    Above,
}

impl Side {
    /// All four, each with its long and short flag.
    pub const ALL: [(Self, &'static str, char); 4] = [
        (Self::Right, "right", 'R'),
        (Self::Below, "below", 'D'),
        (Self::Left, "left", 'L'),
        (Self::Above, "above", 'U'),
    ];

    /// The axis of this side.
    pub const fn axis(self) -> Axis {
        match self {
            Self::Right | Self::Left => Axis::Row,
            Self::Below | Self::Above => Axis::Column,
        }
    }

    /// Whether it comes later in reading order: right or below.
    pub const fn is_after(self) -> bool {
        matches!(self, Self::Right | Self::Below)
    }

    /// The opposite side.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Right => Self::Left,
            Self::Below => Self::Above,
            Self::Left => Self::Right,
            Self::Above => Self::Below,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, name, _) = Self::ALL[*self as usize];
        f.write_str(name)
    }
}

/// The error for text that is not a side.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a side: use right, below, left or above (horizontal is right, vertical is below)")]
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
    fn empty_and_huge_sizes_are_refused() {
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
