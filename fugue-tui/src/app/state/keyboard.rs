//! The keyboard: the prefix, keys that repeat without it, and input that waits for its turn.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use fugue_protocol::{PaneId, SessionId};
use fugue_screen::keys::Key;

use super::deferred_input::DeferredInput;
use crate::keys::bindings::Keys;

/// How long a repeating key needs no prefix after the last one, as in tmux.
const REPEAT: Duration = Duration::from_millis(500);

/// What a key means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyAction {
    /// The overlay takes it.
    Overlay,
    /// It is the prefix: the next key is a command.
    Prefix,
    /// It comes after the prefix, or repeats a key that did.
    Bound,
    /// It is bound without the prefix, to this command line.
    Run(Cow<'static, str>),
    /// It goes to the program in the pane.
    Send,
}

/// Where a person was before going to an agent, and where that led.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgentVisit {
    pub(crate) from: (SessionId, PaneId),
    pub(crate) to: PaneId,
}

/// The least time between two requests that tell the daemon which session is in use.
const TELL_USE: Duration = Duration::from_secs(1);

/// The state of the keyboard.
#[derive(Debug)]
pub(crate) struct KeyboardState {
    /// The prefix was pressed, and the next key is a command.
    pub(crate) prefix: bool,
    /// Until when a repeating key needs no prefix.
    repeat_until: Option<Instant>,
    /// When the input that is being handled was typed.
    pub(crate) typed_at: Instant,
    pub(crate) deferred: DeferredInput,
    /// When the daemon was last told that this client's session is the one in use.
    told_use_at: Option<Instant>,
    /// The last visit to an agent.
    pub(crate) jump: Option<AgentVisit>,
}

impl KeyboardState {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            prefix: false,
            repeat_until: None,
            typed_at: now,
            deferred: DeferredInput::default(),
            told_use_at: None,
            jump: None,
        }
    }

    /// Whether to tell the daemon that this client's session is in use: once a second at most, however often two
    /// people take turns.
    pub(crate) fn may_tell_use(&mut self) -> bool {
        let may = self.told_use_at.is_none_or(|at| self.typed_at >= at + TELL_USE);
        if may {
            self.told_use_at = Some(self.typed_at);
        }
        may
    }

    /// Decides what a key means, and takes the prefix or the repetition that it uses up.
    pub(crate) fn interpret(&mut self, key: Key, keys: &Keys, overlay_open: bool) -> KeyAction {
        if overlay_open && !self.prefix && key != keys.prefix() {
            return KeyAction::Overlay;
        }
        let repeats = self.repeat_until.take().is_some_and(|until| self.typed_at < until);
        if std::mem::take(&mut self.prefix)
            || repeats && keys.find(key).is_some_and(|binding| binding.repeats)
        {
            return KeyAction::Bound;
        }
        if key == keys.prefix() {
            self.prefix = true;
            return KeyAction::Prefix;
        }
        match keys.find_bare(key) {
            Some(binding) => KeyAction::Run(binding.command.clone()),
            None => KeyAction::Send,
        }
    }

    /// Lets the next key do without the prefix for a moment, or not.
    pub(crate) fn set_repeat(&mut self, repeats: bool) {
        self.repeat_until = repeats.then(|| self.typed_at + REPEAT);
    }

    /// When the time for repeating ends. Deferred keys were typed in time, however late they are handled.
    pub(crate) fn repeat_due(&self) -> Option<Instant> {
        self.repeat_until.filter(|_| self.deferred.is_empty())
    }

    pub(crate) fn expire_repeat(&mut self, now: Instant) {
        if self.repeat_due().is_some_and(|until| until <= now) {
            self.repeat_until = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        name.parse().unwrap()
    }

    #[test]
    fn a_key_after_the_prefix_is_a_command_and_the_next_one_is_the_panes() {
        let (keys, mut keyboard) = (Keys::default(), KeyboardState::new(Instant::now()));
        assert_eq!(keyboard.interpret(key("c"), &keys, false), KeyAction::Send);
        assert_eq!(keyboard.interpret(key("C-b"), &keys, false), KeyAction::Prefix);
        assert_eq!(keyboard.interpret(key("c"), &keys, false), KeyAction::Bound);
        assert_eq!(keyboard.interpret(key("c"), &keys, false), KeyAction::Send);
    }

    #[test]
    fn an_overlay_gets_every_key_but_the_prefix_and_what_follows_it() {
        let (keys, mut keyboard) = (Keys::default(), KeyboardState::new(Instant::now()));
        assert_eq!(keyboard.interpret(key("c"), &keys, true), KeyAction::Overlay);
        assert_eq!(keyboard.interpret(key("C-b"), &keys, true), KeyAction::Prefix);
        assert_eq!(keyboard.interpret(key("c"), &keys, true), KeyAction::Bound);
    }

    #[test]
    fn a_repeating_key_needs_no_prefix_for_half_a_second() {
        let (keys, start) = (Keys::default(), Instant::now());
        let after = |wait: Duration, name: &str| {
            let mut keyboard = KeyboardState::new(start);
            keyboard.set_repeat(true);
            keyboard.typed_at = start + wait;
            keyboard.interpret(key(name), &keys, false)
        };
        assert_eq!(after(REPEAT - Duration::from_millis(1), "Up"), KeyAction::Bound);
        assert_eq!(after(REPEAT, "Up"), KeyAction::Send, "too late");
        assert_eq!(after(Duration::ZERO, "c"), KeyAction::Send, "a key that does not repeat");
    }
}
