//! A block of some hundred lines: their text, style runs, and the styles they use. It is raw while it is written, and
//! compressed later.

use std::ops::Range;
use std::sync::Arc;

use super::style_runs::StyleRuns;
use super::style_runs::{HistoryLine, StyledRange};
use crate::binary_format::{Reader, put_number};
use crate::cell::Cell;
use crate::interner::Interner;
use crate::packed_style::PackedStyle;

/// A block is full with this many lines…
const LINES: usize = 256;
/// …or with this much text, whichever comes first…
const BYTES: usize = 64 * 1024;
/// …or with this many styles, since more would not fit into their numbers…
const STYLES: usize = 32 * 1024;
/// …or with this many bytes of links. A single line may have four times as many; further links in it are dropped.
const LINK_BYTES: usize = 256 * 1024;
const MOST_LINK_BYTES: usize = 4 * LINK_BYTES;

#[derive(Clone, Debug)]
pub(crate) enum Block {
    Raw(RawBlock),
    Cold {
        lines: usize,
        /// What [`Block::text_bytes`] returns.
        text: usize,
        packed: Box<[u8]>,
    },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RawBlock {
    pub(super) lines: usize,
    pub(super) text: Vec<u8>,
    /// The style runs, as `style_runs.rs` writes them.
    pub(super) runs: Vec<u8>,
    /// For each line but the last, which may grow: the length of its text and of its style runs.
    pub(super) lengths: Vec<u8>,
    /// Where the last line begins in `text` and in `runs`.
    pub(super) last: (usize, usize),
    pub(super) styles: Vec<PackedStyle>,
    pub(super) links: Vec<Arc<str>>,
    /// The number of bytes in `links`.
    link_bytes: usize,
    /// Where in `text` the last run of the last line ended.
    pub(super) run_end: usize,
    /// For each style of the pane its number in this block plus 1; 0 if it has none yet.
    pub(super) known: Vec<u16>,
    /// The same for each link.
    pub(super) known_links: Vec<u16>,
}

impl Default for Block {
    fn default() -> Self {
        Self::Raw(RawBlock::default())
    }
}

impl Block {
    pub(crate) fn lines(&self) -> usize {
        match self {
            Self::Raw(raw) => raw.lines,
            Self::Cold { lines, .. } => *lines,
        }
    }

    /// The memory that the block takes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Raw(raw) => raw.bytes(),
            Self::Cold { packed, .. } => packed.len(),
        }
    }

    /// The length of the text that all its lines are read as, without decompressing it: each ends with a newline instead
    /// of spaces.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Raw(raw) => raw.text_bytes(),
            Self::Cold { text, .. } => *text,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        match self {
            Self::Raw(raw) => {
                let is_large = raw.text.len() >= BYTES || raw.link_bytes >= LINK_BYTES;
                raw.lines >= LINES || is_large || raw.styles.len() >= STYLES
            }
            Self::Cold { .. } => true,
        }
    }

    pub(crate) fn begin_line(&mut self) {
        if let Self::Raw(raw) = self {
            raw.begin_line();
        }
    }

    pub(crate) fn append(&mut self, cells: &[Cell], interner: &Interner) {
        self.expand();
        if let Self::Raw(raw) = self {
            raw.append(cells, interner);
        }
    }

    /// Appends blanks that a wrapped row did not store.
    pub(crate) fn pad(&mut self, count: usize) {
        if let Self::Raw(raw) = self {
            raw.text.resize(raw.text.len() + count, b' ');
        }
    }

    pub(crate) fn last_line_bytes(&self) -> usize {
        match self {
            Self::Raw(raw) => raw.text.len() - raw.last.0,
            Self::Cold { .. } => 0,
        }
    }

    pub(crate) fn shrink(&mut self) {
        if let Self::Raw(raw) = self {
            raw.text.shrink_to_fit();
            raw.runs.shrink_to_fit();
            raw.lengths.shrink_to_fit();
            raw.styles.shrink_to_fit();
            (raw.known, raw.known_links) = Default::default();
        }
    }

    /// Forgets the numbers of the pane's styles, since they have changed.
    pub(crate) fn forget_styles(&mut self) {
        if let Self::Raw(raw) = self {
            raw.known.clear();
            raw.known_links.clear();
        }
    }

    pub(crate) fn compress(&mut self) {
        if let Self::Raw(raw) = self {
            let mut plain = Vec::with_capacity(raw.bytes());
            raw.encode(&mut plain);
            let packed = lz4_flex::block::compress_prepend_size(&plain).into_boxed_slice();
            *self = Self::Cold { lines: raw.lines, text: raw.text_bytes(), packed };
        }
    }

    /// Decompresses the block.
    pub(crate) fn expand(&mut self) {
        if let Self::Cold { packed, .. } = self {
            *self = Self::Raw(RawBlock::unpack(packed));
        }
    }

    pub(crate) fn pop(&mut self) -> Option<HistoryLine> {
        self.expand();
        let Self::Raw(raw) = self else { return None };
        raw.pop()
    }

    /// Passes on the text of each of these lines.
    pub(crate) fn each_text(&self, wanted: Range<usize>, with: &mut impl FnMut(&[u8])) {
        match self {
            _ if wanted.is_empty() => {}
            Self::Raw(raw) => raw.each_text(wanted, with),
            Self::Cold { packed, .. } => RawBlock::unpack(packed).each_text(wanted, with),
        }
    }

    pub(crate) fn read(&self, wanted: Range<usize>) -> Vec<HistoryLine> {
        match self {
            _ if wanted.is_empty() => Vec::new(),
            Self::Raw(raw) => raw.read(wanted),
            Self::Cold { packed, .. } => RawBlock::unpack(packed).read(wanted),
        }
    }
}

/// The length of a line as it is read: with a newline instead of the spaces at its end.
pub(super) fn read_length(text: &[u8]) -> usize {
    text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1) + 1
}

impl RawBlock {
    pub(super) fn bytes(&self) -> usize {
        let styles = size_of::<PackedStyle>() * self.styles.len();
        let links = self.link_bytes + size_of::<Box<str>>() * self.links.len();
        self.text.len() + self.runs.len() + self.lengths.len() + styles + links
    }

    pub(super) fn text_bytes(&self) -> usize {
        self.spans().map(|(text, _)| read_length(text)).sum()
    }

    /// Adds a link. Returns false if there is no room for it.
    pub(super) fn add_link(&mut self, address: &str) -> bool {
        let has_room = self.link_bytes + address.len() <= MOST_LINK_BYTES;
        if has_room {
            self.push_link(address);
        }
        has_room
    }

    /// Adds a link that was stored before.
    pub(super) fn push_link(&mut self, address: &str) {
        self.link_bytes += address.len();
        self.links.push(address.into());
    }

    pub(super) fn begin_line(&mut self) {
        if self.lines > 0 {
            put_number(&mut self.lengths, (self.text.len() - self.last.0) as u64);
            put_number(&mut self.lengths, (self.runs.len() - self.last.1) as u64);
        }
        self.lines += 1;
        self.last = (self.text.len(), self.runs.len());
        self.run_end = self.text.len();
    }

    /// The bytes of text and of style runs of each line.
    pub(super) fn spans(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let mut lengths = Reader::new(&self.lengths);
        let mut at = (0, 0);
        (0..self.lines).map(move |_| {
            let from = at;
            at = match (lengths.small::<usize>(), lengths.small::<usize>()) {
                (Ok(text), Ok(runs)) => (from.0 + text, from.1 + runs),
                _ => (self.text.len(), self.runs.len()),
            };
            (&self.text[from.0..at.0], &self.runs[from.1..at.1])
        })
    }

    fn each_text(&self, wanted: Range<usize>, with: &mut impl FnMut(&[u8])) {
        self.spans().skip(wanted.start).take(wanted.len()).for_each(|(text, _)| with(text));
    }

    fn read(&self, wanted: Range<usize>) -> Vec<HistoryLine> {
        let spans = self.spans().skip(wanted.start).take(wanted.len());
        spans.map(|(text, runs)| self.line(text, runs)).collect()
    }

    fn line(&self, text: &[u8], runs: &[u8]) -> HistoryLine {
        let runs = StyleRuns::new(runs).map_while(Result::ok).map(|(start, end, style)| {
            let style = self.styles.get(style).copied().unwrap_or_default();
            let link = usize::from(style.link).checked_sub(1).and_then(|link| self.links.get(link).cloned());
            StyledRange { bytes: start..end, style, link }
        });
        HistoryLine { text: String::from_utf8_lossy(text).into_owned(), runs: runs.collect() }
    }

    fn pop(&mut self) -> Option<HistoryLine> {
        let (text, runs) = self.last;
        self.lines = self.lines.checked_sub(1)?;
        let line = self.line(&self.text[text..], &self.runs[runs..]);
        self.text.truncate(text);
        self.runs.truncate(runs);
        self.reopen_last();
        Some(line)
    }

    /// Removes the lengths of the line that is now the last, since it may grow again.
    fn reopen_last(&mut self) {
        let mut lengths = Reader::new(&self.lengths);
        let (mut at, mut kept) = ((0, 0), 0);
        for _ in 1..self.lines {
            let (Ok(text), Ok(runs)) = (lengths.small::<usize>(), lengths.small::<usize>()) else { break };
            at = (at.0 + text, at.1 + runs);
            kept = self.lengths.len() - lengths.left();
        }
        self.lengths.truncate(kept);
        self.last = at;
    }
}
