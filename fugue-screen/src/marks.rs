//! Where prompts, commands and their output begin (OSC 133), by logical line.

use std::collections::VecDeque;

use crate::lines::Position;
use crate::notice::Notice;
use crate::terminal::Terminal;
use crate::text::{clean, unescape_percent};

/// A command longer than this is cut.
const LONGEST_COMMAND: usize = 4096;
/// Commands remembered; beyond this the oldest is forgotten.
const MOST: usize = 10_000;

/// One prompt and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Where the prompt begins.
    pub prompt: Position,
    /// Where the prompt ends and typing begins.
    pub input: Option<Position>,
    /// Where the output begins.
    pub output: Option<Position>,
    /// Where it ends.
    pub end: Option<Position>,
    pub exit: Option<i32>,
    /// When its output began, in milliseconds since 1970, if that was known then.
    pub began: Option<u64>,
    /// When it ended.
    pub ended: Option<u64>,
    /// The command as the shell told it; otherwise it is read from the screen.
    pub command: Option<Box<str>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub list: VecDeque<Mark>,
}

impl Mark {
    fn at(prompt: Position) -> Mark {
        Mark {
            prompt,
            input: None,
            output: None,
            end: None,
            exit: None,
            began: None,
            ended: None,
            command: None,
        }
    }
}

impl Marks {
    /// Lines before `line` are gone.
    pub fn forget_before(&mut self, line: u64) {
        while self.list.front().is_some_and(|mark| mark.last_line() < line) {
            self.list.pop_front();
        }
    }

    fn begin(&mut self, at: Position) -> &mut Mark {
        if self.list.len() == MOST {
            self.list.pop_front();
        }
        self.list.push_back(Mark::at(at));
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// The command that is being typed or run, or a new one if the shell did not say where its prompt was.
    fn current(&mut self, at: Position) -> &mut Mark {
        match self.list.back() {
            Some(mark) if mark.end.is_none() => {
                let last = self.list.len() - 1;
                &mut self.list[last]
            }
            _ => self.begin(at),
        }
    }
}

impl Mark {
    fn last_line(&self) -> u64 {
        // A command that still runs has its end before it.
        match (self.end, self.output) {
            (Some(end), _) => end.line,
            (None, Some(_)) => u64::MAX,
            (None, None) => self.input.unwrap_or(self.prompt).line,
        }
    }
}

impl Terminal {
    pub fn mark(&mut self, text: &[u8]) {
        if self.alternate {
            return;
        }
        let at = self.caret_position();
        let mut parts = text.split(|&byte| byte == b';');
        match parts.next() {
            Some(b"A") => self.mark_prompt(at),
            Some(b"B") => self.marks.current(at).input = Some(at),
            Some(b"C") => self.mark_output(at, parts.find_map(command)),
            Some(b"D") => self.mark_end(at, parts.next()),
            _ => {}
        }
    }

    fn mark_prompt(&mut self, at: Position) {
        // A prompt that is drawn anew, after a resize or an empty line, is the same prompt.
        match self.marks.list.back_mut() {
            Some(mark) if mark.output.is_none() && mark.end.is_none() => *mark = Mark::at(at),
            _ => {
                self.marks.begin(at);
            }
        }
        self.said.speaker_left();
        self.notice(Notice::PromptStart);
    }

    fn mark_output(&mut self, at: Position, command: Option<Box<str>>) {
        let began = self.now;
        let mark = self.marks.current(at);
        mark.output = Some(at);
        (mark.began, mark.ended) = (began, None);
        mark.command = command;
        self.notice(Notice::CommandStart);
    }

    fn mark_end(&mut self, at: Position, exit: Option<&[u8]>) {
        let exit = exit.and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
        let running = |mark: &&mut Mark| mark.output.is_some() && mark.end.is_none();
        let Some(mark) = self.marks.list.back_mut().filter(running) else { return };
        mark.end = Some(at);
        mark.ended = self.now;
        mark.exit = exit;
        self.notice(Notice::CommandEnd { exit });
    }
}

/// kitty's and fish's addition to the mark: the command itself.
fn command(part: &[u8]) -> Option<Box<str>> {
    let text = part.strip_prefix(b"cmdline_url=")?;
    Some(clean(&unescape_percent(text), LONGEST_COMMAND).into())
}
