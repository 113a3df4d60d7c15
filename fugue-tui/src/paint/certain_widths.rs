//! Characters whose width is certain: terminals follow Unicode's width tables of different years.

use unicode_width::UnicodeWidthStr;

use super::cell::{CanvasCell, Glyph};

/// Characters that are narrow in every table.
const NARROW: [(char, char); 7] = [
    (' ', '~'),
    ('\u{a0}', '\u{2ff}'),
    ('\u{370}', '\u{482}'),
    ('\u{2010}', '\u{203b}'),
    ('\u{2190}', '\u{21ff}'),
    ('\u{2500}', '\u{259f}'),
    ('\u{2800}', '\u{28ff}'),
];

/// Characters that are wide in every table.
const WIDE: [(char, char); 6] = [
    ('\u{3041}', '\u{3096}'),
    ('\u{30a1}', '\u{30fa}'),
    ('\u{3400}', '\u{4db5}'),
    ('\u{4e00}', '\u{9fa5}'),
    ('\u{ac00}', '\u{d7a3}'),
    ('\u{ff01}', '\u{ff60}'),
];

/// Whether every terminal gives the character the same width.
pub(super) fn has_certain_width(cell: &CanvasCell) -> bool {
    let Glyph::Char(c) = cell.glyph() else { return false };
    let table: &[(char, char)] = if cell.width == 2 { &WIDE } else { &NARROW };
    table.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Whether the character needs more columns than it has, as a flag does in the last column: then nothing is drawn.
pub(super) fn is_too_wide(cell: &CanvasCell) -> bool {
    matches!(cell.glyph(), Glyph::Cluster(text) if text.width() > usize::from(cell.width))
}

/// The index of the character that may extend beyond its cells up to `at`.
pub(super) fn reaching(cells: &[CanvasCell], at: usize) -> Option<usize> {
    let near = at.saturating_sub(2);
    let first = near + cells[near..at].iter().rposition(|cell| cell.width > 0)?;
    (!has_certain_width(&cells[first])).then_some(first)
}
