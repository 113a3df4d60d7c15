//! Throwing out styles, clusters and links that no cell uses any more.

use std::collections::HashMap;

use crate::cell::{Cell, Content};
use crate::look::Look;
use crate::tables::Tables;
use crate::terminal::Terminal;

impl Terminal {
    pub fn tidy(&mut self) {
        let mut mover =
            Mover { old: std::mem::take(&mut self.tables), new: Tables::default(), styles: HashMap::new() };
        for row in self.grid.rows.iter_mut().chain(&mut self.other.rows) {
            for cell in &mut row.cells {
                *cell = mover.cell(*cell);
            }
        }
        let carets = [
            &mut self.caret,
            &mut self.left_caret,
            &mut self.side.saved.caret,
            &mut self.other_side.saved.caret,
        ];
        for caret in carets {
            caret.style = mover.style(caret.style);
        }
        self.tables = mover.new;
        self.history.forget_styles();
        self.tables.tidied();
        self.pen_is_old = true;
    }
}

/// Carries what is in use from the old tables to new ones.
struct Mover {
    old: Tables,
    new: Tables,
    styles: HashMap<u16, u16>,
}

impl Mover {
    fn cell(&mut self, cell: Cell) -> Cell {
        let style = match self.styles.get(&cell.style()) {
            Some(&known) => known,
            None => self.new_style(cell.style()),
        };
        let moved = cell.with_style(style);
        match cell.content() {
            Content::Cluster(number) => match self.new.cluster_number(self.old.cluster(number)) {
                Some(number) => moved.with_cluster(number),
                None => moved.emptied(),
            },
            _ => moved,
        }
    }

    fn new_style(&mut self, number: u16) -> u16 {
        let style = self.style(self.old.style(number));
        let moved = self.new.style_number(style);
        self.styles.insert(number, moved);
        moved
    }

    fn style(&mut self, style: Look) -> Look {
        let link = self.old.link(style.link).map_or(0, |address| self.new.link_number(address));
        Look { link, ..style }
    }
}
