//! The layout of a window on the wire and in the journal: a tree of splits. The core works on its own form of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Axis, PaneId};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Node<P = PaneId> {
    /// A pane.
    Pane(P),
    /// Two or more nodes next to each other.
    Split(Split<P>),
}

/// Nodes next to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Split<P = PaneId> {
    /// The direction in which they follow each other.
    pub axis: Axis,
    /// The nodes, from left to right or from top to bottom.
    pub children: Vec<LayoutChild<P>>,
}

/// A node with its share of the split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutChild<P = PaneId> {
    /// Its share; the shares of one split have a fixed sum.
    pub weight: u32,
    /// The node.
    pub node: Node<P>,
}
