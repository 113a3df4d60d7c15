//! The result of a command that is run in a pane: where its output is, and how long it took.

use fugue_protocol::views::{ExitStatus, RunOutcome, RunResult};
use fugue_screen::{Position, Screen};

use super::{ActiveRun, RunStage};
use crate::pane::current_state::PaneFacts;
use crate::pane::shell::shell_prompt::MarkOrigin;
use crate::pane::text::text_range::{LastLines, LineRange, last_lines};
use crate::pane::text::{text_range, text_reader};

impl ActiveRun {
    /// Returns the result for this outcome.
    pub(super) fn result(
        &self,
        outcome: RunOutcome,
        exit: Option<ExitStatus>,
        facts: PaneFacts<'_>,
    ) -> RunResult {
        let screen = facts.screen;
        let (output, range) = self.output(screen);
        let (lines_missing, bytes_missing) = output.missing(screen, range);
        RunResult {
            pane_id: facts.pane,
            outcome,
            exit_code: exit
                .and_then(|exit| if let ExitStatus::Code(code) = exit { Some(code) } else { None }),
            signal: exit
                .and_then(|exit| if let ExitStatus::Signal(signal) = exit { Some(signal) } else { None }),
            output: output.text.trim_end_matches('\n').to_owned(),
            lines_missing,
            bytes_missing,
            dropped: range.dropped(screen),
            start: text_range::cursor(output.start).to_string(),
            elapsed_ms: self.elapsed_ms(outcome, facts),
            cursor: text_reader::end_cursor(screen).to_string(),
            pane_closed: self.closes_pane(outcome, exit),
            own_pane: matches!(self.stage, RunStage::IsProgram),
        }
    }

    /// Whether the pane is closed: it was opened for the command, or its shell has exited.
    fn closes_pane(&self, outcome: RunOutcome, exit: Option<ExitStatus>) -> bool {
        match outcome {
            RunOutcome::Finished => matches!(self.stage, RunStage::IsProgram),
            RunOutcome::Exited => exit.is_some_and(|exit| self.requested.on_exit.closes(exit)),
            RunOutcome::Closed => true,
            RunOutcome::WaitingForInput | RunOutcome::Timeout | RunOutcome::NotRun => false,
        }
    }

    /// Returns the last lines of the command's output, and where all of it is.
    fn output(&self, screen: &Screen) -> (LastLines, LineRange) {
        let (from, to) = self.extent(screen);
        let range = LineRange { from, to };
        (last_lines(screen, range, self.requested.lines, false), range)
    }

    /// Returns how long the command took: between its marks if its shell marked it, or else since it was requested.
    fn elapsed_ms(&self, outcome: RunOutcome, facts: PaneFacts<'_>) -> u64 {
        let record = match (&self.stage, outcome) {
            (RunStage::Started { by }, RunOutcome::Finished) => by.last_command(facts.screen),
            _ => None,
        };
        let elapsed = facts.now.duration_since(self.since).as_millis();
        record.and_then(|record| record.took(0)).unwrap_or(u64::try_from(elapsed).unwrap_or(u64::MAX))
    }

    /// Returns where the command's output begins and ends.
    fn extent(&self, screen: &Screen) -> (Position, Position) {
        let end = screen.end();
        match self.stage {
            // A shell without marks runs whatever it is given, so what follows is the echo of the line.
            RunStage::WaitingForPrompt | RunStage::Typed { by: MarkOrigin::Line, .. } => (end, end),
            // What the shell printed instead of running it: everything between the line and the next prompt.
            RunStage::Typed { at, .. } => {
                (Position { line: at.line + 1, offset: 0 }, screen.last_prompt().unwrap_or(end))
            }
            RunStage::Started { by } => {
                let (start, end) = by
                    .last_command(screen)
                    .map_or((end, end), |record| (record.output_start, record.output_end));
                let prompt = Position { line: screen.cursor_position().line, offset: 0 };
                (start, if self.ends_at_prompt { prompt.clamp(start, end.max(start)) } else { end })
            }
            RunStage::IsProgram => (Position::default(), end),
        }
    }
}
