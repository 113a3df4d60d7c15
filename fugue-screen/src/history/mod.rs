//! Text that left the screen, kept as logical lines. Soft-wrapped rows are joined, so a new width changes nothing here.
//!
//! Lines are packed into blocks as they arrive. Blocks are compressed when the pane is quiet or when raw text piles up:
//! a flood of output is often dropped before it is worth compressing.
//!
//! The format is our own, since no crate keeps styled lines this small and addressable by number.

mod block;
mod block_writer;
mod codec;
mod style_runs;

use std::collections::VecDeque;

pub(crate) use block::Block;
use block::read_length;
pub(crate) use style_runs::HistoryLine;

use crate::interner::Interner;
use crate::row::Row;

/// A longer line is split, so that one endless line cannot take all memory in one piece.
const LONGEST_LINE: usize = 64 * 1024;
/// When raw blocks take more than this, they are compressed at once rather than when the pane is quiet.
const MOST_RAW: usize = 8 * 1024 * 1024;

/// How much history a pane keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The number of logical lines.
    pub lines: usize,
    /// The number of bytes, as stored.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lines: 10_000, bytes: 32 * 1024 * 1024 }
    }
}

/// Why the oldest lines are no longer kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DropReason {
    /// There are more lines than the limit.
    LineLimit,
    /// They take more bytes than the limit.
    ByteLimit,
    /// The history was cleared.
    Cleared,
}

#[derive(Clone, Debug)]
pub(crate) struct History {
    limits: Limits,
    blocks: VecDeque<Block>,
    /// Number of the first line of the first block.
    first: u64,
    lines: usize,
    /// Bytes in all blocks but the last.
    bytes: usize,
    raw: usize,
    /// Whether the last line continues in the top row of the screen.
    open: bool,
    /// The number of blocks at the front that are compressed.
    cold: usize,
    /// Why lines were last dropped, as far as it is known: snapshots do not contain it.
    dropped_by: Option<DropReason>,
}

impl History {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            limits,
            blocks: VecDeque::new(),
            first: 0,
            lines: 0,
            bytes: 0,
            raw: 0,
            open: false,
            cold: 0,
            dropped_by: None,
        }
    }

    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Number of the oldest line that may be read.
    pub(crate) fn first(&self) -> u64 {
        self.first.max(self.end().saturating_sub(self.limits.lines as u64))
    }

    /// Why the lines before the first one are no longer kept, if that is known.
    pub(crate) fn drop_reason(&self) -> Option<DropReason> {
        let is_full = self.lines >= self.limits.lines;
        if is_full { Some(DropReason::LineLimit) } else { self.dropped_by }
    }

    /// Number after the last line.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.lines as u64
    }

    /// The number of the logical line that the top row of the screen belongs to.
    pub(crate) fn top_line(&self) -> u64 {
        self.end() - u64::from(self.open)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.open
    }

    /// The length of the part of the top row's line that is in history.
    pub(crate) fn open_bytes(&self) -> usize {
        let last = self.blocks.back().filter(|_| self.open && self.first() < self.end());
        last.map_or(0, Block::last_line_bytes)
    }

    /// Ends the last line: what follows starts a new one.
    pub(crate) fn close(&mut self) {
        self.open = false;
    }

    /// Adds a row that leaves the screen at the top.
    pub(crate) fn push(&mut self, row: &Row, cols: usize, interner: &Interner) {
        if !self.open {
            self.begin_line();
        }
        let Some(block) = self.blocks.back_mut() else { return };
        let used = if row.wrapped { cols.min(row.cells.len()) } else { row.used() };
        block.append(&row.cells[..used], interner);
        if row.wrapped {
            block.pad(cols - used);
        }
        self.open = row.wrapped && block.last_line_bytes() < LONGEST_LINE;
    }

    fn begin_line(&mut self) {
        if self.blocks.back().is_none_or(Block::is_full) {
            self.begin_block();
        }
        if let Some(block) = self.blocks.back_mut() {
            block.begin_line();
        }
        self.lines += 1;
    }

    fn begin_block(&mut self) {
        if let Some(block) = self.blocks.back_mut() {
            block.shrink();
            self.bytes += block.bytes();
            self.raw += block.bytes();
        }
        self.blocks.push_back(Block::default());
        self.enforce_limits();
        if self.raw > MOST_RAW {
            self.compact();
        }
    }

    fn enforce_limits(&mut self) {
        while let Some(oldest) = self.blocks.front() {
            let spare = self.lines - oldest.lines() >= self.limits.lines;
            if self.blocks.len() < 2 || !(spare || self.bytes > self.limits.bytes) {
                return;
            }
            self.dropped_by = Some(if spare { DropReason::LineLimit } else { DropReason::ByteLimit });
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        let Some(oldest) = self.blocks.pop_front() else { return };
        self.first += oldest.lines() as u64;
        self.lines -= oldest.lines();
        self.bytes -= oldest.bytes();
        match self.cold {
            0 => self.raw -= oldest.bytes(),
            _ => self.cold -= 1,
        }
    }

    /// Compresses full blocks that are not compressed yet.
    pub(crate) fn compact(&mut self) {
        let complete = self.blocks.len().saturating_sub(1);
        for block in self.blocks.range_mut(self.cold..complete) {
            self.bytes -= block.bytes();
            block.compress();
            self.bytes += block.bytes();
        }
        self.cold = complete;
        self.raw = 0;
        if let Some(last) = self.blocks.back_mut() {
            last.shrink();
        }
    }

    /// Forgets the numbers of the pane's styles, since they have changed.
    pub(crate) fn forget_styles(&mut self) {
        if let Some(last) = self.blocks.back_mut() {
            last.forget_styles();
        }
    }

    /// Forgets all lines; numbers keep growing. A line that continues on the screen keeps its number.
    pub(crate) fn clear(&mut self) {
        let first = self.top_line();
        *self = Self { first, dropped_by: Some(DropReason::Cleared), ..Self::new(self.limits) };
    }

    /// Removes and returns the last line, for a screen that has become taller or wider.
    pub(crate) fn pop(&mut self) -> Option<HistoryLine> {
        self.open = false;
        if self.end() == self.first() {
            return None;
        }
        while self.blocks.back()?.lines() == 0 {
            self.drop_last_block();
        }
        let block = self.blocks.back_mut()?;
        let line = block.pop();
        self.lines -= 1;
        if block.lines() == 0 {
            self.drop_last_block();
        }
        line
    }

    /// Drops the last block. The one before is written to again.
    fn drop_last_block(&mut self) {
        self.blocks.pop_back();
        let is_cold = self.cold == self.blocks.len();
        let Some(last) = self.blocks.back_mut() else { return };
        self.bytes -= last.bytes();
        if is_cold {
            self.cold -= 1;
            last.expand();
        } else {
            self.raw -= last.bytes();
        }
    }

    /// Passes on the text of each of the lines `from..to`, as far as they are kept, straight from where it is stored.
    pub(crate) fn each_text(&self, from: u64, to: u64, mut with: impl FnMut(&[u8])) {
        let from = from.max(self.first());
        let mut start = self.first;
        for block in &self.blocks {
            let first = start;
            start += block.lines() as u64;
            let wanted = from.clamp(first, start) - first..to.clamp(first, start) - first;
            block.each_text(wanted.start as usize..wanted.end as usize, &mut with);
        }
    }

    /// The length of the text of the lines `from..to`, as far as they are kept. Of whole blocks it is known.
    pub(crate) fn text_bytes(&self, from: u64, to: u64) -> usize {
        let from = from.max(self.first());
        let (mut start, mut bytes) = (self.first, 0);
        for block in &self.blocks {
            let first = start;
            start += block.lines() as u64;
            let wanted = from.clamp(first, start) - first..to.clamp(first, start) - first;
            let wanted = wanted.start as usize..wanted.end as usize;
            match wanted == (0..block.lines()) {
                true => bytes += block.text_bytes(),
                false => block.each_text(wanted, &mut |text| bytes += read_length(text)),
            }
        }
        bytes
    }

    /// The lines `from..to`, as far as they are kept.
    pub(crate) fn lines(&self, from: u64, to: u64) -> impl Iterator<Item = HistoryLine> {
        let from = from.max(self.first());
        let mut start = self.first;
        self.blocks.iter().flat_map(move |block| {
            let first = start;
            start += block.lines() as u64;
            let wanted = from.clamp(first, start) - first..to.clamp(first, start) - first;
            block.read(wanted.start as usize..wanted.end as usize)
        })
    }
}
