//! The positions of panes and borders in a window of a given size.

use super::Layout;
use super::node::{LayoutNode, LayoutSplit};
use fugue_protocol::geometry::{Axis, Rect, Size};

/// A line between two neighbors, one cell thick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Border {
    /// The axis of the split it belongs to: in a row the line runs from top to bottom.
    pub axis: Axis,
    /// The cells it covers.
    pub rect: Rect,
}

/// A pane or border with its position.
enum AxisSpan<P> {
    Pane(P, Rect),
    Border(Border),
}

impl<P: Copy + Eq> Layout<P> {
    /// The minimum size at which every pane has its minimum.
    pub fn least(&self) -> Size {
        self.root.least()
    }

    /// The position of each pane, in order. Panes and borders cover the window exactly. In a window smaller than
    /// [`least`](Self::least) the positions are those of the minimum size, and the view crops.
    pub fn places(&self, size: Size) -> Vec<(P, Rect)> {
        let mut places = Vec::new();
        self.each_piece(size, &mut |piece| {
            if let AxisSpan::Pane(pane, rect) = piece {
                places.push((pane, rect));
            }
        });
        places
    }

    /// The position of one pane.
    pub fn place(&self, pane: P, size: Size) -> Option<Rect> {
        self.places(size).into_iter().find_map(|(here, rect)| (here == pane).then_some(rect))
    }

    /// The borders between panes. Where two meet, one ends at the side of the other.
    pub fn borders(&self, size: Size) -> Vec<Border> {
        let mut borders = Vec::new();
        self.each_piece(size, &mut |piece| {
            if let AxisSpan::Border(border) = piece {
                borders.push(border);
            }
        });
        borders
    }

    fn each_piece(&self, size: Size, visit: &mut impl FnMut(AxisSpan<P>)) {
        self.root.pieces(Rect::whole(size.at_least(self.least())), visit);
    }
}

impl<P: Copy + Eq> LayoutNode<P> {
    fn pieces(&self, rect: Rect, visit: &mut impl FnMut(AxisSpan<P>)) {
        match self {
            Self::Pane(pane) => visit(AxisSpan::Pane(*pane, rect)),
            Self::Split(split) => split.pieces(rect, visit),
        }
    }
}

impl<P: Copy + Eq> LayoutSplit<P> {
    fn pieces(&self, rect: Rect, visit: &mut impl FnMut(AxisSpan<P>)) {
        let mut start = rect.start(self.axis);
        for (child, cells) in self.children.iter().zip(self.cells(rect.size())) {
            if start > rect.start(self.axis) {
                visit(AxisSpan::Border(Border { axis: self.axis, rect: rect.with(self.axis, start - 1, 1) }));
            }
            child.node.pieces(rect.with(self.axis, start, cells), visit);
            // Saturating: there is no cell after the last child of the widest window.
            start = start.saturating_add(cells + 1);
        }
    }
}
