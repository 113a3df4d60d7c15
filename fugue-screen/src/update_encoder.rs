//! Updates as bytes, written from the cells without a copy of the rows in between.

use crate::binary_format::{put_bytes, put_number, put_style};
use crate::cell::WIDE;
use crate::images::put_pieces;
use crate::interner::Interner;
use crate::packed_style::PackedStyle;
use crate::row::Row;
use crate::row_view::{SpanCells, drawn_cells, spans};
use crate::screen::Screen;
use crate::update::{Update, VERSION, put_cursor, put_modes};

impl Screen {
    /// Encodes what changed since `revision`, for [`Update::decode`].
    pub fn encode_update_since(&self, revision: u64) -> Vec<u8> {
        let update = self.changes_since(revision);
        // Colors and images follow the rows, where older viewers do not look. A full update without any omits them.
        let colors = update.colors.as_ref().filter(|own| !(update.whole && own.is_empty()));
        let images = update.images.as_ref().filter(|images| !(update.whole && images.is_empty()));
        let mut out = Vec::new();
        put_header(&mut out, &update, [update.whole, update.alternate, colors.is_some(), images.is_some()]);
        self.put_rows(&mut out, revision);
        colors.into_iter().for_each(|own| own.encode(&mut out));
        images.into_iter().for_each(|images| put_pieces(&mut out, images));
        out
    }

    fn put_rows(&self, out: &mut Vec<u8>, revision: u64) {
        let (interner, cols) = (&self.terminal.interner, self.terminal.buffers.grid.cols);
        put_number(out, self.rows_since(revision).count() as u64);
        let mut rows = RowEncoder::new(interner);
        for (at, row) in self.rows_since(revision) {
            rows.put(out, at, &drawn_cells(row, cols, interner));
        }
    }
}

fn put_header(out: &mut Vec<u8>, update: &Update, flags: [bool; 4]) {
    let flags = flags.iter().enumerate().map(|(bit, flag)| u8::from(*flag) << bit).sum();
    out.extend_from_slice(&[VERSION, flags]);
    put_number(out, update.revision);
    put_number(out, u64::from(update.size.cols));
    put_number(out, u64::from(update.size.rows));
    put_number(out, u64::from(update.scrolled));
    put_cursor(out, &update.cursor);
    put_modes(out, &update.modes);
    put_number(out, u64::from(update.title.is_some()));
    put_bytes(out, update.title.as_deref().unwrap_or_default().as_bytes());
}

/// Encodes rows. A style and its link are written once, and as a number from then on.
struct RowEncoder<'a> {
    interner: &'a Interner,
    /// The number in the update of each style of the pane, counted from 1; 0 if it has not occurred yet.
    numbers: Vec<u16>,
    last: u16,
    /// The spans of a row, which come after their count, and the text of a span, which comes after its length.
    spans: Vec<u8>,
    text: Vec<u8>,
}

impl<'a> RowEncoder<'a> {
    fn new(interner: &'a Interner) -> Self {
        let numbers = vec![0; interner.styles.len()];
        Self { interner, numbers, last: 0, spans: Vec::new(), text: Vec::new() }
    }

    fn put(&mut self, out: &mut Vec<u8>, at: u16, row: &Row) {
        self.spans.clear();
        let mut count = 0;
        for span in spans(row) {
            self.put_span(&span);
            count += 1;
        }
        put_number(out, u64::from(at) << 1 | u64::from(row.wrapped));
        put_number(out, count);
        out.extend_from_slice(&self.spans);
    }

    fn put_span(&mut self, span: &SpanCells<'_>) {
        let first = span.first;
        let bits = u64::from(first.is(WIDE)) | u64::from(first.is_cluster()) << 1;
        let known = self.numbers.get(usize::from(first.style())).copied().unwrap_or(0);
        put_number(&mut self.spans, u64::from(known) << 2 | bits);
        if known == 0 {
            self.put_style(first.style());
        }
        self.text.clear();
        span.characters().for_each(|cell| self.interner.push_bytes(cell, &mut self.text));
        put_bytes(&mut self.spans, &self.text);
    }

    fn put_style(&mut self, number: u16) {
        let style = self.interner.style(number);
        put_style(&mut self.spans, &PackedStyle { link: 0, ..style });
        put_bytes(&mut self.spans, self.interner.link(style.link).unwrap_or_default().as_bytes());
        self.last += 1;
        if let Some(known) = self.numbers.get_mut(usize::from(number)) {
            *known = self.last;
        }
    }
}
