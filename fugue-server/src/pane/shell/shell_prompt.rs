//! Whether a pane's shell is at its prompt, so that a command can be typed, and whose marks will report what becomes of it.

use std::time::{Duration, Instant};

use fugue_protocol::Refusal;
use fugue_screen::{CommandRecord, Screen, ShellState};
use serde::{Deserialize, Serialize};

use super::process_info;
use crate::pane::current_state::PaneFacts;

/// How long a shell without prompt marks must be quiet to count as being at its prompt.
pub(crate) const SETTLED: Duration = Duration::from_millis(300);

/// Whose marks report the start and end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MarkOrigin {
    /// Those of the shell that has the key; others are output of the command.
    Key,
    /// Those that the typed line prints itself, also with the key.
    Line,
    /// Those of a shell with its own integration.
    Other,
}

impl MarkOrigin {
    /// Whether a mark with or without the key is one of these.
    pub(crate) fn accepts(self, has_key: bool) -> bool {
        has_key || self == Self::Other
    }

    /// Returns the last command with these marks. A command may write marks of its own.
    pub(crate) fn last_command(self, screen: &Screen) -> Option<CommandRecord> {
        match self {
            Self::Key | Self::Line => screen.last_own_command(),
            Self::Other => screen.last_command(),
        }
    }
}

/// How long a shell without marks must be quiet to count as being at its prompt although it is not seen to read its
/// terminal: not every kernel lets the daemon see that.
const UNSEEN_PROMPT: Duration = Duration::from_secs(3);

/// Whether a command can be typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PromptLook {
    /// Now; these marks will report what becomes of it.
    Ready(MarkOrigin),
    /// Not before the shell has printed something or become quiet.
    AfterOutput,
    /// Perhaps in a moment, even if nothing is printed.
    Soon,
}

/// The state of a pane in which a command is run.
pub(crate) struct RunContext<'a> {
    pub(crate) facts: PaneFacts<'a>,
    /// The process that the pane was started with.
    pub(crate) first: u32,
    /// Whether what follows the shell's prompt may have been typed there.
    pub(crate) may_hold_draft: bool,
    /// Whether C-c was typed since the last command began.
    pub(crate) was_interrupted: bool,
    /// Returns the process that leads the foreground process group.
    pub(crate) foreground: &'a dyn Fn() -> u32,
    /// Returns whether the terminal passes on single keys, as it does while a shell edits a line.
    pub(crate) passes_keys: &'a dyn Fn() -> bool,
}

impl RunContext<'_> {
    /// Determines whether the shell is at its prompt, and whose marks to follow.
    pub(crate) fn prompt(
        &self,
        since: Instant,
        by_agent: bool,
        last_command: &str,
    ) -> Result<PromptLook, Refusal> {
        let PaneFacts { pane, screen, locked_ms, last_output, now, .. } = self.facts;
        if let Some(remaining_ms) = locked_ms.filter(|_| by_agent) {
            return Err(Refusal::KeyboardHeld { pane, remaining_ms });
        }
        let quiet = last_output.max(since) + SETTLED <= now;
        match screen.shell_state() {
            ShellState::Prompt { draft: true, .. } if self.may_hold_draft => Err(Refusal::Draft { pane }),
            // The prompt is drawn; the shell begins to read when it turns on bracketed paste.
            ShellState::Prompt { own, .. } if quiet || screen.modes().bracketed_paste() => {
                Ok(PromptLook::Ready(if own { MarkOrigin::Key } else { MarkOrigin::Other }))
            }
            ShellState::Prompt { .. } => Ok(PromptLook::AfterOutput),
            ShellState::Between if quiet && self.is_at_prompt() => Err(Refusal::MarksGone { pane }),
            ShellState::Between => Ok(PromptLook::AfterOutput),
            // A shell whose command was just given up may still mark its end.
            ShellState::Running if self.is_at_prompt() && !quiet => Ok(PromptLook::AfterOutput),
            // The line that printed the marks was interrupted.
            ShellState::Running if self.is_at_prompt() && !screen.marks_prompts() => {
                Ok(PromptLook::Ready(MarkOrigin::Line))
            }
            ShellState::Running if self.is_interrupted() => match quiet {
                true => Ok(PromptLook::Ready(MarkOrigin::Line)),
                false => Ok(PromptLook::AfterOutput),
            },
            ShellState::Running if self.is_at_prompt() => Err(Refusal::MarksGone { pane }),
            ShellState::Running => Err(busy(self.facts, last_command)),
            ShellState::Unmarked => self.unmarked_prompt(last_output.max(since), quiet),
        }
    }

    /// The same for a shell without marks, which has printed nothing for as long.
    fn unmarked_prompt(&self, last_output: Instant, quiet: bool) -> Result<PromptLook, Refusal> {
        let PaneFacts { pane, now, .. } = self.facts;
        let Some(foreground) = process_info::running_member((self.foreground)(), self.first) else {
            // A command has just ended, and the shell has yet to take the terminal back.
            return Ok(PromptLook::Soon);
        };
        let reads = || (self.passes_keys)() || process_info::reads_terminal_itself(foreground);
        match process_info::takes_commands(foreground) {
            true if quiet && (reads() || last_output + UNSEEN_PROMPT <= now) => {
                Ok(PromptLook::Ready(MarkOrigin::Line))
            }
            true if quiet => Ok(PromptLook::Soon),
            true => Ok(PromptLook::AfterOutput),
            // What the shell runs while it starts.
            false if !quiet && process_info::is_shell(&process_info::name(self.first)) => {
                Ok(PromptLook::AfterOutput)
            }
            false => Err(Refusal::NoShell { pane, program: process_info::name(foreground) }),
        }
    }

    /// Whether C-c has brought a shell that neither marks its prompts nor edits its lines back to its prompt. Without C-c, it
    /// might as well be running `read`.
    pub(crate) fn is_interrupted(&self) -> bool {
        let foreground = (self.foreground)();
        self.was_interrupted
            && !self.facts.screen.marks_prompts()
            && process_info::takes_commands(foreground)
            && process_info::reads_terminal_itself(foreground)
    }

    /// Whether a shell edits a line, whatever its marks say: only then does it turn on bracketed paste and read single keys.
    pub(crate) fn is_at_prompt(&self) -> bool {
        self.facts.screen.modes().bracketed_paste()
            && (self.passes_keys)()
            && process_info::takes_commands((self.foreground)())
    }
}

/// The refusal for a shell that runs another command. A shell without marks does not report it, so the last typed command
/// is named.
fn busy(facts: PaneFacts<'_>, last: &str) -> Refusal {
    let command = facts.screen.last_command().map(|record| record.command_line);
    let command = command.filter(|command| !command.is_empty()).unwrap_or_else(|| last.to_owned());
    let command = command.lines().next().unwrap_or_default().chars().take(80).collect();
    Refusal::ShellBusy { pane: facts.pane, command }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;

    #[test]
    fn a_shell_that_has_yet_to_take_its_terminal_back_is_waited_for() {
        let mut ended = std::process::Command::new("true").spawn().expect("a process");
        ended.wait().expect("its end");
        let screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        let now = Instant::now();
        let facts = PaneFacts::for_test(&screen, now);
        let look = |foreground: u32, quiet: Duration| {
            let context = RunContext {
                facts: PaneFacts { now: now + quiet, ..facts },
                first: std::process::id(),
                may_hold_draft: false,
                was_interrupted: false,
                foreground: &|| foreground,
                passes_keys: &|| false,
            };
            context.prompt(now, false, "")
        };
        for quiet in [Duration::ZERO, SETTLED, UNSEEN_PROMPT] {
            assert_eq!(look(ended.id(), quiet), Ok(PromptLook::Soon), "{quiet:?}");
        }
        // This process is a group's leader or belongs to one, but is no shell.
        let group = rustix::process::getpgrp().as_raw_nonzero().get().cast_unsigned();
        assert!(matches!(look(group, SETTLED), Err(Refusal::NoShell { program, .. }) if !program.is_empty()));
    }
}
