//! Input that waits: what is typed after a command that leads elsewhere is handled when the client is there, so that
//! `C-b c ls Enter` types `ls` into the new window, however fast it comes. Input that comes while the daemon is away
//! waits here, too.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use fugue_screen::keys::Key;

use crate::tty::input_decoder::TerminalInput;

/// Bytes that may wait: a paste of ten megabytes, and more keys than anybody types while a daemon is replaced.
const MAX_BYTES: usize = 16 << 20;

/// Input that has waited longer than this is mentioned on the status line.
const SLOW: Duration = Duration::from_secs(3);

/// Input that waits, in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct DeferredInput {
    queue: VecDeque<(Instant, TerminalInput)>,
    bytes: usize,
    /// There was more than fits.
    overflowed: bool,
    /// Since when something waits.
    since: Option<Instant>,
    /// The request whose reply shows where a command led.
    awaited_tree: Option<u64>,
    /// Whether the person was informed that it takes long.
    slow: bool,
}

/// The bytes that one input takes.
fn weight(input: &TerminalInput) -> usize {
    let text = match input {
        TerminalInput::Paste(bytes) => bytes.len(),
        TerminalInput::Line(line) => line.text.len(),
        _ => 0,
    };
    size_of::<(Instant, TerminalInput)>() + text
}

impl DeferredInput {
    /// Adds an input at the end. After the first that finds no room all others are dropped, too: losing the end is
    /// better than losing something from the middle.
    pub(crate) fn push(&mut self, at: Instant, input: TerminalInput) {
        self.since.get_or_insert(at);
        self.overflowed |= self.bytes + weight(&input) > MAX_BYTES;
        if !self.overflowed {
            self.bytes += weight(&input);
            self.queue.push_back((at, input));
        }
    }

    /// Adds an input before all others.
    pub(crate) fn push_first(&mut self, at: Instant, input: TerminalInput) {
        self.since.get_or_insert(at);
        self.bytes += weight(&input);
        self.queue.push_front((at, input));
    }

    pub(crate) fn pop(&mut self) -> Option<(Instant, TerminalInput)> {
        let next = self.queue.pop_front()?;
        self.bytes -= weight(&next.1);
        Some(next)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether the last input that waits is this key; `otherwise` when none waits.
    pub(crate) fn ends_with(&self, key: Key, otherwise: bool) -> bool {
        self.queue.back().map_or(otherwise, |(_, last)| last.key() == Some(key))
    }

    /// Discards everything, and returns the number of keys and pasted bytes that were.
    pub(crate) fn discard(&mut self) -> usize {
        let Self { queue, .. } = std::mem::take(self);
        let count = |input: &TerminalInput| match input {
            TerminalInput::Paste(bytes) => bytes.len(),
            _ => 1,
        };
        queue.iter().map(|(_, input)| count(input)).sum()
    }

    /// Ends a wait in which everything was handled. Returns whether something was lost, or `None` if there was no wait.
    pub(crate) fn finish(&mut self) -> Option<bool> {
        self.since.filter(|_| self.queue.is_empty())?;
        let overflowed = self.overflowed;
        *self = Self::default();
        Some(overflowed)
    }

    /// Waits for the reply to this request, too; for none when the daemon that owed it is gone.
    pub(crate) fn await_tree(&mut self, request: Option<u64>) {
        self.awaited_tree = request;
    }

    pub(crate) fn awaited_tree(&self) -> Option<u64> {
        self.awaited_tree
    }

    /// Whether it has waited for long.
    pub(crate) fn is_overdue(&self, now: Instant) -> bool {
        self.since.is_some_and(|since| since + SLOW <= now)
    }

    /// When the person must be informed that it takes long.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.since.filter(|_| !self.slow).map(|since| since + SLOW)
    }

    /// Whether the person was informed that it takes long.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow
    }

    /// Brings [`Self::is_slow`] up to date, and returns whether it changed.
    pub(crate) fn update_slow(&mut self, now: Instant) -> bool {
        let slow = self.is_overdue(now);
        std::mem::replace(&mut self.slow, slow) != slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paste(bytes: usize) -> TerminalInput {
        TerminalInput::Paste(vec![b'a'; bytes - weight(&TerminalInput::Focus(true))])
    }

    #[test]
    fn deferred_input_that_exceeds_the_limit_leaves_no_gap() {
        let now = Instant::now();
        let mut deferred = DeferredInput::default();
        deferred.push(now, paste(MAX_BYTES));
        assert!(!deferred.overflowed, "exactly as much as fits");
        deferred.push(now, TerminalInput::Focus(true));
        assert!(deferred.overflowed && deferred.pop().is_some());
        deferred.push(now, TerminalInput::Focus(false));
        assert_eq!(
            (deferred.pop(), deferred.bytes),
            (None, 0),
            "there is room, but the input before it is lost"
        );
        assert_eq!(deferred.finish(), Some(true));
        assert_eq!(deferred.finish(), None, "nothing waits any more");
    }

    #[test]
    fn a_long_wait_is_mentioned_once() {
        let now = Instant::now();
        let mut deferred = DeferredInput::default();
        deferred.push(now, TerminalInput::Focus(true));
        assert_eq!(deferred.due(), Some(now + SLOW));
        assert!(!deferred.update_slow(now) && deferred.update_slow(now + SLOW));
        assert!(deferred.is_slow() && deferred.due().is_none() && !deferred.update_slow(now + SLOW));
        assert_eq!(deferred.discard(), 1);
        assert!(!deferred.is_slow());
    }
}
