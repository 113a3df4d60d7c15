//! Git worktrees: made for a new session, listed and removed. git itself is run by the edge.

use fugue_protocol::refusal::{ArgumentProblem, KeptBecause, Quota};
use fugue_protocol::verbs::{ListWorktrees, NewWorktree, RemoveWorktree};
use fugue_protocol::views::{
    PaneCreated, SessionWorktree, WorktreeCondition, WorktreeList, WorktreeRemoved, WorktreeState,
    WorktreeView,
};
use fugue_protocol::worktree::Worktree;
use fugue_protocol::{Event, PaneId, Refusal, SessionId, SessionName, SessionRef, limits};

use super::Perform;
use crate::decision::Decision;
use crate::edge_request::{EdgeRequest, WorktreeRemoval};
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// Checks what can be checked before git is asked.
pub(super) fn check(wanted: Option<&NewWorktree>, world: &World) -> Result<(), Refusal> {
    let Some(wanted) = wanted else { return Ok(()) };
    let words = [Some(&wanted.branch), wanted.base.as_ref(), wanted.path.as_ref()];
    match words.into_iter().flatten().find(|word| word.is_empty() || word.contains('\0')) {
        Some(word) if word.is_empty() => Err(Refusal::argument("worktree", ArgumentProblem::EmptyName)),
        Some(_) => Err(Refusal::argument("worktree", ArgumentProblem::NulCharacter)),
        None if world.worktrees.len() >= limits::WORKTREES => {
            Err(Refusal::TooMany { what: Quota::Worktrees, limit: limits::WORKTREES })
        }
        None => Ok(()),
    }
}

/// The name of a session after its branch, if it can be a name and is free.
pub(super) fn session_name(
    wanted: &NewWorktree,
    world: &World,
    context: &RequestContext,
) -> Option<SessionName> {
    let name: SessionName = wanted.branch.replace('/', "-").parse().ok()?;
    world.name_is_free(&name, None, context).ok().map(|()| name)
}

/// The event that a worktree was created for a session; none in the first decision. One that existed before belongs to
/// the session only if fugue created it for another one that is closed.
pub(super) fn made(
    session: &Session,
    pane: PaneId,
    world: &World,
    context: &RequestContext,
) -> Option<Event> {
    let made = context.child(pane).worktree?;
    let known = world.worktrees.get(&made.path);
    if made.reused && known.is_none_or(|known| world.sessions.contains_key(&known.session)) {
        return None;
    }
    Some(Event::WorktreeCreated(Box::new(Worktree {
        path: made.path,
        branch: made.branch,
        repository: made.repository,
        session: session.id,
        session_name: session.name.clone(),
        creator: session.parent,
        created_at: context.now,
    })))
}

/// The reply for a new session.
pub(super) fn reply(
    pane: PaneId,
    made: Option<&Event>,
    context: &RequestContext,
) -> impl FnOnce(&World) -> PaneCreated + Send + 'static {
    let is_made = made.is_some();
    let copied = context.child(pane).worktree.map_or(0, |made| made.copied);
    move |world| {
        let created = world.created(pane);
        let worktree = world.own_worktree(created.session_id).filter(|_| is_made);
        let note = (copied > 0).then(|| {
            format!(
                "{copied} git-ignored file{} copied (.worktreeinclude)",
                if copied == 1 { "" } else { "s" }
            )
        });
        PaneCreated { worktree, note, ..created }
    }
}

impl World {
    /// The worktree that was created for a session.
    pub fn own_worktree(&self, session: SessionId) -> Option<SessionWorktree> {
        let own = self.worktrees.values().find(|worktree| worktree.session == session)?;
        Some(SessionWorktree { path: own.path.clone(), branch: own.branch.clone() })
    }
}

impl Perform for ListWorktrees {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<WorktreeList>, Refusal> {
        let views = world.worktrees.values().map(|worktree| view(world, worktree)).collect();
        Ok(Decision::later(EdgeRequest::Worktrees(views)))
    }
}

/// A worktree whose state is not known yet.
fn view(world: &World, worktree: &Worktree) -> WorktreeView {
    let session = world.sessions.get(&worktree.session);
    WorktreeView {
        path: worktree.path.clone(),
        branch: worktree.branch.clone(),
        repository: worktree.repository.clone(),
        session_name: session.map_or(&worktree.session_name, |session| &session.name).clone(),
        session_id: session.map(|session| session.id),
        created_at: worktree.created_at,
        state: WorktreeState::of(WorktreeCondition::Unknown),
    }
}

impl Perform for RemoveWorktree {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WorktreeRemoved>, Refusal> {
        let worktree = self.find(world)?.clone();
        let kept = |why| Err(Refusal::CannotRemoveWorktree { path: worktree.path.clone(), why });
        let is_open = |session: &SessionId| world.sessions.contains_key(session);
        let owner = Some(worktree.session).filter(is_open).or(worktree.creator.filter(is_open));
        if context.caller.is_agent() && self.force {
            return kept(KeptBecause::OnlyPeopleForce);
        }
        if context.caller.is_agent() && owner.is_none() {
            return kept(KeptBecause::Orphaned);
        }
        let Self { delete_branch, force, .. } = self;
        let removal = WorktreeRemoval { worktree, owner, delete_branch, force };
        Ok(Decision::later(EdgeRequest::RemoveWorktree(Box::new(removal))))
    }
}

/// The worktrees of closed sessions that had this name or id; they are listed with that name.
fn of_closed_session<'a>(wanted: &SessionRef, world: &'a World) -> Vec<&'a Worktree> {
    let wanted = wanted.to_string();
    let is_meant = |worktree: &&Worktree| {
        let had = worktree.session_name.as_str() == wanted || worktree.session.to_string() == wanted;
        had && !world.sessions.contains_key(&worktree.session)
    };
    world.worktrees.values().filter(is_meant).collect()
}

trait FindsWorktree {
    fn find<'a>(&self, world: &'a World) -> Result<&'a Worktree, Refusal>;
}

impl FindsWorktree for RemoveWorktree {
    /// The worktree at the path, or of the session.
    fn find<'a>(&self, world: &'a World) -> Result<&'a Worktree, Refusal> {
        let not_found = |worktree: &str| Refusal::WorktreeNotFound { worktree: worktree.to_owned() };
        match (&self.path, &self.session) {
            (Some(path), _) => {
                let plain = path.trim_end_matches('/');
                world.worktrees.get(plain).ok_or_else(|| not_found(path))
            }
            (None, Some(wanted)) => match world.session(wanted) {
                Ok(session) => {
                    let own = world.worktrees.values().find(|worktree| worktree.session == session.id);
                    own.ok_or_else(|| not_found(&format!("session `{}` has no worktree", session.name)))
                }
                Err(refusal) => match of_closed_session(wanted, world).as_slice() {
                    [] => Err(refusal),
                    [worktree] => Ok(worktree),
                    _ => Err(not_found(&format!("several closed sessions were named `{wanted}`"))),
                },
            },
            (None, None) => Err(Refusal::argument("path", ArgumentProblem::EmptyName)),
        }
    }
}
