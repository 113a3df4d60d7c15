//! Rectangular areas: fill, erase, copy, change attributes, checksum.

use crate::cell::{Cell, CellContent, TAIL};
use crate::geometry::Area;
use crate::modes::ModeFlag;
use crate::packed_style::PackedStyle;
use crate::parser::Params;
use crate::style::{Attrs, Underline};
use crate::terminal::Terminal;
use crate::work_budget::STYLED_CELL;

/// The length of the reply to a query for a checksum: the request's number and four digits.
const LONGEST_CHECKSUM_REPLY: usize = "\x1bP65535!~FFFF\x1b\\".len();

impl Terminal {
    pub(super) fn rectangle(&mut self, p: &Params, intermediates: u8, last: u8) {
        match (intermediates, last) {
            (b'$', b'x') => self.fill_rectangle(p),
            (b'$', b'z') => self.with_area(p, 0, |t, area| t.erase_rectangle(area, false)),
            (b'$', b'{') => self.with_area(p, 0, |t, area| t.erase_rectangle(area, true)),
            (b'$', b'v') => self.copy_rectangle(p),
            (b'$', b'r') => self.change_attributes(p, false),
            (b'$', b't') => self.change_attributes(p, true),
            (b'*', b'x') => self.settings.attribute_extent = p.get(0).min(2) as u8,
            (b'*', b'y') => self.report_checksum(p),
            _ => {}
        }
    }

    /// Reads an area from four parameters from `at` on: top, left, bottom, right. They count from the margins in origin
    /// mode.
    fn area(&self, p: &Params, at: usize) -> Option<Area> {
        let within =
            if self.has(ModeFlag::Origin) { self.buffers.margins } else { Area::whole(self.buffers.size) };
        let area = Area {
            top: within.top + p.or(at, 1) - 1,
            left: within.left + p.or(at + 1, 1) - 1,
            bottom: (within.top + p.or(at + 2, u16::MAX)).min(within.bottom),
            right: (within.left + p.or(at + 3, u16::MAX)).min(within.right),
        };
        (!area.is_empty()).then_some(area)
    }

    fn with_area(&mut self, p: &Params, at: usize, act: impl FnOnce(&mut Self, Area)) {
        if let Some(area) = self.area(p, at) {
            act(self, area);
        }
    }

    fn fill_rectangle(&mut self, p: &Params) {
        let Some(c) =
            char::from_u32(u32::from(p.get(0))).filter(|c| matches!(*c as u32, 0x20..=0x7e | 0xa0..=0xff))
        else {
            return;
        };
        let cell = self.pen().with_char(c);
        let revision = self.revisions.current;
        self.with_area(p, 1, |t, area| {
            t.work.spend(area.cells());
            t.buffers.grid.blank(area, cell, revision);
        });
    }

    fn copy_rectangle(&mut self, p: &Params) {
        let Some(from) = self.area(p, 0) else { return };
        let (top, left) = (p.or(5, 1) - 1, p.or(6, 1) - 1);
        let origin = if self.has(ModeFlag::Origin) {
            (self.buffers.margins.top, self.buffers.margins.left)
        } else {
            (0, 0)
        };
        let (top, left) = (top + origin.0, left + origin.1);
        let limit =
            if self.has(ModeFlag::Origin) { self.buffers.margins } else { Area::whole(self.buffers.size) };
        self.work.spend(2 * from.cells());
        let parts: Vec<Vec<Cell>> = (from.top..from.bottom)
            .map(|row| (from.left..from.right).map(|col| self.buffers.grid.rows[row].cell(col)).collect())
            .collect();
        for (row, part) in (top..limit.bottom).zip(parts) {
            let room = limit.right.saturating_sub(left).min(part.len());
            if room > 0 {
                self.buffers.grid.overwrite(row, left, &part[..room]);
                self.buffers.grid.rows[row].revision = self.revisions.current;
            }
        }
    }

    /// DECCARA and DECRARA: set or flip bold, underline, blink, reverse.
    fn change_attributes(&mut self, p: &Params, flip: bool) {
        let Some(area) = self.area(p, 0) else { return };
        for row in area.top..area.bottom {
            let (left, right) = self.affected(area, row);
            self.work.spend(right.saturating_sub(left) * STYLED_CELL);
            for col in left..right {
                self.change_attributes_at(row, col, p, flip);
            }
            self.buffers.grid.rows[row].revision = self.revisions.current;
        }
    }

    /// The columns of a row that a change of attributes affects. Without DECSACE 2 the area is a stream of text from
    /// its first position to its last.
    fn affected(&self, area: Area, row: usize) -> (usize, usize) {
        if self.settings.attribute_extent == 2 {
            return (area.left, area.right);
        }
        let left = if row == area.top { area.left } else { 0 };
        let right = if row + 1 == area.bottom { area.right } else { self.cols() };
        (left, right)
    }

    fn change_attributes_at(&mut self, row: usize, col: usize, p: &Params, flip: bool) {
        let cell = self.buffers.grid.rows[row].cell(col);
        let mut style = self.interner.style(cell.style());
        let codes = if p.len() > 4 { &p.values()[4..] } else { &[0] };
        codes.iter().for_each(|&code| change(&mut style, code, flip));
        let number = self.interner.style_number(style);
        let row = &mut self.buffers.grid.rows[row];
        row.extend_to(col + 1);
        row.cells[col] = row.cells[col].with_style(number);
    }

    /// DECRQCRA, with xterm's checksum: the negated sum of the characters. It is not computed for a reply that would be
    /// dropped.
    fn report_checksum(&mut self, p: &Params) {
        if !self.output.has_room(LONGEST_CHECKSUM_REPLY) {
            return;
        }
        let sum = self.area(p, 2).map_or(0, |area| self.checksum(area));
        self.reply(&format!("\x1bP{}!~{sum:04X}\x1b\\", p.get(0)));
    }

    fn checksum(&mut self, area: Area) -> u16 {
        self.work.spend(area.cells());
        let mut sum = 0_u16;
        for row in self.buffers.grid.rows.range(area.top..area.bottom) {
            for col in area.left..area.right {
                sum = sum.wrapping_add(self.cell_sum(row.cell(col)));
            }
        }
        sum.wrapping_neg()
    }

    fn cell_sum(&self, cell: Cell) -> u16 {
        match cell.content() {
            _ if cell.is(TAIL) => 0,
            CellContent::Blank => 0x20,
            CellContent::Char(c) => c as u32 as u16,
            CellContent::Cluster(number) => {
                self.interner.cluster(number).chars().fold(0, |sum, c| sum.wrapping_add(c as u32 as u16))
            }
        }
    }
}

/// Applies one attribute of DECCARA or DECRARA.
fn change(style: &mut PackedStyle, code: u16, flip: bool) {
    let attrs = match code {
        0 => Attrs::BOLD | Attrs::BLINK | Attrs::REVERSE,
        1 | 22 => Attrs::BOLD,
        5 | 25 => Attrs::BLINK,
        7 | 27 => Attrs::REVERSE,
        _ => Attrs::default(),
    };
    match flip {
        true => style.flip(attrs),
        false if code == 0 || code > 20 => style.off(attrs),
        false => style.on(attrs),
    }
    if matches!(code, 0 | 4 | 24) {
        let on = if flip { style.underline() == Underline::None } else { code == 4 };
        style.set_underline(if on { Underline::Single } else { Underline::None });
    }
}
