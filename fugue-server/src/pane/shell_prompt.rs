//! Whether a pane's shell is at its prompt, so that a command can be typed, and whose marks will report what becomes of it.

use std::time::{Duration, Instant};

use fugue_protocol::Refusal;
use fugue_screen::ShellState;
use serde::{Deserialize, Serialize};

use super::current_state::PaneFacts;
use super::process_info;

/// How long a shell without prompt marks must be quiet to count as being at its prompt.
pub(super) const SETTLED: Duration = Duration::from_millis(300);

/// Whose marks report the start and end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum MarkOrigin {
    /// Those of the shell that has the key; others are output of the command.
    Key,
    /// Those that the typed line prints itself, also with the key.
    Line,
    /// Those of a shell with its own integration.
    Other,
}

impl MarkOrigin {
    /// Whether a mark with or without the key is one of these.
    pub(super) fn accepts(self, has_key: bool) -> bool {
        has_key || self == Self::Other
    }
}

/// The state of a pane in which a command is run.
pub(super) struct RunContext<'a> {
    pub(super) facts: PaneFacts<'a>,
    /// The process that the pane was started with.
    pub(super) first: u32,
    /// Returns the process that leads the foreground process group.
    pub(super) foreground: &'a dyn Fn() -> u32,
}

impl RunContext<'_> {
    /// Determines whether the shell is at its prompt, and whose marks to follow. `Ok(None)` means to keep waiting.
    pub(super) fn prompt(
        &self,
        since: Instant,
        by_agent: bool,
        last_command: &str,
    ) -> Result<Option<MarkOrigin>, Refusal> {
        let PaneFacts { pane, screen, locked_ms, last_output, now, .. } = self.facts;
        if let Some(remaining_ms) = locked_ms.filter(|_| by_agent) {
            return Err(Refusal::KeyboardHeld { pane, remaining_ms });
        }
        let quiet = last_output.max(since) + SETTLED <= now;
        match screen.shell_state() {
            ShellState::Prompt { draft: true, .. } => Err(Refusal::Draft { pane }),
            // The prompt is drawn; the shell begins to read when it turns on bracketed paste.
            ShellState::Prompt { own, .. } if quiet || screen.modes().bracketed_paste() => {
                Ok(Some(if own { MarkOrigin::Key } else { MarkOrigin::Other }))
            }
            ShellState::Prompt { .. } => Ok(None),
            ShellState::Between if quiet && self.is_at_prompt() => Err(Refusal::MarksGone { pane }),
            ShellState::Between => Ok(None),
            // A shell whose command was just given up may still mark its end.
            ShellState::Running if self.is_at_prompt() && !quiet => Ok(None),
            ShellState::Running if self.is_at_prompt() => Err(Refusal::MarksGone { pane }),
            ShellState::Running => Err(busy(self.facts, last_command)),
            ShellState::Unmarked if quiet && process_info::takes_commands((self.foreground)()) => {
                Ok(Some(MarkOrigin::Line))
            }
            ShellState::Unmarked if !quiet && self.is_shell() => Ok(None),
            ShellState::Unmarked => {
                Err(Refusal::NoShell { pane, program: process_info::name((self.foreground)()) })
            }
        }
    }

    /// Whether a shell edits a line, whatever its marks say: only then does it turn on bracketed paste.
    pub(super) fn is_at_prompt(&self) -> bool {
        self.facts.screen.modes().bracketed_paste() && process_info::takes_commands((self.foreground)())
    }

    fn is_shell(&self) -> bool {
        process_info::is_shell(&process_info::name((self.foreground)()))
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
