//! A command that is run in a pane, by its shell or as the pane's own program: it is typed at the prompt, followed by its
//! prompt marks, and answered with its output and exit code.

use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::edge_request::RunRequest;
use fugue_protocol::views::{ExitStatus, RunOutcome, RunResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen, ScreenEvent};

use super::current_state::PaneFacts;
use super::order::RunSender;
use super::shell_prompt::{MarkOrigin, RunContext};
use super::{process_info, shell_line, shell_prompt, text_reader};

/// How long a command must be quiet before it is checked whether it waits for input.
const QUIET: Duration = Duration::from_secs(2);

/// The command that is run in a pane: one at a time, as in any shell.
#[derive(Default)]
pub(super) struct CommandRuns {
    active: Option<ActiveRun>,
    /// The last command that was answered; it may still be running.
    last_command: String,
}

struct ActiveRun {
    answer: RunSender,
    requested: RunRequest,
    since: Instant,
    deadline: Instant,
    stage: RunStage,
    /// When the command was last checked, plus the quiet time.
    next_check: Instant,
}

enum RunStage {
    /// It waits for the prompt.
    WaitingForPrompt,
    /// It was typed at this position.
    Typed { at: Position, by: MarkOrigin },
    /// The shell runs it.
    Started { by: MarkOrigin },
    /// It is the pane's program.
    IsProgram,
}

impl CommandRuns {
    /// Starts a command, or refuses it while another one is being run.
    pub(super) fn add(
        &mut self,
        pane: PaneId,
        requested: RunRequest,
        is_program: bool,
        answer: RunSender,
        now: Instant,
    ) {
        if let Some(run) = self.active.as_ref().filter(|run| !run.answer.is_closed()) {
            let command = run.requested.command.clone();
            return drop(answer.send(Err(Refusal::ShellBusy { pane, command })));
        }
        let deadline = now + Duration::from_millis(requested.timeout_ms);
        let stage = if is_program { RunStage::IsProgram } else { RunStage::WaitingForPrompt };
        let next_check = now + QUIET;
        self.active = Some(ActiveRun { answer, requested, since: now, deadline, stage, next_check });
    }

    /// Whether no command is being run.
    pub(super) fn is_idle(&self) -> bool {
        self.active.is_none()
    }

    /// Returns when something must be checked though nothing happens.
    pub(super) fn due(&self, last_output: Instant) -> Option<Instant> {
        let run = self.active.as_ref()?;
        let next = match run.stage {
            RunStage::WaitingForPrompt => last_output.max(run.since) + shell_prompt::SETTLED,
            RunStage::Typed { .. } => run.deadline,
            RunStage::Started { .. } | RunStage::IsProgram => run.next_check.max(last_output + QUIET),
        };
        Some(next.min(run.deadline))
    }

    /// Removes the command if its request was cancelled. Returns whether it was.
    pub(super) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> bool {
        let cancelled = self.active.as_mut().is_some_and(|run| run.answer.poll_closed(context).is_ready());
        if cancelled {
            self.active = None;
        }
        cancelled
    }

    /// Follows the command by the shell's prompt marks.
    pub(super) fn screen_event(&mut self, event: &ScreenEvent, context: &RunContext<'_>) {
        let Some(run) = &mut self.active else { return };
        match (event, &run.stage) {
            (&ScreenEvent::CommandStart { own }, &RunStage::Typed { by, .. }) if by.accepts(own) => {
                (run.stage, run.next_check) = (RunStage::Started { by }, context.facts.now + QUIET);
            }
            (&ScreenEvent::CommandEnd { exit, own }, RunStage::Started { by }) if by.accepts(own) => {
                let exit = exit.map(ExitStatus::Code);
                self.answer(RunOutcome::Finished, exit, context);
            }
            (&ScreenEvent::PromptStart { own }, RunStage::Typed { by, .. })
                if *by != MarkOrigin::Line && by.accepts(own) =>
            {
                self.answer(RunOutcome::NotRun, None, context);
            }
            _ => {}
        }
    }

    /// Checks the screen and the time. Returns the bytes that must be typed.
    pub(super) fn advance(&mut self, context: &RunContext<'_>) -> Option<Vec<u8>> {
        let run = self.active.as_mut()?;
        if run.deadline <= context.facts.now {
            self.answer(RunOutcome::Timeout, None, context);
            return None;
        }
        match run.stage {
            RunStage::WaitingForPrompt => self.type_at_prompt(context),
            RunStage::Started { .. } | RunStage::IsProgram => {
                self.check_program(context);
                None
            }
            RunStage::Typed { .. } => None,
        }
    }

    /// Types the command if the shell is at its prompt; refuses it if the shell will not be.
    fn type_at_prompt(&mut self, context: &RunContext<'_>) -> Option<Vec<u8>> {
        let run = self.active.as_mut()?;
        let by = match context.prompt(run.since, run.requested.by_agent, &self.last_command) {
            Ok(by) => by?,
            Err(refusal) => return self.refuse(refusal),
        };
        let shell = process_info::name((context.foreground)());
        let screen = context.facts.screen;
        let line = match by {
            MarkOrigin::Line => {
                shell_line::with_marks(&run.requested.command, &shell, &screen.next_mark_keys())
            }
            MarkOrigin::Key | MarkOrigin::Other => shell_line::plain(&run.requested.command, &shell),
        };
        run.stage = RunStage::Typed { at: screen.end(), by };
        Some(shell_line::typed(&line, screen.modes()))
    }

    fn check_program(&mut self, context: &RunContext<'_>) {
        let PaneFacts { last_output, now, .. } = context.facts;
        let is_due = |run: &&mut ActiveRun| run.next_check.max(last_output + QUIET) <= now;
        let Some(run) = self.active.as_mut().filter(is_due) else { return };
        run.next_check = now + QUIET;
        let started = matches!(run.stage, RunStage::Started { .. });
        if started && context.is_at_prompt() && (context.foreground)() == context.first {
            // The shell is at its prompt again but no longer marks it, so the exit code is unknown.
            self.answer(RunOutcome::Finished, None, context);
        } else if context.is_at_prompt() || process_info::reads_terminal((context.foreground)()) {
            self.answer(RunOutcome::WaitingForInput, None, context);
        }
    }

    /// Answers because the pane's program has ended or the pane is closed. Returns whether a pane that was opened for the
    /// command may be closed.
    pub(super) fn end(&mut self, exit: Option<ExitStatus>, context: &RunContext<'_>) -> bool {
        let is_program = self.active.as_ref().is_some_and(|run| matches!(run.stage, RunStage::IsProgram));
        let outcome = match (exit, is_program) {
            (Some(_), true) => RunOutcome::Finished,
            (Some(_), false) => RunOutcome::Exited,
            (None, _) => RunOutcome::Closed,
        };
        self.answer(outcome, exit, context) && is_program && exit.is_some()
    }

    fn refuse(&mut self, refusal: Refusal) -> Option<Vec<u8>> {
        let run = self.active.take()?;
        let _ = run.answer.send(Err(refusal));
        None
    }

    /// Answers. Returns whether the caller received it.
    fn answer(&mut self, outcome: RunOutcome, exit: Option<ExitStatus>, context: &RunContext<'_>) -> bool {
        let Some(run) = self.active.take() else { return false };
        let screen = context.facts.screen;
        let (output, lines_missing) = run.output(screen);
        let result = RunResult {
            pane_id: context.facts.pane,
            outcome,
            exit_code: exit
                .and_then(|exit| if let ExitStatus::Code(code) = exit { Some(code) } else { None }),
            signal: exit
                .and_then(|exit| if let ExitStatus::Signal(signal) = exit { Some(signal) } else { None }),
            output,
            lines_missing,
            elapsed_ms: run.elapsed_ms(outcome, context.facts),
            cursor: text_reader::cursor(screen.end()).to_string(),
            pane_closed: matches!(run.stage, RunStage::IsProgram) && outcome == RunOutcome::Finished,
        };
        self.last_command = run.requested.command;
        run.answer.send(Ok(result)).is_ok()
    }
}

impl ActiveRun {
    /// Returns the last lines of the command's output, and the number of lines before them.
    fn output(&self, screen: &Screen) -> (String, u64) {
        let (from, to) = self.extent(screen);
        let to = text_reader::without_last_newline(from, to);
        let (text, _, missing) = text_reader::last_lines(screen, from, to, self.requested.lines);
        (text.trim_end_matches('\n').to_owned(), missing)
    }

    /// Returns how long the command took: between its marks if its shell marked it, or else since it was requested.
    fn elapsed_ms(&self, outcome: RunOutcome, facts: PaneFacts<'_>) -> u64 {
        let marked = matches!((&self.stage, outcome), (RunStage::Started { .. }, RunOutcome::Finished));
        let record = marked.then(|| facts.screen.last_command()).flatten();
        let elapsed = facts.now.duration_since(self.since).as_millis();
        record.and_then(|record| record.took(0)).unwrap_or(u64::try_from(elapsed).unwrap_or(u64::MAX))
    }

    /// Returns where the command's output begins and ends.
    fn extent(&self, screen: &Screen) -> (Position, Position) {
        let end = screen.end();
        match self.stage {
            RunStage::WaitingForPrompt => (end, end),
            // What the shell printed instead of running it: everything between the line and the next prompt.
            RunStage::Typed { at, .. } => {
                (Position { line: at.line + 1, offset: 0 }, screen.last_prompt().unwrap_or(end))
            }
            RunStage::Started { .. } => {
                screen.last_command().map_or((end, end), |record| (record.output_start, record.output_end))
            }
            RunStage::IsProgram => (Position::default(), end),
        }
    }
}
