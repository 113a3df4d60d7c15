//! Routing: which sessions receive a message. It only reads the world; delivery is up to the inboxes.

use fugue_protocol::agent_messages::{FleetGroup, RemoteTarget, Sender, Target};
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{FleetHost, Refusal, Tag};

use crate::quota::Lineage;
use crate::request_context::RequestContext;
use crate::world::{Pane, Session, World};

/// The tag of sessions that coordinate others.
pub(crate) const ORCHESTRATOR: &str = "orchestrator";

/// The prefix of the tag that names a session's parent.
pub(crate) const CHILD: &str = "child:";

/// The sender: the caller's session, or none for a user outside. A caller whose pane is closed cannot send.
pub(crate) fn sender(world: &World, context: &RequestContext) -> Result<Option<Sender>, Refusal> {
    let Some(pane_id) = context.caller.pane() else { return Ok(None) };
    let pane = world.panes.get(&pane_id).ok_or(Refusal::CallerGone { pane_id })?;
    let session = world.session_of(pane);
    let claimed = context.caller.claims();
    Ok(Some(Sender { session: session.id, name: session.name.clone(), pane: pane_id, claimed }))
}

/// The sender, who must be in a pane.
pub(crate) fn sender_inside(world: &World, context: &RequestContext) -> Result<Sender, Refusal> {
    sender(world, context)?.ok_or_else(|| context.caller.not_inside())
}

/// The sessions of a target; at least one.
pub(crate) fn recipients<'a>(
    world: &'a World,
    target: &Target,
    from: Option<&Sender>,
) -> Result<Vec<&'a Session>, Refusal> {
    let found = match target {
        Target::OnAllHosts(group) => {
            let to = across_hosts(world, group, from)?;
            return Ok(members(world, &to, from));
        }
        Target::Session(session) => return world.session(session).map(|session| vec![session]),
        Target::Parent => return parent(world, from).map(|session| vec![session]),
        Target::Tagged(tag) => others(world, from, |session| session.tags.contains(tag)),
        Target::Broadcast => {
            let place = own_place(world, from)?;
            others(world, from, |session| {
                works_in(world, session, |other| other.repository == place.repository)
            })
        }
        Target::Worktree(path) => {
            others(world, from, |session| works_in(world, session, |place| is_worktree(place, path)))
        }
    };
    if found.is_empty() { Err(nobody(world, target, from)) } else { Ok(found) }
}

/// A group on all hosts, as every host understands it.
pub(crate) fn across_hosts(
    world: &World,
    group: &FleetGroup,
    from: Option<&Sender>,
) -> Result<RemoteTarget, Refusal> {
    match group {
        FleetGroup::Tagged(tag) => Ok(RemoteTarget::Tag(tag.clone())),
        FleetGroup::Repository => {
            let place = own_place(world, from)?;
            let why =
                || format!("repository `{}` has no remote `origin` with a host in its URL", place.repository);
            let url = place.remote.clone().ok_or_else(|| Refusal::NoRecipients { why: why() })?;
            Ok(RemoteTarget::Repository(url))
        }
    }
}

/// The sessions of this host that belong to a group on all hosts, except the sender's.
pub(crate) fn members<'a>(world: &'a World, to: &RemoteTarget, from: Option<&Sender>) -> Vec<&'a Session> {
    others(world, from, |session| match to {
        RemoteTarget::Session(_) | RemoteTarget::Start(_) => false,
        RemoteTarget::Tag(tag) => session.tags.contains(tag),
        RemoteTarget::Repository(url) => works_in(world, session, |place| place.remote.as_ref() == Some(url)),
    })
}

/// The target of a worker's reports: its parent if that is alive or on another host, else the sessions tagged as
/// orchestrator.
pub(crate) fn superior(world: &World, from: &Sender, context: &RequestContext) -> Target {
    let session = world.sessions.get(&from.session);
    let is_here = session.and_then(|session| parent_of(world, session)).is_some();
    let is_elsewhere = context.settings.fleet.is_some() && parent_elsewhere(world, from).is_some();
    match ORCHESTRATOR.parse() {
        Ok(tag) if !is_here && !is_elsewhere => Target::Tagged(tag),
        _ => Target::Parent,
    }
}

/// The sessions that a worker's reports reach; at least one. Of the orchestrators, these are the ones in the worker's
/// repository (or outside any, as the worker is) or in its lineage: others would be told of work that is not theirs.
pub(crate) fn superiors<'a>(
    world: &'a World,
    target: &Target,
    from: &Sender,
) -> Result<Vec<&'a Session>, Refusal> {
    let all = recipients(world, target, Some(from))?;
    if *target == Target::Parent {
        return Ok(all);
    }
    let place = own_place(world, Some(from));
    let is_near = |session: &&Session| match &place {
        Ok(own) => works_in(world, session, |other| other.repository == own.repository),
        Err(_) => !works_in(world, session, |_| true),
    };
    let is_kin = |session: &&Session| Lineage::share(world, from.session, session.id);
    let near: Vec<_> = all.into_iter().filter(|session| is_near(session) || is_kin(session)).collect();
    if near.is_empty() {
        let why = format!("no other session in this repository is tagged `{ORCHESTRATOR}`");
        return Err(place.err().unwrap_or(Refusal::NoRecipients { why }));
    }
    Ok(near)
}

/// All matching sessions except the sender's.
fn others<'a>(world: &'a World, from: Option<&Sender>, fits: impl Fn(&Session) -> bool) -> Vec<&'a Session> {
    let own = from.map(|from| from.session);
    world.sessions.values().filter(|session| Some(session.id) != own && fits(session)).collect()
}

fn parent<'a>(world: &'a World, from: Option<&Sender>) -> Result<&'a Session, Refusal> {
    let nobody = |why: String| Refusal::NoRecipients { why };
    let Some(session) = from.and_then(|from| world.sessions.get(&from.session)) else {
        return Err(nobody("a caller outside any session has no parent session".into()));
    };
    let found = parent_of(world, session);
    found.ok_or_else(|| match (session.parent, lineage(session)) {
        (None, None) => nobody(format!("session `{}` has no parent", session.name)),
        (_, tag) => {
            let name = tag.map(|name| format!(" `{name}`")).unwrap_or_default();
            nobody(format!("the parent{name} of session `{}` no longer exists", session.name))
        }
    })
}

/// The parent of a session: by id if it was created from another session, else by its tag `child:<parent>`.
pub(crate) fn parent_of<'a>(world: &'a World, session: &Session) -> Option<&'a Session> {
    match session.parent {
        Some(parent) => world.sessions.get(&parent),
        None => {
            let name = lineage(session)?;
            world.sessions.values().find(|other| other.name.as_str() == name)
        }
    }
}

/// The parent on another host, `host/session`, of a session that was created from there.
pub(crate) fn parent_elsewhere(world: &World, from: &Sender) -> Option<String> {
    let session = world.sessions.get(&from.session).filter(|session| session.parent.is_none())?;
    let name = lineage(session).filter(|name| FleetHost::split(name).is_some())?;
    parent_of(world, session).is_none().then(|| name.to_owned())
}

/// The parent's name in the tag `child:<parent>`.
fn lineage(session: &Session) -> Option<&str> {
    session.tags.iter().find_map(|tag| tag.as_str().strip_prefix(CHILD))
}

/// Whether a tag names a session's parent. Reports are routed by it, so agents may not set it: they could redirect the
/// reports of others to themselves.
pub(crate) fn is_lineage(tag: &Tag) -> bool {
    tag.as_str().starts_with(CHILD)
}

/// Whether a tag names a parent on another host.
pub(crate) fn is_elsewhere(tag: &Tag, context: &RequestContext) -> bool {
    let parent = tag.as_str().strip_prefix(CHILD).and_then(FleetHost::split);
    let own = context.settings.fleet.as_ref().map(|fleet| &fleet.host);
    parent.is_some_and(|(host, _)| Some(&host) != own)
}

/// The tag of children of the session with this name.
pub(crate) fn child_of(name: &fugue_protocol::SessionName) -> Option<Tag> {
    format!("{CHILD}{name}").parse().ok()
}

/// The sender's repository: that of its own pane, else that of its session.
fn own_place<'a>(world: &'a World, from: Option<&Sender>) -> Result<&'a GitLocation, Refusal> {
    let from = from.ok_or(Refusal::NoRepository { session: None })?;
    let pane = world.panes.get(&from.pane).and_then(|pane| pane.place.as_deref());
    let session = world.sessions.get(&from.session);
    pane.or_else(|| session.and_then(|session| world.place_of_session(session)))
        .ok_or_else(|| Refusal::NoRepository { session: Some(from.name.to_string()) })
}

fn works_in(world: &World, session: &Session, fits: impl Fn(&GitLocation) -> bool) -> bool {
    let panes = world.panes_of(session).into_iter().filter_map(|pane| world.panes.get(&pane));
    panes.filter_map(|pane: &Pane| pane.place.as_deref()).any(fits)
}

/// Whether a worktree is the wanted one, by its path or the name of its directory.
fn is_worktree(place: &GitLocation, wanted: &str) -> bool {
    let wanted = wanted.trim_end_matches('/');
    let folder = place.worktree.rsplit('/').next().unwrap_or_default();
    !wanted.is_empty() && (place.worktree == wanted || (folder == wanted && !wanted.contains('/')))
}

/// The refusal of a target without recipients, with the alternatives.
fn nobody(world: &World, target: &Target, from: Option<&Sender>) -> Refusal {
    let no_session = if from.is_some() { "no other session" } else { "no session" };
    let why = match target {
        Target::Tagged(tag) => format!("{no_session} is tagged `{tag}`"),
        Target::Worktree(path) => match worktrees(world).as_slice() {
            [] => format!("no session is in worktree `{path}` or in any other worktree"),
            known => {
                format!("{no_session} is in worktree `{path}`; known worktrees: {}", known.join(", "))
            }
        },
        _ => format!("{no_session} is in this repository"),
    };
    Refusal::NoRecipients { why }
}

fn worktrees(world: &World) -> Vec<String> {
    let all = world.panes.values().filter_map(|pane| pane.place.as_deref());
    let all: std::collections::BTreeSet<_> = all.map(|place| place.worktree.clone()).collect();
    all.into_iter().take(8).collect()
}

impl World {
    /// The repository of a session: that of its active pane, else that of the first pane in one.
    pub fn place_of_session(&self, session: &Session) -> Option<&GitLocation> {
        let current = self.current_pane(session).place.as_deref();
        let all =
            || self.panes_of(session).into_iter().find_map(|pane| self.panes.get(&pane)?.place.as_deref());
        current.or_else(all)
    }
}
