//! Authority: the session names whose rules govern a pane. They are fixed when an agent creates, renames or moves
//! something, so that nothing an agent does widens its scope. A session that only people touched is governed by its
//! current name.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::refusal::Quota;
use fugue_protocol::{Event, PaneId, Refusal, SessionId, SessionName, WindowId};

use super::confinement;
use crate::request_context::RequestContext;
use crate::world::{Pane, PaneAuthority, PaneLife, Session, World};

type Names = BTreeSet<SessionName>;

/// The most names that may govern a session or a pane. Each generation of sessions that agents create adds one; beyond
/// this, the chain is a mistake. Dropping a name instead could widen a scope.
const MAX_NAMES: usize = 64;

/// The names that govern a session.
pub(super) fn names_of_session(session: &Session) -> Names {
    if session.governed_by.is_empty() { [session.name.clone()].into() } else { session.governed_by.clone() }
}

/// The session that a pane belongs to: the one it was opened in, even if it was moved since.
pub(super) fn home_of_pane(world: &World, pane: &Pane) -> Option<SessionId> {
    pane.authority.as_ref().map(|authority| authority.session).or_else(|| session_of(world, pane))
}

/// The session that a pane is in; none while a journal is replayed that lacks its window.
fn session_of(world: &World, pane: &Pane) -> Option<SessionId> {
    world.windows.get(&pane.window).map(|window| window.session)
}

/// The names that govern a pane: those of its home session, and its own.
pub(super) fn names_of_pane(world: &World, pane: &Pane) -> Names {
    let home = home_of_pane(world, pane).and_then(|home| world.sessions.get(&home));
    let own = pane.authority.iter().flat_map(|authority| authority.names.iter().cloned());
    home.map(names_of_session).unwrap_or_default().into_iter().chain(own).collect()
}

/// The authority that a pane keeps when it is moved to a session; none if it stays in its own.
pub(crate) fn kept(world: &World, pane: &Pane, to: SessionId) -> Option<PaneAuthority> {
    if pane.authority.is_none() && session_of(world, pane) == Some(to) {
        return None;
    }
    Some(PaneAuthority { session: home_of_pane(world, pane)?, names: names_of_pane(world, pane) })
}

/// Adds to a decision's events those that fix the authority of whatever it creates or renames.
pub(crate) fn stamp(
    world: &World,
    context: &RequestContext,
    events: Vec<Event>,
) -> Result<Vec<Event>, Refusal> {
    let stamping = Stamping::new(world, context, &events);
    let mut stamped = Vec::with_capacity(events.len());
    for event in events {
        let (before, after) = (stamping.before(&event), stamping.after(&event)?);
        let confined = stamping.confined(&event, context);
        stamped.extend(before);
        stamped.push(event);
        stamped.extend(after);
        stamped.extend(confined);
    }
    Ok(stamped)
}

/// The view of a decision from which authority is fixed.
struct Stamping<'a> {
    world: &'a World,
    /// Whether a person asked for it.
    by_person: bool,
    /// The names that govern the agent that asked for it.
    creator: Names,
    /// The sessions of the windows that it opens.
    opened: Vec<(WindowId, SessionId)>,
    /// The sessions that it creates.
    created: Vec<SessionId>,
    /// The names that are to govern sessions of other hosts.
    governed: BTreeMap<SessionId, Names>,
}

impl<'a> Stamping<'a> {
    fn new(world: &'a World, context: &RequestContext, events: &[Event]) -> Self {
        let opened = events.iter().filter_map(|event| match event {
            Event::WindowOpened(e) => Some((e.window, e.session)),
            _ => None,
        });
        let created = events.iter().filter_map(|event| match event {
            Event::SessionCreated(e) => Some(e.session),
            _ => None,
        });
        let governed = events.iter().filter_map(|event| match event {
            Event::SessionGoverned { session, names } => Some((*session, names.clone())),
            _ => None,
        });
        let creator = world.caller_pane(context).map(|pane| names_of_pane(world, pane));
        Self {
            world,
            by_person: !context.caller.is_agent(),
            creator: creator.unwrap_or_default(),
            opened: opened.collect(),
            created: created.collect(),
            governed: governed.collect(),
        }
    }

    /// The event before a rename by an agent: the names that were in force stay in force.
    fn before(&self, event: &Event) -> Option<Event> {
        let Event::SessionRenamed { session, .. } = event else { return None };
        let session = self.world.sessions.get(session).filter(|session| session.governed_by.is_empty())?;
        let names = names_of_session(session);
        (!self.by_person).then_some(Event::SessionGoverned { session: session.id, names })
    }

    /// The event after one that creates something, restarts it, or gives it another name.
    fn after(&self, event: &Event) -> Result<Option<Event>, Refusal> {
        match event {
            Event::SessionCreated(e) if !self.creator.is_empty() => {
                let names = joined(&self.creator, &[e.name.clone()].into())?;
                Ok(Some(Event::SessionGoverned { session: e.session, names }))
            }
            Event::SessionRenamed { session, .. } if self.by_person => {
                let session = self.world.sessions.get(session);
                let governed = session.filter(|session| !session.governed_by.is_empty());
                Ok(governed
                    .map(|session| Event::SessionGoverned { session: session.id, names: Names::new() }))
            }
            Event::PaneOpened(e) => self.opened(e.pane, e.window),
            Event::PaneRespawned(e) => self.respawned(e.pane),
            _ => Ok(None),
        }
    }

    /// The confinement of a session that it creates.
    fn confined(&self, event: &Event, context: &RequestContext) -> Option<Event> {
        let Event::SessionCreated(e) = event else { return None };
        let names = self.creator.iter().chain(self.governed.get(&e.session).into_iter().flatten());
        let names = names.chain([&e.name]).cloned().collect();
        confinement::of_created(self.world, context, e.session, &names)
    }

    /// The authority of a pane that an agent opens in a session with other rules than its own.
    fn opened(&self, pane: PaneId, window: WindowId) -> Result<Option<Event>, Refusal> {
        let Some(session) = self.session_of(window) else { return Ok(None) };
        let names = self.world.sessions.get(&session).map(names_of_session).unwrap_or_default();
        if self.created.contains(&session) || self.creator.is_subset(&names) {
            return Ok(None);
        }
        joined(&self.creator, &names)?;
        Ok(Some(Event::PaneGoverned { pane, session: Some(session), names: self.creator.clone() }))
    }

    /// The authority of a pane whose program is restarted: an agent adds its own; for a person the pane is new, unless
    /// its program was lost and is started again.
    fn respawned(&self, pane: PaneId) -> Result<Option<Event>, Refusal> {
        let Some(pane) = self.world.panes.get(&pane) else { return Ok(None) };
        let names = names_of_pane(self.world, pane);
        if self.by_person && pane.life == PaneLife::Lost {
            return Ok(None);
        }
        if self.by_person {
            let reset = Event::PaneGoverned { pane: pane.id, session: None, names: Names::new() };
            return Ok(pane.authority.as_ref().map(|_| reset));
        }
        if self.creator.is_subset(&names) {
            return Ok(None);
        }
        let names = joined(&self.creator, &names)?;
        Ok(Some(Event::PaneGoverned { pane: pane.id, session: home_of_pane(self.world, pane), names }))
    }

    fn session_of(&self, window: WindowId) -> Option<SessionId> {
        let opened = self.opened.iter().find(|(opened, _)| *opened == window).map(|(_, session)| *session);
        opened.or_else(|| self.world.windows.get(&window).map(|window| window.session))
    }
}

fn joined(names: &Names, others: &Names) -> Result<Names, Refusal> {
    let all: Names = names.union(others).cloned().collect();
    if all.len() > MAX_NAMES {
        return Err(Refusal::TooMany { what: Quota::Generations, limit: MAX_NAMES });
    }
    Ok(all)
}
