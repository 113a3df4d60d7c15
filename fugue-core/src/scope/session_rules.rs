//! The user's rules for sessions by their names: which scope their agents have, and how their programs are confined.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::{ConfinementName, Scope, SessionName};

/// Values by session name; `worker-*` matches every name with that prefix, `*` every other session.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ByName<T>(BTreeMap<String, T>);

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> ByName<T> {
    /// The value for a session: by its exact name, else by the longest prefix.
    fn of(&self, session: &str) -> Option<&T> {
        let begins = |pattern: &&String| {
            pattern.strip_suffix('*').is_some_and(|beginning| session.starts_with(beginning))
        };
        let longest = || self.0.keys().filter(begins).max_by_key(|pattern| pattern.len());
        self.0.get(session).or_else(|| self.0.get(longest()?))
    }
}

/// The scopes of sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(ByName<Scope>);

impl Scopes {
    /// Creates scopes from session names and prefixes followed by `*`.
    pub fn new(scopes: impl IntoIterator<Item = (String, Scope)>) -> Self {
        Self(ByName(scopes.into_iter().collect()))
    }

    /// The scope of a session: by its exact name, else by the longest prefix, else the default.
    pub(super) fn of(&self, session: &str) -> Scope {
        self.0.of(session).copied().unwrap_or_default()
    }

    /// Whether the user has set a scope for one of these sessions.
    pub(super) fn are_set_for(&self, sessions: &BTreeSet<SessionName>) -> bool {
        sessions.iter().any(|session| self.0.of(session.as_str()).is_some())
    }

    /// The strictest scope of several sessions.
    pub(super) fn strictest_of(&self, sessions: &BTreeSet<SessionName>) -> Scope {
        sessions.iter().map(|session| self.of(session.as_str())).min().unwrap_or_else(|| self.strictest())
    }

    /// The strictest scope that any rule gives, for a caller whose session is no longer known.
    pub(super) fn strictest(&self) -> Scope {
        self.0.0.values().copied().min().unwrap_or_default()
    }
}

/// The profiles of confinement by session; none for sessions that are not confined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfinementRules(ByName<Option<ConfinementName>>);

impl ConfinementRules {
    /// Creates rules from session names and prefixes followed by `*`.
    pub fn new(rules: impl IntoIterator<Item = (String, Option<ConfinementName>)>) -> Self {
        Self(ByName(rules.into_iter().collect()))
    }

    /// The profiles of what several names govern: all of them apply.
    pub(super) fn all_of<'a>(
        &'a self,
        sessions: impl Iterator<Item = &'a SessionName>,
    ) -> BTreeSet<ConfinementName> {
        sessions.filter_map(|session| self.0.of(session.as_str())?.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_matching_prefix_wins_and_an_exact_name_beats_it() {
        let scopes = [("*", Scope::Descendants), ("worker-*", Scope::Observe), ("worker-chief", Scope::All)];
        let scopes = Scopes::new(scopes.map(|(name, scope)| (name.to_owned(), scope)));
        assert_eq!(scopes.of("worker-1"), Scope::Observe);
        assert_eq!(scopes.of("worker-chief"), Scope::All);
        assert_eq!(scopes.of("main"), Scope::Descendants);
        assert_eq!(Scopes::default().of("main"), Scope::All);
    }

    #[test]
    fn the_strictest_of_several_names_holds_and_no_name_means_the_strictest_rule() {
        let scopes = [("worker-*", Scope::Observe), ("lead", Scope::Descendants)];
        let scopes = Scopes::new(scopes.map(|(name, scope)| (name.to_owned(), scope)));
        let names = |names: &[&str]| names.iter().map(|name| name.parse().expect("a name")).collect();
        assert_eq!(scopes.strictest_of(&names(&["free", "lead"])), Scope::Descendants);
        assert_eq!(scopes.strictest_of(&names(&["free", "lead", "worker-1"])), Scope::Observe);
        assert_eq!(scopes.strictest_of(&names(&[])), Scope::Observe);
        assert_eq!(Scopes::default().strictest_of(&names(&[])), Scope::All);
    }
}
