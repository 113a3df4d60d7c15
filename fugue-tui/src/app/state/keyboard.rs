//! The keyboard: the prefix, keys that repeat without it, and input that waits for its turn.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use fugue_config::KeyTable;
use fugue_protocol::{PaneId, SessionId};
use fugue_screen::keys::Key;

use super::deferred_input::DeferredInput;
use crate::keys::bindings::{Binding, Keys};

/// What a key means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeyAction {
    /// The overlay takes it.
    Overlay,
    /// It is the prefix: the next key is a command.
    Prefix,
    /// It is bound in the table that is selected.
    Run(BoundKey),
    /// It comes after the prefix, but is not bound.
    Unbound,
    /// It is bound neither in the table that was selected nor without the prefix.
    Ignored,
    /// It goes to the program in the pane.
    Send,
}

/// What a key is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundKey {
    pub(crate) table: KeyTable,
    pub(crate) command: Cow<'static, str>,
    pub(crate) repeats: bool,
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
    /// The table in which the next key is looked up: that after the prefix, or one that a command has selected.
    pub(crate) table: KeyTable,
    /// The table of a key that may be repeated, and until when.
    repeat_until: Option<(KeyTable, Instant)>,
    /// When the input that is being handled was typed.
    pub(crate) typed_at: Instant,
    pub(crate) deferred: DeferredInput,
    /// When the daemon was last told that this client's session is the one in use.
    told_use_at: Option<Instant>,
    /// The last visit to an agent.
    pub(crate) jump: Option<AgentVisit>,
}

impl BoundKey {
    fn of(binding: &Binding, table: &KeyTable) -> Self {
        Self { table: table.clone(), command: binding.command.clone(), repeats: binding.repeats }
    }
}

impl KeyboardState {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            table: KeyTable::Root,
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

    /// Decides what a key means. Leaves the key table, and ends the repetition, unless the key goes on with them. As in
    /// tmux, the prefix works in every table but its own, and a key that a table lacks is looked up in the root table.
    pub(crate) fn interpret(&mut self, key: Key, keys: &Keys, overlay_open: bool) -> KeyAction {
        let (is_prefix, is_selected) = (keys.is_prefix(key), self.table != KeyTable::Root);
        if overlay_open && !is_selected && !is_prefix {
            return KeyAction::Overlay;
        }
        let repeated = self.repeat_until.take().filter(|(_, until)| self.typed_at < *until);
        let table = std::mem::take(&mut self.table);
        let bound = |table: &KeyTable| keys.find(table, key).map(|binding| BoundKey::of(binding, table));
        if is_prefix && table != KeyTable::Prefix {
            self.table = KeyTable::Prefix;
            return KeyAction::Prefix;
        }
        if let Some(bound) = bound(&table).filter(|_| is_selected) {
            return KeyAction::Run(bound);
        }
        if let Some(again) = repeated.and_then(|(table, _)| bound(&table)).filter(|again| again.repeats) {
            return KeyAction::Run(again);
        }
        match (bound(&KeyTable::Root).filter(|_| table != KeyTable::Prefix), table) {
            (Some(bound), _) => KeyAction::Run(bound),
            (None, KeyTable::Root) => KeyAction::Send,
            (None, KeyTable::Prefix) => KeyAction::Unbound,
            (None, KeyTable::Own(_)) => KeyAction::Ignored,
        }
    }

    /// Lets the next key be repeated in its table for this time, or not.
    pub(crate) fn set_repeat(&mut self, bound: &BoundKey, time: Duration) {
        let repeats = bound.repeats && !time.is_zero() && bound.table != KeyTable::Root;
        self.repeat_until = repeats.then(|| (bound.table.clone(), self.typed_at + time));
    }

    /// When the time for repeating ends. Deferred keys were typed in time, however late they are handled.
    pub(crate) fn repeat_due(&self) -> Option<Instant> {
        self.repeat_until.as_ref().map(|(_, until)| *until).filter(|_| self.deferred.is_empty())
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

    /// Whether a key runs a command of a table.
    fn is_run(action: &KeyAction, table: &str) -> bool {
        matches!(action, KeyAction::Run(bound) if bound.table.name() == table)
    }

    /// The default keys, with these in a table of the person's own.
    fn keys_with(own: &[(&str, &str, bool)]) -> Keys {
        let mut keys = Keys::default();
        for (table, name, repeats) in own {
            keys.bind(Binding {
                key: key(name),
                table: table.parse().unwrap(),
                command: "clock".into(),
                repeats: *repeats,
                about: "".into(),
            });
        }
        keys
    }

    #[test]
    fn a_key_after_the_prefix_is_a_command_and_the_next_one_is_the_panes() {
        let (keys, mut keyboard) = (Keys::default(), KeyboardState::new(Instant::now()));
        assert_eq!(keyboard.interpret(key("c"), &keys, false), KeyAction::Send);
        assert_eq!(keyboard.interpret(key("C-b"), &keys, false), KeyAction::Prefix);
        assert!(is_run(&keyboard.interpret(key("c"), &keys, false), "prefix"));
        assert_eq!(keyboard.interpret(key("c"), &keys, false), KeyAction::Send);
        keyboard.interpret(key("C-b"), &keys, false);
        assert_eq!(keyboard.interpret(key("M-z"), &keys, false), KeyAction::Unbound);
    }

    #[test]
    fn an_overlay_gets_every_key_but_the_prefix_and_what_follows_it() {
        let (keys, mut keyboard) = (Keys::default(), KeyboardState::new(Instant::now()));
        assert_eq!(keyboard.interpret(key("c"), &keys, true), KeyAction::Overlay);
        assert_eq!(keyboard.interpret(key("C-b"), &keys, true), KeyAction::Prefix);
        assert!(is_run(&keyboard.interpret(key("c"), &keys, true), "prefix"));
    }

    #[test]
    fn a_repeating_key_needs_no_prefix_for_half_a_second() {
        let (keys, start) = (Keys::default(), Instant::now());
        let after = |wait: Duration, name: &str, time: Duration| {
            let mut keyboard = KeyboardState::new(start);
            keyboard.interpret(key("C-b"), &keys, false);
            let KeyAction::Run(up) = keyboard.interpret(key("Up"), &keys, false) else { panic!("bound") };
            keyboard.set_repeat(&up, time);
            keyboard.typed_at = start + wait;
            keyboard.interpret(key(name), &keys, false)
        };
        let just_before = keys.repeat - Duration::from_millis(1);
        assert!(is_run(&after(just_before, "Up", keys.repeat), "prefix"));
        assert_eq!(after(keys.repeat, "Up", keys.repeat), KeyAction::Send, "too late");
        assert_eq!(after(Duration::ZERO, "c", keys.repeat), KeyAction::Send, "a key that does not repeat");
        assert_eq!(after(Duration::ZERO, "Up", Duration::ZERO), KeyAction::Send, "no key repeats");
    }

    #[test]
    fn a_table_is_for_one_key_and_what_it_lacks_is_looked_up_without_the_prefix() {
        let keys = keys_with(&[("mine", "x", false), ("mine", "r", true), ("root", "M-z", false)]);
        let in_mine = |name: &str| {
            let mut keyboard = KeyboardState::new(Instant::now());
            keyboard.table = "mine".parse().unwrap();
            let action = keyboard.interpret(key(name), &keys, true);
            (action, keyboard)
        };
        let (action, mut keyboard) = in_mine("x");
        assert!(is_run(&action, "mine"), "also while an overlay is open");
        assert_eq!(keyboard.interpret(key("x"), &keys, false), KeyAction::Send);
        assert!(is_run(&in_mine("M-z").0, "root"));
        assert_eq!(in_mine("y").0, KeyAction::Ignored, "it is not typed");
        assert_eq!(in_mine("C-b").0, KeyAction::Prefix);
        let (KeyAction::Run(bound), mut keyboard) = in_mine("r") else { panic!("bound") };
        keyboard.set_repeat(&bound, keys.repeat);
        assert!(is_run(&keyboard.interpret(key("r"), &keys, false), "mine"), "it repeats in its table");
    }

    #[test]
    fn both_prefixes_lead_to_the_same_keys() {
        let (mut keys, mut keyboard) = (Keys::default(), KeyboardState::new(Instant::now()));
        keys.prefix2 = Some(key("C-a"));
        for prefix in ["C-a", "C-b"] {
            assert_eq!(keyboard.interpret(key(prefix), &keys, false), KeyAction::Prefix);
            assert!(is_run(&keyboard.interpret(key("c"), &keys, false), "prefix"));
        }
    }
}
