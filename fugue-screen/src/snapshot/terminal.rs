//! The terminal in a snapshot. What is read back is made consistent, so that damaged bytes cannot break anything later.

use std::collections::VecDeque;

use crate::bytes::{DecodeError, Reader, put_bytes, put_number, put_style};
use crate::cell::{Cell, CellContent, FLAGS};
use crate::charset::{Charset, Charsets};
use crate::color_overrides::ColorOverrides;
use crate::cursor::{Caret, Protection, SavedCursor};
use crate::geometry::Area;
use crate::geometry::Size;
use crate::grid::Grid;
use crate::history::History;
use crate::history::Limits;
use crate::interner::Interner;
use crate::modes::ModeFlag;
use crate::position::Position;
use crate::program_reports::ProgramReports;
use crate::prompt_marks::{PromptMark, PromptMarks};
use crate::row::Row;
use crate::row::RowSize;
use crate::tab_stops::TabStops;
use crate::terminal::{Revisions, ScreenState, SyncUpdate, Terminal, Vt52Address};
use crate::update::{modes, put_modes, shape};

/// Stacks longer than this were not written by us.
const DEEPEST: usize = 64;

impl Terminal {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, u64::from(self.buffers.size.cols));
        put_number(out, u64::from(self.buffers.size.rows));
        put_number(out, self.revisions.current);
        put_tables(out, &self.interner);
        put_grid(out, &self.buffers.grid);
        put_grid(out, &self.buffers.hidden);
        for flag in [self.buffers.alternate, self.settings.guarded_areas, self.revisions.sync.is_some()] {
            put_number(out, u64::from(flag));
        }
        put_side(out, &self.buffers.state);
        put_side(out, &self.buffers.hidden_state);
        put_caret(out, &self.caret);
        put_caret(out, &self.buffers.parked_caret);
        for edge in [
            self.buffers.margins.top,
            self.buffers.margins.bottom,
            self.buffers.margins.left,
            self.buffers.margins.right,
        ] {
            put_number(out, edge as u64);
        }
        put_number(out, u64::from(self.settings.attribute_extent));
        put_modes(out, &self.modes);
        put_modes(out, &self.settings.saved_modes);
        put_number(out, self.settings.cursor_shape as u64);
        put_number(out, u64::from(self.settings.conformance_level));
        put_number(out, self.pen.last_char.map_or(0, |c| c as u64));
        put_bytes(
            out,
            &self.settings.tab_stops.stops().iter().map(|&stop| u8::from(stop)).collect::<Vec<u8>>(),
        );
        put_bytes(out, self.reports.title.current.as_bytes());
        put_number(out, self.reports.title.stack.len() as u64);
        self.reports.title.stack.iter().for_each(|title| put_bytes(out, title.as_bytes()));
        self.colors.palette.overrides.encode(out);
        put_marks(out, &self.marks);
        self.history.encode(out);
        self.reports.encode(out);
        put_placing(out, self.settings.vt52_address);
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Terminal, DecodeError> {
        let size = Size { cols: input.small()?, rows: input.small()? };
        if size != size.within_limits() {
            return Err(DecodeError("its size is impossible"));
        }
        let mut t = Terminal::new(size, Limits::default());
        t.revisions = Revisions::starting_at(input.number()?.clamp(1, u64::MAX / 2));
        t.interner = interner(input)?;
        t.buffers.grid = grid(input, size, &t.interner)?;
        t.buffers.hidden = grid(input, size, &t.interner)?;
        (t.buffers.alternate, t.settings.guarded_areas) = (input.flag()?, input.flag()?);
        t.revisions.sync = input.flag()?.then_some(SyncUpdate { since: t.revisions.current, cursor: None });
        t.buffers.state = side(input, size)?;
        t.buffers.hidden_state = side(input, size)?;
        t.caret = caret(input, size)?;
        t.buffers.parked_caret = caret(input, size)?;
        t.buffers.margins = margins(input, size)?;
        t.settings.attribute_extent = input.small::<u8>()?.min(2);
        t.modes = modes(input)?;
        t.modes.set(ModeFlag::Synchronized, t.revisions.sync.is_some());
        t.settings.saved_modes = modes(input)?;
        t.settings.cursor_shape = shape(input.number()?);
        t.settings.conformance_level = input.small()?;
        t.pen.last_char = char::from_u32(input.small()?).filter(|&c| c != '\0');
        t.decode_rest(input)?;
        Ok(t)
    }

    fn decode_rest(&mut self, input: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.settings.tab_stops =
            TabStops::from_stops(input.bytes()?.iter().map(|&stop| stop != 0).collect());
        self.settings.tab_stops.resize(self.buffers.size.cols);
        self.reports.title.current = crate::untrusted_text::clean(input.bytes()?, 256);
        for _ in 0..input.count(1)?.min(DEEPEST) {
            self.reports.title.stack.push(crate::untrusted_text::clean(input.bytes()?, 256));
        }
        self.colors.palette.overrides = ColorOverrides::decode(input)?;
        self.marks = marks(input)?;
        self.history = History::decode(input)?;
        // A snapshot of an earlier version ends here.
        if !input.is_empty() {
            let title = std::mem::take(&mut self.reports.title);
            self.reports = ProgramReports { title, ..ProgramReports::decode(input)? };
        }
        if input.version() > 1 {
            self.settings.vt52_address = placing(input)?;
        }
        self.pen.stale = true;
        let mut rows = self.buffers.grid.rows.iter().chain(&self.buffers.hidden.rows);
        self.buffers.has_double_rows = rows.any(|row| row.size != RowSize::Single);
        Ok(())
    }
}

fn put_tables(out: &mut Vec<u8>, interner: &Interner) {
    put_number(out, interner.links.len() as u64);
    interner.links.iter().for_each(|link| put_bytes(out, link.as_bytes()));
    put_number(out, interner.styles.len() as u64);
    interner.styles.iter().for_each(|style| put_style(out, style));
    put_number(out, interner.clusters().len() as u64);
    interner.clusters().iter().for_each(|text| put_bytes(out, text.as_bytes()));
}

fn interner(input: &mut Reader<'_>) -> Result<Interner, DecodeError> {
    let mut interner = Interner::default();
    for _ in 0..input.count(1)? {
        interner.link_number(input.text()?);
    }
    for _ in 0..input.count(5)? {
        interner.style_number(input.style()?);
    }
    for _ in 0..input.count(1)? {
        interner.cluster_number(input.text()?);
    }
    Ok(interner)
}

fn put_grid(out: &mut Vec<u8>, grid: &Grid) {
    put_number(out, grid.rows.len() as u64);
    for row in &grid.rows {
        put_number(out, u64::from(row.wrapped) | (row.size as u64) << 1);
        put_number(out, row.cells.len() as u64);
        for cell in &row.cells {
            put_number(out, u64::from(cell.code()));
            put_number(out, u64::from(cell.style()));
            put_number(out, u64::from(cell.flags()));
        }
    }
}

fn grid(input: &mut Reader<'_>, size: Size, interner: &Interner) -> Result<Grid, DecodeError> {
    let mut grid = Grid::new(size);
    if input.count(2)? != grid.rows.len() {
        return Err(DecodeError("rows are missing"));
    }
    for row in &mut grid.rows {
        *row = read_row(input, size, interner)?;
    }
    Ok(grid)
}

fn read_row(input: &mut Reader<'_>, size: Size, interner: &Interner) -> Result<Row, DecodeError> {
    let head = input.number()?;
    let mut row = Row { wrapped: head & 1 != 0, size: RowSize::from_number(head >> 1), ..Row::default() };
    for _ in 0..input.count(3)? {
        let cell = Cell::new(input.small()?, input.small()?, input.small::<u16>()? & FLAGS);
        row.cells.push(checked(cell, interner));
    }
    row.cells.truncate(usize::from(size.cols));
    row.clear_orphan_halves();
    Ok(row)
}

fn checked(cell: Cell, interner: &Interner) -> Cell {
    let known = match cell.content() {
        CellContent::Cluster(number) => (number as usize) < interner.clusters().len(),
        CellContent::Char(c) => !c.is_control(),
        CellContent::Blank => cell.code() == 0,
    };
    let style = if usize::from(cell.style()) < interner.styles.len() { cell.style() } else { 0 };
    let cell = cell.with_style(style);
    if known { cell } else { cell.emptied() }
}

fn put_caret(out: &mut Vec<u8>, caret: &Caret) {
    put_number(out, caret.row as u64);
    put_number(out, caret.col as u64);
    put_number(out, u64::from(caret.wrap));
    put_style(out, &caret.style);
    put_number(out, caret.protection as u64);
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
    caret.protection = [Protection::None, Protection::Dec, Protection::Iso]
        .get(input.small::<usize>()?)
        .copied()
        .unwrap_or_default();
    let mut charsets = Charsets::default();
    for set in &mut charsets.sets {
        *set = Charset::from_number(input.small()?);
    }
    charsets.current = input.small::<usize>()?.min(3);
    charsets.single = input.small::<usize>()?.checked_sub(1).filter(|&set| set < 4);
    Ok(Caret { charsets, ..caret })
}

fn put_side(out: &mut Vec<u8>, side: &ScreenState) {
    put_caret(out, &side.saved.caret);
    put_number(out, u64::from(side.saved.origin));
    put_bytes(out, &side.kitty);
}

fn side(input: &mut Reader<'_>, size: Size) -> Result<ScreenState, DecodeError> {
    let saved = SavedCursor { caret: caret(input, size)?, origin: input.flag()? };
    let kitty = input.bytes()?.iter().take(DEEPEST).map(|flags| flags & 31).collect();
    Ok(ScreenState { saved, kitty })
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

fn put_marks(out: &mut Vec<u8>, marks: &PromptMarks) {
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

fn marks(input: &mut Reader<'_>) -> Result<PromptMarks, DecodeError> {
    let mut list = VecDeque::new();
    for _ in 0..input.count(11)? {
        let prompt = position(input)?.ok_or(DecodeError("a prompt has no place"))?;
        let (typed, output, end) = (position(input)?, position(input)?, position(input)?);
        let exit = input.number()?.checked_sub(1).map(|exit| exit as u32 as i32);
        let (told, command) = (input.number()?, input.text()?);
        let (own, command) = (told >> 1, (told & 1 == 1).then(|| command.into()));
        let (began, ended) = (time(input)?, time(input)?);
        list.push_back(PromptMark { prompt, input: typed, output, end, exit, began, ended, command, own });
    }
    // Whoever restores it knows the key.
    Ok(PromptMarks { list, ..PromptMarks::default() })
}

fn put_placing(out: &mut Vec<u8>, placing: Option<Vt52Address>) {
    put_number(
        out,
        match placing {
            None => 0,
            Some(Vt52Address::Row) => 1,
            Some(Vt52Address::Column(row)) => u64::from(row),
        },
    );
}

/// A row is told by a printable character.
fn placing(input: &mut Reader<'_>) -> Result<Option<Vt52Address>, DecodeError> {
    Ok(match input.number()? {
        1 => Some(Vt52Address::Row),
        row @ 0x20..0x7f => Some(Vt52Address::Column(row as u8)),
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
