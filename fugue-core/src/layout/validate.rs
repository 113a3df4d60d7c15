//! Validation of layouts that come from outside: from the journal or a description.

use super::error::{Fault, Flaw};
use super::node::{LayoutNode, LayoutSplit, MOST_DEPTH, MOST_PANES};
use super::{Layout, WHOLE};

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
