//! Waiters: who waits for what in a pane, and when each must be answered.

use std::time::{Duration, Instant};

use fugue_core::ask::Waiting;
use fugue_protocol::verbs::Until;
use fugue_protocol::views::{Exit, Outcome, Waited};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::{Position, Screen};
use regex::{Regex, RegexBuilder};

use super::reading::cursor;
use crate::reply::Reply;

/// More waiters than this on one pane are a loop gone wrong.
const MOST: usize = 1_024;

/// A pattern's program may take this much memory: more is a bomb.
const PATTERN: usize = 1 << 20;

/// A match is told so far.
const MATCHED: usize = 4_096;

/// All who wait.
#[derive(Default)]
pub(super) struct Waiters(Vec<Waiter>);

struct Waiter {
    reply: Reply,
    until: Until,
    since: Instant,
    deadline: Instant,
    idle: Duration,
    pattern: Option<Regex>,
    /// Text before this has been looked at.
    seen: Position,
}

impl Waiters {
    /// One more; whoever asks for the impossible is refused.
    pub(super) fn add(
        &mut self,
        pane: PaneId,
        waiting: &Waiting,
        reply: Reply,
        screen: &Screen,
        now: Instant,
    ) {
        self.0.retain(|waiter| !waiter.reply.is_moot());
        if self.0.len() >= MOST {
            return reply.refuse(Refusal::Busy { pane });
        }
        let pattern = match waiting.pattern.as_deref().map(pattern).transpose() {
            Ok(pattern) => pattern,
            Err(refusal) => return reply.refuse(refusal),
        };
        self.0.push(Waiter {
            reply,
            until: waiting.until,
            since: now,
            deadline: now + Duration::from_millis(waiting.timeout_ms),
            idle: Duration::from_millis(waiting.idle_ms),
            pattern,
            seen: begin(waiting, screen),
        });
    }

    /// When the next waiter must be looked at though nothing happens.
    pub(super) fn due(&self, written: Instant) -> Option<Instant> {
        self.0.iter().map(|waiter| waiter.due(written)).min()
    }

    /// Looks at the text that is new and at the clock, and answers whoever has waited enough.
    pub(super) fn look(&mut self, pane: PaneId, screen: &Screen, written: Instant, now: Instant) {
        let mut index = 0;
        while index < self.0.len() {
            match self.0[index].outcome(screen, written, now) {
                None => index += 1,
                Some((outcome, matched)) => {
                    self.0.remove(index).answer(pane, screen, outcome, matched, None, now);
                }
            }
        }
    }

    /// The program has ended: nobody has anything more to wait for.
    pub(super) fn ended(&mut self, pane: PaneId, screen: &Screen, exit: Option<Exit>, now: Instant) {
        let outcome = if exit.is_some() { Outcome::Exited } else { Outcome::Closed };
        for waiter in self.0.drain(..) {
            waiter.answer(pane, screen, outcome, None, exit, now);
        }
    }
}

impl Waiter {
    fn due(&self, written: Instant) -> Instant {
        match self.until {
            Until::Idle => self.deadline.min(written.max(self.since) + self.idle),
            Until::Exit | Until::Match => self.deadline,
        }
    }

    fn outcome(
        &mut self,
        screen: &Screen,
        written: Instant,
        now: Instant,
    ) -> Option<(Outcome, Option<String>)> {
        if let Some(matched) = self.matched(screen) {
            return Some((Outcome::Matched, Some(matched)));
        }
        if self.until == Until::Idle && written.max(self.since) + self.idle <= now {
            return Some((Outcome::Idle, None));
        }
        (self.deadline <= now).then_some((Outcome::Timeout, None))
    }

    /// The first match in the lines not yet looked at. The last line may go on, so it is looked at again.
    fn matched(&mut self, screen: &Screen) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        let end = screen.end();
        let text = screen.text_between(self.seen, end);
        let found = text.lines().find_map(|line| pattern.find(line)).map(|found| shortened(found.as_str()));
        if end.line > self.seen.line {
            self.seen = Position { line: end.line, offset: 0 };
        }
        found.or_else(|| screen.on_alternate().then(|| on_rows(pattern, screen)).flatten())
    }

    fn answer(
        self,
        pane_id: PaneId,
        screen: &Screen,
        outcome: Outcome,
        matched: Option<String>,
        exit: Option<Exit>,
        now: Instant,
    ) {
        let elapsed_ms = u64::try_from(now.duration_since(self.since).as_millis()).unwrap_or(u64::MAX);
        let cursor = cursor(screen.end()).to_string();
        self.reply.done(&Waited { pane_id, outcome, exit, matched, elapsed_ms, cursor });
    }
}

/// A full-screen program has rows, not lines.
fn on_rows(pattern: &Regex, screen: &Screen) -> Option<String> {
    screen.screen_rows().iter().find_map(|row| pattern.find(row)).map(|found| shortened(found.as_str()))
}

fn shortened(text: &str) -> String {
    text.chars().take(MATCHED).collect()
}

fn pattern(text: &str) -> Result<Regex, Refusal> {
    let built = RegexBuilder::new(text).size_limit(PATTERN).build();
    built.map_err(|why| Refusal::InvalidArgument { what: "pattern", why: why.to_string() })
}

/// Where a match may begin: after the cursor, or on what the screen shows.
fn begin(waiting: &Waiting, screen: &Screen) -> Position {
    match waiting.since {
        Some(since) => Position { line: since.line, offset: since.offset },
        None => {
            let rows = u64::from(screen.size().rows);
            Position { line: screen.end().line.saturating_sub(rows).max(screen.first_line()), offset: 0 }
        }
    }
}
