//! Some hundreds of lines side by side: text, style runs, and the styles they use. Raw while written, compressed later.

use std::ops::Range;

use super::line::{Line, Run};
use crate::bytes::Reader;
use crate::cell::Cell;
use crate::look::Look;
use crate::tables::Tables;

/// A block is complete with this many lines…
const LINES: usize = 256;
/// …or this much text, whichever comes first.
const BYTES: usize = 64 * 1024;
/// …or this many styles; more would not fit into their numbers.
const STYLES: usize = 32 * 1024;

#[derive(Clone, Debug)]
pub(crate) enum Block {
    Raw(Raw),
    Cold { lines: usize, packed: Box<[u8]> },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Raw {
    pub(super) text: Vec<u8>,
    pub(super) text_ends: Vec<u32>,
    /// For each run: bytes skipped since the last one, length in bytes, style.
    pub(super) runs: Vec<u8>,
    pub(super) run_ends: Vec<u32>,
    pub(super) styles: Vec<Look>,
    pub(super) links: Vec<Box<str>>,
    /// Where in `text` the last run of the last line ended.
    pub(super) run_end: usize,
    /// For each style of the pane its number here, and 1; 0 is not known yet.
    pub(super) known: Vec<u16>,
}

impl Default for Block {
    fn default() -> Block {
        Block::Raw(Raw::default())
    }
}

impl Block {
    pub fn lines(&self) -> usize {
        match self {
            Block::Raw(raw) => raw.text_ends.len(),
            Block::Cold { lines, .. } => *lines,
        }
    }

    /// What it takes in memory.
    pub fn bytes(&self) -> usize {
        match self {
            Block::Raw(raw) => raw.bytes(),
            Block::Cold { packed, .. } => packed.len(),
        }
    }

    pub fn is_full(&self) -> bool {
        match self {
            Block::Raw(raw) => {
                raw.text_ends.len() >= LINES || raw.text.len() >= BYTES || raw.styles.len() >= STYLES
            }
            Block::Cold { .. } => true,
        }
    }

    pub fn begin_line(&mut self) {
        if let Block::Raw(raw) = self {
            raw.text_ends.push(raw.text.len() as u32);
            raw.run_ends.push(raw.runs.len() as u32);
            raw.run_end = raw.text.len();
        }
    }

    pub fn append(&mut self, cells: &[Cell], tables: &Tables) {
        self.expand();
        if let Block::Raw(raw) = self {
            raw.append(cells, tables);
            raw.end_line();
        }
    }

    /// Blanks that a wrapped row did not store.
    pub fn pad(&mut self, count: usize) {
        if let Block::Raw(raw) = self {
            raw.text.resize(raw.text.len() + count, b' ');
            raw.end_line();
        }
    }

    pub fn last_line_bytes(&self) -> usize {
        match self {
            Block::Raw(raw) => raw.text.len() - raw.text_start(raw.text_ends.len().saturating_sub(1)),
            Block::Cold { .. } => 0,
        }
    }

    pub fn shrink(&mut self) {
        if let Block::Raw(raw) = self {
            raw.text.shrink_to_fit();
            raw.text_ends.shrink_to_fit();
            raw.runs.shrink_to_fit();
            raw.run_ends.shrink_to_fit();
            raw.styles.shrink_to_fit();
            raw.known = Vec::new();
        }
    }

    /// The pane's styles have new numbers.
    pub fn forget_styles(&mut self) {
        if let Block::Raw(raw) = self {
            raw.known.clear();
        }
    }

    pub fn compress(&mut self) {
        if let Block::Raw(raw) = self {
            let mut plain = Vec::with_capacity(raw.bytes());
            raw.encode(&mut plain);
            let packed = lz4_flex::block::compress_prepend_size(&plain).into_boxed_slice();
            *self = Block::Cold { lines: raw.text_ends.len(), packed };
        }
    }

    /// Back to the raw form.
    pub fn expand(&mut self) {
        if let Block::Cold { packed, .. } = self {
            *self = Block::Raw(Raw::unpack(packed));
        }
    }

    pub fn pop(&mut self) -> Option<Line> {
        self.expand();
        let Block::Raw(raw) = self else { return None };
        let last = raw.text_ends.len().checked_sub(1)?;
        let line = raw.line(last);
        raw.text.truncate(raw.text_start(last));
        raw.runs.truncate(raw.run_start(last));
        raw.text_ends.pop();
        raw.run_ends.pop();
        line
    }

    pub fn read(&self, wanted: Range<usize>) -> Vec<Line> {
        match self {
            _ if wanted.is_empty() => Vec::new(),
            Block::Raw(raw) => wanted.filter_map(|at| raw.line(at)).collect(),
            Block::Cold { packed, .. } => {
                let raw = Raw::unpack(packed);
                wanted.filter_map(|at| raw.line(at)).collect()
            }
        }
    }
}

impl Raw {
    pub(super) fn bytes(&self) -> usize {
        let fixed = 4 * (self.text_ends.len() + self.run_ends.len()) + size_of::<Look>() * self.styles.len();
        let links: usize = self.links.iter().map(|link| link.len() + 16).sum();
        self.text.len() + self.runs.len() + fixed + links
    }

    fn end_line(&mut self) {
        if let (Some(text), Some(runs)) = (self.text_ends.last_mut(), self.run_ends.last_mut()) {
            *text = self.text.len() as u32;
            *runs = self.runs.len() as u32;
        }
    }

    pub(super) fn text_start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.text_ends.get(before)).map_or(0, |&end| end as usize)
    }

    pub(super) fn run_start(&self, at: usize) -> usize {
        at.checked_sub(1).and_then(|before| self.run_ends.get(before)).map_or(0, |&end| end as usize)
    }

    pub(super) fn line(&self, at: usize) -> Option<Line> {
        let text = &self.text[self.text_start(at)..*self.text_ends.get(at)? as usize];
        let mut runs = Reader::new(&self.runs[self.run_start(at)..*self.run_ends.get(at)? as usize]);
        let mut line = Line { text: String::from_utf8_lossy(text).into_owned(), runs: Vec::new() };
        let mut end = 0;
        while !runs.is_empty() {
            let start = end + runs.small::<usize>().ok()?;
            end = start + runs.small::<usize>().ok()?;
            let style = self.styles.get(runs.small::<usize>().ok()?).copied().unwrap_or_default();
            let link = usize::from(style.link).checked_sub(1).and_then(|link| self.links.get(link).cloned());
            line.runs.push(Run { bytes: start..end, style, link });
        }
        Some(line)
    }
}
