//! The tree: panes, splits and their weights.

use super::WHOLE;
use super::weights;
use fugue_protocol::geometry::{Axis, Size};
use serde::{Deserialize, Serialize};

/// The minimum size of a pane: two columns fit one wide character, one row fits a prompt.
pub const LEAST_PANE: Size = Size { cols: 2, rows: 1 };

/// The maximum number of panes in a window: the minimum size of any arrangement stays far within `u16`.
pub const MOST_PANES: usize = 4096;

/// The maximum depth of splits. JSON readers stop at 128 levels and a split takes four of them, so what is written
/// to the journal can be read back, with some levels to spare for what surrounds it.
pub const MOST_DEPTH: usize = 24;

/// A part of a window: one pane, or a split of several parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LayoutNode<P> {
    /// One pane.
    Pane(P),
    /// Several parts with borders between them.
    Split(LayoutSplit<P>),
}

/// Parts next to each other along an axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayoutSplit<P> {
    /// The axis along which the children follow each other.
    pub axis: Axis,
    /// Two or more children, in order; their weights add up to [`WHOLE`].
    pub children: Vec<SplitChild<P>>,
}

/// A part of a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitChild<P> {
    /// Its share of the split, in [`WHOLE`]ths.
    pub weight: u32,
    /// The part itself.
    pub node: LayoutNode<P>,
}

impl<P: Copy + Eq> LayoutNode<P> {
    /// A split of these parts with these ratios; a single part alone.
    pub(super) fn of(axis: Axis, parts: Vec<(u64, Self)>) -> Self {
        let (ratios, nodes): (Vec<u64>, Vec<Self>) = parts.into_iter().unzip();
        let weights = weights::weights(&ratios);
        let children =
            weights.into_iter().zip(nodes).map(|(weight, node)| SplitChild { weight, node }).collect();
        let mut node = Self::Split(LayoutSplit { axis, children });
        node.unwrap_lone();
        node
    }

    /// Replaces a split with a single child by that child.
    pub(super) fn unwrap_lone(&mut self) {
        if let Self::Split(split) = self
            && split.children.len() == 1
            && let Some(child) = split.children.pop()
        {
            *self = child.node;
        }
    }

    pub(super) fn each_pane(&self, visit: &mut impl FnMut(P)) {
        match self {
            Self::Pane(pane) => visit(*pane),
            Self::Split(split) => split.children.iter().for_each(|child| child.node.each_pane(visit)),
        }
    }

    pub(super) fn each_pane_mut(&mut self, visit: &mut impl FnMut(&mut P)) {
        match self {
            Self::Pane(pane) => visit(pane),
            Self::Split(split) => {
                split.children.iter_mut().for_each(|child| child.node.each_pane_mut(visit));
            }
        }
    }

    /// The index of the child to take at each split on the way to `pane`.
    pub(super) fn path_to(&self, pane: P) -> Option<Vec<usize>> {
        self.path_but(pane, None)
    }

    /// The same for a pane that may be there twice, if one of its places is at the path `but`: the way to the other.
    pub(super) fn path_but(&self, pane: P, but: Option<&[usize]>) -> Option<Vec<usize>> {
        match self {
            Self::Pane(here) => (*here == pane && but != Some(&[])).then(Vec::new),
            Self::Split(split) => split.children.iter().enumerate().find_map(|(at, child)| {
                let but = but.and_then(<[usize]>::split_first).filter(|(first, _)| **first == at);
                let mut path = child.node.path_but(pane, but.map(|(_, rest)| rest))?;
                path.insert(0, at);
                Some(path)
            }),
        }
    }

    /// The splits on a path, outermost first.
    pub(super) fn splits_on(&self, path: &[usize]) -> Vec<&LayoutSplit<P>> {
        let mut splits = Vec::new();
        let mut node = self;
        for &at in path {
            let Self::Split(split) = node else { break };
            splits.push(split);
            node = &split.children[at].node;
        }
        splits
    }

    /// The depth of nested splits.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Pane(_) => 0,
            Self::Split(split) => 1 + split.children.iter().map(|c| c.node.depth()).max().unwrap_or(0),
        }
    }

    /// The minimum size at which every pane has its minimum.
    pub(super) fn least(&self) -> Size {
        match self {
            Self::Pane(_) => LEAST_PANE,
            Self::Split(split) => split.least(),
        }
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    fn least(&self) -> Size {
        let (axis, across) = (self.axis, self.axis.other());
        let start = Size::new(0, 0).with(axis, self.borders());
        // Computed once per child: twice per level would be exponential in the depth.
        self.children.iter().map(|child| child.node.least()).fold(start, |sum, least| {
            let wide = sum.along(across).max(least.along(across));
            let long = sum.along(axis).saturating_add(least.along(axis));
            sum.with(across, wide).with(axis, long)
        })
    }

    /// The minimum cells of each child along the axis.
    pub(super) fn leasts(&self) -> Vec<u16> {
        self.children.iter().map(|child| child.node.least().along(self.axis)).collect()
    }

    /// The cells taken by borders.
    pub(super) fn borders(&self) -> u16 {
        u16::try_from(self.children.len().saturating_sub(1)).unwrap_or(u16::MAX)
    }

    /// The cells of each child along the axis, for an extent of the split.
    pub(super) fn cells(&self, extent: Size) -> Vec<u16> {
        weights::cells(&self.weights(), extent.along(self.axis), &self.leasts())
    }

    /// Sets the weights so that the children have exactly these cells.
    pub(super) fn aim(&mut self, cells: &[u16]) {
        let weights = weights::aimed(&self.weights(), cells);
        debug_assert_eq!(weights.iter().sum::<u32>(), WHOLE);
        self.children.iter_mut().zip(weights).for_each(|(child, weight)| child.weight = weight);
    }

    pub(super) fn weights(&self) -> Vec<u64> {
        self.children.iter().map(|child| u64::from(child.weight)).collect()
    }
}
