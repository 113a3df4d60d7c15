//! Blocks and the whole history as bytes, for compression and for snapshots.

use std::borrow::Cow;

use super::block::{Block, RawBlock};
use super::style_runs::{StyleRuns, from_first_version};
use super::{History, Limits, VecDeque};
use crate::binary_format::{DecodeError, Reader, VERSION, decompress, put_bytes, put_number, put_style};

/// The most bytes before the blocks of a history: five numbers.
const LONGEST_HEADER: usize = 5 * 10;

impl RawBlock {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.styles.len() as u64);
        self.styles.iter().for_each(|style| put_style(out, style));
        put_number(out, self.links.len() as u64);
        self.links.iter().for_each(|link| put_bytes(out, link.as_bytes()));
        put_number(out, self.lines as u64);
        for (text, runs) in self.spans() {
            put_bytes(out, text);
            put_bytes(out, runs);
        }
    }

    pub(super) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut raw = Self::default();
        for _ in 0..input.count(5)? {
            raw.styles.push(input.style()?);
        }
        for _ in 0..input.count(1)? {
            raw.push_link(input.text()?);
        }
        for _ in 0..input.count(2)? {
            raw.decode_line(input)?;
        }
        Ok(raw)
    }

    fn decode_line(&mut self, input: &mut Reader<'_>) -> Result<(), DecodeError> {
        let (text, runs) = (input.text()?, input.bytes()?);
        let runs = match input.version() {
            1 => Cow::Owned(from_first_version(runs)?),
            _ => Cow::Borrowed(runs),
        };
        let styled = check_runs(text, StyleRuns::new(&runs))?;
        self.begin_line();
        self.run_end += styled;
        self.text.extend_from_slice(text.as_bytes());
        self.runs.extend_from_slice(&runs);
        Ok(())
    }

    /// Decompresses what this process compressed itself. Should memory be damaged after all, the block reads as empty.
    pub(super) fn unpack(packed: &[u8]) -> Self {
        let plain = decompress(packed).unwrap_or_default();
        Self::decode(&mut Reader::new(&plain)).unwrap_or_default()
    }
}

/// Checks that style runs are within the text and split no character. Returns where the last one ends.
fn check_runs(text: &str, runs: StyleRuns<'_>) -> Result<usize, DecodeError> {
    let mut last = 0;
    for run in runs {
        let (start, end, _) = run?;
        if text.get(start..end).is_none() {
            return Err(DecodeError("a style extends past its line"));
        }
        last = end;
    }
    Ok(last)
}

impl Block {
    /// Encodes the block as it is: `0` and a raw one, or `1` and a compressed one.
    fn encode(&self, out: &mut Vec<u8>) {
        let mut plain = Vec::new();
        let (kind, bytes) = match self {
            Self::Raw(raw) => {
                raw.encode(&mut plain);
                (0, plain.as_slice())
            }
            Self::Cold { packed, .. } => (1, &**packed),
        };
        put_number(out, kind);
        put_bytes(out, bytes);
    }

    fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let version = input.version();
        let is_packed = version > 1 && input.flag()?;
        let bytes = input.bytes()?;
        let plain = if is_packed { Cow::Owned(decompress(bytes)?) } else { Cow::Borrowed(bytes) };
        let raw = RawBlock::decode(&mut Reader::of_version(&plain, version))?;
        // The block can stay compressed if we would compress it the same way.
        if is_packed && version == VERSION {
            return Ok(Self::Cold { lines: raw.lines, text: raw.text_bytes(), packed: bytes.into() });
        }
        let mut block = Self::Raw(raw);
        block.shrink();
        Ok(block)
    }
}

impl History {
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_number(out, self.limits.lines as u64);
        put_number(out, self.limits.bytes as u64);
        put_number(out, self.first);
        put_number(out, u64::from(self.open));
        put_number(out, self.blocks.len() as u64);
        self.blocks.iter().for_each(|block| block.encode(out));
    }

    /// Encodes only the newest blocks, as many as fit into `most` bytes.
    pub(crate) fn encode_tail(&self, out: &mut Vec<u8>, most: usize) {
        let (mut tail, mut left) = (VecDeque::new(), most.saturating_sub(LONGEST_HEADER));
        let mut first = self.end();
        for block in self.blocks.iter().rev() {
            let mut bytes = Vec::new();
            block.encode(&mut bytes);
            let Some(rest) = left.checked_sub(bytes.len()) else { break };
            (left, first) = (rest, first - block.lines() as u64);
            tail.push_front(bytes);
        }
        let open = self.open && !tail.is_empty();
        for number in
            [self.limits.lines as u64, self.limits.bytes as u64, first, u64::from(open), tail.len() as u64]
        {
            put_number(out, number);
        }
        tail.iter().for_each(|bytes| out.extend_from_slice(bytes));
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let limits = Limits { lines: input.small()?, bytes: input.small()? };
        let first = input.number()?.min(u64::MAX / 2);
        let open = input.flag()?;
        let mut blocks = VecDeque::new();
        for _ in 0..input.count(1)? {
            blocks.push_back(Block::decode(input)?);
        }
        if let Some(last) = blocks.back_mut() {
            last.expand();
        }
        let lines = blocks.iter().map(Block::lines).sum();
        let raw = blocks.iter().rev().skip(1).map(Block::bytes).sum();
        let mut history = Self { first, blocks, lines, bytes: raw, raw, ..Self::new(limits) };
        history.open = open && history.blocks.back().is_some_and(|last| last.lines() > 0);
        history.compact();
        Ok(history)
    }
}
