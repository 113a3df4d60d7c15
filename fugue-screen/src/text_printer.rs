//! Printing text on the screen: runs of ASCII at once, other text in runs or character by character.

use crate::cell::{Cell, CellContent, FILLER, TAIL, WIDE};
use crate::char_width;
use crate::modes::ModeFlag;
use crate::row_writer::RowWriter;
use crate::terminal::Terminal;

impl Terminal {
    /// Prints text until the turn's work is done. Returns the number of bytes printed.
    pub(crate) fn print_ascii(&mut self, text: &[u8]) -> usize {
        if !self.caret.charsets.is_plain() || self.has(ModeFlag::Insert) {
            return self.print_ascii_singly(text);
        }
        let pen = self.pen();
        let mut rest = text;
        loop {
            self.wrap_if_pending();
            let col = self.caret.col;
            let limit = self.right_limit();
            let (now, later) = rest.split_at((limit - col).min(rest.len()));
            self.row().write_ascii(col, now, pen);
            self.advance(col + now.len(), limit);
            rest = later;
            if rest.is_empty() || self.work.is_spent() {
                break;
            }
        }
        let printed = text.len() - rest.len();
        self.pen.last_char = text[..printed].last().map(|&byte| char::from(byte));
        printed
    }

    fn print_ascii_singly(&mut self, text: &[u8]) -> usize {
        for (at, &byte) in text.iter().enumerate() {
            let c = self.caret.charsets.map(byte);
            self.write_char(c, char_width::of_char(c));
            if self.work.is_spent() {
                return at + 1;
            }
        }
        text.len()
    }

    /// Prints text until the turn's work is done. Returns the number of bytes printed.
    pub(crate) fn print_text(&mut self, text: &str) -> usize {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let taken = match self.print_run(rest) {
                0 => {
                    self.print_char(first);
                    first.len_utf8()
                }
                taken => taken,
            };
            rest = &rest[taken..];
            if self.work.is_spent() {
                break;
            }
        }
        text.len() - rest.len()
    }

    /// Prints what can be written into the row at once. Returns the number of bytes printed.
    fn print_run(&mut self, text: &str) -> usize {
        let lone = char_width::LoneWidths::new();
        if text.chars().next().is_none_or(|first| lone.of(first) == 0) {
            return 0;
        }
        if self.caret.wrap_pending
            || self.has(ModeFlag::Insert)
            || !self.caret.charsets.is_plain()
            || self.after_joiner()
        {
            return 0;
        }
        let limit = self.right_limit();
        let known = self.row().cells.len();
        // No character takes more columns than bytes.
        let mut run = self.begin_run(limit.min(self.caret.col + text.len()));
        let taken = run.take(text, &lone);
        let (col, last) = (run.col, run.last);
        let row = self.row();
        row.cells.truncate(known.max(col));
        row.clear_orphan_tail(col);
        if taken > 0 {
            self.pen.last_char = last;
            self.advance(col, limit);
        }
        taken
    }

    /// Begins a run. The row is extended for it; what is not needed is truncated afterwards.
    fn begin_run(&mut self, limit: usize) -> RowWriter<'_> {
        self.compact_interner_if_full();
        let (pen, by_rules, col) = (self.pen(), self.has(ModeFlag::Graphemes), self.caret.col);
        let row = &mut self.buffers.grid.rows[self.caret.row];
        row.clear_split_wide(col);
        row.extend_to(limit);
        let cells = &mut row.cells[..limit];
        RowWriter {
            cells,
            interner: &mut self.interner,
            pen,
            by_rules,
            col,
            last_at: col,
            last: None,
            open: false,
        }
    }

    fn print_char(&mut self, c: char) {
        if c.is_ascii() {
            self.print_ascii(&[c as u8]);
            return;
        }
        // C1 controls in UTF-8 must not be drawn. No program uses them.
        if ('\u{80}'..='\u{9f}').contains(&c) {
            return;
        }
        let width = char_width::of_char(c);
        let joins = width == 0
            || (self.has(ModeFlag::Graphemes) && (char_width::is_emoji_part(c) || self.after_joiner()));
        if !(joins && self.join(c)) && width > 0 {
            self.write_char(c, width);
        }
    }

    /// REP: repeats the last character. REP is itself a control, so a second one has nothing to repeat.
    pub(crate) fn repeat(&mut self, count: usize) {
        let Some(c) = self.pen.last_char else { return };
        let count = count.min(self.rows() * self.cols());
        self.work.spend(count);
        match c.is_ascii() && self.caret.charsets.is_plain() {
            true => self.repeat_ascii(c as u8, count),
            false => (0..count).for_each(|_| self.write_char(c, char_width::of_char(c))),
        }
        self.pen.last_char = None;
    }

    fn repeat_ascii(&mut self, byte: u8, count: usize) {
        // Written in pieces of about the width of a row.
        let text = [byte; 256];
        let mut left = count;
        while left > 0 {
            left -= self.print_ascii(&text[..text.len().min(left)]);
        }
    }

    /// Writes a character of one or two columns at the caret.
    fn write_char(&mut self, c: char, width: usize) {
        self.pen.last_char = Some(c);
        self.wrap_if_pending();
        if width == 2 && !self.make_room_for_wide() {
            return;
        }
        let cell = self.pen().with_char(c);
        let (col, limit) = (self.caret.col, self.right_limit());
        if self.has(ModeFlag::Insert) {
            let blank = self.blank();
            self.work.spend(limit - col);
            self.row().insert(col, width, limit, blank);
        }
        match width {
            2 => self.row().set_wide(col, cell),
            _ => self.row().set_cell(col, cell),
        }
        self.advance(col + width, limit);
    }

    /// Makes room for a wide character in the last column: it goes to the next row if rows wrap.
    fn make_room_for_wide(&mut self) -> bool {
        if self.right_limit() - self.caret.col >= 2 {
            return true;
        }
        if !self.has(ModeFlag::Autowrap) {
            return false;
        }
        let (col, filler) = (self.caret.col, Cell::BLANK.with_flags(FILLER));
        self.row().set_cell(col, filler);
        self.wrap();
        self.right_limit() - self.caret.col >= 2
    }

    #[inline]
    fn advance(&mut self, col: usize, limit: usize) {
        if col < limit {
            self.caret.col = col;
            return;
        }
        self.caret.col = limit - 1;
        self.caret.wrap_pending = true;
        self.row().wrapped = false;
    }

    /// The column that text may not reach.
    #[inline]
    pub(crate) fn right_limit(&self) -> usize {
        match self.caret.col < self.buffers.margins.right {
            _ if self.buffers.has_double_rows => self.right_limit_with_double_rows(),
            true => self.buffers.margins.right,
            false => self.cols(),
        }
    }

    #[inline]
    fn wrap_if_pending(&mut self) {
        if self.caret.wrap_pending {
            self.caret.wrap_pending = false;
            if self.has(ModeFlag::Autowrap) {
                self.wrap();
            }
        }
    }

    fn wrap(&mut self) {
        let whole_width = self.right_limit() == self.cols() && self.buffers.margins.left == 0;
        self.row().wrapped = whole_width;
        self.caret.col =
            if self.caret.col >= self.buffers.margins.left { self.buffers.margins.left } else { 0 };
        self.index();
    }

    /// The column where the character before the caret starts.
    #[inline]
    fn before_caret(&self) -> Option<usize> {
        let col = if self.caret.wrap_pending { self.caret.col } else { self.caret.col.checked_sub(1)? };
        let tail = self.buffers.grid.rows[self.caret.row].cell(col).is(TAIL);
        col.checked_sub(usize::from(tail))
    }

    #[inline]
    fn after_joiner(&self) -> bool {
        let Some(col) = self.before_caret() else { return false };
        match self.buffers.grid.rows[self.caret.row].cell(col).content() {
            CellContent::Cluster(number) => char_width::ends_in_joiner(self.interner.cluster(number)),
            _ => false,
        }
    }

    /// Joins a code point to the character before the caret. Returns whether it belongs there.
    fn join(&mut self, c: char) -> bool {
        let Some(col) = self.before_caret() else { return false };
        self.compact_interner_if_full();
        let cell = self.buffers.grid.rows[self.caret.row].cell(col);
        let Some(joined) = self.interner.join(cell, c, self.has(ModeFlag::Graphemes)) else { return false };
        self.put_joined(col, cell.with_cluster(joined.cluster), joined.wide);
        true
    }

    fn put_joined(&mut self, col: usize, cell: Cell, wide: bool) {
        let limit = self.right_limit();
        if wide && !cell.is(WIDE) && !self.caret.wrap_pending && col + 2 <= limit {
            self.row().set_wide(col, cell);
            self.advance(col + 2, limit);
        } else {
            let row = self.row();
            row.extend_to(col + 1);
            row.cells[col] = cell;
        }
    }
}
