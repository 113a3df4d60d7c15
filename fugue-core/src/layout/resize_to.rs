//! Resizing to an exact size.

use super::node::{LayoutNode, LayoutSplit};
use super::{Layout, LayoutError};
use fugue_protocol::geometry::{Axis, Size};

/// A split on the path to the pane, and the cells that its child on the path should have.
struct Want {
    level: usize,
    cells: u16,
}

impl<P: Copy + Eq> Layout<P> {
    /// Gives `pane` exactly these columns and rows, where given. The pane's own split gives or takes cells first, the
    /// next siblings before the previous ones; when it is too short, the splits around it help.
    pub fn resize_to(
        &self,
        pane: P,
        cols: Option<u16>,
        rows: Option<u16>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        let mut layout = self.clone();
        for (axis, wanted) in [(Axis::Row, cols), (Axis::Column, rows)] {
            if let Some(wanted) = wanted {
                layout = layout.resized_along(axis, pane, wanted, size)?;
            }
        }
        Ok(layout)
    }

    /// The same as far as it goes: a size that does not fit is brought into its limits, and only the pane's own split
    /// changes, as in tmux.
    pub fn resize_towards(
        &self,
        pane: P,
        cols: Option<u16>,
        rows: Option<u16>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(pane)?;
        let mut layout = self.clone();
        for (axis, wanted) in [(Axis::Row, cols), (Axis::Column, rows)] {
            let splits = layout.root.splits_on(&path);
            let nearest = splits.iter().zip(&path).enumerate().rfind(|(_, (split, _))| split.axis == axis);
            if let (Some(cells), Some((level, (split, at)))) = (wanted, nearest) {
                let cells = cells.max(split.children[*at].node.least().along(axis));
                layout = layout.granted(&path, Want { level, cells }, size)?;
            }
        }
        Ok(layout)
    }

    fn resized_along(&self, axis: Axis, pane: P, wanted: u16, size: Size) -> Result<Self, LayoutError<P>> {
        let path = self.path_to(pane)?;
        let size = size.at_least(self.least());
        if self.place(pane, size).is_some_and(|rect| rect.size().along(axis) == wanted) {
            return Ok(self.clone());
        }
        let (least, most) = self.range(axis, &path, size).ok_or(LayoutError::NoBorder { pane, axis })?;
        if !(least..=most).contains(&wanted) {
            return Err(LayoutError::OutOfRange { pane, axis, wanted, least, most });
        }
        let wants = self.wants(axis, &path, wanted, size);
        wants.into_iter().rev().try_fold(self.clone(), |layout, want| layout.granted(&path, want, size))
    }

    /// The minimum and maximum cells of the pane at `path`; none when no split divides this axis.
    fn range(&self, axis: Axis, path: &[usize], size: Size) -> Option<(u16, u16)> {
        let splits = self.root.splits_on(path);
        let along: Vec<_> = splits.iter().zip(path).filter(|(split, _)| split.axis == axis).collect();
        let (nearest, at) = along.last()?;
        let least = nearest.children[**at].node.least().along(axis);
        let around = along.iter().map(|(split, at)| split.least_around(**at));
        Some((least, around.fold(size.along(axis), u16::saturating_sub)))
    }

    /// The cells needed at each level, innermost first, up to a split that is long enough.
    fn wants(&self, axis: Axis, path: &[usize], wanted: u16, size: Size) -> Vec<Want> {
        let splits = self.root.splits_on(path);
        let extents = extents(&splits, path, size);
        let (mut wants, mut cells) = (Vec::new(), wanted);
        for level in (0..path.len()).rev().filter(|&level| splits[level].axis == axis) {
            wants.push(Want { level, cells });
            cells = splits[level].least_around(path[level]).saturating_add(cells);
            if cells <= extents[level].along(axis) {
                break;
            }
        }
        wants
    }

    fn granted(&self, path: &[usize], want: Want, size: Size) -> Result<Self, LayoutError<P>> {
        let (layout, ()) = self.edited(&path[..want.level], size, |node, extent| {
            if let LayoutNode::Split(split) = node {
                split.grant(path[want.level], want.cells, extent);
            }
            Ok(())
        })?;
        Ok(layout)
    }
}

/// The extent of each split on a path.
fn extents<P: Copy + Eq>(splits: &[&LayoutSplit<P>], path: &[usize], size: Size) -> Vec<Size> {
    let mut extent = size;
    let step = |(split, at): (&&LayoutSplit<P>, &usize)| {
        let here = extent;
        extent = here.with(split.axis, split.cells(here)[*at]);
        here
    };
    splits.iter().zip(path).map(step).collect()
}

impl<P: Copy + Eq> LayoutSplit<P> {
    /// The minimum that all children but one take, with the borders.
    fn least_around(&self, at: usize) -> u16 {
        let others = self.leasts().into_iter().enumerate().filter(|(here, _)| *here != at);
        others.fold(self.borders(), |sum, (_, least)| sum.saturating_add(least))
    }

    /// Gives the child `at` this many cells, or as many as it can have.
    fn grant(&mut self, at: usize, wanted: u16, extent: Size) {
        let now = self.cells(extent)[at];
        let (grows, by) = (wanted > now, wanted.abs_diff(now));
        // The last child has no border after it.
        match at + 1 == self.children.len() {
            true => self.shift(at - 1, !grows, by, extent),
            false => self.shift(at, grows, by, extent),
        };
    }
}
