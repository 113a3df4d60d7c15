//! The tree: panes, splits and their weights.

use super::aim;
use super::{LEAST_PANE, WHOLE};
use fugue_protocol::geometry::{Axis, Size};
use serde::{Deserialize, Serialize};

/// A part of a window: one pane, or a split of several parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node<P> {
    /// One pane.
    Pane(P),
    /// Several parts with borders between.
    Split(Split<P>),
}

/// Parts side by side or one below the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split<P> {
    /// How the children follow each other.
    pub axis: Axis,
    /// Two or more, in order, their weights adding up to [`WHOLE`].
    pub children: Vec<Child<P>>,
}

/// A part of a split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child<P> {
    /// Its share of the split, in [`WHOLE`]ths.
    pub weight: u32,
    /// What stands there.
    pub node: Node<P>,
}

impl<P: Copy + Eq> Node<P> {
    /// The parts in a split with these ratios, or the one part alone.
    pub(super) fn of(axis: Axis, parts: Vec<(u64, Node<P>)>) -> Self {
        let (ratios, nodes): (Vec<u64>, Vec<Node<P>>) = parts.into_iter().unzip();
        let weights = aim::weights(&ratios);
        let children = weights.into_iter().zip(nodes).map(|(weight, node)| Child { weight, node }).collect();
        let mut node = Node::Split(Split { axis, children });
        node.unwrap_lone();
        node
    }

    /// A split with a lone child is that child.
    pub(super) fn unwrap_lone(&mut self) {
        if let Node::Split(split) = self
            && split.children.len() == 1
            && let Some(child) = split.children.pop()
        {
            *self = child.node;
        }
    }

    pub(super) fn each_pane(&self, visit: &mut impl FnMut(P)) {
        match self {
            Node::Pane(pane) => visit(*pane),
            Node::Split(split) => split.children.iter().for_each(|child| child.node.each_pane(visit)),
        }
    }

    pub(super) fn each_pane_mut(&mut self, visit: &mut impl FnMut(&mut P)) {
        match self {
            Node::Pane(pane) => visit(pane),
            Node::Split(split) => split.children.iter_mut().for_each(|child| child.node.each_pane_mut(visit)),
        }
    }

    /// Which child to take at each split on the way to `pane`.
    pub(super) fn path_to(&self, pane: P) -> Option<Vec<usize>> {
        match self {
            Node::Pane(here) => (*here == pane).then(Vec::new),
            Node::Split(split) => split.children.iter().enumerate().find_map(|(at, child)| {
                let mut path = child.node.path_to(pane)?;
                path.insert(0, at);
                Some(path)
            }),
        }
    }

    /// The splits on a path, outermost first.
    pub(super) fn splits_on(&self, path: &[usize]) -> Vec<&Split<P>> {
        let mut splits = Vec::new();
        let mut node = self;
        for &at in path {
            let Node::Split(split) = node else { break };
            splits.push(split);
            node = &split.children[at].node;
        }
        splits
    }

    /// How many splits stand inside one another.
    pub(super) fn depth(&self) -> usize {
        match self {
            Node::Pane(_) => 0,
            Node::Split(split) => 1 + split.children.iter().map(|c| c.node.depth()).max().unwrap_or(0),
        }
    }

    /// The least size in which every pane has its least.
    pub(super) fn least(&self) -> Size {
        match self {
            Node::Pane(_) => LEAST_PANE,
            Node::Split(split) => split.least(),
        }
    }
}

impl<P: Copy + Eq> Split<P> {
    fn least(&self) -> Size {
        let (axis, across) = (self.axis, self.axis.other());
        let start = Size::new(0, 0).with(axis, self.borders());
        // Each child is asked once: twice at every level would be two to the power of the depth.
        self.children.iter().map(|child| child.node.least()).fold(start, |sum, least| {
            let wide = sum.along(across).max(least.along(across));
            let long = sum.along(axis).saturating_add(least.along(axis));
            sum.with(across, wide).with(axis, long)
        })
    }

    /// The least cells of each child along the axis.
    pub(super) fn leasts(&self) -> Vec<u16> {
        self.children.iter().map(|child| child.node.least().along(self.axis)).collect()
    }

    /// The cells that borders take.
    pub(super) fn borders(&self) -> u16 {
        u16::try_from(self.children.len().saturating_sub(1)).unwrap_or(u16::MAX)
    }

    /// The cells of each child along the axis, when the split has this extent.
    pub(super) fn cells(&self, extent: Size) -> Vec<u16> {
        aim::cells(&self.weights(), extent.along(self.axis), &self.leasts())
    }

    /// Changes the weights so that the children have exactly these cells.
    pub(super) fn aim(&mut self, cells: &[u16]) {
        let weights = aim::aimed(&self.weights(), cells);
        debug_assert_eq!(weights.iter().sum::<u32>(), WHOLE);
        self.children.iter_mut().zip(weights).for_each(|(child, weight)| child.weight = weight);
    }

    pub(super) fn weights(&self) -> Vec<u64> {
        self.children.iter().map(|child| u64::from(child.weight)).collect()
    }
}
