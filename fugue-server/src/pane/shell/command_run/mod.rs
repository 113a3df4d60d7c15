//! A command that is run in a pane, by its shell or as the pane's own program: it is typed at the prompt, followed by its
//! prompt marks, and answered with its output and exit code.

mod result;

use std::rc::Rc;
use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::edge_request::RunRequest;
use fugue_protocol::views::{ExitStatus, RunOutcome};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Modes, Position, ScreenEvent};

use super::shell_prompt::{MarkOrigin, PromptLook, RunContext};
use super::{process_info, shell_line, shell_prompt};
use crate::pane::current_state::PaneFacts;
use crate::pane::input::input_record::{InputIntent, InputRecord, TypedCommand};
use crate::pane::order::RunSender;

/// How long a command must be quiet before it is checked whether it waits for input.
const QUIET: Duration = Duration::from_secs(2);

/// How long after a check that found that it does it is checked again. On a busy machine, what the command printed may not
/// have been read at the first one: its end, above all.
const SECOND_CHECK: Duration = Duration::from_millis(200);

/// How often it is looked whether a shell has taken its terminal back and reads it, of which no event tells.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The command that is run in a pane: one at a time, as in any shell.
pub(crate) struct CommandRuns {
    active: Option<Box<ActiveRun>>,
    /// A command that was typed and that nobody waits for now; its caller may ask for it again.
    left: Option<UnfinishedCommand>,
    /// Whether the last command was typed and then its request cancelled.
    is_cancelled: bool,
    /// The last command that was answered; it may still be running.
    last_command: String,
}

/// A command that was typed for a caller that is gone.
pub(crate) struct UnfinishedCommand {
    pub(crate) typed: TypedCommand,
    pub(crate) record: Rc<InputRecord>,
    /// How many bytes are known to have been typed, if a kill interrupted that.
    pub(crate) interrupted: Option<usize>,
}

struct ActiveRun {
    answer: RunSender,
    requested: RunRequest,
    since: Instant,
    deadline: Instant,
    stage: RunStage,
    check: QuietCheck,
    /// When it was last looked whether the shell is at its prompt.
    looked_at: Instant,
    /// Whether it may be there soon, though nothing is printed.
    is_soon: bool,
    /// The record of the command that was typed, until it is answered.
    record: Option<Rc<InputRecord>>,
    /// Whether the output is followed by a prompt that is not marked.
    ends_at_prompt: bool,
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
    /// No command is run; an earlier daemon may have left one.
    pub(crate) fn new(left: Option<UnfinishedCommand>) -> Self {
        Self { active: None, left, is_cancelled: false, last_command: String::new() }
    }

    /// Starts a command, waits for one that its caller asks for again, or refuses it while another one is being run.
    pub(crate) fn add(
        &mut self,
        pane: PaneId,
        requested: RunRequest,
        is_program: bool,
        answer: RunSender,
        now: Instant,
    ) {
        if let Some(run) = self.active.as_mut().filter(|run| is_same(&run.requested, requested.key.as_ref()))
        {
            run.answer = answer;
            return;
        }
        if let Some(run) = self.active.as_ref().filter(|run| !run.answer.is_closed()) {
            let command = run.requested.command.clone();
            return drop(answer.send(Err(Refusal::ShellBusy { pane, command })));
        }
        self.is_cancelled = false;
        let left = self.left.take().filter(|left| is_same(&requested, left.record.intent.key.as_ref()));
        if let Some((typed, left)) = left.as_ref().and_then(|left| Some((left.interrupted?, left))) {
            let bytes = left.record.intent.bytes;
            return drop(answer.send(Err(Refusal::InputInterrupted { pane, typed, bytes })));
        }
        let deadline = now + Duration::from_millis(requested.timeout_ms);
        let stage = match &left {
            _ if is_program => RunStage::IsProgram,
            Some(left) => left.typed.stage(),
            None => RunStage::WaitingForPrompt,
        };
        let (check, record) = (QuietCheck::after(now), left.map(|left| left.record));
        let (since, looked_at) = (now, now);
        let run = ActiveRun {
            answer,
            requested,
            since,
            deadline,
            stage,
            check,
            looked_at,
            is_soon: false,
            record,
            ends_at_prompt: false,
        };
        self.active = Some(Box::new(run));
    }

    /// Follows the marks that came before anyone waited for the command again.
    pub(crate) fn catch_up(&mut self, context: &RunContext<'_>) {
        let Some(run) = &mut self.active else { return };
        let RunStage::Typed { at, by } = run.stage else { return };
        let screen = context.facts.screen;
        match by.last_command(screen).filter(|command| command.output_start > at) {
            Some(command) => {
                run.stage = RunStage::Started { by };
                if !command.running {
                    self.answer(RunOutcome::Finished, command.exit.map(ExitStatus::Code), context);
                }
            }
            None if by != MarkOrigin::Line && screen.last_prompt() > Some(at) => {
                self.answer(RunOutcome::NotRun, None, context);
            }
            None => {}
        }
    }

    /// Keeps the record of the command that was typed.
    pub(crate) fn set_record(&mut self, record: Option<Rc<InputRecord>>) {
        if let Some(run) = &mut self.active {
            run.record = record;
        }
    }

    /// Whether no command is being run.
    pub(crate) fn is_idle(&self) -> bool {
        self.active.is_none()
    }

    /// Returns when something must be checked though nothing happens.
    pub(crate) fn due(&self, last_output: Instant) -> Option<Instant> {
        let run = self.active.as_ref()?;
        let next = match run.stage {
            RunStage::WaitingForPrompt if run.is_soon => run.looked_at + LOOK_INTERVAL,
            RunStage::WaitingForPrompt => {
                let settled = last_output.max(run.since) + shell_prompt::SETTLED;
                // A quiet shell that is not at its prompt, as while its prompt hook runs, prints before it is.
                if settled > run.looked_at { settled } else { run.deadline }
            }
            RunStage::Typed { .. } => run.deadline,
            RunStage::Started { .. } | RunStage::IsProgram => run.check.due(last_output),
        };
        Some(next.min(run.deadline))
    }

    /// Removes the command if its request was cancelled. Returns whether it was.
    pub(crate) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> bool {
        let cancelled = self.active.as_mut().is_some_and(|run| run.answer.poll_closed(context).is_ready());
        if cancelled {
            self.leave();
        }
        cancelled
    }

    /// Whether a command was typed whose request was cancelled since. It is interrupted only once.
    pub(crate) fn take_cancelled(&mut self) -> bool {
        if self.active.as_ref().is_some_and(|run| run.answer.is_closed()) {
            self.leave();
        }
        std::mem::take(&mut self.is_cancelled)
    }

    /// Gives up the command that is run; it goes on.
    fn leave(&mut self) {
        let Some(run) = self.active.take() else { return };
        self.is_cancelled = !matches!(run.stage, RunStage::WaitingForPrompt);
        self.left = run.record.and_then(UnfinishedCommand::new);
    }

    /// Follows the command by the shell's prompt marks.
    pub(crate) fn screen_event(&mut self, event: &ScreenEvent, context: &RunContext<'_>) {
        let Some(run) = &mut self.active else { return };
        match (event, &run.stage) {
            (&ScreenEvent::CommandStart { own }, &RunStage::Typed { by, .. }) if by.accepts(own) => {
                (run.stage, run.check) = (RunStage::Started { by }, QuietCheck::after(context.facts.now));
            }
            (&ScreenEvent::CommandEnd { exit, own }, RunStage::Started { by }) if by.accepts(own) => {
                let exit = exit.map(ExitStatus::Code);
                self.answer(RunOutcome::Finished, exit, context);
            }
            (&ScreenEvent::PromptStart { own }, RunStage::Typed { by, at })
                if *by != MarkOrigin::Line
                    && by.accepts(own)
                    && context.facts.screen.last_prompt() > Some(*at) =>
            {
                self.answer(RunOutcome::NotRun, None, context);
            }
            _ => {}
        }
    }

    /// Checks the screen and the time. Returns the bytes that must be typed.
    pub(crate) fn advance(&mut self, context: &RunContext<'_>) -> Option<(Vec<u8>, InputIntent)> {
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
    fn type_at_prompt(&mut self, context: &RunContext<'_>) -> Option<(Vec<u8>, InputIntent)> {
        let run = self.active.as_mut()?;
        (run.looked_at, run.is_soon) = (context.facts.now, false);
        // A prompt that is drawn while the agent asks something is not the shell's.
        if run.requested.by_agent && context.facts.asks_person() {
            return None;
        }
        let by = match context.prompt(run.since, run.requested.by_agent, &self.last_command) {
            Ok(PromptLook::Ready(by)) => by,
            Ok(look) => {
                run.is_soon = look == PromptLook::Soon;
                return None;
            }
            Err(refusal) => {
                self.refuse(refusal);
                return None;
            }
        };
        let shell = process_info::name((context.foreground)());
        let (screen, edits) = (context.facts.screen, by != MarkOrigin::Line || (context.passes_keys)());
        let line = match by {
            MarkOrigin::Line => {
                shell_line::with_marks(&run.requested.command, &shell, &screen.next_mark_keys(), edits)
            }
            MarkOrigin::Key | MarkOrigin::Other => shell_line::plain(&run.requested.command, &shell),
        };
        let at = screen.cursor_position();
        run.stage = RunStage::Typed { at, by };
        let command = Some(TypedCommand { line: at.line, offset: at.offset, by });
        let intent = InputIntent { key: run.requested.key.clone(), command, ..InputIntent::default() };
        // A program that was killed may have left bracketed paste on.
        let modes = if edits { *screen.modes() } else { Modes::default() };
        Some((shell_line::typed(&line, &modes), intent))
    }

    fn check_program(&mut self, context: &RunContext<'_>) {
        let PaneFacts { last_output, now, .. } = context.facts;
        let is_due = |run: &&mut ActiveRun| run.check.due(last_output) <= now;
        let Some(run) = self.active.as_deref_mut().filter(is_due) else { return };
        let started = matches!(run.stage, RunStage::Started { .. });
        let is_back = started
            && (context.is_at_prompt() || context.is_interrupted())
            && (context.foreground)() == context.first;
        let is_seen =
            is_back || context.is_at_prompt() || process_info::reads_terminal((context.foreground)());
        if !run.check.confirm(is_seen, last_output, now) {
            return;
        }
        if is_back {
            // The shell is at its prompt again but no longer marks it, so the exit code is unknown.
            run.ends_at_prompt = true;
            self.answer(RunOutcome::Finished, None, context);
        } else {
            self.answer(RunOutcome::WaitingForInput, None, context);
        }
    }

    /// Answers because the pane's program has ended or the pane is closed.
    pub(crate) fn end(&mut self, exit: Option<ExitStatus>, context: &RunContext<'_>) {
        let is_program = self.active.as_ref().is_some_and(|run| matches!(run.stage, RunStage::IsProgram));
        let outcome = match (exit, is_program) {
            (Some(_), true) => RunOutcome::Finished,
            (Some(_), false) => RunOutcome::Exited,
            (None, _) => RunOutcome::Closed,
        };
        self.answer(outcome, exit, context);
    }

    /// Refuses the command, of which nothing was typed.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        if let Some(run) = self.active.take() {
            let _ = run.answer.send(Err(refusal));
        }
    }

    fn answer(&mut self, outcome: RunOutcome, exit: Option<ExitStatus>, context: &RunContext<'_>) {
        let Some(run) = self.active.take() else { return };
        let result = run.result(outcome, exit, context.facts);
        self.last_command = run.requested.command;
        // The answer is stored later: until the next command, a caller that asks again finds this one.
        self.left = run.record.and_then(UnfinishedCommand::new);
        let _ = run.answer.send(Ok(result));
    }
}

/// When it is checked what a command does that prints nothing.
struct QuietCheck {
    next: Instant,
    /// The time of the last output before the last check, if that found that the command waits.
    seen_after: Option<Instant>,
}

impl QuietCheck {
    fn after(now: Instant) -> Self {
        Self { next: now + QUIET, seen_after: None }
    }

    fn due(&self, last_output: Instant) -> Instant {
        self.next.max(last_output + QUIET)
    }

    /// Takes note of what a check found. Returns whether the one before found it, too, and nothing was printed since.
    fn confirm(&mut self, is_seen: bool, last_output: Instant, now: Instant) -> bool {
        let is_confirmed = is_seen && self.seen_after == Some(last_output);
        self.seen_after = is_seen.then_some(last_output);
        self.next = now + if is_seen { SECOND_CHECK } else { QUIET };
        is_confirmed
    }
}

/// Whether a request is the one with this key.
fn is_same(request: &RunRequest, key: Option<&String>) -> bool {
    key.is_some() && request.key.as_ref() == key
}

impl UnfinishedCommand {
    fn new(record: Rc<InputRecord>) -> Option<Self> {
        Some(Self { typed: record.intent.command?, record, interrupted: None })
    }
}

impl TypedCommand {
    /// The stage of a command that was typed before.
    fn stage(self) -> RunStage {
        RunStage::Typed { at: Position { line: self.line, offset: self.offset }, by: self.by }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::views::OnExit;
    use fugue_screen::{Limits, Screen, Size};

    use super::*;

    #[test]
    fn a_command_counts_as_waiting_only_if_nothing_that_it_printed_was_still_to_be_read() {
        let begun = Instant::now();
        let mut check = QuietCheck::after(begun);
        assert_eq!(check.due(begun), begun + QUIET);
        let first = begun + QUIET;
        assert!(!check.confirm(true, begun, first), "its end may be on its way");
        assert_eq!(check.due(begun), first + SECOND_CHECK);
        // The end of its output is read.
        let printed = first + Duration::from_millis(1);
        assert_eq!(check.due(printed), printed + QUIET);
        assert!(!check.confirm(true, printed, printed + QUIET));
        assert!(check.confirm(true, printed, printed + QUIET + SECOND_CHECK));
        assert!(!check.confirm(false, printed, printed + QUIET + SECOND_CHECK), "it goes on");
    }

    #[test]
    fn a_command_waits_for_a_slow_prompt_hook_without_looking_all_the_time() {
        let mut screen = Screen::new(Size { cols: 40, rows: 8 }, Limits::default());
        screen.feed(b"\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07\x1b]133;D;0\x07");
        let now = Instant::now();
        let requested = RunRequest {
            by_agent: false,
            command: "pwd".into(),
            lines: 10,
            timeout_ms: 60_000,
            key: None,
            on_exit: OnExit::default(),
        };
        let (answer, mut answered) = tokio::sync::oneshot::channel();
        let mut commands = CommandRuns::new(None);
        let facts = PaneFacts::for_test(&screen, now);
        commands.add(facts.pane, requested, false, answer, now);
        let settled = now + shell_prompt::SETTLED;
        assert_eq!(commands.due(now), Some(settled));
        let facts = PaneFacts { now: settled, ..facts };
        let context = RunContext {
            facts,
            first: 0,
            may_hold_draft: false,
            was_interrupted: false,
            foreground: &|| 0,
            passes_keys: &|| true,
        };
        assert!(commands.advance(&context).is_none() && answered.try_recv().is_err());
        assert_eq!(commands.due(now), Some(now + Duration::from_secs(60)), "only output changes anything");
        assert_eq!(commands.due(settled), Some(settled + shell_prompt::SETTLED));
    }
}
