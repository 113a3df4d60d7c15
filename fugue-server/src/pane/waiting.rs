//! Waiters: who waits for what in a pane, and when each must be answered.

use std::task::Context;
use std::time::{Duration, Instant};

use fugue_core::agents::AgentSummary;
use fugue_core::edge_request::WaitRequest;
use fugue_protocol::agents::AgentState;
use fugue_protocol::verbs::Until;
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen, ShellState};
use regex::Regex;
use tokio::sync::oneshot;

use super::reading::{self, cursor};
use super::searching::pattern;

/// More waiters than this on one pane are a loop gone wrong.
const MOST: usize = 1_024;

/// A match is told so far.
const MATCHED: usize = 4_096;

/// Of the text so many last lines are told: enough to see what happened without asking again.
const TAIL: usize = 20;

/// And no more of them than this.
const TAIL_BYTES: usize = 2 << 10;

/// Where an answer goes.
pub(crate) type Answer = oneshot::Sender<Result<WaitResult, Refusal>>;

/// All who wait.
#[derive(Default)]
pub(super) struct Waiters(Vec<Waiter>);

struct Waiter {
    answer: Answer,
    until: Until,
    since: Instant,
    deadline: Instant,
    idle: Duration,
    pattern: Option<Regex>,
    states: Vec<AgentState>,
    /// It is for the end of a command of the shell that has the key: what that command marks does not end it.
    own: bool,
    /// Text before this does not count.
    from: Position,
    /// Text before this has been looked at, and has left the screen or was there to be seen.
    seen: Position,
}

/// How a wait ended.
struct Ended {
    outcome: WaitOutcome,
    matched: Option<String>,
    exit: Option<ExitStatus>,
    agent: Option<AgentState>,
}

/// What is to be seen in a pane now.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) pane: PaneId,
    pub(super) screen: &'a Screen,
    pub(super) mood: Option<AgentSummary>,
    /// A person has the keyboard, for so many milliseconds.
    pub(super) held: Option<u64>,
    pub(super) written: Instant,
    pub(super) now: Instant,
}

impl Waiters {
    /// One more; whoever asks for the impossible is refused.
    pub(super) fn add(
        &mut self,
        pane: PaneId,
        waiting: &WaitRequest,
        answer: Answer,
        screen: &Screen,
        now: Instant,
    ) {
        let pattern = waiting.pattern.as_deref().map(|text| pattern("pattern", text)).transpose();
        let refusal = match &pattern {
            Err(refusal) => Some(refusal.clone()),
            Ok(_) if self.0.len() >= MOST => Some(Refusal::Busy { pane }),
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
            own: screen.runs_own_command(),
            from: begin(waiting, screen),
            seen: begin(waiting, screen),
        });
    }

    /// When the next waiter must be looked at though nothing happens.
    pub(super) fn due(&self, written: Instant) -> Option<Instant> {
        self.0.iter().map(|waiter| waiter.due(written)).min()
    }

    /// Lets go of those for whom nobody waits any more; whether there were any.
    pub(super) fn poll_withdrawn(&mut self, context: &mut Context<'_>) -> bool {
        let before = self.0.len();
        self.0.retain_mut(|waiter| waiter.answer.poll_closed(context).is_pending());
        self.0.len() < before
    }

    /// Looks at the text that is new and at the clock, and answers whoever has waited enough.
    pub(super) fn look(&mut self, sight: Sight<'_>) {
        let mut index = 0;
        while index < self.0.len() {
            match self.0[index].ended(sight) {
                None => index += 1,
                Some(ended) => self.0.remove(index).tell(sight.pane, sight.screen, ended, sight.now),
            }
        }
    }

    /// The program has ended: nobody has anything more to wait for.
    pub(super) fn ended(&mut self, pane: PaneId, screen: &Screen, exit: Option<ExitStatus>, now: Instant) {
        let outcome = if exit.is_some() { WaitOutcome::Exited } else { WaitOutcome::Closed };
        for waiter in self.0.drain(..) {
            waiter.tell(pane, screen, Ended { outcome, matched: None, exit, agent: None }, now);
        }
    }
}

impl Waiter {
    fn due(&self, written: Instant) -> Instant {
        match self.until {
            Until::Idle => self.deadline.min(written.max(self.since) + self.idle),
            Until::Exit | Until::Match | Until::CommandDone | Until::AgentState | Until::Message => {
                self.deadline
            }
        }
    }

    fn ended(&mut self, sight: Sight<'_>) -> Option<Ended> {
        let Sight { screen, mood, written, now, .. } = sight;
        let ended = |outcome| Ended { outcome, matched: None, exit: None, agent: None };
        if let Some(matched) = self.matched(screen) {
            return Some(Ended { matched: Some(matched), ..ended(WaitOutcome::Matched) });
        }
        match self.until {
            Until::Idle if written.max(self.since) + self.idle <= now => Some(ended(WaitOutcome::Idle)),
            Until::CommandDone if self.is_done(screen) => {
                let exit = screen.last_command().and_then(|record| record.exit).map(ExitStatus::Code);
                Some(Ended { exit, ..ended(WaitOutcome::CommandDone) })
            }
            Until::AgentState if mood.is_some_and(|mood| self.wants(mood.state)) => {
                Some(Ended { agent: mood.map(|mood| mood.state), ..ended(WaitOutcome::AgentState) })
            }
            _ => (self.deadline <= now).then(|| ended(WaitOutcome::Timeout)),
        }
    }

    fn is_done(&self, screen: &Screen) -> bool {
        if self.own { !screen.own_command_runs() } else { screen.shell_state() != ShellState::Running }
    }

    fn wants(&self, state: AgentState) -> bool {
        match self.states.is_empty() {
            true => state.is_at_rest() || state.needs_somebody(),
            false => self.states.contains(&state),
        }
    }

    /// The first match in the lines not yet looked at, and in those on the screen: any of them may be drawn anew.
    fn matched(&mut self, screen: &Screen) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        let end = screen.end();
        let text = screen.text_between(self.seen.min(self.from.max(shown(screen))), end);
        let found = text.lines().find_map(|line| pattern.find(line)).map(|found| shortened(found.as_str()));
        if end.line > self.seen.line {
            self.seen = Position { line: end.line, offset: 0 };
        }
        found.or_else(|| screen.on_alternate().then(|| on_rows(pattern, screen)).flatten())
    }

    fn tell(self, pane_id: PaneId, screen: &Screen, ended: Ended, now: Instant) {
        let waited = WaitResult {
            pane_id,
            outcome: ended.outcome,
            exit: ended.exit,
            matched: ended.matched,
            agent: ended.agent,
            already: self.since == now && ended.outcome != WaitOutcome::Timeout,
            elapsed_ms: u64::try_from(now.duration_since(self.since).as_millis()).unwrap_or(u64::MAX),
            cursor: cursor(screen.end()).to_string(),
            tail: tail(screen),
            panes: Vec::new(),
        };
        let _ = self.answer.send(Ok(waited));
    }
}

/// The last lines of what is to be read there.
fn tail(screen: &Screen) -> String {
    let text = match screen.on_alternate() {
        true => screen.screen_text(false),
        false => reading::last_lines(screen, Position::default(), screen.end(), TAIL).0,
    };
    let text = text.trim_end();
    let lines = text.lines().count().saturating_sub(TAIL);
    let text = text.lines().skip(lines).collect::<Vec<_>>().join("\n");
    text[text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES))..].to_owned()
}

/// Whether nothing is known of any command here.
fn is_unmarked(screen: &Screen) -> bool {
    screen.shell_state() == ShellState::Unmarked && screen.last_command().is_none()
}

/// A full-screen program has rows, not lines.
fn on_rows(pattern: &Regex, screen: &Screen) -> Option<String> {
    screen.screen_rows().iter().find_map(|row| pattern.find(row)).map(|found| shortened(found.as_str()))
}

fn shortened(text: &str) -> String {
    text.chars().take(MATCHED).collect()
}

/// Where a match may begin: after the cursor, or on what the screen shows.
fn begin(waiting: &WaitRequest, screen: &Screen) -> Position {
    match waiting.since {
        Some(since) => reading::position(since),
        None => shown(screen),
    }
}

/// Where what the screen shows begins, or a little before.
fn shown(screen: &Screen) -> Position {
    let rows = u64::from(screen.size().rows);
    Position { line: screen.end().line.saturating_sub(rows).max(screen.first_line()), offset: 0 }
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;

    /// Someone waits for `done`, after a cursor or in what is shown; this is written; what is the outcome?
    fn told(before: &str, since: bool, written: &[&str]) -> Option<WaitOutcome> {
        outcome(Until::Match, before, since, written)
    }

    fn outcome(until: Until, before: &str, since: bool, written: &[&str]) -> Option<WaitOutcome> {
        let pane = PaneId::from_bytes([0; 16]);
        let mut screen = Screen::new(Size { cols: 20, rows: 5 }, Limits::default());
        screen.trust_marks("key");
        screen.feed(before.as_bytes());
        let since = since.then(|| cursor(screen.end()));
        let pattern = (until == Until::Match).then(|| "done".to_owned());
        let waiting =
            WaitRequest { until, pattern, since, idle_ms: 0, states: Vec::new(), timeout_ms: 60_000 };
        let (mut waiters, (answer, mut told), now) = (Waiters::default(), oneshot::channel(), Instant::now());
        waiters.add(pane, &waiting, answer, &screen, now);
        for text in [""].iter().chain(written) {
            screen.feed(text.as_bytes());
            waiters.look(Sight { pane, screen: &screen, mood: None, held: None, written: now, now });
        }
        match told.try_recv() {
            Ok(answer) => answer.ok().map(|waited| waited.outcome),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    #[test]
    fn text_that_is_drawn_anew_above_the_last_line_is_seen() {
        let rows = "one: busy\r\ntwo: busy\r\nall: busy\r\n";
        assert_eq!(told("", false, &[rows]), None);
        assert_eq!(
            told("", false, &[rows, "\x1b[2Aone", "\x1b[G\x1b[2Ktwo: done"]),
            Some(WaitOutcome::Matched)
        );
        assert_eq!(
            told("$ run\r\n", true, &[rows, "\x1b[3A\x1b[2Kone: done\x1b[3B"]),
            Some(WaitOutcome::Matched)
        );
    }

    #[test]
    fn a_command_of_our_shell_is_done_when_that_shell_says_so() {
        let done = |before: &str, written: &[&str]| outcome(Until::CommandDone, before, false, written);
        let mark = |text: &str| format!("\x1b]133;{text}\x07");
        let ours = format!("{}$ {}{}", mark("A;k=key.1"), mark("B;k=key"), mark("C;k=key.2"));
        // A recording of a shell that the command shows.
        let foreign = format!("{}{}$ {}", mark("D;0"), mark("A"), mark("B"));
        let whole = format!("{}{}", mark("C"), mark("D;0"));
        assert_eq!(done(&ours, &[&foreign, &whole, &foreign]), None);
        assert_eq!(done(&ours, &[&foreign, &mark("D;3;k=key.3")]), Some(WaitOutcome::CommandDone));
        // A shell that marks in its own way is believed, in a command of ours too.
        let theirs = format!("{}$ {}{}", mark("A"), mark("B"), mark("C"));
        for before in [theirs.clone(), format!("{ours}{theirs}")] {
            assert_eq!(done(&before, &[]), None);
            assert_eq!(done(&before, &[&mark("D;0")]), Some(WaitOutcome::CommandDone));
        }
    }

    #[test]
    fn what_stood_there_before_the_cursor_does_not_count() {
        assert_eq!(told("done\r\n", false, &[]), Some(WaitOutcome::Matched));
        assert_eq!(told("done\r\n", true, &["more\r\n", "and more\r\n"]), None);
        let much = "line\r\n".repeat(50);
        assert_eq!(told("done\r\n", true, &[&much, "the work is done\r\n"]), Some(WaitOutcome::Matched));
    }
}
