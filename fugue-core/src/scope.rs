//! Scopes: what agents may change outside their own session. The user sets them, and every such change is audited.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::agents::{AgentState, WaitsFor};
use fugue_protocol::verbs::Nature;
use fugue_protocol::{Event, PaneId, Refusal, Scope, SessionId, WindowId};

use crate::decision::{Answer, Decision};
use crate::edge_request::{EdgeRequest, PaneRequest};
use crate::request_context::RequestContext;
use crate::world::{Pane, World};

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
}

/// A change that an agent made outside its own session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ScopeViolation {
    pub verb: &'static str,
    pub pane: Option<PaneId>,
    pub session: Option<String>,
    pub touched: Vec<String>,
}

/// Checks a decision against the caller's scope; returns what it changes outside the caller's own session.
pub(crate) fn check<R>(
    scopes: &Scopes,
    world: &World,
    context: &RequestContext,
    (verb, nature): (&'static str, Nature),
    decision: &Decision<R>,
) -> Result<Option<ScopeViolation>, Refusal> {
    if !context.caller.is_agent() || nature == Nature::Reads {
        return Ok(None);
    }
    let own = world.caller_pane(context).map(|pane| world.session_of(pane));
    let mut touched = touched(world, decision);
    touched.retain(|session| own.is_none_or(|own| own.id != *session));
    let name = own.map(|own| own.name.to_string());
    let scope = scopes.of(name.as_deref().unwrap_or_default());
    let reached = |session: &SessionId| match scope {
        Scope::All => true,
        Scope::Descendants => own.is_some_and(|own| descends(world, *session, own.id)),
        Scope::Observe => false,
    };
    let new = |session: &SessionId| {
        decision.children.iter().find(|child| child.session == *session).map(|child| &child.session_name)
    };
    let named = |session: &SessionId| {
        let name = world.sessions.get(session).map(|session| &session.name).or_else(|| new(session));
        name.map(ToString::to_string).unwrap_or_default()
    };
    if let Some(beyond) = touched.iter().find(|session| !reached(session)) {
        let caller = name.unwrap_or_else(|| "outside any session".into());
        return Err(Refusal::OutOfScope { session: named(beyond), caller, scope: scope.name() });
    }
    let touched: Vec<_> = touched.iter().map(named).collect();
    let pane = context.caller.pane();
    Ok((!touched.is_empty()).then_some(ScopeViolation { verb, pane, session: name, touched }))
}

/// Whether a session descends from another one. A session that is being created counts as its creator's descendant.
fn descends(world: &World, session: SessionId, from: SessionId) -> bool {
    let Some(mut at) = world.sessions.get(&session) else { return true };
    // Bounded by the number of sessions, so that even a cycle would end.
    for _ in 0..world.sessions.len() {
        match at.parent {
            Some(parent) if parent == from => return true,
            Some(parent) => match world.sessions.get(&parent) {
                Some(next) => at = next,
                None => return false,
            },
            None => return false,
        }
    }
    false
}

fn touched<R>(world: &World, decision: &Decision<R>) -> BTreeSet<SessionId> {
    let mut touched: BTreeSet<_> =
        decision.events.iter().filter_map(|event| session_of(world, event)).collect();
    touched.extend(decision.children.iter().map(|child| child.session));
    touched.extend(decision.events.iter().filter_map(|event| destination(world, event)));
    if let Answer::Later(EdgeRequest::Pane(pane, PaneRequest::Type(_) | PaneRequest::Run(_))) =
        &decision.answer
    {
        touched.extend(of_pane(world, *pane));
    }
    touched
}

fn of_pane(world: &World, pane: PaneId) -> Option<SessionId> {
    world.panes.get(&pane).map(|pane| world.session_of(pane).id)
}

fn of_window(world: &World, window: WindowId) -> Option<SessionId> {
    world.windows.get(&window).map(|window| window.session)
}

/// The session that an event changes, if any.
fn session_of(world: &World, event: &Event) -> Option<SessionId> {
    match event {
        Event::SessionCreated(e) => Some(e.session),
        Event::SessionRenamed { session, .. }
        | Event::SessionClosed { session }
        | Event::TagsChanged { session, .. }
        | Event::MetadataChanged { session, .. }
        | Event::EnvironmentChanged { session, .. } => Some(*session),
        Event::WindowOpened(e) => Some(e.session),
        Event::WindowRenamed { window, .. }
        | Event::WindowClosed { window }
        | Event::WindowSelected { window }
        | Event::WindowMoved { window, .. }
        | Event::WindowResized { window, .. }
        | Event::LayoutChanged { window, .. }
        | Event::ZoomChanged { window, .. } => of_window(world, *window),
        Event::PaneOpened(e) => of_window(world, e.window),
        Event::PaneMoved { pane, .. }
        | Event::PaneFocused { pane }
        | Event::PaneRenamed { pane, .. }
        | Event::PaneMuted { pane, .. }
        | Event::PaneClosed { pane } => of_pane(world, *pane),
        Event::PaneRespawned(e) => of_pane(world, e.pane),
        _ => None,
    }
}

/// The session that something is moved to.
fn destination(world: &World, event: &Event) -> Option<SessionId> {
    match event {
        Event::WindowMoved { session, .. } => Some(*session),
        Event::PaneMoved { window, .. } => of_window(world, *window),
        _ => None,
    }
}

/// Whether the caller may type into a pane: only the user may answer a permission prompt.
pub(crate) fn may_type(pane: &Pane, context: &RequestContext) -> Result<(), Refusal> {
    let view = pane.agent.view.as_ref();
    let asks = view.filter(|view| {
        view.waits_for == Some(WaitsFor::Permission)
            || (view.state == AgentState::Blocked && view.waits_for.is_none())
    });
    match asks {
        Some(view) if context.caller.is_agent() && !context.settings.agents_may_answer => {
            Err(Refusal::PermissionPrompt { pane: pane.id, agent: view.name.clone() })
        }
        _ => Ok(()),
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
}
