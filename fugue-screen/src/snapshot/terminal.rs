//! The terminal in a snapshot. Decoded values are made consistent, so that damaged bytes cannot cause failures later.

use super::grid::{put_grid, put_interner, read_grid, read_interner};
use super::images::{put_images, read_images};
use super::prompt_marks::{put_marks, read_marks};
use crate::binary_format::{DecodeError, Reader, put_bytes, put_number, put_style};
use crate::charset::{Charset, Charsets};
use crate::color_overrides::ColorOverrides;
use crate::cursor::{Caret, Protection, SavedCursor};
use crate::geometry::{Area, Size};
use crate::history::{History, Limits};
use crate::modes::ModeFlag;
use crate::program_reports::ProgramReports;
use crate::row::RowSize;
use crate::tab_stops::TabStops;
use crate::terminal::{Revisions, ScreenState, SyncUpdate, Terminal, Vt52Address};
use crate::update::{modes, put_modes, shape};

/// Deeper stacks were not written by us.
const DEEPEST: usize = 64;

impl Terminal {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        self.encode_screen(out);
        self.history.encode(out);
        self.encode_reports(out);
    }

    /// Encodes the terminal with as much of its newest history as fits into `most` bytes, all in all.
    pub(super) fn encode_tail(&self, out: &mut Vec<u8>, most: usize) {
        let mut reports = Vec::new();
        self.encode_reports(&mut reports);
        self.encode_screen(out);
        let left = most.saturating_sub(out.len() + reports.len());
        // A full-screen program shows all there is; what scrolled away before it is not its content.
        self.history.encode_tail(out, if self.buffers.alternate { 0 } else { left });
        out.extend_from_slice(&reports);
    }

    /// Encodes everything before the history.
    fn encode_screen(&self, out: &mut Vec<u8>) {
        put_number(out, u64::from(self.buffers.size.cols));
        put_number(out, u64::from(self.buffers.size.rows));
        put_number(out, self.revisions.current);
        put_interner(out, &self.interner);
        put_grid(out, &self.buffers.grid);
        put_grid(out, &self.buffers.hidden);
        for flag in [self.buffers.alternate, self.settings.guarded_areas, self.revisions.sync.is_some()] {
            put_number(out, u64::from(flag));
        }
        put_screen_state(out, &self.buffers.state);
        put_screen_state(out, &self.buffers.hidden_state);
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
        put_bytes(out, &self.settings.tab_stops.stops().map(u8::from).collect::<Vec<u8>>());
        put_bytes(out, self.reports.title.current.as_bytes());
        put_number(out, self.reports.title.stack.len() as u64);
        self.reports.title.stack.iter().for_each(|title| put_bytes(out, title.as_bytes()));
        self.colors.palette.overrides.encode(out);
        put_marks(out, &self.marks);
    }

    /// Encodes everything after the history.
    fn encode_reports(&self, out: &mut Vec<u8>) {
        self.reports.encode(out);
        put_vt52_address(out, self.settings.vt52_address);
        put_images(out, &self.images, &self.buffers);
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let size = Size { cols: input.small()?, rows: input.small()? };
        if size != size.within_limits() {
            return Err(DecodeError("invalid size"));
        }
        let mut t = Self::new(size, Limits::default());
        t.revisions = Revisions::starting_at(input.number()?.clamp(1, u64::MAX / 2));
        t.interner = read_interner(input)?;
        t.buffers.grid = read_grid(input, size, &t.interner)?;
        t.buffers.hidden = read_grid(input, size, &t.interner)?;
        (t.buffers.alternate, t.settings.guarded_areas) = (input.flag()?, input.flag()?);
        t.revisions.sync = input.flag()?.then_some(SyncUpdate { since: t.revisions.current, cursor: None });
        t.buffers.state = read_screen_state(input, size)?;
        t.buffers.hidden_state = read_screen_state(input, size)?;
        t.caret = read_caret(input, size)?;
        t.buffers.parked_caret = read_caret(input, size)?;
        t.buffers.margins = read_margins(input, size)?;
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
        self.marks = read_marks(input)?;
        self.history = History::decode(input)?;
        // A snapshot of an earlier version ends here.
        if !input.is_empty() {
            let title = std::mem::take(&mut self.reports.title);
            self.reports = ProgramReports { title, ..ProgramReports::decode(input)? };
        }
        if input.version() > 1 {
            self.settings.vt52_address = read_vt52_address(input)?;
        }
        // One of a version without images ends here.
        if !input.is_empty() {
            read_images(input, &mut self.images, &mut self.buffers)?;
            self.refresh_images();
        }
        self.pen.stale = true;
        let mut rows = self.buffers.grid.rows.iter().chain(self.buffers.hidden.rows.iter());
        self.buffers.has_double_rows = rows.any(|row| row.size != RowSize::Single);
        Ok(())
    }
}

fn put_caret(out: &mut Vec<u8>, caret: &Caret) {
    put_number(out, caret.row as u64);
    put_number(out, caret.col as u64);
    put_number(out, u64::from(caret.wrap_pending));
    put_style(out, &caret.style);
    put_number(out, caret.protection as u64);
    caret.charsets.sets.iter().for_each(|&set| put_number(out, set as u64));
    put_number(out, caret.charsets.current as u64);
    put_number(out, caret.charsets.single.map_or(0, |set| set as u64 + 1));
}

fn read_caret(input: &mut Reader<'_>, size: Size) -> Result<Caret, DecodeError> {
    let (row, col, wrap) = (input.small::<u16>()?, input.small::<u16>()?, input.flag()?);
    let mut caret = Caret { row: row.into(), col: col.into(), ..Caret::default() };
    caret.clamp(size);
    caret.wrap_pending = wrap;
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

fn put_screen_state(out: &mut Vec<u8>, side: &ScreenState) {
    put_caret(out, &side.saved.caret);
    put_number(out, u64::from(side.saved.origin));
    put_bytes(out, &side.kitty);
}

fn read_screen_state(input: &mut Reader<'_>, size: Size) -> Result<ScreenState, DecodeError> {
    let saved = SavedCursor { caret: read_caret(input, size)?, origin: input.flag()? };
    let kitty = input.bytes()?.iter().take(DEEPEST).map(|flags| flags & 31).collect();
    Ok(ScreenState { saved, kitty })
}

fn read_margins(input: &mut Reader<'_>, size: Size) -> Result<Area, DecodeError> {
    let [top, bottom, left, right] = [input.small()?, input.small()?, input.small()?, input.small()?];
    let area = Area { top, bottom, left, right };
    let whole = Area::whole(size);
    match !area.is_empty() && bottom <= whole.bottom && right <= whole.right {
        true => Ok(area),
        false => Err(DecodeError("invalid margins")),
    }
}

fn put_vt52_address(out: &mut Vec<u8>, placing: Option<Vt52Address>) {
    put_number(
        out,
        match placing {
            None => 0,
            Some(Vt52Address::Row) => 1,
            Some(Vt52Address::Column(row)) => u64::from(row),
        },
    );
}

/// A row is sent as a printable character.
fn read_vt52_address(input: &mut Reader<'_>) -> Result<Option<Vt52Address>, DecodeError> {
    Ok(match input.number()? {
        1 => Some(Vt52Address::Row),
        row @ 0x20..0x7f => Some(Vt52Address::Column(row as u8)),
        _ => None,
    })
}
