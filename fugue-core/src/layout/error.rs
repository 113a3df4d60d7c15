//! Reasons why a layout cannot be changed, or is none.

use super::WHOLE;
use fugue_protocol::geometry::{Axis, Side};
use std::fmt;

/// A refused change; the layout stays as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutError<P> {
    /// The pane is not in this layout.
    NoSuchPane {
        /// The requested pane.
        pane: P,
    },
    /// The pane is in this layout already.
    AlreadyHere {
        /// The pane to add.
        pane: P,
    },
    /// A pane cannot be placed next to itself.
    BesideItself {
        /// The pane to move.
        pane: P,
    },
    /// A new pane does not fit.
    NoRoom {
        /// The pane to split; none for the whole window.
        pane: Option<P>,
        /// The axis along which cells are counted.
        axis: Axis,
        /// The available cells.
        has: u16,
        /// The required cells: both panes and the border.
        needs: u16,
    },
    /// The pane spans the window, so there is no border to move.
    NoBorder {
        /// The pane to resize.
        pane: P,
        /// The axis along which it has no neighbor.
        axis: Axis,
    },
    /// The border cannot move: all panes on that side have their minimum size.
    Stuck {
        /// The pane to resize.
        pane: P,
        /// The direction in which the border should have moved.
        towards: Side,
    },
    /// The pane cannot have that size in this window.
    OutOfRange {
        /// The pane to resize.
        pane: P,
        /// The axis along which cells are counted.
        axis: Axis,
        /// The requested size.
        wanted: u16,
        /// The minimum.
        least: u16,
        /// The maximum.
        most: u16,
    },
    /// Splits would be nested too deeply.
    TooDeep {
        /// The maximum depth.
        most: usize,
    },
    /// There would be too many panes.
    TooMany {
        /// The maximum.
        most: usize,
    },
    /// The layout would have no pane.
    Empty,
    /// The specification of a layout is wrong.
    Flawed(Flaw<P>),
}

impl<P: fmt::Display> fmt::Display for LayoutError<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPane { pane } => write!(f, "pane {pane} is not in this window"),
            Self::AlreadyHere { pane } => write!(f, "pane {pane} is already in this window"),
            Self::BesideItself { pane } => write!(f, "pane {pane} cannot be placed next to itself"),
            Self::NoRoom { pane, axis, has, needs } => no_room(f, pane.as_ref(), *axis, *has, *needs),
            Self::NoBorder { pane, axis } => {
                write!(f, "pane {pane} spans all {} of the window, so it has no border to move", axis.unit())
            }
            Self::Stuck { pane, towards } => {
                write!(
                    f,
                    "pane {pane} has no border that can move {}: the panes there are at their minimum size",
                    heading(*towards)
                )
            }
            Self::OutOfRange { pane, axis, wanted, least, most } => {
                write!(
                    f,
                    "pane {pane} must have {least} to {most} {} in this layout, not {wanted}",
                    axis.unit()
                )
            }
            Self::TooDeep { most } => {
                write!(f, "splits would be nested more than {most} levels deep")
            }
            Self::TooMany { most } => write!(f, "a window can have at most {most} panes"),
            Self::Empty => write!(f, "a layout needs at least one pane"),
            Self::Flawed(flaw) => flaw.fmt(f),
        }
    }
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for LayoutError<P> {}

impl<P> From<Flaw<P>> for LayoutError<P> {
    fn from(flaw: Flaw<P>) -> Self {
        Self::Flawed(flaw)
    }
}

/// A defect in a tree and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw<P> {
    /// The path to it, such as `layout.children[1].children[0]`.
    pub path: String,
    /// The defect.
    pub fault: Fault<P>,
}

/// A kind of defect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault<P> {
    /// A split with too few children.
    TooFew {
        /// The number of children.
        children: usize,
    },
    /// A split directly in a split along the same axis.
    SameAxis,
    /// A weight or ratio of zero.
    Nothing,
    /// Weights that do not add up to [`WHOLE`].
    WrongSum {
        /// The actual sum.
        sum: u64,
    },
    /// A pane that occurs twice.
    Twice {
        /// The pane.
        pane: P,
    },
    /// Splits nested too deeply.
    TooDeep {
        /// The maximum depth.
        most: usize,
    },
    /// Too many panes.
    TooMany {
        /// The maximum.
        most: usize,
    },
}

impl<P: fmt::Display> fmt::Display for Flaw<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.fault {
            Fault::TooFew { children } => write!(f, "a split needs two or more children, not {children}"),
            Fault::SameAxis => write!(f, "a split has the same axis as its parent"),
            Fault::Nothing => write!(f, "ratio must be greater than 0"),
            Fault::WrongSum { sum } => write!(f, "the weights add up to {sum}, not {WHOLE}"),
            Fault::Twice { pane } => write!(f, "pane {pane} appears twice"),
            Fault::TooDeep { most } => write!(f, "splits are nested more than {most} levels deep"),
            Fault::TooMany { most } => write!(f, "more than {most} panes"),
        }
    }
}

impl<P: fmt::Debug + fmt::Display> std::error::Error for Flaw<P> {}

fn no_room<P: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    pane: Option<&P>,
    axis: Axis,
    has: u16,
    needs: u16,
) -> fmt::Result {
    match pane {
        Some(pane) => write!(f, "pane {pane}")?,
        None => write!(f, "the window")?,
    }
    write!(f, " has only {has} of the {needs} {} needed", axis.unit())
}

fn heading(side: Side) -> &'static str {
    match side {
        Side::Right => "right",
        Side::Below => "down",
        Side::Left => "left",
        Side::Above => "up",
    }
}
