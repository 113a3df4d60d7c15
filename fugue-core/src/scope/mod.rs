//! Scopes: what agents may change outside their own session. The user sets them; every change beyond the caller's own
//! session, and every refusal, is audited.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agents::{AgentState, WaitsFor};
use fugue_protocol::verbs::{Nature, Reach, Verb};
use fugue_protocol::{PaneId, Refusal, Scope, SessionId, SessionName};

use crate::decision::Decision;
use crate::request_context::{Caller, RequestContext};
use crate::world::{Pane, World};

mod audit_entry;
mod authority;
mod standing;
mod touched;
mod waiting_agents;

pub use audit_entry::AuditEntry;
pub(crate) use authority::{kept, stamp};
pub(crate) use standing::{Standing, shows_secrets};

/// Scopes by session name; `worker-*` matches every name with that prefix, `*` every other session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes(BTreeMap<String, Scope>);

impl Scopes {
    /// Creates scopes from session names and prefixes followed by `*`.
    pub fn new(scopes: impl IntoIterator<Item = (String, Scope)>) -> Self {
        Self(scopes.into_iter().collect())
    }

    /// The scope of a session: by its exact name, else by the longest prefix, else the default.
    fn of(&self, session: &str) -> Scope {
        let begins = |pattern: &&String| {
            pattern.strip_suffix('*').is_some_and(|beginning| session.starts_with(beginning))
        };
        let longest = || self.0.keys().filter(begins).max_by_key(|pattern| pattern.len());
        let found = self.0.get(session).or_else(|| self.0.get(longest()?));
        found.copied().unwrap_or_default()
    }

    /// Whether the user has set a scope for one of these sessions.
    fn are_set_for(&self, sessions: &BTreeSet<SessionName>) -> bool {
        let matches = |pattern: &String, session: &SessionName| {
            let beginning = pattern.strip_suffix('*');
            pattern == session.as_str()
                || beginning.is_some_and(|beginning| session.as_str().starts_with(beginning))
        };
        sessions.iter().any(|session| self.0.keys().any(|pattern| matches(pattern, session)))
    }

    /// The strictest scope of several sessions.
    fn of_all(&self, sessions: &BTreeSet<SessionName>) -> Scope {
        sessions.iter().map(|session| self.of(session.as_str())).min().unwrap_or_else(|| self.strictest())
    }

    /// The strictest scope that any rule gives, for a caller whose session is no longer known.
    fn strictest(&self) -> Scope {
        self.0.values().copied().min().unwrap_or_default()
    }
}

/// The outcome of a check: the refusal, if any, and the line for the audit log, if any.
pub(crate) type Checked = (Result<(), Refusal>, Option<AuditEntry>);

/// Checks a decision against the caller's scope.
pub(crate) fn check<R>(
    scopes: &Scopes,
    world: &World,
    context: &RequestContext,
    verb: &Verb,
    decision: &Decision<R>,
) -> Checked {
    let new = |session: &SessionId| {
        decision.children.iter().find(|child| child.session == *session).map(|child| &child.session_name)
    };
    let name = |session: &SessionId| {
        let known = world.sessions.get(session).map(|session| &session.name);
        known.or_else(|| new(session)).map(ToString::to_string).unwrap_or_default()
    };
    let standing = Standing::of(scopes, world, context.caller);
    let (outcome, touched) = match (&standing, verb.reach()) {
        (Standing::Person, _) => (Ok(()), Vec::new()),
        (Standing::Least(why), reach) => match (verb.nature(), reach) {
            (Nature::Reads, Reach::Sessions) => (Ok(()), Vec::new()),
            _ => (Err(why.refusal()), Vec::new()),
        },
        (Standing::Agent { .. }, Reach::Shared) => (Ok(()), Vec::new()),
        (Standing::Agent { .. }, Reach::Daemon) => (standing.whole_daemon(verb.name()), vec!["*".into()]),
        (Standing::Agent { .. }, Reach::Sessions) if verb.nature() == Nature::Reads => (Ok(()), Vec::new()),
        (Standing::Agent { home, .. }, Reach::Sessions) => {
            let mut touched = touched::sessions(world, decision);
            touched.retain(|session| *home != Some(*session));
            let beyond = touched.iter().find(|session| !standing.reaches(world, **session));
            let outcome = beyond.map_or(Ok(()), |session| Err(standing.out_of_scope(name(session))));
            (outcome, touched.iter().map(name).collect())
        }
    };
    let outcome = outcome.and_then(|()| match standing {
        Standing::Agent { .. } => waiting_agents::check(scopes, world, context.caller, decision),
        Standing::Person | Standing::Least(_) => Ok(()),
    });
    let entry = AuditEntry::new(verb.name(), context.caller, &standing, touched, &outcome);
    (outcome, entry)
}

/// The line for the audit log of a request that was refused before its scope was checked, because only the user may make
/// it.
pub(crate) fn audited(
    scopes: &Scopes,
    world: &World,
    context: &RequestContext,
    verb: &Verb,
    refusal: &Refusal,
) -> Option<AuditEntry> {
    let is_reserved = matches!(
        refusal,
        Refusal::OnlyPeopleAnswer | Refusal::PermissionPrompt { .. } | Refusal::TypingNotAllowed { .. }
    );
    let standing = Standing::of(scopes, world, context.caller);
    let outcome = Err(refusal.clone());
    is_reserved
        .then(|| AuditEntry::new(verb.name(), context.caller, &standing, Vec::new(), &outcome))
        .flatten()
}

/// Checks a request that concerns the whole daemon and is not a verb.
pub(crate) fn check_daemon(scopes: &Scopes, world: &World, caller: Caller, request: &'static str) -> Checked {
    let standing = Standing::of(scopes, world, caller);
    let outcome = match &standing {
        Standing::Least(why) => Err(why.refusal()),
        standing => standing.whole_daemon(request),
    };
    let entry = AuditEntry::new(request, caller, &standing, vec!["*".into()], &outcome);
    (outcome, entry)
}

/// Checks keys that a client sends straight to a pane.
pub(crate) fn check_keys(scopes: &Scopes, world: &World, context: &RequestContext, pane: PaneId) -> Checked {
    let standing = Standing::of(scopes, world, context.caller);
    let Some(pane) = world.panes.get(&pane) else { return (Ok(()), None) };
    let session = world.session_of(pane);
    let foreign = || vec![session.name.to_string()];
    let (outcome, touched) = match &standing {
        Standing::Person => (Ok(()), Vec::new()),
        Standing::Least(why) => (Err(why.refusal()), foreign()),
        Standing::Agent { home, .. } if *home == Some(session.id) => (may_type(pane, context), Vec::new()),
        Standing::Agent { .. } if !standing.reaches(world, session.id) => {
            (Err(standing.out_of_scope(session.name.to_string())), foreign())
        }
        Standing::Agent { .. } => (may_type(pane, context), foreign()),
    };
    let entry = AuditEntry::new("keys", context.caller, &standing, touched, &outcome);
    (outcome, entry)
}

/// Whether the caller may type into a pane: only the user may answer a permission prompt.
pub(crate) fn may_type(pane: &Pane, context: &RequestContext) -> Result<(), Refusal> {
    match &pane.agent.view {
        Some(view)
            if waiting_agents::waits_for_user(pane)
                && context.caller.is_agent()
                && !context.settings.agents_may_answer =>
        {
            Err(Refusal::PermissionPrompt { pane: pane.id, agent: view.name.clone() })
        }
        _ => Ok(()),
    }
}

/// Whether the agent in a pane reports that it needs the user's permission or login, or is blocked by something else.
pub(crate) fn asks_user(pane: &Pane) -> bool {
    pane.agent.view.as_ref().is_some_and(|view| {
        matches!(view.waits_for, Some(WaitsFor::Permission | WaitsFor::Login))
            || (view.state == AgentState::Blocked && view.waits_for.is_none())
    })
}

/// The characters of a false claim that are recorded: those of a pane id.
const MAX_CLAIM: usize = 36;

impl Caller {
    /// The audit entry for a greeting that falsely claims to come from a pane.
    pub fn false_claim(self, claimed: &str) -> AuditEntry {
        let claimed: String = claimed.chars().take(MAX_CLAIM).collect();
        let refusal = Some(format!("falsely claims to be in pane {claimed}"));
        AuditEntry {
            verb: "greeting",
            caller: self,
            session: None,
            touched: Vec::new(),
            detail: None,
            refusal,
        }
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
        assert_eq!(scopes.of_all(&names(&["free", "lead"])), Scope::Descendants);
        assert_eq!(scopes.of_all(&names(&["free", "lead", "worker-1"])), Scope::Observe);
        assert_eq!(scopes.of_all(&names(&[])), Scope::Observe);
        assert_eq!(Scopes::default().of_all(&names(&[])), Scope::All);
    }
}
