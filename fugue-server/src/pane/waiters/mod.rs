//! Callers that wait for something in a pane, and when each is answered.

use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::edge_request::WaitRequest;
use fugue_protocol::agents::AgentState;
use fugue_protocol::verbs::Until;
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen, ShellState};
use regex::Regex;

use super::current_state::PaneFacts;
use super::order::WaitSender;
use super::search::pattern;
use super::text_reader::{self, cursor};

/// The most waiters of one pane: more are a loop gone wrong.
const MAX_WAITERS: usize = 1_024;

/// The most characters of a match in a reply.
const MATCH_CHARS: usize = 4_096;

/// The last lines of the text in a reply: enough to see what happened without asking again.
const TAIL_LINES: usize = 20;

/// The most bytes of these lines.
const TAIL_BYTES: usize = 2 << 10;

/// All waiters of a pane.
#[derive(Default)]
pub(super) struct Waiters(Vec<Waiter>);

struct Waiter {
    answer: WaitSender,
    until: Until,
    since: Instant,
    deadline: Instant,
    idle: Duration,
    pattern: Option<Regex>,
    states: Vec<AgentState>,
    /// Whether it waits for a command of the shell that has the key: then marks that the command prints do not count.
    own_command: bool,
    /// Text before this position does not count.
    from: Position,
    /// Text before this position has been searched.
    searched: Position,
}

/// How a wait ended.
struct WaitEnd {
    outcome: WaitOutcome,
    matched: Option<String>,
    exit: Option<ExitStatus>,
    agent: Option<AgentState>,
}

impl Waiters {
    /// Adds a waiter, or refuses it if it waits for something impossible.
    pub(super) fn add(
        &mut self,
        pane: PaneId,
        waiting: &WaitRequest,
        answer: WaitSender,
        screen: &Screen,
        now: Instant,
    ) {
        let pattern = waiting.pattern.as_deref().map(|text| pattern("pattern", text)).transpose();
        let refusal = match &pattern {
            Err(refusal) => Some(refusal.clone()),
            Ok(_) if self.0.len() >= MAX_WAITERS => Some(Refusal::Busy { pane }),
            Ok(_) if waiting.until == Until::CommandDone && is_unmarked(screen) => {
                Some(Refusal::NoMarks { pane })
            }
            Ok(_) => None,
        };
        if let Some(refusal) = refusal {
            return drop(answer.send(Err(refusal)));
        }
        self.0.push(Waiter {
            answer,
            until: waiting.until,
            since: now,
            deadline: now + Duration::from_millis(waiting.timeout_ms),
            idle: Duration::from_millis(waiting.idle_ms),
            pattern: pattern.ok().flatten(),
            states: waiting.states.clone(),
            own_command: screen.runs_own_command(),
            from: begin(waiting, screen),
            searched: begin(waiting, screen),
        });
    }

    /// Returns when the next waiter must be checked though nothing happens.
    pub(super) fn due(&self, last_output: Instant) -> Option<Instant> {
        self.0.iter().map(|waiter| waiter.due(last_output)).min()
    }

    /// Removes waiters whose request was cancelled. Returns whether there were any.
    pub(super) fn poll_cancelled(&mut self, context: &mut Context<'_>) -> bool {
        let before = self.0.len();
        self.0.retain_mut(|waiter| waiter.answer.poll_closed(context).is_pending());
        self.0.len() < before
    }

    /// Checks new text and the time, and answers the waiters whose condition is met.
    pub(super) fn check(&mut self, facts: PaneFacts<'_>) {
        let mut index = 0;
        while index < self.0.len() {
            match self.0[index].end(facts) {
                None => index += 1,
                Some(end) => self.0.remove(index).answer(facts.pane, facts.screen, end, facts.now),
            }
        }
    }

    /// Answers all waiters: the program has ended, or the pane is closed.
    pub(super) fn end(&mut self, pane: PaneId, screen: &Screen, exit: Option<ExitStatus>, now: Instant) {
        let outcome = if exit.is_some() { WaitOutcome::Exited } else { WaitOutcome::Closed };
        for waiter in self.0.drain(..) {
            waiter.answer(pane, screen, WaitEnd { outcome, matched: None, exit, agent: None }, now);
        }
    }
}

impl Waiter {
    fn due(&self, last_output: Instant) -> Instant {
        match self.until {
            Until::Idle => self.deadline.min(last_output.max(self.since) + self.idle),
            Until::Exit | Until::Match | Until::CommandDone | Until::AgentState | Until::Message => {
                self.deadline
            }
        }
    }

    /// Returns how the wait ends, if it ends now.
    fn end(&mut self, facts: PaneFacts<'_>) -> Option<WaitEnd> {
        let PaneFacts { screen, agent, last_output, now, .. } = facts;
        let ended = |outcome| WaitEnd { outcome, matched: None, exit: None, agent: None };
        if let Some(matched) = self.matched(screen) {
            return Some(WaitEnd { matched: Some(matched), ..ended(WaitOutcome::Matched) });
        }
        match self.until {
            Until::Idle if last_output.max(self.since) + self.idle <= now => Some(ended(WaitOutcome::Idle)),
            Until::CommandDone if self.is_done(screen) => {
                let exit = screen.last_command().and_then(|record| record.exit).map(ExitStatus::Code);
                Some(WaitEnd { exit, ..ended(WaitOutcome::CommandDone) })
            }
            Until::AgentState if agent.is_some_and(|agent| self.wants(agent.state)) => {
                Some(WaitEnd { agent: agent.map(|agent| agent.state), ..ended(WaitOutcome::AgentState) })
            }
            _ => (self.deadline <= now).then(|| ended(WaitOutcome::Timeout)),
        }
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
    fn matched(&mut self, screen: &Screen) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        let end = screen.end();
        let text = screen.text_between(self.searched.min(self.from.max(shown(screen))), end);
        let found = text.lines().find_map(|line| pattern.find(line)).map(|found| shortened(found.as_str()));
        if end.line > self.searched.line {
            self.searched = Position { line: end.line, offset: 0 };
        }
        found.or_else(|| screen.on_alternate().then(|| on_rows(pattern, screen)).flatten())
    }

    fn answer(self, pane_id: PaneId, screen: &Screen, end: WaitEnd, now: Instant) {
        let waited = WaitResult {
            pane_id,
            outcome: end.outcome,
            exit: end.exit,
            matched: end.matched,
            agent: end.agent,
            already: self.since == now && end.outcome != WaitOutcome::Timeout,
            elapsed_ms: u64::try_from(now.duration_since(self.since).as_millis()).unwrap_or(u64::MAX),
            cursor: cursor(screen.end()).to_string(),
            tail: tail(screen),
            panes: Vec::new(),
        };
        let _ = self.answer.send(Ok(waited));
    }
}

/// Returns the last lines of the text, or of a full-screen program's screen.
fn tail(screen: &Screen) -> String {
    let text = match screen.on_alternate() {
        true => screen.screen_text(false),
        false => text_reader::last_lines(screen, Position::default(), screen.end(), TAIL_LINES).0,
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

/// Searches the rows of a full-screen program, which has no lines.
fn on_rows(pattern: &Regex, screen: &Screen) -> Option<String> {
    screen.screen_rows().iter().find_map(|row| pattern.find(row)).map(|found| shortened(found.as_str()))
}

fn shortened(text: &str) -> String {
    text.chars().take(MATCH_CHARS).collect()
}

/// Returns where a match may begin: after the cursor, or on the screen.
fn begin(waiting: &WaitRequest, screen: &Screen) -> Position {
    match waiting.since {
        Some(since) => text_reader::position(since),
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
