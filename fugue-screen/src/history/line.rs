//! One logical line, unpacked: its text, and which bytes of it have a style.

use std::ops::Range;

use crate::look::Look;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub text: String,
    /// In order, not overlapping; what lies between has the default style.
    pub runs: Vec<Run>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub bytes: Range<usize>,
    pub style: Look,
    pub link: Option<Box<str>>,
}

impl Line {
    /// The text in pieces of one style.
    pub fn pieces(&self) -> Vec<(&str, Look, Option<&str>)> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for run in &self.runs {
            pieces.push((&self.text[at..run.bytes.start], Look::default(), None));
            pieces.push((&self.text[run.bytes.clone()], run.style, run.link.as_deref()));
            at = run.bytes.end;
        }
        pieces.push((&self.text[at..], Look::default(), None));
        pieces.retain(|(text, ..)| !text.is_empty());
        pieces
    }
}
