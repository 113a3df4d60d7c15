//! `spawn-agent`: opens a session, a window or a split for an agent, in a worktree if asked, and waits until the agent is
//! ready ([`super::spawn_wait`]).

use fugue_agents::{StartCommand, StartOptions, named_conversation, start_command};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::{CreatePane, CreateSession, CreateWindow, Program, SpawnAgent};
use fugue_protocol::views::{OnExit, PaneCreated, SessionWorktree, SpawnedAgent};
use fugue_protocol::{Event, PaneRef, Refusal, SessionName, SessionRef, limits};

use super::host_requests::HostRequest;
use super::spawn_wait::{AgentPlace, SpawnWait};
use super::{Perform, at_most, launch, waiter, worktrees};
use crate::decision::Decision;
use crate::effect::ChildSpec;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for SpawnAgent {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SpawnedAgent>, Refusal> {
        at_most("timeout_ms", Quantity::Wait, self.timeout_ms, limits::WAIT_MILLIS)?;
        self.check()?;
        if let Some(request) = HostRequest::of_agent(&self, context) {
            return request.decide(world, context);
        }
        if let Some(wait) = self.wait_before(world, context) {
            return Ok(Decision::when(wait.pending()));
        }
        let command = self.start_command(context)?;
        let Decision { mut events, children, .. } = self.started(&command, world, context)?;
        let Some(child) = children.first() else { return Err(Refusal::ShuttingDown) };
        if self.pane.is_some() {
            events.extend(worktrees::made(&world.sessions[&child.session], child.pane, world, context));
        }
        events.extend(launch::started(self.idempotency_key.as_ref(), child.pane, 0, context));
        let agent = (command.agent.as_str(), &*context.agents);
        let wait = SpawnWait::new(
            waiter(world, context),
            place(child, context),
            agent,
            &self,
            (context.now, context.now),
        );
        Ok(children.into_iter().fold(Decision::when(wait.pending()).events(events), Decision::child))
    }
}

/// Starts an agent in a session of its own, and does not wait for it.
pub(super) fn start(
    wanted: &SpawnAgent,
    world: &World,
    context: &RequestContext,
) -> Result<Decision<PaneCreated>, Refusal> {
    wanted.check()?;
    wanted.started(&wanted.start_command(context)?, world, context)
}

/// The conversation that the agent was told to begin or to resume, if its command line does not tell by itself.
fn conversation(command: &StartCommand, child: &ChildSpec) -> Option<Event> {
    let id = command.conversation.as_ref().filter(|_| !named_conversation::names(&command.agent))?;
    let conversation = Conversation { agent: command.agent.clone(), id: id.parse().ok()? };
    Some(Event::ConversationReported { pane: child.pane, conversation })
}

trait OpensAgent {
    fn check(&self) -> Result<(), Refusal>;
    fn start_command(&self, context: &RequestContext) -> Result<StartCommand, Refusal>;
    fn started(
        &self,
        command: &StartCommand,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<PaneCreated>, Refusal>;
    fn opened(
        &self,
        command: &StartCommand,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<PaneCreated>, Refusal>;
    fn session_name(&self, agent: &str, world: &World, context: &RequestContext) -> Option<SessionName>;
    fn session_of(&self, pane: &PaneRef, world: &World) -> Result<SessionRef, Refusal>;
    fn child(&self, command: &StartCommand, child: ChildSpec) -> ChildSpec;
    fn wait_before(&self, world: &World, context: &RequestContext) -> Option<SpawnWait>;
}

impl OpensAgent for SpawnAgent {
    /// Checks that the arguments fit each other.
    fn check(&self) -> Result<(), Refusal> {
        let refused = |what, why| Err(Refusal::argument(what, why));
        match (self.pane.is_some(), self.split.is_some()) {
            (true, _) if self.name.is_some() => refused("name", ArgumentProblem::OnlyForNewSession),
            (true, _) if !self.tags.is_empty() => refused("tags", ArgumentProblem::OnlyForNewSession),
            (false, true) => refused("split", ArgumentProblem::SplitNeedsPane),
            _ if self.wait && self.prompt.is_none() => refused("wait", ArgumentProblem::PromptRequired),
            _ => Ok(()),
        }
    }

    fn start_command(&self, context: &RequestContext) -> Result<StartCommand, Refusal> {
        let id = context.fresh_conversation();
        let options = StartOptions {
            prompt: self.prompt.as_deref(),
            model: self.model.as_deref(),
            permission_mode: self.permission_mode.as_deref(),
            resume: self.resume.as_deref(),
            new_conversation: &id,
            args: &self.args,
        };
        start_command(&context.agents, &self.agent, &options)
    }

    /// Opens the agent's pane with the agent in it.
    fn started(
        &self,
        command: &StartCommand,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<PaneCreated>, Refusal> {
        let Decision { mut events, children, payloads, answer } = self.opened(command, world, context)?;
        let children: Vec<_> = children.into_iter().map(|child| self.child(command, child)).collect();
        events.extend(children.first().and_then(|child| conversation(command, child)));
        Ok(Decision { events, children, payloads, answer })
    }

    /// Opens the agent's pane: in a new session, or beside or in the session of the given pane.
    fn opened(
        &self,
        command: &StartCommand,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<PaneCreated>, Refusal> {
        // The pane of a program that fails is kept, so that its last lines can be read.
        let on_exit = match launch::on_exit(None, world, context) {
            OnExit::Close => OnExit::KeepFailed,
            kept => kept,
        };
        let program = Program {
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            on_exit: Some(on_exit),
            command: None,
            argv: command.argv.clone(),
        };
        let background = context.caller.is_agent();
        let worktree = self.worktree.clone();
        let Some(pane) = &self.pane else {
            let name = self.session_name(&command.agent, world, context);
            let (tags, confine) = (self.tags.clone(), self.confine.clone());
            return CreateSession { name, tags, worktree, confine, program, ..CreateSession::default() }
                .perform(world, context);
        };
        worktrees::check(worktree.as_ref(), world)?;
        if self.split.is_some() {
            let (choice, pane, direction) = (self.place.clone(), Some(pane.clone()), self.split);
            return CreatePane { choice, pane, direction, background, program, ..CreatePane::default() }
                .perform(world, context);
        }
        let session = self.place.session.clone().map_or_else(|| self.session_of(pane, world), Ok)?;
        CreateWindow { session: Some(session), background, program, ..CreateWindow::default() }
            .perform(world, context)
    }

    /// The name of the new session: the given one, that of the branch, or that of the agent.
    fn session_name(&self, agent: &str, world: &World, context: &RequestContext) -> Option<SessionName> {
        let by_branch = || worktrees::session_name(self.worktree.as_ref()?, world, context);
        let numbered = (2..=limits::PANES).map(|number| format!("{agent}-{number}"));
        let names = std::iter::once(agent.to_owned()).chain(numbered).filter_map(|name| name.parse().ok());
        let mut free = names.filter(|name| world.name_is_free(name, None, context).is_ok());
        self.name.clone().or_else(by_branch).or_else(|| free.next())
    }

    fn session_of(&self, pane: &PaneRef, world: &World) -> Result<SessionRef, Refusal> {
        Ok(world.session_of(world.pane_named(pane, None)?).id.into())
    }

    /// The program to start, with what only agents need.
    fn child(&self, command: &StartCommand, child: ChildSpec) -> ChildSpec {
        let (worktree, agent) = (self.worktree.clone(), Some(command.agent.clone()));
        ChildSpec { worktree, agent, reuses_worktree: true, ..child }
    }

    /// The wait for the agent that the same call has started, if it is repeated.
    fn wait_before(&self, world: &World, context: &RequestContext) -> Option<SpawnWait> {
        let key = context.caller.own_key(self.idempotency_key.as_ref()?);
        let pane = world.panes.get(world.panes_started_by(&key).first()?)?;
        let (window, session) = (world.window_of(pane), world.session_of(pane));
        let place = AgentPlace {
            pane: pane.id,
            window: window.id,
            session: session.id,
            session_name: session.name.clone(),
            worktree: world.own_worktree(session.id).filter(|_| self.worktree.is_some()),
            copied: 0,
        };
        let begun = pane.started_by.as_ref().map_or(context.now, |started| started.started_at);
        let agent = (context.agents.canonical(&self.agent), &*context.agents);
        Some(SpawnWait::new(waiter(world, context), place, agent, self, (begun, context.now)))
    }
}

/// Where the agent is started.
fn place(child: &ChildSpec, context: &RequestContext) -> AgentPlace {
    let made = context.child(child.pane).worktree;
    AgentPlace {
        pane: child.pane,
        window: child.window,
        session: child.session,
        session_name: child.session_name.clone(),
        copied: made.as_ref().map_or(0, |made| made.copied),
        worktree: made.map(|made| SessionWorktree { path: made.path, branch: made.branch }),
    }
}
