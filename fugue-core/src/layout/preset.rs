//! Preset layouts, with tmux's names and meanings.

use super::node::LayoutNode;
use super::weights::Share;
use super::{LEAST_PANE, Layout, LayoutError, MOST_PANES, spread};
use fugue_protocol::geometry::{Axis, Size};
use fugue_protocol::verbs::Preset;

/// tmux's size of the main pane: what most programs expect of a terminal.
const MAIN: Size = Size { cols: 80, rows: 24 };

/// The main pane's share where the others would be too small beside one of tmux's size.
const MAIN_SHARE: Share = Share::Permille(600);

/// The least that the others keep beside a main pane of tmux's size.
const OTHERS: Size = Size { cols: 20, rows: 5 };

impl<P: Copy + Eq> Layout<P> {
    /// Arranges panes in a preset. `main` is the share of the main pane, if the preset has one; a share in cells is
    /// limited so that the others keep their minimum.
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
            Preset::EvenHorizontal => even(Axis::Row, panes, size),
            Preset::EvenVertical => even(Axis::Column, panes, size),
            Preset::MainHorizontal => main_and(Axis::Column, first, rest, main, size),
            Preset::MainHorizontalMirrored => mirrored(main_and(Axis::Column, first, rest, main, size)),
            Preset::MainVertical => main_and(Axis::Row, first, rest, main, size),
            Preset::MainVerticalMirrored => mirrored(main_and(Axis::Row, first, rest, main, size)),
            Preset::Tiled => tiled(panes, size),
        };
        Ok(Self { root })
    }
}

fn twice<P: Copy + Eq>(panes: &[P]) -> Option<P> {
    panes.iter().enumerate().find_map(|(at, pane)| panes[..at].contains(pane).then_some(*pane))
}

fn even<P: Copy + Eq>(axis: Axis, panes: &[P], size: Size) -> LayoutNode<P> {
    let node = LayoutNode::of(axis, panes.iter().map(|&pane| (1, LayoutNode::Pane(pane))).collect());
    aimed(node, &spread::even(size.along(axis), panes.len()))
}

/// A split whose children have these cells, if that is enough for each of them.
fn aimed<P: Copy + Eq>(mut node: LayoutNode<P>, cells: &[u16]) -> LayoutNode<P> {
    if let LayoutNode::Split(split) = &mut node
        && cells.iter().zip(split.leasts()).all(|(cells, least)| *cells >= least)
    {
        split.aim(cells);
    }
    node
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
    let share = share.unwrap_or_else(|| main_share(size.along(axis), axis));
    let (others, own) = share.ratio();
    let node =
        LayoutNode::of(axis, vec![(own, LayoutNode::Pane(main)), (others, even(axis.other(), rest, size))]);
    let length = size.at_least(node.least()).along(axis);
    let Share::Cells(cells) = share else { return node };
    let least = LEAST_PANE.along(axis);
    let cells = cells.clamp(least, length - 1 - least);
    aimed(node, &[cells, length - 1 - cells])
}

/// The share of the main pane: tmux's size, if the others are of use beside it.
fn main_share(length: u16, axis: Axis) -> Share {
    let main = MAIN.along(axis);
    if length > main + OTHERS.along(axis) { Share::Cells(main) } else { MAIN_SHARE }
}

/// The same with the main pane last.
fn mirrored<P: Copy + Eq>(mut node: LayoutNode<P>) -> LayoutNode<P> {
    if let LayoutNode::Split(split) = &mut node {
        split.children.reverse();
    }
    node
}

/// Columns and rows grow in turn until all panes fit. Columns and rows are equal but for the last ones, which take what is
/// left over; the last pane takes the empty places of the last row.
fn tiled<P: Copy + Eq>(panes: &[P], size: Size) -> LayoutNode<P> {
    let (mut rows, mut columns) = (1, 1);
    while rows * columns < panes.len() {
        rows += 1;
        if rows * columns < panes.len() {
            columns += 1;
        }
    }
    let widths = spread::even(size.cols, columns);
    let row = |panes: &[P]| {
        let last = panes.len() - 1;
        let share = |at| if at == last { columns - last } else { 1 };
        let parts = panes.iter().enumerate().map(|(at, &pane)| (share(at) as u64, LayoutNode::Pane(pane)));
        let before = widths[0].saturating_add(1).saturating_mul(u16::try_from(last).unwrap_or(u16::MAX));
        let mut cells = vec![widths[0]; last];
        cells.push(size.cols.saturating_sub(before));
        (1, aimed(LayoutNode::of(Axis::Row, parts.collect()), &cells))
    };
    let rows: Vec<_> = panes.chunks(columns).map(row).collect();
    let heights = spread::even(size.rows, rows.len());
    aimed(LayoutNode::of(Axis::Column, rows), &heights)
}
