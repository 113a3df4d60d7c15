//! The terminal in a snapshot. What is read back is made consistent, so that damaged bytes cannot break anything later.

use std::collections::VecDeque;

use crate::bytes::{DecodeError, Reader, put_bytes, put_number, put_style};
use crate::cell::{Cell, Content, FLAGS};
use crate::charset::{Charset, Charsets};
use crate::control::Placing;
use crate::double::Double;
use crate::grid::{Area, Grid};
use crate::history::History;
use crate::lines::Position;
use crate::marks::{Mark, Marks};
use crate::modes::Flag;
use crate::row::Row;
use crate::said::Said;
use crate::screen::{Limits, Size};
use crate::tables::Tables;
use crate::tabs::Tabs;
use crate::terminal::{Caret, Guard, Saved, Side, Terminal};
use crate::update::{modes, put_modes, shape};

/// Stacks longer than this were not written by us.
const DEEPEST: usize = 64;

impl Terminal {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, u64::from(self.size.cols));
        put_number(out, u64::from(self.size.rows));
        put_number(out, self.revision);
        put_tables(out, &self.tables);
        put_grid(out, &self.grid);
        put_grid(out, &self.other);
        for flag in [self.alternate, self.guards, self.sync_from.is_some()] {
            put_number(out, u64::from(flag));
        }
        put_side(out, &self.side);
        put_side(out, &self.other_side);
        put_caret(out, &self.caret);
        put_caret(out, &self.left_caret);
        for edge in [self.margins.top, self.margins.bottom, self.margins.left, self.margins.right] {
            put_number(out, edge as u64);
        }
        put_number(out, u64::from(self.extent));
        put_modes(out, &self.modes);
        put_modes(out, &self.saved_modes);
        put_number(out, self.shape as u64);
        put_number(out, u64::from(self.level));
        put_number(out, self.last.map_or(0, |c| c as u64));
        put_bytes(out, &self.tabs.stops().iter().map(|&stop| u8::from(stop)).collect::<Vec<u8>>());
        put_bytes(out, self.title.as_bytes());
        put_number(out, self.titles.len() as u64);
        self.titles.iter().for_each(|title| put_bytes(out, title.as_bytes()));
        put_number(out, self.colors.changed.len() as u64);
        for (&number, &(r, g, b)) in &self.colors.changed {
            [number, r.into(), g.into(), b.into()].iter().for_each(|&n| put_number(out, u64::from(n)));
        }
        put_marks(out, &self.marks);
        self.history.encode(out);
        self.said.encode(out);
        put_placing(out, self.placing);
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Terminal, DecodeError> {
        let size = Size { cols: input.small()?, rows: input.small()? };
        if size != size.within_limits() {
            return Err(DecodeError("its size is impossible"));
        }
        let mut t = Terminal::new(size, Limits::default());
        t.revision = input.number()?.clamp(1, u64::MAX / 2);
        t.whole_since = t.revision;
        t.tables = tables(input)?;
        t.grid = grid(input, size, &t.tables)?;
        t.other = grid(input, size, &t.tables)?;
        (t.alternate, t.guards) = (input.flag()?, input.flag()?);
        t.sync_from = input.flag()?.then_some(t.revision);
        t.side = side(input, size)?;
        t.other_side = side(input, size)?;
        t.caret = caret(input, size)?;
        t.left_caret = caret(input, size)?;
        t.margins = margins(input, size)?;
        t.extent = input.small::<u8>()?.min(2);
        t.modes = modes(input)?;
        t.modes.set(Flag::Synchronized, t.sync_from.is_some());
        t.saved_modes = modes(input)?;
        t.shape = shape(input.number()?);
        t.level = input.small()?;
        t.last = char::from_u32(input.small()?).filter(|&c| c != '\0');
        t.decode_rest(input)?;
        Ok(t)
    }

    fn decode_rest(&mut self, input: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.tabs = Tabs::from_stops(input.bytes()?.iter().map(|&stop| stop != 0).collect());
        self.tabs.resize(self.size.cols);
        self.title = crate::text::clean(input.bytes()?, 256);
        for _ in 0..input.count(1)?.min(DEEPEST) {
            self.titles.push(crate::text::clean(input.bytes()?, 256));
        }
        for _ in 0..input.count(4)? {
            let (number, color) = (input.small()?, (input.small()?, input.small()?, input.small()?));
            self.colors.changed.insert(number, color);
        }
        self.marks = marks(input)?;
        self.history = History::decode(input)?;
        // A snapshot of an earlier version ends here.
        if !input.is_empty() {
            self.said = Said::decode(input)?;
        }
        if input.version() > 1 {
            self.placing = placing(input)?;
        }
        self.pen_is_old = true;
        let mut rows = self.grid.rows.iter().chain(&self.other.rows);
        self.doubles = rows.any(|row| row.double != Double::Single);
        Ok(())
    }
}

fn put_tables(out: &mut Vec<u8>, tables: &Tables) {
    put_number(out, tables.links.len() as u64);
    tables.links.iter().for_each(|link| put_bytes(out, link.as_bytes()));
    put_number(out, tables.styles.len() as u64);
    tables.styles.iter().for_each(|style| put_style(out, style));
    put_number(out, tables.clusters().len() as u64);
    tables.clusters().iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

fn tables(input: &mut Reader<'_>) -> Result<Tables, DecodeError> {
    let mut tables = Tables::default();
    for _ in 0..input.count(1)? {
        tables.link_number(input.text()?);
    }
    for _ in 0..input.count(5)? {
        tables.style_number(input.style()?);
    }
    for _ in 0..input.count(1)? {
        tables.cluster_number(input.text()?);
    }
    Ok(tables)
}

fn put_grid(out: &mut Vec<u8>, grid: &Grid) {
    put_number(out, grid.rows.len() as u64);
    for row in &grid.rows {
        put_number(out, u64::from(row.wrapped) | (row.double as u64) << 1);
        put_number(out, row.cells.len() as u64);
        for cell in &row.cells {
            put_number(out, u64::from(cell.code()));
            put_number(out, u64::from(cell.style()));
            put_number(out, u64::from(cell.flags()));
        }
    }
}

fn grid(input: &mut Reader<'_>, size: Size, tables: &Tables) -> Result<Grid, DecodeError> {
    let mut grid = Grid::new(size);
    if input.count(2)? != grid.rows.len() {
        return Err(DecodeError("rows are missing"));
    }
    for row in &mut grid.rows {
        *row = read_row(input, size, tables)?;
    }
    Ok(grid)
}

fn read_row(input: &mut Reader<'_>, size: Size, tables: &Tables) -> Result<Row, DecodeError> {
    let head = input.number()?;
    let mut row = Row { wrapped: head & 1 != 0, double: Double::from_number(head >> 1), ..Row::default() };
    for _ in 0..input.count(3)? {
        let cell = Cell::new(input.small()?, input.small()?, input.small::<u16>()? & FLAGS);
        row.cells.push(checked(cell, tables));
    }
    row.cells.truncate(usize::from(size.cols));
    row.halves_become_blanks();
    Ok(row)
}

fn checked(cell: Cell, tables: &Tables) -> Cell {
    let known = match cell.content() {
        Content::Cluster(number) => (number as usize) < tables.clusters().len(),
        Content::Char(c) => !c.is_control(),
        Content::Blank => cell.code() == 0,
    };
    let style = if usize::from(cell.style()) < tables.styles.len() { cell.style() } else { 0 };
    let cell = cell.with_style(style);
    if known { cell } else { cell.emptied() }
}

fn put_caret(out: &mut Vec<u8>, caret: &Caret) {
    put_number(out, caret.row as u64);
    put_number(out, caret.col as u64);
    put_number(out, u64::from(caret.wrap));
    put_style(out, &caret.style);
    put_number(out, caret.guard as u64);
    caret.charsets.sets.iter().for_each(|&set| put_number(out, set as u64));
    put_number(out, caret.charsets.current as u64);
    put_number(out, caret.charsets.single.map_or(0, |set| set as u64 + 1));
}

fn caret(input: &mut Reader<'_>, size: Size) -> Result<Caret, DecodeError> {
    let (row, col, wrap) = (input.small::<u16>()?, input.small::<u16>()?, input.flag()?);
    let mut caret = Caret { row: row.into(), col: col.into(), ..Caret::default() };
    caret.clamp(size);
    caret.wrap = wrap;
    caret.style = input.style()?;
    caret.guard =
        [Guard::None, Guard::Dec, Guard::Iso].get(input.small::<usize>()?).copied().unwrap_or_default();
    let mut charsets = Charsets::default();
    for set in &mut charsets.sets {
        *set = Charset::from_number(input.small()?);
    }
    charsets.current = input.small::<usize>()?.min(3);
    charsets.single = input.small::<usize>()?.checked_sub(1).filter(|&set| set < 4);
    Ok(Caret { charsets, ..caret })
}

fn put_side(out: &mut Vec<u8>, side: &Side) {
    put_caret(out, &side.saved.caret);
    put_number(out, u64::from(side.saved.origin));
    put_bytes(out, &side.kitty);
}

fn side(input: &mut Reader<'_>, size: Size) -> Result<Side, DecodeError> {
    let saved = Saved { caret: caret(input, size)?, origin: input.flag()? };
    let kitty = input.bytes()?.iter().take(DEEPEST).map(|flags| flags & 31).collect();
    Ok(Side { saved, kitty })
}

fn margins(input: &mut Reader<'_>, size: Size) -> Result<Area, DecodeError> {
    let [top, bottom, left, right] = [input.small()?, input.small()?, input.small()?, input.small()?];
    let area = Area { top, bottom, left, right };
    let whole = Area::whole(size);
    match !area.is_empty() && bottom <= whole.bottom && right <= whole.right {
        true => Ok(area),
        false => Err(DecodeError("its margins are impossible")),
    }
}

fn put_marks(out: &mut Vec<u8>, marks: &Marks) {
    put_number(out, marks.list.len() as u64);
    for mark in &marks.list {
        put_position(out, Some(mark.prompt));
        [mark.input, mark.output, mark.end].iter().for_each(|&at| put_position(out, at));
        put_number(out, mark.exit.map_or(0, |exit| u64::from(exit as u32) + 1));
        put_number(out, mark.own << 1 | u64::from(mark.command.is_some()));
        put_bytes(out, mark.command.as_deref().unwrap_or_default().as_bytes());
        [mark.began, mark.ended].iter().for_each(|&time| put_time(out, time));
    }
}

fn put_position(out: &mut Vec<u8>, at: Option<Position>) {
    put_number(out, at.map_or(0, |at| at.line + 1));
    put_number(out, at.map_or(0, |at| at.offset as u64));
}

fn marks(input: &mut Reader<'_>) -> Result<Marks, DecodeError> {
    let mut list = VecDeque::new();
    for _ in 0..input.count(11)? {
        let prompt = position(input)?.ok_or(DecodeError("a prompt has no place"))?;
        let (typed, output, end) = (position(input)?, position(input)?, position(input)?);
        let exit = input.number()?.checked_sub(1).map(|exit| exit as u32 as i32);
        let (told, command) = (input.number()?, input.text()?);
        let (own, command) = (told >> 1, (told & 1 == 1).then(|| command.into()));
        let (began, ended) = (time(input)?, time(input)?);
        list.push_back(Mark { prompt, input: typed, output, end, exit, began, ended, command, own });
    }
    // Whoever restores it knows the key.
    Ok(Marks { list, key: Box::default() })
}

fn put_placing(out: &mut Vec<u8>, placing: Option<Placing>) {
    put_number(
        out,
        match placing {
            None => 0,
            Some(Placing::Row) => 1,
            Some(Placing::Column(row)) => u64::from(row),
        },
    );
}

/// A row is told by a printable character.
fn placing(input: &mut Reader<'_>) -> Result<Option<Placing>, DecodeError> {
    Ok(match input.number()? {
        1 => Some(Placing::Row),
        row @ 0x20..0x7f => Some(Placing::Column(row as u8)),
        _ => None,
    })
}

/// A time, or that it is not known.
fn put_time(out: &mut Vec<u8>, time: Option<u64>) {
    put_number(out, time.map_or(0, |time| time.saturating_add(1)));
}

fn time(input: &mut Reader<'_>) -> Result<Option<u64>, DecodeError> {
    match input.version() {
        1 => Ok(None),
        _ => Ok(input.number()?.checked_sub(1)),
    }
}

fn position(input: &mut Reader<'_>) -> Result<Option<Position>, DecodeError> {
    let (line, offset) = (input.number()?, input.small()?);
    Ok(line.checked_sub(1).map(|line| Position { line, offset }))
}
