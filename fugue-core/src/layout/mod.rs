//! The division of a window among its panes. Layouts are values: every operation returns a new one.
//!
//! A layout is a tree of splits, kept in normal form: a split has two children or more, and none of them is a
//! split along the same axis. Neighbors are one border cell apart. Sizes are kept as whole-number weights, so
//! that a layout is the same after a journey through JSON, and a window resized and back is the same window.
//!
//! Layouts do not know who changes them or what a pane is: `P` is only an identifier.

mod adjust;
mod conversion;
mod edit_path;
mod error;
mod insert;
mod neighbor;
mod node;
mod placement;
mod preset;
mod rearrange;
mod remove;
mod resize;
mod resize_to;
mod spec;
mod spread;
mod validate;
mod weights;

#[cfg(test)]
mod test_pictures;
#[cfg(test)]
mod tests_arbitrary;
#[cfg(test)]
mod tests_edit;
#[cfg(test)]
mod tests_presets;
#[cfg(test)]
mod tests_properties;
#[cfg(test)]
mod tests_resize;

pub use error::{Fault, Flaw, LayoutError};
pub use node::{LEAST_PANE, LayoutNode, LayoutSplit, MOST_DEPTH, MOST_PANES, SplitChild};
pub use placement::Border;
pub use spec::{Spec, SpecChild};
pub use weights::Share;
pub use weights::WHOLE;

pub use fugue_protocol::geometry::{Axis, Rect, Side, Size};
pub use fugue_protocol::verbs::Preset;
use serde::{Deserialize, Serialize};

/// The division of one window among its panes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Layout<P> {
    root: LayoutNode<P>,
}

impl<P: Copy + Eq> Layout<P> {
    /// A single pane that fills the window.
    pub fn single(pane: P) -> Self {
        Self { root: LayoutNode::Pane(pane) }
    }

    /// The root of the tree.
    pub fn root(&self) -> &LayoutNode<P> {
        &self.root
    }

    /// All panes in tree order: left to right, top to bottom.
    pub fn panes(&self) -> Vec<P> {
        let mut panes = Vec::new();
        self.root.each_pane(&mut |pane| panes.push(pane));
        panes
    }

    /// Whether `pane` is in this layout.
    pub fn contains(&self, pane: P) -> bool {
        self.root.path_to(pane).is_some()
    }

    /// The next pane in order; the first one after the last.
    pub fn next(&self, pane: P) -> Option<P> {
        self.step(pane, 1)
    }

    /// The previous pane in order; the last one before the first.
    pub fn previous(&self, pane: P) -> Option<P> {
        self.step(pane, self.panes().len() - 1)
    }

    fn step(&self, pane: P, by: usize) -> Option<P> {
        let panes = self.panes();
        let at = panes.iter().position(|&p| p == pane)?;
        Some(panes[(at + by) % panes.len()])
    }

    fn path_to(&self, pane: P) -> Result<Vec<usize>, LayoutError<P>> {
        self.root.path_to(pane).ok_or(LayoutError::NoSuchPane { pane })
    }
}
