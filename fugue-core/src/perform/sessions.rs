//! Verbs about sessions.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::events::{HIDDEN, PaneOpened, SessionCreated, WindowOpened};
use fugue_protocol::limits;
use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{
    Done, Entries, EnvironmentView, GlobalEnvironment, PaneCreated, SessionList, SessionView, Tags,
};
use fugue_protocol::{Event, Refusal, RunId, SessionId, SessionName, Size, Tag};

use super::host_requests::HostRequest;
use super::launch::{self, ChildPlace};
use super::{Perform, removal, worktrees};
use crate::caller::Caller;
use crate::decision::Decision;
use crate::effect::ChildSpec;
use crate::recipients;
use crate::request_context::RequestContext;
use crate::scope;
use crate::world::{Session, WindowSlots, World};

impl Perform for ListSessions {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<SessionList>, Refusal> {
        let Some(only) = self.session else {
            return Ok(Decision::shared(Self::NAME, |world| world.session_list(None)));
        };
        let only = world.session(&only)?.id;
        Ok(Decision::after(move |world| world.session_list(Some(only))))
    }
}

impl Perform for CreateSession {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneCreated>, Refusal> {
        if let Some(request) = HostRequest::of_session(&self, context) {
            return request.decide(world, context);
        }
        launch::room_for_a_pane(world)?;
        worktrees::check(self.worktree.as_ref(), world)?;
        let session = planned(&self, world, context)?;
        let size = self.size.unwrap_or_else(|| usual_size(world, context));
        if !size.is_sane() {
            return Err(Refusal::BadSize { size });
        }
        let launch = launch::launch(&Program { env: Vec::new(), ..self.program.clone() })?;
        let (pane, run) = (context.fresh(), context.fresh::<RunId>());
        let comes_from = world.caller_pane(context).map(|pane| pane.id);
        let spot = ChildPlace { pane, window: session.current, session: &session, size, comes_from, world };
        let child = ChildSpec { worktree: self.worktree.clone(), ..spot.child(run, &launch) };
        let made = worktrees::made(&session, pane, world, context);
        let automatic_name = self.window_name.is_none() && context.settings.automatic_names;
        let name = self.window_name.unwrap_or_else(|| launch::window_name(pane, context));
        let window = WindowOpened {
            window: session.current,
            session: session.id,
            name,
            size,
            index: 0,
            slot: None,
            pane,
            automatic_name,
            popup: false,
        };
        let opened = PaneOpened {
            pane,
            window: session.current,
            run: context.run(pane, run),
            launch: launch::settled(launch, pane, context),
            on_exit: launch::on_exit(self.program.on_exit, world, context),
            name: None,
        };
        let id = session.id;
        let confined = confined(&session);
        let events = [Event::WindowOpened(window), Event::PaneOpened(opened)];
        let reply = worktrees::reply(pane, made.as_ref(), context);
        let decision = Decision::after(reply).event(created(session)).events(confined).events(events);
        let decision = decision.events(made).child(child);
        Ok(if context.caller.pane().is_none() {
            decision.event(Event::SessionSelected { session: id })
        } else {
            decision
        })
    }
}

/// The session to create.
fn planned(wanted: &CreateSession, world: &World, context: &RequestContext) -> Result<Session, Refusal> {
    let by_branch = || worktrees::session_name(wanted.worktree.as_ref()?, world, context);
    let name = wanted.name.clone().or_else(by_branch).unwrap_or_else(|| next_number(world, context));
    world.name_is_free(&name, None, context)?;
    let parent = world.caller_pane(context).map(|pane| world.session_of(pane));
    let lineage = parent.and_then(|parent| recipients::child_of(&parent.name));
    // The tag of the true parent may be given as well.
    let foreign = |tag: &&Tag| recipients::is_lineage(tag) && Some(*tag) != lineage.as_ref();
    // A caller on another host names its own session, which is not known here.
    let foreign = |tag: &&Tag| {
        foreign(tag)
            && !(matches!(context.caller, Caller::Elsewhere(_)) && recipients::is_elsewhere(tag, context))
    };
    if let Some(tag) = wanted.tags.iter().find(foreign).filter(|_| context.caller.is_agent()) {
        return Err(Refusal::ReservedTag { tag: tag.to_string() });
    }
    let tags = wanted.tags.iter().cloned().chain(lineage).collect();
    few_enough(&tags)?;
    let closes_with = wanted.close_with.as_ref().map(|pane| world.pane_named(pane, None)).transpose()?;
    let closes_with = closes_with.map(|pane| pane.id);
    let current = context.fresh();
    Ok(Session {
        number: 0, // `evolve` numbers it
        id: context.fresh(),
        name,
        parent: parent.map(|parent| parent.id),
        created_at: context.now,
        windows: vec![current],
        slots: WindowSlots::without_gaps(1),
        current,
        last: None,
        former: Vec::new(),
        tags,
        metadata: Default::default(),
        environment: launch::environment(&wanted.program.env)?,
        subscription: Default::default(),
        push: None,
        governed_by: Default::default(),
        confined_by: wanted.confine.iter().cloned().collect(),
        closes_with,
    })
}

/// The event that the programs of a new session are confined as was asked for. The rules of the user, and the confinement of
/// the agent that creates it, are added to that.
fn confined(session: &Session) -> Option<Event> {
    let profiles = session.confined_by.clone();
    (!profiles.is_empty()).then_some(Event::SessionConfined { session: session.id, profiles })
}

fn created(session: Session) -> Event {
    Event::SessionCreated(SessionCreated {
        session: session.id,
        name: session.name,
        parent: session.parent,
        window: session.current,
        created_at: session.created_at,
        tags: session.tags.into_iter().collect(),
        metadata: session.metadata,
        environment: session.environment,
        closes_with: session.closes_with,
        number: None,
    })
}

/// The smallest number that is not the name of a session, as in tmux.
fn next_number(world: &World, context: &RequestContext) -> SessionName {
    let free = |name: &SessionName| world.name_is_free(name, None, context).is_ok();
    let names = (0u64..).filter_map(|number| number.to_string().parse().ok());
    names.into_iter().find(free).unwrap_or_else(|| unreachable!("there are more numbers than sessions"))
}

/// The size of the caller's window, else the default size.
fn usual_size(world: &World, context: &RequestContext) -> Size {
    world.caller_pane(context).map_or(Size::DEFAULT, |pane| world.window_of(pane).size)
}

fn few_enough(tags: &BTreeSet<Tag>) -> Result<(), Refusal> {
    if tags.len() > limits::TAGS {
        return Err(Refusal::TooMany { what: Quota::Tags, limit: limits::TAGS });
    }
    Ok(())
}

impl Perform for RenameSession {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SessionView>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        world.name_is_free(&self.name, Some(session.id), context)?;
        let news = session.name != self.name;
        let children = if news { renamed_lineage(world, session, &self.name) } else { Vec::new() };
        let renamed = Event::SessionRenamed { session: session.id, name: self.name };
        Ok(shown(session.id).events(news.then_some(renamed)).events(children))
    }
}

/// Updates the tags `child:<parent>` of children when their parent is renamed.
fn renamed_lineage(world: &World, parent: &Session, name: &SessionName) -> Vec<Event> {
    let (Some(before), Some(after)) = (recipients::child_of(&parent.name), recipients::child_of(name)) else {
        return Vec::new();
    };
    let theirs = |child: &&Session| child.parent.is_none_or(|of| of == parent.id);
    let children = world.sessions.values().filter(|child| child.tags.contains(&before)).filter(theirs);
    children
        .map(|child| Event::TagsChanged {
            session: child.id,
            added: vec![after.clone()],
            removed: vec![before.clone()],
        })
        .collect()
}

fn shown(session: SessionId) -> Decision<SessionView> {
    Decision::after(move |world| world.session_view_of(session))
}

impl Perform for SelectSession {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SessionView>, Refusal> {
        let session = world.session_target(&self.session, context)?.id;
        let news = world.recent.last() != Some(&session);
        Ok(shown(session).events(news.then_some(Event::SessionSelected { session })))
    }
}

impl Perform for KillSession {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let session = world.session_target(&self.session, context)?;
        Ok(Decision::done().events(removal::session(world, session)))
    }
}

impl Perform for SetTags {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Tags>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        let id = session.id;
        if let Some(tag) = self.add.iter().chain(&self.remove).find(|tag| recipients::is_lineage(tag))
            && context.caller.is_agent()
        {
            return Err(Refusal::ReservedTag { tag: tag.to_string() });
        }
        let add: BTreeSet<_> = self.add.into_iter().collect();
        let remove: BTreeSet<_> = self.remove.into_iter().filter(|tag| session.tags.contains(tag)).collect();
        // A tag that is both added and removed stays.
        let removed: Vec<_> = remove.difference(&add).cloned().collect();
        let added: Vec<_> = add.difference(&session.tags).cloned().collect();
        let kept = session.tags.iter().filter(|tag| !removed.contains(tag));
        few_enough(&kept.chain(&added).cloned().collect())?;
        let changed = !(added.is_empty() && removed.is_empty());
        let event = changed.then_some(Event::TagsChanged { session: id, added, removed });
        Ok(Decision::after(move |world| tags(&world.sessions[&id])).events(event))
    }
}

impl Perform for GetTags {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Tags>, Refusal> {
        Ok(Decision::reply(tags(world.session_or_own(self.session.as_ref(), context)?)))
    }
}

fn tags(session: &Session) -> Tags {
    Tags { session_id: session.id, session_name: session.name.clone(), tags: session.tags.clone() }
}

impl Perform for SetMetadata {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Entries>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        check_entry(&session.metadata, &self.key, self.value.as_deref())?;
        let news = session.metadata.get(&self.key) != self.value.as_ref();
        let session = session.id;
        let show = move |world: &World| entries(session, world.sessions[&session].metadata.clone());
        let changed = Event::MetadataChanged { session, key: self.key, value: self.value };
        Ok(Decision::after(show).events(news.then_some(changed)))
    }
}

type Kept = BTreeMap<String, String>;

fn check_entry(kept: &Kept, key: &str, value: Option<&str>) -> Result<(), Refusal> {
    let size = key.len() + value.map_or(0, str::len);
    match value {
        _ if key.is_empty() => Err(Refusal::argument("key", ArgumentProblem::EmptyKey)),
        _ if size > limits::VALUE_BYTES => {
            Err(Refusal::TooMany { what: Quota::EntryBytes, limit: limits::VALUE_BYTES })
        }
        Some(_) if kept.len() >= limits::ENTRIES && !kept.contains_key(key) => {
            Err(Refusal::TooMany { what: Quota::Entries, limit: limits::ENTRIES })
        }
        _ => Ok(()),
    }
}

fn entries(session_id: SessionId, entries: Kept) -> Entries {
    Entries { session_id, entries }
}

impl Perform for GetMetadata {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Entries>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        let mut kept = session.metadata.clone();
        kept.retain(|key, _| self.key.as_ref().is_none_or(|wanted| wanted == key));
        Ok(Decision::reply(entries(session.id, kept)))
    }
}

impl Perform for SetEnvironment {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<EnvironmentView>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        launch::check_variable(&self.name, self.value.as_deref().unwrap_or_default())?;
        check_entry(&session.environment, &self.name, self.value.as_deref())?;
        let news = session.environment.get(&self.name) != self.value.as_ref();
        let (session, caller) = (session.id, context.caller);
        let show = move |world: &World| environment(world, &world.sessions[&session], caller);
        let changed = Event::EnvironmentChanged { session, name: self.name, value: self.value };
        Ok(Decision::after(show).events(news.then_some(changed)))
    }
}

impl Perform for GetEnvironment {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<EnvironmentView>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        Ok(Decision::reply(environment(world, session, context.caller)))
    }
}

impl Perform for SetGlobalEnvironment {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<GlobalEnvironment>, Refusal> {
        launch::check_variable(&self.name, self.value.as_deref().unwrap_or_default())?;
        check_entry(&world.environment, &self.name, self.value.as_deref())?;
        let news = world.environment.get(&self.name) != self.value.as_ref();
        let changed = Event::GlobalEnvironmentChanged { name: self.name, value: self.value };
        Ok(Decision::after(global_environment).events(news.then_some(changed)))
    }
}

impl Perform for GetGlobalEnvironment {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<GlobalEnvironment>, Refusal> {
        Ok(Decision::reply(global_environment(world)))
    }
}

fn global_environment(world: &World) -> GlobalEnvironment {
    GlobalEnvironment { entries: world.environment.clone() }
}

/// The environment of a session as a caller may see it: with the values, or only the names.
fn environment(world: &World, session: &Session, caller: Caller) -> EnvironmentView {
    let values_hidden = !scope::shows_secrets(world, caller, session.id);
    let mut entries = session.environment.clone();
    if values_hidden {
        entries.values_mut().for_each(|value| *value = HIDDEN.into());
    }
    EnvironmentView { session_id: session.id, entries, values_hidden }
}
