//! Layouts from nested descriptions, which are checked as a whole first.

use super::error::{Fault, Flaw};
use super::node::{LayoutNode, LayoutSplit};
use super::validate::Trail;
use super::{Layout, MOST_DEPTH, weights};
use fugue_protocol::geometry::Axis;
use serde::{Deserialize, Serialize};

/// A description of a layout. It need not be in normal form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spec<P> {
    /// One pane.
    Pane(P),
    /// Parts next to each other along an axis.
    Split {
        /// The axis along which they follow each other.
        axis: Axis,
        /// One or more, in order.
        children: Vec<SpecChild<P>>,
    },
}

/// A part in a description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpecChild<P> {
    /// Its size relative to its siblings; defaults to their average. If it is the only one, see `lone_ratio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<u32>,
    /// The part itself.
    pub node: Spec<P>,
}

impl<P: Copy + Eq> Layout<P> {
    /// Builds the described layout. A split with a single part is replaced by the part, and nested splits along the
    /// same axis are merged.
    pub fn from_tree(spec: &Spec<P>) -> Result<Self, Flaw<P>> {
        let mut panes = Vec::new();
        check(spec, &Trail::new(), &mut panes)?;
        Ok(Self { root: build(spec) })
    }
}

fn check<P: Copy + Eq>(spec: &Spec<P>, trail: &Trail, panes: &mut Vec<P>) -> Result<(), Flaw<P>> {
    let children = match spec {
        Spec::Pane(pane) => return trail.admit(*pane, panes),
        Spec::Split { children, .. } => children,
    };
    if children.is_empty() {
        return Err(trail.flaw(Fault::TooFew { children: 0 }));
    }
    if trail.depth() >= MOST_DEPTH {
        return Err(trail.flaw(Fault::TooDeep { most: MOST_DEPTH }));
    }
    for (at, child) in children.iter().enumerate() {
        if child.ratio == Some(0) {
            return Err(trail.child(at).flaw(Fault::Nothing));
        }
        check(&child.node, &trail.child(at), panes)?;
    }
    Ok(())
}

fn build<P: Copy + Eq>(spec: &Spec<P>) -> LayoutNode<P> {
    let (axis, children) = match spec {
        Spec::Pane(pane) => return LayoutNode::Pane(*pane),
        Spec::Split { axis, children } => (*axis, children),
    };
    let weights = weights::weights(&ratios(children));
    let parts =
        weights.into_iter().zip(children).map(|(weight, child)| (u64::from(weight), build(&child.node)));
    LayoutNode::of(axis, flat(axis, parts.collect()))
}

/// The ratios as integers: multiplied by the number of given ones, so that their average is an integer too.
fn ratios<P>(children: &[SpecChild<P>]) -> Vec<u64> {
    let given: Vec<u64> = children.iter().filter_map(|child| child.ratio.map(u64::from)).collect();
    if let [only] = given.as_slice() {
        let (own, other) = lone_ratio(*only, children.len() as u64 - 1);
        return children.iter().map(|child| if child.ratio.is_some() { own } else { other }).collect();
    }
    let (count, average) = if given.is_empty() { (1, 1) } else { (given.len() as u64, given.iter().sum()) };
    children.iter().map(|child| child.ratio.map_or(average, |ratio| u64::from(ratio) * count)).collect()
}

/// The ratios of a part and of each of its siblings if it alone has one, since its average would be itself. From 10 to 99 it
/// is a percentage of the whole; otherwise it is relative to one sibling.
fn lone_ratio(ratio: u64, siblings: u64) -> (u64, u64) {
    match ratio {
        10..=99 if siblings > 0 => (ratio * siblings, 100 - ratio),
        _ => (ratio, 1),
    }
}

/// Merges parts that are splits along the same axis.
fn flat<P: Copy + Eq>(axis: Axis, parts: Vec<(u64, LayoutNode<P>)>) -> Vec<(u64, LayoutNode<P>)> {
    let whole = u64::from(weights::WHOLE);
    let unpacked = parts.into_iter().flat_map(|(weight, node)| match node {
        LayoutNode::Split(LayoutSplit { axis: inner, children }) if inner == axis => {
            children.into_iter().map(|child| (weight * u64::from(child.weight), child.node)).collect()
        }
        node => vec![(weight * whole, node)],
    });
    unpacked.collect()
}
