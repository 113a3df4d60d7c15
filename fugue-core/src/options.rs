//! The options that tmux's commands have set. Only `evolve` changes them.

use std::collections::BTreeMap;

use fugue_protocol::refusal::Quota;
use fugue_protocol::views::OptionList;
use fugue_protocol::{Event, OptionScope, Refusal, limits};
use serde::{Deserialize, Serialize};

/// The options that were set, by scope and name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Options(BTreeMap<OptionScope, BTreeMap<String, String>>);

impl Options {
    /// Whether none was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of an option in a scope.
    pub(crate) fn get(&self, scope: OptionScope, name: &str) -> Option<&str> {
        self.0.get(&scope)?.get(name).map(String::as_str)
    }

    /// All of them.
    pub(crate) fn list(&self) -> OptionList {
        OptionList { options: self.0.clone() }
    }

    /// Refuses a value that is too long, or for which there is no room.
    pub(crate) fn check_room(&self, scope: OptionScope, name: &str, value: &str) -> Result<(), Refusal> {
        let before = self.get(scope, name);
        let bytes = |name: &str, value: &str| name.len() + value.len();
        let set = || self.0.values().flatten();
        let others: usize = set().map(|(name, value)| bytes(name, value)).sum::<usize>()
            - before.map_or(0, |before| bytes(name, before));
        let (what, limit) = match bytes(name, value) {
            new if new > limits::OPTION_BYTES => (Quota::OptionBytes, limits::OPTION_BYTES),
            new if others + new > limits::ALL_OPTION_BYTES => {
                (Quota::AllOptionBytes, limits::ALL_OPTION_BYTES)
            }
            _ if before.is_none() && set().count() >= limits::OPTIONS => (Quota::Options, limits::OPTIONS),
            _ => return Ok(()),
        };
        Err(Refusal::TooMany { what, limit })
    }

    /// The events that remove the options that hold for everything.
    pub(crate) fn clear_global(&self) -> Vec<Event> {
        let scope = OptionScope::Global;
        let names = self.0.get(&scope).into_iter().flat_map(BTreeMap::keys).cloned();
        names.map(|name| Event::OptionChanged { scope, name, value: None }).collect()
    }

    pub(crate) fn changed(&mut self, scope: OptionScope, name: &str, value: Option<&str>) {
        let options = self.0.entry(scope).or_default();
        match value {
            Some(value) => drop(options.insert(name.to_owned(), value.to_owned())),
            None => drop(options.remove(name)),
        }
        if options.is_empty() {
            self.0.remove(&scope);
        }
    }

    /// Forgets the options of something that is gone.
    pub(crate) fn ended(&mut self, scope: OptionScope) {
        self.0.remove(&scope);
    }
}
