//! A command that a pane's shell runs for somebody, or that has the pane to itself: typed at the prompt, followed by its
//! marks, told with what it wrote.

use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::edge_request::RunRequest;
use fugue_protocol::views::{ExitStatus, RunOutcome, RunResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen, ScreenEvent, ShellState};
use tokio::sync::oneshot;

use super::{line, program, reading};

/// A shell that does not mark its prompts shows one when it has been quiet for so long.
const SETTLED: Duration = Duration::from_millis(300);

/// A command that writes nothing for so long is looked at: perhaps it waits for somebody to type.
const QUIET: Duration = Duration::from_secs(2);

/// Where an answer goes.
pub(super) type Answer = oneshot::Sender<Result<RunResult, Refusal>>;

/// The command under way: one at a time, as in any shell. And the last one that was left to itself, by its line.
#[derive(Default)]
pub(super) struct Runs(Option<One>, String);

struct One {
    answer: Answer,
    asked: RunRequest,
    since: Instant,
    deadline: Instant,
    stage: Stage,
    /// When it is looked at next.
    looked: Instant,
}

enum Stage {
    /// It waits for the prompt.
    Approaching,
    /// It was typed here, at a prompt that is marked so.
    Typed { at: Position, by: By },
    /// The shell runs it.
    Started { by: By },
    /// It is the pane's program.
    Own,
}

/// Whose marks tell what becomes of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The shell's that has the key: others are the command's own words.
    Key,
    /// The line's itself, which has the key too.
    Line,
    /// Those of a shell that marks in its own way.
    Other,
}

impl By {
    fn believes(self, own: bool) -> bool {
        own || self == By::Other
    }
}

/// What is to be seen in a pane now.
pub(super) struct Scene<'a> {
    pub(super) pane: PaneId,
    pub(super) screen: &'a Screen,
    /// The process that the pane was opened with.
    pub(super) first: u32,
    /// The process that leads the foreground.
    pub(super) foreground: &'a dyn Fn() -> u32,
    /// A person has the keyboard, for so many milliseconds.
    pub(super) held: Option<u64>,
    pub(super) written: Instant,
    pub(super) now: Instant,
}

impl Runs {
    /// One more: refused while another is under way.
    pub(super) fn add(&mut self, pane: PaneId, asked: RunRequest, own: bool, answer: Answer, now: Instant) {
        if let Some(one) = self.0.as_ref().filter(|one| !one.answer.is_closed()) {
            let command = one.asked.command.clone();
            return drop(answer.send(Err(Refusal::ShellBusy { pane, command })));
        }
        let deadline = now + Duration::from_millis(asked.timeout_ms);
        let stage = if own { Stage::Own } else { Stage::Approaching };
        self.0 = Some(One { answer, asked, since: now, deadline, stage, looked: now + QUIET });
    }

    /// When something must be looked at though nothing happens.
    pub(super) fn due(&self, written: Instant) -> Option<Instant> {
        let one = self.0.as_ref()?;
        let next = match one.stage {
            Stage::Approaching => written.max(one.since) + SETTLED,
            Stage::Typed { .. } => one.deadline,
            Stage::Started { .. } | Stage::Own => one.looked.max(written + QUIET),
        };
        Some(next.min(one.deadline))
    }

    /// Whoever asked is gone; ready when that happens.
    pub(super) fn poll_withdrawn(&mut self, context: &mut Context<'_>) -> bool {
        let gone = self.0.as_mut().is_some_and(|one| one.answer.poll_closed(context).is_ready());
        if gone {
            self.0 = None;
        }
        gone
    }

    /// What the shell says of its commands, in order.
    pub(super) fn hear(&mut self, notice: &ScreenEvent, scene: &Scene<'_>) {
        let Some(one) = &mut self.0 else { return };
        match (notice, &one.stage) {
            (&ScreenEvent::CommandStart { own }, &Stage::Typed { by, .. }) if by.believes(own) => {
                (one.stage, one.looked) = (Stage::Started { by }, scene.now + QUIET);
            }
            (&ScreenEvent::CommandEnd { exit, own }, Stage::Started { by }) if by.believes(own) => {
                let exit = exit.map(ExitStatus::Code);
                self.tell(RunOutcome::Finished, exit, scene);
            }
            (&ScreenEvent::PromptStart { own }, Stage::Typed { by, .. })
                if *by != By::Line && by.believes(own) =>
            {
                self.tell(RunOutcome::NotRun, None, scene);
            }
            _ => {}
        }
    }

    /// Looks at the screen and the clock; gives what must be typed.
    pub(super) fn look(&mut self, scene: &Scene<'_>) -> Option<Vec<u8>> {
        let one = self.0.as_mut()?;
        if one.deadline <= scene.now {
            self.tell(RunOutcome::Timeout, None, scene);
            return None;
        }
        match one.stage {
            Stage::Approaching => self.approach(scene),
            Stage::Started { .. } | Stage::Own => {
                self.look_at_program(scene);
                None
            }
            Stage::Typed { .. } => None,
        }
    }

    fn approach(&mut self, scene: &Scene<'_>) -> Option<Vec<u8>> {
        let one = self.0.as_mut()?;
        if let Some(remaining_ms) = scene.held.filter(|_| one.asked.by_agent) {
            return self.refuse(Refusal::KeyboardHeld { pane: scene.pane, remaining_ms });
        }
        let quiet = scene.written.max(one.since) + SETTLED <= scene.now;
        let by = match scene.screen.shell_state() {
            // A prompt is drawn, and the shell begins to read: it says so by taking pastes.
            ShellState::Prompt { draft: false, own } if quiet || scene.screen.modes().bracketed_paste() => {
                if own {
                    By::Key
                } else {
                    By::Other
                }
            }
            ShellState::Unmarked if quiet && program::takes_commands((scene.foreground)()) => By::Line,
            ShellState::Prompt { draft: false, .. } => return None,
            ShellState::Between if quiet && scene.is_at_prompt() => return self.refuse(scene.marks_gone()),
            ShellState::Between => return None,
            ShellState::Unmarked if program::is_shell(&program::name((scene.foreground)())) && !quiet => {
                return None;
            }
            ShellState::Prompt { draft: true, .. } => {
                return self.refuse(Refusal::Draft { pane: scene.pane });
            }
            // A shell that has just been left to itself may still say that the command has ended.
            ShellState::Running if scene.is_at_prompt() && !quiet => return None,
            ShellState::Running if scene.is_at_prompt() => return self.refuse(scene.marks_gone()),
            ShellState::Running => {
                let busy = busy(scene, &self.1);
                return self.refuse(busy);
            }
            ShellState::Unmarked => return self.refuse(no_shell(scene)),
        };
        let shell = program::name((scene.foreground)());
        let line = match by {
            By::Line => line::marking(&one.asked.command, &shell, &scene.screen.next_mark_keys()),
            By::Key | By::Other => line::marked(&one.asked.command, &shell),
        };
        one.stage = Stage::Typed { at: scene.screen.end(), by };
        Some(line::typed(&line, scene.screen.modes()))
    }

    fn look_at_program(&mut self, scene: &Scene<'_>) {
        let Some(one) = self.0.as_mut().filter(|one| one.looked.max(scene.written + QUIET) <= scene.now)
        else {
            return;
        };
        one.looked = scene.now + QUIET;
        let started = matches!(one.stage, Stage::Started { .. });
        if started && scene.is_at_prompt() && (scene.foreground)() == scene.first {
            // The shell shows its prompt again and does not say so any more, nor how the command ended.
            self.tell(RunOutcome::Finished, None, scene);
        } else if scene.is_at_prompt() || program::reads_terminal((scene.foreground)()) {
            self.tell(RunOutcome::WaitingForInput, None, scene);
        }
    }

    /// The pane's program has ended, or the pane is closed. Says whether a pane of the command's own may go.
    pub(super) fn ended(&mut self, exit: Option<ExitStatus>, scene: &Scene<'_>) -> bool {
        let own = self.0.as_ref().is_some_and(|one| matches!(one.stage, Stage::Own));
        let outcome = match (exit, own) {
            (Some(_), true) => RunOutcome::Finished,
            (Some(_), false) => RunOutcome::Exited,
            (None, _) => RunOutcome::Closed,
        };
        self.tell(outcome, exit, scene) && own && exit.is_some()
    }

    fn refuse(&mut self, refusal: Refusal) -> Option<Vec<u8>> {
        let one = self.0.take()?;
        let _ = one.answer.send(Err(refusal));
        None
    }

    /// Answers, and says whether somebody was there to hear it.
    fn tell(&mut self, outcome: RunOutcome, exit: Option<ExitStatus>, scene: &Scene<'_>) -> bool {
        let Some(one) = self.0.take() else { return false };
        let (output, lines_missing) = one.output(scene.screen);
        let ran = RunResult {
            pane_id: scene.pane,
            outcome,
            exit_code: exit
                .and_then(|exit| if let ExitStatus::Code(code) = exit { Some(code) } else { None }),
            signal: exit
                .and_then(|exit| if let ExitStatus::Signal(signal) = exit { Some(signal) } else { None }),
            output,
            lines_missing,
            elapsed_ms: one.took(outcome, scene),
            cursor: reading::cursor(scene.screen.end()).to_string(),
            pane_closed: matches!(one.stage, Stage::Own) && outcome == RunOutcome::Finished,
        };
        self.1 = one.asked.command;
        one.answer.send(Ok(ran)).is_ok()
    }
}

impl One {
    /// What the command wrote, the last lines of it, and how many lie before them.
    fn output(&self, screen: &Screen) -> (String, u64) {
        let (from, to) = self.extent(screen);
        let (text, _, missing) =
            reading::last_lines(screen, from, reading::trimmed(from, to), self.asked.lines);
        (text.trim_end_matches('\n').to_owned(), missing)
    }

    /// A command that its shell marked took as long as the marks say; any other, since it was asked for.
    fn took(&self, outcome: RunOutcome, scene: &Scene<'_>) -> u64 {
        let marked = matches!((&self.stage, outcome), (Stage::Started { .. }, RunOutcome::Finished));
        let record = marked.then(|| scene.screen.last_command()).flatten();
        let elapsed = scene.now.duration_since(self.since).as_millis();
        record.and_then(|record| record.took(0)).unwrap_or(u64::try_from(elapsed).unwrap_or(u64::MAX))
    }

    fn extent(&self, screen: &Screen) -> (Position, Position) {
        let end = screen.end();
        match self.stage {
            Stage::Approaching => (end, end),
            // What the shell said instead of running it: all between the line itself and the next prompt.
            Stage::Typed { at, .. } => {
                (Position { line: at.line + 1, offset: 0 }, screen.last_prompt().unwrap_or(end))
            }
            Stage::Started { .. } => {
                screen.last_command().map_or((end, end), |record| (record.output_start, record.output_end))
            }
            Stage::Own => (Position::default(), end),
        }
    }
}

impl Scene<'_> {
    /// A shell that edits a line is at its prompt, whatever its marks say: it takes pastes then, and at no other time.
    fn is_at_prompt(&self) -> bool {
        self.screen.modes().bracketed_paste() && program::takes_commands((self.foreground)())
    }

    fn marks_gone(&self) -> Refusal {
        Refusal::MarksGone { pane: self.pane }
    }
}

/// A shell that marks no prompts does not say what it runs: then it is what was typed for it last.
fn busy(scene: &Scene<'_>, last: &str) -> Refusal {
    let command = scene.screen.last_command().map(|record| record.command_line);
    let command = command.filter(|command| !command.is_empty()).unwrap_or_else(|| last.to_owned());
    let command = command.lines().next().unwrap_or_default().chars().take(80).collect();
    Refusal::ShellBusy { pane: scene.pane, command }
}

fn no_shell(scene: &Scene<'_>) -> Refusal {
    Refusal::NoShell { pane: scene.pane, program: program::name((scene.foreground)()) }
}
