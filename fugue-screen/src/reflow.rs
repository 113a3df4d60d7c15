//! Resizing. The primary screen is wrapped to the new width, and the caret stays at its character. History takes rows
//! that no longer fit and returns lines that fit again. The alternate screen is cropped or extended: its program
//! redraws it.

use std::collections::VecDeque;

use crate::cell::{Cell, FILLER, TAIL, WIDE};
use crate::char_width;
use crate::cursor::Caret;
use crate::geometry::Size;
use crate::grid::{Grid, ScrollLog};
use crate::history::HistoryLine;
use crate::interner::Interner;
use crate::modes::ModeFlag;
use crate::packed_style::PackedStyle;
use crate::row::{Row, RowSize};
use crate::rows::Rows;
use crate::single_column;
use crate::terminal::Terminal;

impl Terminal {
    pub(crate) fn resize(&mut self, size: Size) {
        let size = size.within_limits();
        if size == self.buffers.size {
            return;
        }
        self.revisions.current += 1;
        self.revisions.mark_full();
        match self.buffers.alternate {
            true => self.resize_behind_alternate(size),
            false => self.resize_primary(size),
        }
        self.finish_resize(size);
    }

    fn resize_primary(&mut self, size: Size) {
        let mut caret = std::mem::take(&mut self.caret);
        self.reflow(size, &mut caret);
        self.caret = caret;
        crop(&mut self.buffers.hidden, size);
    }

    /// Wraps the primary screen although it is not shown. The position that mode 1049 saved for its program moves with
    /// the text.
    fn resize_behind_alternate(&mut self, size: Size) {
        std::mem::swap(&mut self.buffers.grid, &mut self.buffers.hidden);
        let mut caret = std::mem::take(&mut self.buffers.parked_caret);
        let saved = &self.buffers.hidden_state.saved.caret;
        let comes_back = (saved.row, saved.col) == (caret.row, caret.col);
        self.reflow(size, &mut caret);
        if comes_back {
            let saved = &mut self.buffers.hidden_state.saved.caret;
            (saved.row, saved.col, saved.wrap_pending) = (caret.row, caret.col, caret.wrap_pending);
        }
        self.buffers.parked_caret = caret;
        std::mem::swap(&mut self.buffers.grid, &mut self.buffers.hidden);
        crop(&mut self.buffers.grid, size);
        self.caret.clamp(size);
    }

    fn finish_resize(&mut self, size: Size) {
        self.buffers.size = size;
        self.buffers.has_double_rows = false;
        self.buffers.reset_margins();
        self.settings.tab_stops.resize(size.cols);
        self.buffers.state.saved.caret.clamp(size);
        self.buffers.hidden_state.saved.caret.clamp(size);
        self.marks.forget_before(self.history.first());
        self.images.after_resize(&self.buffers, self.revisions.current);
        if self.has(ModeFlag::ResizeReports) {
            self.report_resize();
        }
    }

    /// Wraps `self.buffers.grid`, which must be the primary one, to a new size.
    fn reflow(&mut self, size: Size, caret: &mut Caret) {
        let (rows, cols) = (usize::from(size.rows), usize::from(size.cols));
        let before = self.buffers.grid.rows.len();
        let used = self.used_rows(caret.row);
        // As in tmux, a lower screen loses blank rows at its end first, but one that only gets narrower keeps them: it is
        // the same again when it gets as wide as before.
        let kept = used.max(before.min(rows));
        let filled = if used == before { rows } else { kept.min(rows) };
        let mut wrapped = self.rewrap(kept, cols, caret);
        let over = wrapped.len().saturating_sub(rows).min(caret.row);
        for row in wrapped.drain(..over) {
            self.history.push(&row, cols, &self.interner);
        }
        caret.row -= over;
        wrapped.truncate(rows);
        while wrapped.len() < filled {
            let Some(line) = self.history.pop() else { break };
            let cells = unpack(&line, &mut self.interner, self.modes.has(ModeFlag::Graphemes));
            let above = wrap(cells, cols);
            let spare = (above.len() + wrapped.len()).saturating_sub(filled);
            caret.row += above.len() - spare;
            for (at, row) in above.into_iter().enumerate().rev() {
                if at >= spare {
                    wrapped.push_front(row);
                } else {
                    self.return_to_history(&line, at + 1, cols);
                    break;
                }
            }
        }
        // Blank rows at the end need no memory.
        while wrapped.len() > caret.row + 1
            && wrapped.back().is_some_and(|row| row.used() == 0 && row.anchor == 0)
        {
            wrapped.pop_back();
        }
        let rows = Rows::from_top(wrapped, rows);
        self.buffers.grid =
            Grid { rows, cols, moved: self.revisions.current, scrolled: ScrollLog::default() };
    }

    /// Returns the first rows of a line to history, since they do not fit.
    fn return_to_history(&mut self, line: &HistoryLine, rows: usize, cols: usize) {
        for row in wrap(unpack(line, &mut self.interner, self.modes.has(ModeFlag::Graphemes)), cols)
            .into_iter()
            .take(rows)
        {
            self.history.push(&row, cols, &self.interner);
        }
    }

    fn used_rows(&self, caret_row: usize) -> usize {
        let last = self.buffers.grid.rows.iter().rposition(|row| row.used() > 0).map_or(0, |at| at + 1);
        last.max(caret_row + 1).min(self.buffers.grid.rows.len())
    }

    /// All rows in use, wrapped at `cols`. Moves the caret with its character.
    fn rewrap(&mut self, used: usize, cols: usize, caret: &mut Caret) -> VecDeque<Row> {
        let mut out = VecDeque::new();
        let mut line = match self.history.is_open() {
            true => self
                .history
                .pop()
                .map(|line| unpack(&line, &mut self.interner, self.modes.has(ModeFlag::Graphemes)))
                .unwrap_or_default(),
            false => Vec::new(),
        };
        let (old_cols, old_caret) = (self.buffers.grid.cols, caret.clone());
        let (mut offset, mut anchor, mut revision) = (None, None, 0);
        for at in 0..used {
            let row = &self.buffers.grid.rows[at];
            // Whoever asks which rows a program has drawn gets the same answer at every width.
            revision = row.revision.max(revision);
            // The images of a line stay at its first row.
            anchor.get_or_insert(row.anchor);
            if at == old_caret.row {
                offset = Some(line.len() + old_caret.col + usize::from(old_caret.wrap_pending));
            }
            let end = if row.wrapped { old_cols } else { row.used() };
            let cells = (0..end).map(|col| row.cell(col)).filter(|cell| !cell.is(FILLER));
            match old_cols {
                1 => cells.for_each(|cell| single_column::widen(cell, &self.interner, &mut line)),
                _ => line.extend(cells),
            }
            if row.wrapped && at + 1 < used {
                continue;
            }
            let start = out.len();
            if cols == 1 {
                offset = offset.map(|offset| single_column::squeezed_offset(&line, offset));
            }
            out.extend(wrap(std::mem::take(&mut line), cols));
            out[start].anchor = anchor.take().unwrap_or_default();
            let written = std::mem::take(&mut revision);
            out.iter_mut().skip(start).for_each(|row| row.revision = written);
            if let Some(offset) = offset.take() {
                place_caret(caret, offset, start, &mut out, cols);
            }
        }
        out
    }
}

/// Places the caret `offset` cells into the line whose first row is `start`.
fn place_caret(caret: &mut Caret, offset: usize, start: usize, rows: &mut VecDeque<Row>, cols: usize) {
    let mut left = offset;
    caret.row = start;
    while rows[caret.row].wrapped && caret.row + 1 < rows.len() {
        let filler = rows[caret.row].cells.last().is_some_and(|cell| cell.is(FILLER));
        let here = cols - usize::from(filler);
        if left < here {
            break;
        }
        left -= here;
        caret.row += 1;
    }
    caret.wrap_pending = left == cols && rows[caret.row].cells.len() == cols;
    caret.col = left.min(cols - 1);
}

/// Wraps the cells of one line into rows of `cols` columns.
pub(crate) fn wrap(mut cells: Vec<Cell>, cols: usize) -> VecDeque<Row> {
    while cells.last().is_some_and(|cell| cell.is_plain_blank()) {
        cells.pop();
    }
    if cols == 1 {
        cells = single_column::squeeze(&cells);
    }
    let mut rows = VecDeque::new();
    let mut rest = &cells[..];
    while rest.len() > cols {
        let cut = cols - usize::from(rest[cols].is(TAIL));
        let mut row = Row { cells: rest[..cut].to_vec(), wrapped: true, ..Row::default() };
        if cut < cols {
            row.cells.push(Cell::BLANK.with_flags(FILLER));
        }
        row.clear_orphan_halves();
        rows.push_back(row);
        rest = &rest[cut..];
    }
    let mut row = Row { cells: rest.to_vec(), ..Row::default() };
    row.clear_orphan_halves();
    rows.push_back(row);
    rows
}

/// Converts a line of history to cells. For `by_rules` see [`char_width::clusters`].
pub(crate) fn unpack(line: &HistoryLine, interner: &mut Interner, by_rules: bool) -> Vec<Cell> {
    let mut cells = Vec::with_capacity(line.text.len());
    for (text, style, link) in line.pieces() {
        let link = link.map_or(0, |address| interner.link_number(address));
        let pen = Cell::blank(interner.style_number(PackedStyle { link, ..style }));
        if text.is_ascii() {
            cells.extend(text.bytes().map(|byte| pen.with_byte(byte)));
            continue;
        }
        for cluster in char_width::clusters(text, by_rules) {
            push_cluster(cluster, pen, interner, &mut cells);
        }
    }
    cells
}

fn push_cluster(cluster: &str, pen: Cell, interner: &mut Interner, cells: &mut Vec<Cell>) {
    let mut chars = cluster.chars();
    let (Some(first), more) = (chars.next(), chars.next()) else { return };
    let (cell, wide) = match more {
        None => (pen.with_char(first), char_width::of_char(first) == 2),
        Some(_) => match interner.cluster_number(cluster) {
            Some(number) => (pen.with_cluster(number), char_width::of_cluster(cluster) == 2),
            None => (pen.with_char(first), char_width::of_char(first) == 2),
        },
    };
    if wide {
        cells.push(cell.with_flags(WIDE));
        cells.push(pen.with_flags(TAIL));
    } else {
        cells.push(cell);
    }
}

/// Crops the alternate screen to its upper left part.
fn crop(grid: &mut Grid, size: Size) {
    grid.cols = usize::from(size.cols);
    grid.rows.resize(usize::from(size.rows));
    for row in grid.written_rows() {
        row.truncate_to(usize::from(size.cols));
        row.size = RowSize::Single;
    }
}
