//! Prompt marks (OSC 133): where prompts, commands and their output begin, by logical line.
//!
//! A shell that was given a key puts it into its marks. Programs that it runs can write marks too, but they do not know
//! the key, so they cannot end a command.

use std::collections::VecDeque;
use std::num::NonZeroU64;

use crate::geometry::Position;

/// The number of commands that are remembered; the oldest is forgotten first.
const MOST: usize = 10_000;

/// One prompt and the command that was run there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptMark {
    /// Where the prompt begins.
    pub prompt: Position,
    /// Where the prompt ends and typing begins.
    pub input: Option<Position>,
    /// Where the output begins.
    pub output: Option<Position>,
    /// Where the output ends.
    pub end: Option<Position>,
    pub exit: Option<i32>,
    /// When the output began, in milliseconds since 1970, if that was known at the time.
    pub began: Option<u64>,
    /// When the command ended.
    pub ended: Option<u64>,
    /// The command as the shell reported it; otherwise it is read from the screen.
    pub command: Option<Box<str>>,
    /// The number in the mark of the shell that has the key; 0 for marks of others.
    pub number: u64,
}

/// All marks of a pane, the newest last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PromptMarks {
    pub list: VecDeque<PromptMark>,
    /// The key that the trusted shell puts into its marks.
    pub key: Box<str>,
    /// The time at which current output is written, in milliseconds since 1970; unknown while old output is replayed.
    pub now: Option<NonZeroU64>,
    /// Whether the last command ended just now with text below the caret, which the next output may overwrite.
    pub text_below: bool,
}

/// Who wrote a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkSource {
    /// The shell that has the key, with a number that no mark had before.
    Own(u64),
    /// The same shell without a number: the mark is part of a prompt and may be a replay.
    Unnumbered,
    /// A mark of the same shell that was seen before and is replayed.
    Stale,
    /// Any other program that writes to the terminal.
    Other,
}

impl PromptMark {
    pub(crate) fn at(prompt: Position, number: u64) -> Self {
        Self {
            prompt,
            input: None,
            output: None,
            end: None,
            exit: None,
            began: None,
            ended: None,
            command: None,
            number,
        }
    }

    /// Whether the command is still running.
    pub(crate) fn runs(&self) -> bool {
        self.output.is_some() && self.end.is_none()
    }

    /// The last line that the mark refers to.
    fn last_line(&self) -> u64 {
        match (self.end, self.output) {
            (Some(end), _) => end.line,
            // A running command has yet to end, so it must not be forgotten.
            (None, Some(_)) => u64::MAX,
            (None, None) => self.input.unwrap_or(self.prompt).line,
        }
    }
}

impl PromptMarks {
    /// Forgets commands whose lines are all before `line`.
    pub(crate) fn forget_before(&mut self, line: u64) {
        while self.list.front().is_some_and(|mark| mark.last_line() < line) {
            self.list.pop_front();
        }
    }

    pub(crate) fn begin(&mut self, at: Position, number: u64) -> &mut PromptMark {
        if self.list.len() >= MOST {
            // However many marks a command writes, its own is not forgotten before it ends.
            let oldest = self.list.iter().position(|mark| mark.number == 0 || !mark.runs());
            self.list.remove(oldest.unwrap_or_default());
        }
        self.list.push_back(PromptMark::at(at, number));
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Returns who wrote a mark, judging by the key in one of its parts.
    pub(crate) fn source<'a>(&self, mut parts: impl Iterator<Item = &'a [u8]>) -> MarkSource {
        let rest = match self.key.is_empty() {
            true => None,
            false => parts.find_map(|part| part.strip_prefix(b"k=")?.strip_prefix(self.key.as_bytes())),
        };
        match rest {
            None => MarkSource::Other,
            Some([]) => MarkSource::Unnumbered,
            Some([b'.', number @ ..]) => {
                let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<u32>().ok());
                let number = number.map(u64::from).filter(|number| *number > self.last_number());
                number.map_or(MarkSource::Stale, MarkSource::Own)
            }
            Some(_) => MarkSource::Other,
        }
    }

    /// The last number that the shell with the key used.
    pub(crate) fn last_number(&self) -> u64 {
        self.list.iter().rev().map(|mark| mark.number).find(|number| *number > 0).unwrap_or_default()
    }

    /// Whether the shell with the key runs a command, and no other shell has shown a prompt within it.
    pub(crate) fn own_runs(&self) -> bool {
        self.list.back().is_some_and(|mark| mark.number > 0 && mark.runs())
    }

    /// Ends all commands, since the shell that ran them is gone. The next shell counts from the start.
    pub(crate) fn abandon(&mut self, at: Position) {
        for mark in &mut self.list {
            mark.end = mark.end.or(mark.output.and(Some(at)));
            mark.number = 0;
        }
        self.text_below = false;
    }

    /// The command that is being typed or run, or a new one if the shell did not mark its prompt.
    pub(crate) fn current(&mut self, at: Position, number: u64) -> &mut PromptMark {
        match self.list.back() {
            Some(mark) if mark.end.is_none() => {
                let last = self.list.len() - 1;
                &mut self.list[last]
            }
            _ => self.begin(at, number),
        }
    }
}
