//! Validation of layouts that come from outside: from the journal or a description.

use super::node::{LayoutNode, LayoutSplit};
use super::{Layout, MOST_DEPTH, MOST_PANES, WHOLE};
use std::fmt;

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

impl<P: Copy + Eq> Layout<P> {
    /// Checks that the tree is in normal form, its weights add up, and no pane occurs twice.
    pub fn validate(&self) -> Result<(), Flaw<P>> {
        inspect(&self.root, &Trail::new(), &mut Vec::new())
    }
}

fn inspect<P: Copy + Eq>(node: &LayoutNode<P>, trail: &Trail, panes: &mut Vec<P>) -> Result<(), Flaw<P>> {
    let split = match node {
        LayoutNode::Pane(pane) => return trail.admit(*pane, panes),
        LayoutNode::Split(split) => split,
    };
    inspect_split(split, trail)?;
    for (at, child) in split.children.iter().enumerate() {
        let trail = trail.child(at);
        match &child.node {
            _ if child.weight == 0 => return Err(trail.flaw(Fault::Nothing)),
            LayoutNode::Split(inner) if inner.axis == split.axis => return Err(trail.flaw(Fault::SameAxis)),
            node => inspect(node, &trail, panes)?,
        }
    }
    Ok(())
}

fn inspect_split<P: Copy + Eq>(split: &LayoutSplit<P>, trail: &Trail) -> Result<(), Flaw<P>> {
    let sum = split.weights().iter().sum();
    let fault = match split.children.len() {
        children @ (0 | 1) => Fault::TooFew { children },
        _ if trail.depth() >= MOST_DEPTH => Fault::TooDeep { most: MOST_DEPTH },
        _ if sum != u64::from(WHOLE) => Fault::WrongSum { sum },
        _ => return Ok(()),
    };
    Err(trail.flaw(fault))
}

/// The path to a node during a walk of the tree.
pub(super) struct Trail(Vec<usize>);

impl Trail {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn child(&self, at: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(at);
        Self(steps)
    }

    pub(super) fn depth(&self) -> usize {
        self.0.len()
    }

    /// Records a pane at this place, if it is allowed.
    pub(super) fn admit<P: Copy + Eq>(&self, pane: P, panes: &mut Vec<P>) -> Result<(), Flaw<P>> {
        let fault = match panes.len() {
            MOST_PANES.. => Fault::TooMany { most: MOST_PANES },
            _ if panes.contains(&pane) => Fault::Twice { pane },
            _ => {
                panes.push(pane);
                return Ok(());
            }
        };
        Err(self.flaw(fault))
    }

    pub(super) fn flaw<P>(&self, fault: Fault<P>) -> Flaw<P> {
        let steps = self.0.iter().map(|at| format!(".children[{at}]"));
        Flaw { path: steps.fold(String::from("layout"), |path, step| path + &step), fault }
    }
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
