//! Where prompts, commands and their output begin (OSC 133), by logical line. A shell that was given a key puts it into
//! its marks: what it runs can write marks too, and cannot end a command with them.

use std::collections::VecDeque;

use crate::lines::Position;
use crate::notice::ScreenEvent;
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
    /// The number with which the shell that has the key spoke of it; 0 for the marks of others.
    pub own: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub list: VecDeque<Mark>,
    /// What the shell that is trusted puts into its marks.
    pub key: Box<str>,
}

/// Whose word a mark is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    /// The shell's that has the key, with a number that no mark had before.
    Own(u64),
    /// The shell's too, with no number: it stands in a prompt, and may have been played again.
    Unnumbered,
    /// A word of the shell's that was said before, and is played again.
    Stale,
    /// Whoever writes to the terminal.
    Other,
}

impl Mark {
    fn at(prompt: Position, own: u64) -> Mark {
        Mark {
            prompt,
            input: None,
            output: None,
            end: None,
            exit: None,
            began: None,
            ended: None,
            command: None,
            own,
        }
    }

    pub fn runs(&self) -> bool {
        self.output.is_some() && self.end.is_none()
    }
}

impl Marks {
    /// Lines before `line` are gone.
    pub fn forget_before(&mut self, line: u64) {
        while self.list.front().is_some_and(|mark| mark.last_line() < line) {
            self.list.pop_front();
        }
    }

    fn begin(&mut self, at: Position, own: u64) -> &mut Mark {
        if self.list.len() >= MOST {
            // However many marks a command writes, it is not forgotten before its end.
            let oldest = self.list.iter().position(|mark| mark.own == 0 || !mark.runs());
            self.list.remove(oldest.unwrap_or_default());
        }
        self.list.push_back(Mark::at(at, own));
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Whose word it is, by the key in one of its parts.
    fn voice<'a>(&self, mut parts: impl Iterator<Item = &'a [u8]>) -> Voice {
        let rest = match self.key.is_empty() {
            true => None,
            false => parts.find_map(|part| part.strip_prefix(b"k=")?.strip_prefix(self.key.as_bytes())),
        };
        match rest {
            None => Voice::Other,
            Some([]) => Voice::Unnumbered,
            Some([b'.', number @ ..]) => {
                let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<u32>().ok());
                number
                    .map(u64::from)
                    .filter(|number| *number > self.spoken())
                    .map_or(Voice::Stale, Voice::Own)
            }
            Some(_) => Voice::Other,
        }
    }

    /// The last number the shell gave.
    pub fn spoken(&self) -> u64 {
        self.list.iter().rev().map(|mark| mark.own).find(|own| *own > 0).unwrap_or_default()
    }

    /// Whether the shell with the key runs a command, and no other has shown a prompt in it.
    pub fn own_runs(&self) -> bool {
        self.list.back().is_some_and(|mark| mark.own > 0 && mark.runs())
    }

    /// The shell that ran commands here is gone: none runs any more, and the next one counts anew.
    pub fn abandon(&mut self, at: Position) {
        for mark in &mut self.list {
            mark.end = mark.end.or(mark.output.and(Some(at)));
            mark.own = 0;
        }
    }

    /// The command that is being typed or run, or a new one if the shell did not say where its prompt was.
    fn current(&mut self, at: Position, own: u64) -> &mut Mark {
        match self.list.back() {
            Some(mark) if mark.end.is_none() => {
                let last = self.list.len() - 1;
                &mut self.list[last]
            }
            _ => self.begin(at, own),
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
        let voice = self.marks.voice(parts.clone());
        let number = match voice {
            Voice::Own(number) => number,
            Voice::Unnumbered => self.marks.spoken().max(1),
            Voice::Stale | Voice::Other => 0,
        };
        match (parts.next(), voice) {
            (_, Voice::Stale) | (Some(b"A" | b"D"), Voice::Unnumbered) => {}
            (Some(b"A"), _) => self.mark_prompt(at, number),
            (Some(b"D"), Voice::Own(number)) => self.mark_own_end(at, parts.next(), number),
            // The command's own words, or those of what runs in it.
            (Some(b"B" | b"C" | b"D"), _) if self.marks.own_runs() => {}
            (Some(b"B"), _) => self.marks.current(at, number).input = Some(at),
            (Some(b"C"), Voice::Other) => self.mark_other_output(at, parts.find_map(command)),
            (Some(b"C"), _) => self.mark_output(at, parts.find_map(command), number),
            (Some(b"D"), _) => self.mark_end(at, parts.next()),
            _ => {}
        }
    }

    fn mark_prompt(&mut self, at: Position, own: u64) {
        // A prompt that is drawn anew, after a resize or an empty line, is the same prompt; so is one that the shell
        // marks twice, once with its key and once as its user taught it.
        match self.marks.list.back_mut() {
            Some(mark) if mark.output.is_none() && mark.end.is_none() => {
                *mark = Mark::at(at, own.max(mark.own));
            }
            _ => {
                self.marks.begin(at, own);
            }
        }
        self.said.speaker_left();
        self.notice(ScreenEvent::PromptStart { own: own > 0 });
    }

    /// A shell whose user taught it marks too says twice that it runs a command; its keyed word counts.
    fn mark_other_output(&mut self, at: Position, command: Option<Box<str>>) {
        match self.marks.list.back_mut() {
            Some(mark) if mark.own > 0 && mark.end.is_none() => mark.command = command,
            _ => self.mark_output(at, command, 0),
        }
    }

    fn mark_output(&mut self, at: Position, command: Option<Box<str>>, own: u64) {
        let began = self.now;
        let mark = self.marks.current(at, own);
        mark.output = Some(at);
        (mark.began, mark.ended) = (began, None);
        mark.command = command.or(mark.command.take());
        mark.own = mark.own.max(own);
        self.notice(ScreenEvent::CommandStart { own: own > 0 });
    }

    fn mark_end(&mut self, at: Position, exit: Option<&[u8]>) {
        let Some(mark) = self.marks.list.back_mut().filter(|mark| mark.runs()) else { return };
        (mark.end, mark.ended, mark.exit) = (Some(at), self.now, code(exit));
        let exit = mark.exit;
        self.notice(ScreenEvent::CommandEnd { exit, own: false });
    }

    /// What was marked since within the command was part of what it wrote.
    fn mark_own_end(&mut self, at: Position, exit: Option<&[u8]>, number: u64) {
        let list = &mut self.marks.list;
        let Some(last) = list.iter().rposition(|mark| mark.own > 0 && mark.runs()) else { return };
        list.truncate(last + 1);
        let mark = &mut list[last];
        (mark.end, mark.ended, mark.exit, mark.own) = (Some(at), self.now, code(exit), number);
        let exit = mark.exit;
        self.notice(ScreenEvent::CommandEnd { exit, own: true });
    }
}

fn code(exit: Option<&[u8]>) -> Option<i32> {
    std::str::from_utf8(exit?).ok()?.parse().ok()
}

/// kitty's and fish's addition to the mark: the command itself.
fn command(part: &[u8]) -> Option<Box<str>> {
    let text = part.strip_prefix(b"cmdline_url=")?;
    Some(clean(&unescape_percent(text), LONGEST_COMMAND).into())
}
