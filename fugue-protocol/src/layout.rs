//! A window's layout as it travels and is kept: a tree of splits. What can be done with it is the core's part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Axis, PaneId};

/// One place in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Node<P = PaneId> {
    /// A pane.
    Pane(P),
    /// Two or more places beside each other.
    Split(Split<P>),
}

/// Places beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Split<P = PaneId> {
    /// OfferedVia they stand.
    pub axis: Axis,
    /// The places, from left to right or from top to bottom.
    pub children: Vec<LayoutChild<P>>,
}

/// A place with its share of the split.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutChild<P = PaneId> {
    /// Its share; the shares of one split have a fixed sum.
    pub weight: u32,
    /// What stands there.
    pub node: Node<P>,
}
