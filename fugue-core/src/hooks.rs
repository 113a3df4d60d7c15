//! The hooks that tmux's `set-hook` has set. Only `evolve` changes them; the daemon's I/O side runs their lines.

use std::collections::BTreeMap;

use fugue_protocol::events::HookLine;
use fugue_protocol::refusal::Quota;
use fugue_protocol::views::HookList;
use fugue_protocol::{Event, OptionScope, Refusal, limits};
use serde::{Deserialize, Serialize};

/// The lines of an event by their indexes.
type Lines = BTreeMap<u32, HookLine>;

/// The lines of hooks, by what they were set for and by event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hooks(BTreeMap<OptionScope, BTreeMap<String, Lines>>);

impl Hooks {
    /// Whether none was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The lines of an event for the first of these scopes that has any: those of a pane take the place of its session's.
    pub fn lines(&self, event: &str, scopes: &[OptionScope]) -> impl Iterator<Item = &HookLine> {
        let found = scopes.iter().find_map(|scope| self.0.get(scope)?.get(event));
        found.into_iter().flat_map(BTreeMap::values)
    }

    /// All of them.
    pub(crate) fn list(&self) -> HookList {
        let texts = |lines: &Lines| lines.iter().map(|(index, line)| (*index, line.text.clone())).collect();
        let of_scope = |events: &BTreeMap<String, Lines>| {
            events.iter().map(|(event, lines)| (event.clone(), texts(lines))).collect()
        };
        HookList { hooks: self.0.iter().map(|(scope, events)| (*scope, of_scope(events))).collect() }
    }

    /// The indexes of the lines of an event in a scope.
    pub(crate) fn indexes(&self, scope: OptionScope, event: &str) -> Vec<u32> {
        let lines = self.0.get(&scope).and_then(|events| events.get(event));
        lines.into_iter().flat_map(BTreeMap::keys).copied().collect()
    }

    /// Refuses a line that is too long, or for which there is no room.
    pub(crate) fn check_room(&self, event: &str, line: &str, adds: bool) -> Result<(), Refusal> {
        let count = || self.0.values().flat_map(BTreeMap::values).map(BTreeMap::len).sum::<usize>();
        match event.len() + line.len() {
            bytes if bytes > limits::HOOK_BYTES => {
                Err(Refusal::TooMany { what: Quota::HookBytes, limit: limits::HOOK_BYTES })
            }
            _ if adds && count() >= limits::HOOK_LINES => {
                Err(Refusal::TooMany { what: Quota::HookLines, limit: limits::HOOK_LINES })
            }
            _ => Ok(()),
        }
    }

    /// The events that remove the hooks that were set for everything.
    pub(crate) fn clear_global(&self) -> Vec<Event> {
        let scope = OptionScope::Global;
        let events = self.0.get(&scope).into_iter().flatten();
        let lines = events.flat_map(|(event, lines)| lines.keys().map(move |index| (event, *index)));
        let removed = |(event, index): (&String, u32)| Event::HookChanged {
            scope,
            hook: event.clone(),
            index,
            line: None,
        };
        lines.map(removed).collect()
    }

    pub(crate) fn changed(&mut self, scope: OptionScope, event: &str, index: u32, line: Option<&HookLine>) {
        let events = self.0.entry(scope).or_default();
        let lines = events.entry(event.to_owned()).or_default();
        match line {
            Some(line) => drop(lines.insert(index, line.clone())),
            None => drop(lines.remove(&index)),
        }
        if lines.is_empty() {
            events.remove(event);
        }
        if events.is_empty() {
            self.0.remove(&scope);
        }
    }

    /// Forgets the hooks of something that is gone.
    pub(crate) fn ended(&mut self, scope: OptionScope) {
        self.0.remove(&scope);
    }
}
