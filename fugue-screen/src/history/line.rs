//! One logical line, unpacked: its text, and which bytes of it have a style.

use std::ops::Range;
use std::sync::Arc;

use crate::packed_style::PackedStyle;

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
