//! The cells of a row that differ from what the terminal shows.

use crate::paint::cell::CanvasCell;
use crate::paint::certain_widths::reaching;

/// The number of unchanged cells that are cheaper to write again than to jump over.
const GAP: usize = 4;

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
