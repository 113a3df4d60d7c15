//! What requests typed into a pane, so that its echo on the screen is not taken for output.

use std::collections::VecDeque;
use std::ops::Range;

use fugue_screen::{Position, Screen, TextLine, TypedRange};

/// The typed lines that are remembered; more are echoes from long ago.
const MAX_LINES: usize = 32;

/// The lines of one input that are remembered.
const MAX_INPUT_LINES: usize = 8;

/// A longer line is not remembered: nobody waits for a word in it.
const MAX_BYTES: usize = 4 << 10;

/// The number of lines after the cursor in which an echo is expected.
const ECHO_LINES: u64 = 50;

/// The lines that were typed last.
#[derive(Default)]
pub(super) struct TypedEcho(VecDeque<TypedLine>);

struct TypedLine {
    text: String,
    /// The position of the cursor when it was typed.
    at: Position,
}

/// The part of a line that is an echo.
pub(super) struct EchoRange {
    pub(super) range: Range<usize>,
    /// Whether it is certain: where the cursor was, or between a shell's prompt marks. Otherwise it only looks like one.
    pub(super) is_certain: bool,
}

impl TypedEcho {
    /// Remembers a text that is typed while the cursor is here.
    pub(super) fn typed(&mut self, text: &str, at: Position) {
        let lines = text.split(char::is_control).map(str::trim_end).filter(|line| !line.is_empty());
        for line in lines.filter(|line| line.len() <= MAX_BYTES).take(MAX_INPUT_LINES) {
            self.0.push_back(TypedLine { text: line.to_owned(), at });
        }
        self.0.drain(..self.0.len().saturating_sub(MAX_LINES));
    }

    /// Whether a part of a full-screen program's row is inside a longer text that was typed, which the program may show
    /// anywhere.
    pub(super) fn is_typed(&self, row: &str, part: &Range<usize>) -> bool {
        let covers = |(at, text): (usize, &str)| at <= part.start && part.end <= at + text.len();
        let longer = self.0.iter().filter(|typed| typed.text.len() > part.len());
        longer.flat_map(|typed| row.match_indices(&typed.text)).any(covers)
    }

    /// Returns the parts of a line that are echoes.
    pub(super) fn ranges(&self, line: &TextLine, screen: &Screen) -> Vec<EchoRange> {
        let typed = self.0.iter().filter_map(|typed| typed.echo_in(line, screen));
        self.at_prompts(line, screen).into_iter().chain(typed).collect()
    }

    /// Returns what was typed at the prompts of a shell that marks them: commands that were run, and what a request has
    /// typed. What a person is typing is not an echo to anyone.
    fn at_prompts(&self, line: &TextLine, screen: &Screen) -> Vec<EchoRange> {
        let in_line = |typed: TypedRange| {
            let start = if typed.start.line == line.number { typed.start.offset } else { 0 };
            let end = if typed.end.line == line.number { typed.end.offset } else { usize::MAX };
            let draft = line.text.get(start..).filter(|_| typed.is_draft);
            let is_echo = draft.is_none_or(|draft| self.has_typed(draft));
            is_echo.then_some(EchoRange { range: start..end, is_certain: true })
        };
        screen.typed_in(line.number).into_iter().filter_map(in_line).collect()
    }

    /// Whether a draft is what a request typed, as far as it has got.
    fn has_typed(&self, draft: &str) -> bool {
        let is_same = |typed: &TypedLine| draft.contains(&typed.text) || typed.text.contains(draft);
        !draft.is_empty() && self.0.iter().any(is_same)
    }
}

impl TypedLine {
    /// Returns the echo of this in a line, if it is the first line that has it.
    fn echo_in(&self, line: &TextLine, screen: &Screen) -> Option<EchoRange> {
        if !(self.at.line..self.at.line + ECHO_LINES).contains(&line.number) {
            return None;
        }
        let echo = self.echo_at(line)?;
        let is_first =
            !screen.iter_lines(self.at.line, line.number).any(|line| self.echo_at(&line).is_some());
        is_first.then_some(echo)
    }

    /// Returns the part of a line that reads like this: where the cursor was, or at the end of the line.
    fn echo_at(&self, line: &TextLine) -> Option<EchoRange> {
        let from = if line.number == self.at.line { self.at.offset } else { 0 };
        let certain = line.number == self.at.line && line.text.get(from..)?.starts_with(&self.text);
        let start = if certain { from } else { line.text.len().checked_sub(self.text.len())? };
        let found = certain || (start >= from && line.text.ends_with(&self.text));
        found.then(|| EchoRange { range: start..start + self.text.len(), is_certain: certain })
    }
}
