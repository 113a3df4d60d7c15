//! Requests that were decided once and wait for their programs to start.

use std::collections::BTreeMap;

use fugue_protocol::{RunId, SessionName, Verb};

use crate::child_numbers;
use crate::effect::{ChildSpec, Effect, Ticket};
use crate::perform;
use crate::request_context::RequestContext;
use crate::world::World;

/// A request whose programs are being started.
#[derive(Debug)]
pub(crate) struct PendingStart {
    pub(crate) verb: Verb,
    pub(crate) context: RequestContext,
    pub(crate) children: Vec<ChildSpec>,
}

/// All such requests.
#[derive(Debug, Default)]
pub(crate) struct PendingStarts(BTreeMap<Ticket, PendingStart>);

impl PendingStarts {
    /// Adds a request, and returns the effect that starts its programs. They get their numbers, and the request the
    /// targets that it was decided for.
    pub(crate) fn add(&mut self, world: &World, ticket: Ticket, mut request: PendingStart) -> Effect {
        let promised = self.0.values().flat_map(|pending| &pending.children);
        child_numbers::assign(world, promised, &mut request.children);
        let children = request.children.clone();
        request.verb = children.iter().fold(request.verb, perform::pinned);
        self.0.insert(ticket, request);
        Effect::Start { ticket, children }
    }

    /// Removes a request whose programs have been started, or could not be.
    pub(crate) fn remove(&mut self, ticket: Ticket) -> Option<PendingStart> {
        self.0.remove(&ticket)
    }

    /// The names of sessions that are being started; other requests must not take them.
    pub(crate) fn promised(&self, world: &World) -> Vec<SessionName> {
        let children = self.0.values().flat_map(|pending| &pending.children);
        let new = children.filter(|child| !world.sessions.contains_key(&child.session));
        new.map(|child| child.session_name.clone()).collect()
    }

    /// The requests and their programs.
    pub(crate) fn children(&self) -> impl Iterator<Item = (&RequestContext, &[ChildSpec])> {
        self.0.values().map(|pending| (&pending.context, pending.children.as_slice()))
    }
}

/// Kills the programs of a request.
pub(crate) fn kill(children: &[ChildSpec]) -> Effect {
    Effect::Kill { runs: children.iter().map(|child| child.run).collect() }
}

/// Kills the programs that no pane hosts, because their request no longer needed them.
pub(crate) fn kill_unhosted(mut children: Vec<ChildSpec>, effects: &[Effect]) -> Option<Effect> {
    let hosts = |run: RunId| {
        effects.iter().any(|effect| matches!(effect, Effect::Host { run: own, .. } if *own == run))
    };
    children.retain(|child| !hosts(child.run));
    (!children.is_empty()).then(|| kill(&children))
}
