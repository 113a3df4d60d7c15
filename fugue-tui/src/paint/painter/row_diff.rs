//! The cells of a row that differ from what the terminal shows, and those that a frame therefore writes.

use fugue_protocol::Rect;

use crate::paint::cell::CanvasCell;
use crate::paint::certain_widths::reaching;

/// The number of unchanged cells that are cheaper to write again than to jump over.
const GAP: usize = 4;

/// Cells of one row that a frame writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WrittenRun {
    pub(super) row: u16,
    pub(super) begin: u16,
    pub(super) end: u16,
}

impl WrittenRun {
    /// Cells of a row.
    #[cfg(test)]
    pub(crate) fn of(row: u16, cols: std::ops::Range<u16>) -> Self {
        Self { row, begin: cols.start, end: cols.end }
    }

    /// Whether some of the cells are in an area.
    pub(crate) fn touches(&self, area: Rect) -> bool {
        (area.row..area.row + area.rows).contains(&self.row)
            && self.begin < area.col + area.cols
            && self.end > area.col
    }
}

/// The first and the last cell that changed.
pub(super) fn changed(before: &[CanvasCell], after: &[CanvasCell]) -> Option<(usize, usize)> {
    let first = before.iter().zip(after).position(|(before, after)| before != after)?;
    let last = before.iter().zip(after).rposition(|(before, after)| before != after)?;
    Some((first, last))
}

/// Whether a cell must be written: it changed, or a character before it that may extend over it did.
pub(super) fn differs(before: &[CanvasCell], after: &[CanvasCell], at: usize) -> bool {
    let changed = |at: usize| before[at] != after[at];
    changed(at) || [before, after].into_iter().any(|cells| reaching(cells, at).is_some_and(changed))
}

/// The end of a run of changes that begins at `first`.
pub(super) fn run_end(before: &[CanvasCell], after: &[CanvasCell], first: usize, end: usize) -> usize {
    let mut last = first;
    for at in first..end {
        if differs(before, after, at) {
            last = at;
        } else if at - last > GAP {
            break;
        }
    }
    // The second half of a wide character is written with its first.
    if after[last].width == 2 { (last + 2).min(end) } else { last + 1 }
}
