//! Commands that a shell with marks (OSC 133) ran: what was typed, what came of it, and how it ended.

use serde::Serialize;

use crate::position::Position;
use crate::prompt_marks::PromptMark;
use crate::screen::Screen;

/// A command and its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRecord {
    /// What was typed.
    pub command_line: String,
    /// Where the prompt begins.
    pub prompt: Position,
    /// Where the output begins.
    pub output_start: Position,
    /// Where it ends; as far as it has come, for a command that still runs.
    pub output_end: Position,
    /// Whether it still runs.
    pub running: bool,
    /// Its exit code, when it ended and the shell told it.
    pub exit: Option<i32>,
    /// When its output began, in milliseconds since 1970; nothing if nobody saw it.
    pub began: Option<u64>,
    /// When it ended.
    pub ended: Option<u64>,
}

impl CommandRecord {
    /// How long it took, or has run until now, in milliseconds. Nothing if nobody saw it begin and end, or if the clock
    /// was set back in between.
    pub fn took(&self, now: u64) -> Option<u64> {
        let until = if self.running { Some(now) } else { self.ended };
        until?.checked_sub(self.began?)
    }
}

/// Where a shell stands, as far as its marks tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellState {
    /// No shell here marks its prompts.
    Unmarked,
    /// It shows its prompt.
    Prompt {
        /// Somebody has begun to type there.
        draft: bool,
        /// It is the prompt of the shell that has the key.
        own: bool,
    },
    /// It runs a command.
    Running,
    /// A command has ended, and the next prompt is not there yet.
    Between,
}

impl Screen {
    /// Whoever puts this into its marks (`k=KEY.NUMBER`, the number higher each time) is the shell itself, and not what
    /// it runs.
    pub fn trust_marks(&mut self, key: &str) {
        self.terminal.marks.key = key.into();
    }

    /// What the next mark with the key has in it, and the one after it.
    pub fn next_mark_keys(&self) -> [String; 2] {
        let marks = &self.terminal.marks;
        [1, 2].map(|next| format!("{}.{}", marks.key, marks.last_number() + next))
    }

    /// Where the shell stands.
    pub fn shell_state(&self) -> ShellState {
        let marks = &self.terminal.marks.list;
        match marks.back() {
            Some(mark) if mark.runs() => ShellState::Running,
            Some(mark) if mark.end.is_none() => {
                ShellState::Prompt { draft: self.has_draft(mark), own: mark.own > 0 }
            }
            // A command may be marked by its line alone; a prompt is the shell's own word.
            _ if marks.iter().rev().any(|mark| mark.input.is_some()) => ShellState::Between,
            _ => ShellState::Unmarked,
        }
    }

    /// Whether what runs is a command of the shell that has the key, and not one of a shell within it.
    pub fn runs_own_command(&self) -> bool {
        self.terminal.marks.own_runs()
    }

    /// Whether the shell that has the key runs a command, whatever that command has marked since.
    pub fn own_command_runs(&self) -> bool {
        self.terminal.marks.list.iter().rev().any(|mark| mark.own > 0 && mark.runs())
    }

    /// Where the last prompt begins.
    pub fn last_prompt(&self) -> Option<Position> {
        self.terminal.marks.list.back().map(|mark| mark.prompt)
    }

    /// Suggestions that a shell shows stand behind the cursor: only what is before it was typed.
    fn has_draft(&self, mark: &PromptMark) -> bool {
        mark.input.is_some_and(|input| self.terminal.caret_position() > input)
    }

    /// The last command that was run, or still runs.
    pub fn last_command(&self) -> Option<CommandRecord> {
        self.command(0)
    }

    /// A command, counted back from the last one, which is 0.
    pub fn command(&self, back: usize) -> Option<CommandRecord> {
        self.ran().nth(back).map(|mark| self.record(mark))
    }

    /// How many commands are remembered.
    pub fn command_count(&self) -> usize {
        self.ran().count()
    }

    /// What a command wrote. Lines that history has lost are missing at the start.
    pub fn command_output(&self, record: &CommandRecord) -> String {
        let text = self.text_between(record.output_start, record.output_end);
        text.trim_end_matches('\n').to_owned()
    }

    fn ran(&self) -> impl Iterator<Item = &PromptMark> {
        self.terminal.marks.list.iter().rev().filter(|mark| mark.output.is_some())
    }

    fn record(&self, mark: &PromptMark) -> CommandRecord {
        let start = mark.output.unwrap_or(mark.prompt);
        let typed = mark.input.map(|input| self.text_between(input, start).trim().to_owned());
        CommandRecord {
            command_line: mark.command.as_deref().map(str::to_owned).or(typed).unwrap_or_default(),
            prompt: mark.prompt,
            output_start: start,
            output_end: mark.end.unwrap_or_else(|| self.end()),
            running: mark.end.is_none(),
            exit: mark.exit,
            began: mark.began,
            ended: mark.ended,
        }
    }
}
