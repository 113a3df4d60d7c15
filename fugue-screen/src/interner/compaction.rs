//! Compaction of an interner: styles, clusters and links that are still in use move to a new one.

use super::Interner;
use crate::cell::{Cell, CellContent};
use crate::packed_style::PackedStyle;

/// Moves what is in use from an old interner to a new one.
pub(crate) struct Compactor {
    old: Interner,
    new: Interner,
    /// The new number of each old style; 0 if it has not been moved, since the default style is always 0.
    moved: Vec<u16>,
}

impl Compactor {
    pub(crate) fn new(mut old: Interner) -> Self {
        let moved = vec![0; old.styles.len()];
        let new = Interner::with_slots(std::mem::take(&mut old.slots));
        Self { old, new, moved }
    }

    /// Returns the cell with the numbers that the new interner uses.
    pub(crate) fn cell(&mut self, cell: Cell) -> Cell {
        let style = match self.moved.get(usize::from(cell.style())) {
            Some(0) if cell.style() != 0 => self.move_style(cell.style()),
            Some(&known) => known,
            None => 0,
        };
        let moved = cell.with_style(style);
        match cell.content() {
            CellContent::Cluster(number) => match self.new.cluster_number(self.old.cluster(number)) {
                Some(number) => moved.with_cluster(number),
                None => moved.emptied(),
            },
            _ => moved,
        }
    }

    fn move_style(&mut self, number: u16) -> u16 {
        let style = self.style(self.old.style(number));
        let moved = self.new.style_number(style);
        self.moved[usize::from(number)] = moved;
        moved
    }

    /// Returns the style with the link number that the new interner uses.
    pub(crate) fn style(&mut self, style: PackedStyle) -> PackedStyle {
        let link = self.old.link(style.link).map_or(0, |address| self.new.link_number(address));
        PackedStyle { link, ..style }
    }

    /// Returns the new interner.
    pub(crate) fn finish(mut self) -> Interner {
        self.new.schedule_compaction();
        self.new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_styles_are_dropped_and_the_rest_keep_their_meaning() {
        let mut old = Interner::default();
        old.style_number(PackedStyle { fg: 1, ..PackedStyle::default() });
        let link = old.link_number("https://example.org");
        let used = PackedStyle { fg: 2, link, ..PackedStyle::default() };
        let cell = Cell::blank(old.style_number(used));
        let mut compactor = Compactor::new(old);
        let moved = compactor.cell(cell);
        let new = compactor.finish();
        assert_eq!(new.styles.len(), 2, "the default style and the one in use");
        assert_eq!(new.style(moved.style()).fg, 2);
        assert_eq!(new.link(new.style(moved.style()).link), Some("https://example.org"));
    }
}
