//! Callers that wait for something in a pane, and when each is answered.

mod line_match;
mod typed_echo;

use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::edge_request::WaitRequest;
use fugue_protocol::agents::AgentState;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{OutputCursor, Until};
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen, ShellState};

use super::current_state::PaneFacts;
use super::order::WaitSender;
use super::text::pattern::{CpuTimer, Pattern};
use super::text::text_range::{LineRange, dropped_lines, last_lines};
use super::text::text_range::{cursor, position};
use super::text::text_reader::end_cursor;
use line_match::{FoundMatch, UnsearchedLines};
use typed_echo::TypedEcho;

/// The most waiters of one pane: more are a loop gone wrong.
const MAX_WAITERS: usize = 1_024;

/// How long a pane without an agent is observed: an agent that was just started shows itself before.
const AGENT_DELAY: Duration = Duration::from_secs(1);

/// The CPU time that matching the patterns of a pane's waiters may take, and that of each of them, beyond their share.
const MATCH_TIME: Duration = Duration::from_secs(1);

/// The share of the time that it may take in the long run: one part in twenty.
const MATCH_SHARE: u32 = 20;

/// The last lines of the text in a reply: enough to see what happened without asking again.
const TAIL_LINES: usize = 20;

/// The most bytes of these lines.
const TAIL_BYTES: usize = 2 << 10;

/// All waiters of a pane.
#[derive(Default)]
pub(super) struct Waiters {
    waiting: Vec<Waiter>,
    echo: TypedEcho,
}

struct Waiter {
    answer: WaitSender,
    until: Until,
    since: Instant,
    deadline: Instant,
    idle: Duration,
    pattern: Option<Pattern>,
    /// The CPU time that matching its pattern has taken.
    spent: Duration,
    states: Vec<AgentState>,
    /// Whether it waits for a command of the shell that has the key: then marks that the command prints do not count.
    own_command: bool,
    /// Text before this position does not count.
    from: Position,
    /// Text before this position has been searched and has left the screen.
    searched: Position,
    /// The number of lines that were dropped before they were searched.
    dropped: u64,
    /// The line at which the search goes on, if it stopped for a moment to let others work.
    resume: Option<u64>,
    /// The screen of a full-screen program that does not count.
    screen_before: Option<u32>,
    /// When it will be clear that the pane has no agent.
    no_agent_at: Option<Instant>,
    /// Whether text counts that was on the screen before the wait began.
    counts_old_text: bool,
}

/// The note on a match that may be older than what the caller waits for.
const OLD_MATCH: &str =
    "This line was on the screen before the wait began; with `since`, only newer output matches";

/// How a wait ended.
struct WaitEnd {
    outcome: WaitOutcome,
    matched: Option<FoundMatch>,
    exit: Option<ExitStatus>,
    agent: Option<AgentState>,
}

impl WaitEnd {
    fn of(outcome: WaitOutcome) -> Self {
        Self { outcome, matched: None, exit: None, agent: None }
    }
}

impl Waiters {
    /// Remembers what a request types, so that no wait takes its echo for output.
    pub(super) fn typed(&mut self, text: &str, screen: &Screen) {
        self.echo.typed(text, screen.cursor_position());
    }

    /// Adds a waiter, or refuses it if it waits for something impossible.
    pub(super) fn add(
        &mut self,
        pane: PaneId,
        waiting: &WaitRequest,
        answer: WaitSender,
        screen: &Screen,
        now: Instant,
    ) {
        let pattern = waiting.pattern.as_deref().map(|text| Pattern::compile("pattern", text)).transpose();
        let refusal = match &pattern {
            Err(refusal) => Some(refusal.clone()),
            Ok(_) if self.waiting.len() >= MAX_WAITERS => Some(Refusal::Busy { pane }),
            Ok(_) if waiting.until == Until::CommandDone && is_unmarked(screen) => {
                Some(Refusal::NoMarks { pane })
            }
            Ok(_) => None,
        };
        if let Some(refusal) = refusal {
            return drop(answer.send(Err(refusal)));
        }
        self.waiting.push(Waiter {
            answer,
            until: waiting.until,
            since: now,
            deadline: now + Duration::from_millis(waiting.timeout_ms),
            idle: Duration::from_millis(waiting.idle_ms),
            pattern: pattern.ok().flatten(),
            spent: Duration::ZERO,
            states: waiting.states.clone(),
            own_command: screen.runs_own_command(),
            from: begin(waiting, screen),
            searched: begin(waiting, screen),
            dropped: 0,
            resume: None,
            screen_before: waiting.since.and_then(|since| since.screen),
            no_agent_at: None,
            counts_old_text: waiting.since.is_none(),
        });
    }

    /// Answers a wait in a pane whose program has ended, of which only the screen is left.
    pub(super) fn answer_ended(
        pane: PaneId,
        waiting: &WaitRequest,
        answer: WaitSender,
        (screen, exit): (&Screen, ExitStatus),
        now: Instant,
    ) {
        let mut waiters = Self::default();
        waiters.add(pane, waiting, answer, screen, now);
        for waiter in &mut waiters.waiting {
            waiter.resume = waiter.pattern.is_some().then_some(waiter.searched.line);
        }
        waiters.end(pane, screen, Some(exit), now);
    }

    /// Returns when the next waiter must be checked though nothing happens.
    pub(super) fn due(&self, last_output: Instant) -> Option<Instant> {
        self.waiting.iter().map(|waiter| waiter.due(last_output)).min()
    }

    /// Removes waiters whose request was cancelled. Returns whether there were any.
    pub(super) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> bool {
        let before = self.waiting.len();
        self.waiting.retain_mut(|waiter| waiter.answer.poll_closed(context).is_pending());
        self.waiting.len() < before
    }

    /// Checks new text and the time, and answers the waiters whose condition is met.
    pub(super) fn check(&mut self, facts: PaneFacts<'_>) {
        let mut index = 0;
        while index < self.waiting.len() {
            match self.waiting[index].end(facts, &self.echo) {
                None => index += 1,
                Some(Ok(end)) => self.waiting.remove(index).answer(facts.pane, facts.screen, end, facts.now),
                Some(Err(refusal)) => drop(self.waiting.remove(index).answer.send(Err(refusal))),
            }
        }
        self.refuse_slow(facts.now);
    }

    /// Refuses the waiters whose patterns take too much time, each by itself or all together: then those that take the
    /// most, until the others take a small part of it.
    fn refuse_slow(&mut self, now: Instant) {
        let refuse = |waiter: Waiter| {
            let refusal = Refusal::argument("pattern", ArgumentProblem::PatternTooSlow);
            let _ = waiter.answer.send(Err(refusal));
        };
        self.waiting.extract_if(.., |waiter| waiter.spent > allowed(waiter.since, now)).for_each(refuse);
        let begun = self.waiting.iter().map(|waiter| waiter.since).min().unwrap_or(now);
        while self.waiting.iter().map(|waiter| waiter.spent).sum::<Duration>() > allowed(begun, now) {
            let slowest = self.waiting.iter().enumerate().max_by_key(|(_, waiter)| waiter.spent);
            let Some((index, _)) = slowest else { return };
            refuse(self.waiting.remove(index));
        }
    }

    /// Answers all waiters: the program has ended, or the pane is closed.
    pub(super) fn end(&mut self, pane: PaneId, screen: &Screen, exit: Option<ExitStatus>, now: Instant) {
        let outcome = if exit.is_some() { WaitOutcome::Exited } else { WaitOutcome::Closed };
        for mut waiter in std::mem::take(&mut self.waiting) {
            let end = match waiter.finish_search(screen, &self.echo) {
                Some(matched) => WaitEnd { matched: Some(matched), ..WaitEnd::of(WaitOutcome::Matched) },
                None => WaitEnd { exit, ..WaitEnd::of(outcome) },
            };
            waiter.answer(pane, screen, end, now);
        }
    }
}

/// The CPU time that matching may take for waits since then.
fn allowed(since: Instant, now: Instant) -> Duration {
    MATCH_TIME + now.duration_since(since) / MATCH_SHARE
}

impl Waiter {
    fn due(&self, last_output: Instant) -> Instant {
        match self.until {
            // At once.
            _ if self.resume.is_some() => self.since,
            Until::Idle => self.deadline.min(last_output.max(self.since) + self.idle),
            Until::AgentState => self.no_agent_at.map_or(self.deadline, |at| self.deadline.min(at)),
            Until::Exit | Until::Match | Until::CommandDone | Until::Message => self.deadline,
        }
    }

    /// Returns how the wait ends, if it ends now.
    fn end(&mut self, facts: PaneFacts<'_>, echo: &TypedEcho) -> Option<Result<WaitEnd, Refusal>> {
        let PaneFacts { pane, screen, agent, last_output, now, .. } = facts;
        if let Some(matched) = self.matched(screen, echo) {
            return Some(Ok(WaitEnd { matched: Some(matched), ..WaitEnd::of(WaitOutcome::Matched) }));
        }
        if self.resume.is_some() {
            // What it waits for may stand in the text that was not searched yet.
            return None;
        }
        self.no_agent_at = agent.is_none().then_some(last_output + AGENT_DELAY);
        let end = match self.until {
            Until::Idle if last_output.max(self.since) + self.idle <= now => WaitEnd::of(WaitOutcome::Idle),
            Until::CommandDone if self.is_done(screen) => {
                let exit = screen.last_command().and_then(|record| record.exit).map(ExitStatus::Code);
                WaitEnd { exit, ..WaitEnd::of(WaitOutcome::CommandDone) }
            }
            Until::AgentState if agent.is_some_and(|agent| self.wants(agent.state)) => {
                WaitEnd { agent: agent.map(|agent| agent.state), ..WaitEnd::of(WaitOutcome::AgentState) }
            }
            Until::AgentState if self.no_agent_at.is_some_and(|at| at <= now) => {
                return Some(Err(Refusal::NoAgent { pane }));
            }
            Until::AgentState if self.deadline <= now => {
                WaitEnd { agent: agent.map(|agent| agent.state), ..WaitEnd::of(WaitOutcome::Timeout) }
            }
            _ if self.deadline <= now => WaitEnd::of(WaitOutcome::Timeout),
            _ => return None,
        };
        Some(Ok(end))
    }

    fn is_done(&self, screen: &Screen) -> bool {
        if self.own_command {
            !screen.own_command_runs()
        } else {
            screen.shell_state() != ShellState::Running
        }
    }

    fn wants(&self, state: AgentState) -> bool {
        match self.states.is_empty() {
            true => state.is_at_rest() || state.needs_somebody(),
            false => self.states.contains(&state),
        }
    }

    /// Returns the first match in the lines not searched yet and in those on the screen, any of which may be redrawn.
    /// A search that takes long goes on when it is called again.
    fn matched(&mut self, screen: &Screen, echo: &TypedEcho) -> Option<FoundMatch> {
        let pattern = self.pattern.as_ref()?;
        let (end, top) = (screen.end(), screen.row_position(0));
        let first_line = self.resume.unwrap_or(self.searched.line.min(self.from.line.max(top.line)));
        let searched = self.searched.min(Position { line: end.line, offset: top.offset });
        let lines = UnsearchedLines { first_line, from: self.from, searched };
        self.dropped += screen.first_line().saturating_sub(first_line);
        let search = line_match::first_match(pattern, screen, lines, echo);
        self.spent += search.spent;
        self.resume = search.stopped_at;
        if self.resume.is_none() {
            // Of a line that began above the screen, only what is on the screen changes.
            let offset = if top.line == end.line { top.offset } else { 0 };
            self.searched = self.searched.max(Position { line: end.line, offset });
        }
        let is_changed = || self.screen_before != end_cursor(screen).screen;
        let timer = CpuTimer::start();
        let on_rows = || line_match::on_rows(pattern, screen, echo);
        let found = search.found.or_else(|| (screen.on_alternate() && is_changed()).then(on_rows).flatten());
        self.spent += timer.elapsed();
        found
    }

    /// Searches what is left, since nothing more will come.
    fn finish_search(&mut self, screen: &Screen, echo: &TypedEcho) -> Option<FoundMatch> {
        while self.resume.is_some() && self.spent <= MATCH_TIME {
            if let Some(found) = self.matched(screen, echo) {
                return Some(found);
            }
        }
        None
    }

    fn answer(self, pane_id: PaneId, screen: &Screen, end: WaitEnd, now: Instant) {
        let already = self.since == now && end.outcome != WaitOutcome::Timeout;
        let is_old_match = already && self.counts_old_text && end.matched.is_some();
        let next = end.matched.as_ref().map_or_else(|| self.next(screen), |found| found.after);
        let waited = WaitResult {
            pane_id,
            outcome: end.outcome,
            exit: end.exit,
            // The line of a match says enough.
            tail: if end.matched.is_some() { String::new() } else { tail(screen) },
            matched: end.matched.map(|found| found.line),
            agent: end.agent,
            dropped: dropped_lines(self.dropped, screen),
            already,
            note: is_old_match.then(|| OLD_MATCH.to_owned()),
            elapsed_ms: u64::try_from(now.duration_since(self.since).as_millis()).unwrap_or(u64::MAX),
            cursor: next.to_string(),
            panes: Vec::new(),
        };
        let _ = self.answer.send(Ok(waited));
    }

    /// Returns the cursor from which to wait on. A line that is not complete may yet match as a whole.
    fn next(&self, screen: &Screen) -> OutputCursor {
        let end = end_cursor(screen);
        if self.pattern.is_none() {
            return end;
        }
        let line = self.resume.map_or(end.line, |line| line.min(end.line));
        let from = self.from.max(Position { line, offset: 0 }).min(screen.end());
        OutputCursor { screen: end.screen, ..cursor(from) }
    }
}

/// Returns the last lines of the text, or of a full-screen program's screen.
fn tail(screen: &Screen) -> String {
    let text = match screen.on_alternate() {
        true => screen.screen_text(false),
        false => {
            let all = LineRange { from: Position::default(), to: screen.end() };
            last_lines(screen, all, TAIL_LINES, false).text
        }
    };
    let text = text.trim_end();
    let lines = text.lines().count().saturating_sub(TAIL_LINES);
    let text = text.lines().skip(lines).collect::<Vec<_>>().join("\n");
    text[text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES))..].to_owned()
}

/// Whether the shell never marked a command.
fn is_unmarked(screen: &Screen) -> bool {
    screen.shell_state() == ShellState::Unmarked && screen.last_command().is_none()
}

/// Returns where a match may begin: after the cursor, or on the screen.
fn begin(waiting: &WaitRequest, screen: &Screen) -> Position {
    match waiting.since {
        Some(since) => position(since),
        None => shown(screen),
    }
}

/// Returns where the text on the screen begins, or a little before.
fn shown(screen: &Screen) -> Position {
    let rows = u64::from(screen.size().rows);
    Position { line: screen.end().line.saturating_sub(rows).max(screen.first_line()), offset: 0 }
}

#[cfg(test)]
mod tests;
