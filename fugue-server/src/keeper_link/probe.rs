//! Whether the keeper still handles requests. It is asked whenever something depends on it: after an order, when a program
//! has exited, and when someone asks for the status. Between these, nobody is woken.
//!
//! Time is counted in ticks rather than read from a clock: if the daemon itself was stopped, one tick passed, and the answer
//! of the keeper is read before the next one.

use std::time::Duration;

use tokio::time::Instant;

/// The length of a tick.
const TICK: Duration = Duration::from_millis(500);

/// The ticks after which a keeper that a signal has stopped is replaced: nothing is known to continue it.
const STOPPED: u32 = 2;

/// The ticks after which a keeper that does nothing is replaced: it answers within a millisecond.
const SILENT: u32 = 5;

/// The ticks after which one that is computing, or waiting for a processor, is replaced.
const BUSY: u32 = 10;

/// The least time between two questions that are asked only because a snapshot was sent.
const QUIET: Duration = Duration::from_secs(1);

/// Why a keeper is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresponsive {
    Stopped,
    Silent,
}

/// The question whether the keeper handles requests.
#[derive(Default)]
pub(super) struct KeeperProbe {
    /// When the next tick is; none while no answer is expected.
    next: Option<Instant>,
    ticks: u32,
    /// Whether something was asked since the question was sent.
    is_asked_again: bool,
    answered: Option<Instant>,
}

impl KeeperProbe {
    /// Begins to wait for an answer. Returns whether the question is to be sent: not while an answer is expected.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.is_asked_again = self.next.is_some();
        if !self.is_asked_again {
            (self.next, self.ticks) = (Some(now + TICK), 0);
        }
        !self.is_asked_again
    }

    /// Whether the last answer is so old that it is worth asking again.
    pub(super) fn is_old(&self, now: Instant) -> bool {
        self.answered.is_none_or(|answered| now - answered >= QUIET)
    }

    /// Takes note that the keeper sent something: it is not hung, but may not have come to the question.
    pub(super) fn heard(&mut self) {
        self.ticks = 0;
    }

    /// Takes the answer. Returns whether the question is to be sent again.
    pub(super) fn answered(&mut self, now: Instant) -> bool {
        (self.next, self.ticks, self.answered) = (None, 0, Some(now));
        std::mem::take(&mut self.is_asked_again)
    }

    /// Expects no answer any more.
    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }

    /// When the next tick is.
    pub(super) fn due(&self) -> Option<Instant> {
        self.next
    }

    /// Counts a tick. Returns why the keeper, whose process is in this state, is to be replaced.
    pub(super) fn tick(&mut self, state: Option<char>, now: Instant) -> Option<Unresponsive> {
        self.next = Some(now + TICK);
        self.ticks += 1;
        match state {
            Some('T' | 't') if self.ticks >= STOPPED => Some(Unresponsive::Stopped),
            Some('R') if self.ticks < BUSY => None,
            _ if self.ticks >= SILENT => Some(Unresponsive::Silent),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of ticks after which a keeper in this state is replaced, and why.
    fn replaced(state: Option<char>) -> (usize, Unresponsive) {
        let (mut probe, now) = (KeeperProbe::default(), Instant::now());
        assert!(probe.ask(now));
        let tick = |number: u32| probe.tick(state, now + TICK * number);
        let ticks: Vec<_> = (1..=20).map(tick).take_while(Option::is_none).collect();
        (ticks.len() + 1, probe.tick(state, now).expect("it is still unresponsive"))
    }

    #[test]
    fn a_keeper_that_does_not_answer_is_replaced_before_three_seconds_and_a_busy_one_later() {
        assert_eq!(replaced(Some('T')), (2, Unresponsive::Stopped));
        assert_eq!(replaced(Some('S')), (5, Unresponsive::Silent));
        assert_eq!(replaced(Some('D')), (5, Unresponsive::Silent));
        assert_eq!(replaced(None), (5, Unresponsive::Silent));
        assert_eq!(replaced(Some('R')), (10, Unresponsive::Silent));
        assert!(TICK * SILENT < Duration::from_secs(3));
    }

    #[test]
    fn a_keeper_that_works_off_many_requests_is_not_replaced() {
        let (mut probe, now) = (KeeperProbe::default(), Instant::now());
        probe.ask(now);
        for _ in 0..3 * SILENT {
            probe.heard();
            assert_eq!(probe.tick(Some('S'), now), None);
        }
    }

    #[test]
    fn what_was_asked_after_the_question_is_asked_again() {
        let (mut probe, now) = (KeeperProbe::default(), Instant::now());
        assert!(probe.ask(now));
        assert!(!probe.ask(now), "one question at a time");
        assert!(probe.answered(now));
        assert!(probe.ask(now));
        assert!(!probe.answered(now));
        assert_eq!(probe.due(), None);
        assert!(!probe.is_old(now) && probe.is_old(now + QUIET));
    }
}
