//! Commands that a shell with prompt marks (OSC 133) ran: the command line, its output and its exit code.

use serde::Serialize;

use crate::geometry::Position;
use crate::prompt_marks::PromptMark;
use crate::screen::Screen;

/// A command and its output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandRecord {
    /// The command line.
    pub command_line: String,
    /// Where the prompt begins.
    pub prompt: Position,
    /// Where the output begins.
    pub output_start: Position,
    /// Where the output ends; for a running command, where it has got to. If a command moved the cursor up before it ended,
    /// this is the end of its text, until more output comes that may overwrite it; then it is where the cursor was.
    pub output_end: Position,
    /// Whether it is still running.
    pub running: bool,
    /// Its exit code, if it ended and the shell reported one.
    pub exit: Option<i32>,
    /// When the output began, in milliseconds since 1970, if that is known.
    pub began: Option<u64>,
    /// When it ended, if that is known.
    pub ended: Option<u64>,
}

impl CommandRecord {
    /// How long it took, or has been running, in milliseconds. `None` if a time is unknown or the clock was set back in
    /// between.
    pub fn took(&self, now: u64) -> Option<u64> {
        let until = if self.running { Some(now) } else { self.ended };
        until?.checked_sub(self.began?)
    }
}

/// A prompt and the command that was run there, as marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkedCommand {
    /// Where the prompt begins.
    pub prompt: Position,
    /// Where the output begins and ends, if a command was run; it ends at the end of the text while that runs.
    pub output: Option<(Position, Position)>,
}

/// What was typed at a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedRange {
    /// Where it begins.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// Whether it has not been run.
    pub is_draft: bool,
}

/// The state of a shell, as far as its marks show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellState {
    /// No shell here marks its prompts.
    Unmarked,
    /// The shell shows its prompt.
    Prompt {
        /// Whether something has been typed there.
        draft: bool,
        /// Whether it is the prompt of the shell that has the key.
        own: bool,
    },
    /// The shell runs a command.
    Running,
    /// A command has ended, and the next prompt has not been shown yet.
    Between,
}

impl Screen {
    /// Sets the key that the pane's shell puts into its marks (`k=KEY.NUMBER`, with growing numbers). Programs that it
    /// runs do not know the key.
    pub fn trust_marks(&mut self, key: &str) {
        self.terminal.marks.key = key.into();
    }

    /// The key and number of the next mark, and of the two after it.
    pub fn next_mark_keys(&self) -> [String; 3] {
        let marks = &self.terminal.marks;
        [1, 2, 3].map(|next| format!("{}.{}", marks.key, marks.last_number() + next))
    }

    /// The state of the shell.
    pub fn shell_state(&self) -> ShellState {
        let marks = &self.terminal.marks.list;
        match marks.back() {
            Some(mark) if mark.runs() => ShellState::Running,
            Some(mark) if mark.end.is_none() => {
                ShellState::Prompt { draft: self.has_draft(mark), own: mark.number > 0 }
            }
            _ if self.marks_prompts() => ShellState::Between,
            _ => ShellState::Unmarked,
        }
    }

    /// Whether a shell here marks its prompts. A command may be marked by its line alone.
    pub fn marks_prompts(&self) -> bool {
        self.terminal.marks.list.iter().rev().any(|mark| mark.input.is_some())
    }

    /// Whether the running command is one of the shell that has the key, rather than of a shell within it.
    pub fn runs_own_command(&self) -> bool {
        self.terminal.marks.own_runs()
    }

    /// Whether the shell that has the key runs a command, whatever marks that command has written since.
    pub fn own_command_runs(&self) -> bool {
        self.terminal.marks.list.iter().rev().any(|mark| mark.number > 0 && mark.runs())
    }

    /// Where the last prompt begins.
    pub fn last_prompt(&self) -> Option<Position> {
        self.terminal.marks.list.back().map(|mark| mark.prompt)
    }

    /// What was typed at prompts that the shell marked, as far as it is in this line.
    pub fn typed_in(&self, line: u64) -> Vec<TypedRange> {
        let marks = self.terminal.marks.list.iter().rev();
        let typed = marks.filter_map(|mark| {
            let (start, is_draft) = (mark.input?, mark.output.is_none());
            // Without a mark where the output begins, only the line of the prompt is known to be typed.
            let end = mark.output.unwrap_or(Position { line: start.line, offset: usize::MAX });
            Some(TypedRange { start, end, is_draft })
        });
        typed.take_while(|typed| typed.end.line >= line).filter(|typed| typed.start.line <= line).collect()
    }

    /// Whether something has been typed at the prompt. Suggestions of the shell follow the cursor, so only text before
    /// it counts.
    fn has_draft(&self, mark: &PromptMark) -> bool {
        mark.input.is_some_and(|input| self.terminal.caret_position() > input)
    }

    /// The last command that was run or is still running.
    pub fn last_command(&self) -> Option<CommandRecord> {
        self.command(0)
    }

    /// The last command of the shell that has the key, whatever marks that command has written since.
    pub fn last_own_command(&self) -> Option<CommandRecord> {
        self.ran().find(|mark| mark.number > 0).map(|mark| self.record(mark))
    }

    /// A command, counted back from the last one, which is 0.
    pub fn command(&self, back: usize) -> Option<CommandRecord> {
        self.ran().nth(back).map(|mark| self.record(mark))
    }

    /// The number of commands that are remembered.
    pub fn command_count(&self) -> usize {
        self.ran().count()
    }

    /// All prompts that are remembered, oldest first, with the commands that were run there.
    pub fn marked_commands(&self) -> impl Iterator<Item = MarkedCommand> {
        let end = self.end();
        let marks = self.terminal.marks.list.iter();
        marks.map(move |mark| MarkedCommand {
            prompt: mark.prompt,
            output: mark.output.map(|start| (start, mark.end.unwrap_or(end))),
        })
    }

    /// The output of a command. Lines that history has dropped are missing at the start.
    pub fn command_output(&self, record: &CommandRecord) -> String {
        let text = self.text_between(record.output_start, record.output_end);
        text.trim_end_matches('\n').to_owned()
    }

    fn ran(&self) -> impl Iterator<Item = &PromptMark> {
        self.terminal.marks.list.iter().rev().filter(|mark| mark.output.is_some())
    }

    fn record(&self, mark: &PromptMark) -> CommandRecord {
        let marks = &self.terminal.marks;
        let is_last = marks.list.back().is_some_and(|last| std::ptr::eq(last, mark));
        let end = mark.end.filter(|_| !(is_last && marks.text_below));
        let start = mark.output.unwrap_or(mark.prompt);
        let typed = mark.input.map(|input| self.text_between(input, start).trim().to_owned());
        CommandRecord {
            command_line: mark.command.as_deref().map(str::to_owned).or(typed).unwrap_or_default(),
            prompt: mark.prompt,
            output_start: start,
            output_end: end.unwrap_or_else(|| self.end()),
            running: mark.end.is_none(),
            exit: mark.exit,
            began: mark.began,
            ended: mark.ended,
        }
    }
}
