//! A logical line with its styles, unpacked, and its style runs as bytes. A run is its length and its style, two bytes for nearly all; one that does not begin where the
//! previous one ended also has the distance.

use std::ops::Range;
use std::sync::Arc;

use crate::binary_format::{DecodeError, Reader, put_number};
use crate::packed_style::PackedStyle;

/// In the first number of a run, below its length: a distance follows.
const APART: u64 = 1;

/// Appends a run of `len` bytes, `skip` bytes after the previous one.
#[inline]
pub(super) fn put_run(out: &mut Vec<u8>, skip: usize, len: usize, style: u16) {
    if skip == 0 && len < 64 && style < 128 {
        return out.extend_from_slice(&[(len << 1) as u8, style as u8]);
    }
    put_number(out, (len as u64) << 1 | if skip > 0 { APART } else { 0 });
    if skip > 0 {
        put_number(out, skip as u64);
    }
    put_number(out, u64::from(style));
}

/// The runs of a line as an iterator of start, end and style.
pub(super) struct StyleRuns<'a> {
    bytes: Reader<'a>,
    end: usize,
}

impl<'a> StyleRuns<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        StyleRuns { bytes: Reader::new(bytes), end: 0 }
    }

    fn read(&mut self) -> Result<(usize, usize, usize), DecodeError> {
        let head = self.bytes.number()?;
        let skip = if head & APART != 0 { self.bytes.small()? } else { 0 };
        let start = self.end.saturating_add(skip);
        self.end = start.saturating_add((head >> 1) as usize);
        Ok((start, self.end, self.bytes.small()?))
    }
}

impl Iterator for StyleRuns<'_> {
    type Item = Result<(usize, usize, usize), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.bytes.is_empty()).then(|| self.read())
    }
}

/// Converts runs of version 1 of snapshots: distance, length and style of each.
pub(super) fn from_first_version(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let (mut input, mut out) = (Reader::new(bytes), Vec::new());
    while !input.is_empty() {
        put_run(&mut out, input.small()?, input.small()?, input.small()?);
    }
    Ok(out)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HistoryLine {
    pub text: String,
    /// In order and not overlapping. Bytes between them have the default style.
    pub runs: Vec<StyledRange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledRange {
    pub bytes: Range<usize>,
    pub style: PackedStyle,
    pub link: Option<Arc<str>>,
}

impl HistoryLine {
    /// The text in pieces of one style.
    pub(crate) fn pieces(&self) -> Vec<(&str, PackedStyle, Option<&str>)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for run in &self.runs {
            pieces.push((&self.text[at..run.bytes.start], PackedStyle::default(), None));
            pieces.push((&self.text[run.bytes.clone()], run.style, run.link.as_deref()));
            at = run.bytes.end;
        }
        pieces.push((&self.text[at..], PackedStyle::default(), None));
        pieces.retain(|(text, ..)| !text.is_empty());
        pieces
    }
}
