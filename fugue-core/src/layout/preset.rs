//! Preset layouts, with tmux's names and meanings.

use super::node::LayoutNode;
use super::share::Share;
use super::{LEAST_PANE, Layout, LayoutError, MOST_PANES};
use fugue_protocol::geometry::{Axis, Size};
use fugue_protocol::verbs::Preset;

/// The main pane gets more than half, and next to it a screen of 200 columns still has the 80 that most programs
/// expect.
const MAIN_SHARE: Share = Share::Permille(600);

impl<P: Copy + Eq> Layout<P> {
    /// Arranges panes in a preset. `main` is the share of the main pane, if the preset has one; a share in cells is
    /// limited so that the others keep their minimum. `size` matters only for cells.
    pub fn preset(
        preset: Preset,
        panes: &[P],
        main: Option<Share>,
        size: Size,
    ) -> Result<Self, LayoutError<P>> {
        let Some((&first, rest)) = panes.split_first() else {
            return Err(LayoutError::Empty);
        };
        if panes.len() > MOST_PANES {
            return Err(LayoutError::TooMany { most: MOST_PANES });
        }
        if let Some(pane) = twice(panes) {
            return Err(LayoutError::AlreadyHere { pane });
        }
        let root = match preset {
            Preset::EvenHorizontal => even(Axis::Row, panes),
            Preset::EvenVertical => even(Axis::Column, panes),
            Preset::MainHorizontal => main_and(Axis::Column, first, rest, main, size),
            Preset::MainHorizontalMirrored => mirrored(main_and(Axis::Column, first, rest, main, size)),
            Preset::MainVertical => main_and(Axis::Row, first, rest, main, size),
            Preset::MainVerticalMirrored => mirrored(main_and(Axis::Row, first, rest, main, size)),
            Preset::Tiled => tiled(panes),
        };
        Ok(Self { root })
    }
}

fn twice<P: Copy + Eq>(panes: &[P]) -> Option<P> {
    panes.iter().enumerate().find_map(|(at, pane)| panes[..at].contains(pane).then_some(*pane))
}

fn even<P: Copy + Eq>(axis: Axis, panes: &[P]) -> LayoutNode<P> {
    LayoutNode::of(axis, panes.iter().map(|&pane| (1, LayoutNode::Pane(pane))).collect())
}

fn main_and<P: Copy + Eq>(
    axis: Axis,
    main: P,
    rest: &[P],
    share: Option<Share>,
    size: Size,
) -> LayoutNode<P> {
    if rest.is_empty() {
        return LayoutNode::Pane(main);
    }
    let share = share.unwrap_or(MAIN_SHARE);
    let (others, own) = share.ratio();
    let mut node =
        LayoutNode::of(axis, vec![(own, LayoutNode::Pane(main)), (others, even(axis.other(), rest))]);
    let length = size.at_least(node.least()).along(axis);
    if let (Share::Cells(cells), LayoutNode::Split(split)) = (share, &mut node) {
        let least = LEAST_PANE.along(axis);
        let cells = cells.clamp(least, length - 1 - least);
        split.aim(&[cells, length - 1 - cells]);
    }
    node
}

/// The same with the main pane last.
fn mirrored<P: Copy + Eq>(mut node: LayoutNode<P>) -> LayoutNode<P> {
    if let LayoutNode::Split(split) = &mut node {
        split.children.reverse();
    }
    node
}

/// Columns and rows grow in turn until all panes fit; the last pane takes the empty places of the last row.
fn tiled<P: Copy + Eq>(panes: &[P]) -> LayoutNode<P> {
    let (mut rows, mut columns) = (1, 1);
    while rows * columns < panes.len() {
        rows += 1;
        if rows * columns < panes.len() {
            columns += 1;
        }
    }
    let row = |panes: &[P]| {
        let last = panes.len() - 1;
        let share = |at| if at == last { columns - last } else { 1 };
        let parts = panes.iter().enumerate().map(|(at, &pane)| (share(at) as u64, LayoutNode::Pane(pane)));
        (1, LayoutNode::of(Axis::Row, parts.collect()))
    };
    let rows: Vec<_> = panes.chunks(columns).map(row).collect();
    LayoutNode::of(Axis::Column, rows)
}
