//! Conversion between layouts and the trees in events. Trees from a journal are validated first.

use fugue_protocol::layout as wire;

use super::{Flaw, Layout, LayoutNode, LayoutSplit, SplitChild};

impl<P: Copy + Eq> Layout<P> {
    /// The tree for an event.
    pub fn to_node(&self) -> wire::Node<P> {
        outward(&self.root)
    }

    /// The layout of a tree from an event, if it is valid.
    pub fn from_node(node: &wire::Node<P>) -> Result<Self, Flaw<P>> {
        let layout = Self { root: inward(node) };
        layout.validate()?;
        Ok(layout)
    }
}

fn outward<P: Copy + Eq>(node: &LayoutNode<P>) -> wire::Node<P> {
    match node {
        LayoutNode::Pane(pane) => wire::Node::Pane(*pane),
        LayoutNode::Split(LayoutSplit { axis, children }) => {
            let child = |child: &SplitChild<P>| wire::LayoutChild {
                weight: child.weight,
                node: outward(&child.node),
            };
            wire::Node::Split(wire::Split { axis: *axis, children: children.iter().map(child).collect() })
        }
    }
}

fn inward<P: Copy + Eq>(node: &wire::Node<P>) -> LayoutNode<P> {
    match node {
        wire::Node::Pane(pane) => LayoutNode::Pane(*pane),
        wire::Node::Split(wire::Split { axis, children }) => {
            let child =
                |child: &wire::LayoutChild<P>| SplitChild { weight: child.weight, node: inward(&child.node) };
            LayoutNode::Split(LayoutSplit { axis: *axis, children: children.iter().map(child).collect() })
        }
    }
}
