//! The state machine: it takes one input at a time and returns the resulting step.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fugue_protocol::agent_messages::OfferedVia;
use fugue_protocol::agents::Evidence;
use fugue_protocol::dialogs::Dialog;
use fugue_protocol::events::{ActivityKind, ClientAttached, ProgramRun};
use fugue_protocol::git_location::GitLocation;
use fugue_protocol::views::{ExitStatus, Survivor};
use fugue_protocol::{Event, MessageId, PaneId, Refusal, RunId, SessionId, SessionName, Timestamp, Verb};
use serde_json::value::RawValue;

use crate::agents::{self, AgentTable, Front};
use crate::decision::{Answer, Decision, PayloadSource, PendingWait};
use crate::edge_request::EdgeRequest;
use crate::effect::{ChildSpec, Effect, Ticket};
use crate::follow_up_events::{follow_up_events, is_moot};
use crate::notifications;
use crate::numbers;
use crate::pane_notes::PaneNotes;
use crate::pane_resizes::Sizes;
use crate::perform::{self, permissions, program_reports};
use crate::permission_rules::PermissionRules;
use crate::quota::TokenBuckets;
use crate::reactions::react;
use crate::request_context::{Caller, RequestContext, Settings, Started};
use crate::scope::{self, AuditEntry, Scopes};
use crate::world::{PaneLife, World};

/// A fact from outside: a request, or a report of the edge.
#[derive(Debug)]
#[allow(missing_docs, reason = "the variants are documented and their fields are named by type")]
pub enum Input {
    /// A caller sent a request. The seed is random.
    Request { ticket: Ticket, verb: Box<Verb>, caller: Caller, seed: u64 },
    /// The programs of [`Effect::Start`] were started, all of them or none.
    Started { ticket: Ticket, outcome: Result<Vec<Started>, Refusal> },
    /// A program ended, and all of its output has been read.
    Exited { run: RunId, exit: ExitStatus },
    /// A program set its title.
    TitleChanged { pane: PaneId, title: String },
    /// A program changed its working directory.
    DirectoryChanged { pane: PaneId, cwd: String },
    /// Another program is in the foreground of a pane; none if that is the pane's own program.
    ForegroundChanged { pane: PaneId, program: Option<String> },
    /// The last command of a pane's shell ended.
    CommandEnded { pane: PaneId, exit: Option<i32> },
    /// A pane that is monitored printed something, or has been silent for long.
    ActivitySeen { pane: PaneId, kind: ActivityKind },
    /// The setting for the first number of windows and panes.
    BaseIndexSet { base: usize },
    /// A program rang the bell.
    BellRang { pane: PaneId },
    /// A program sent a desktop notification.
    Notified { pane: PaneId, title: String, body: String },
    /// The foreground process of a pane, and all evidence of an agent's state there.
    AgentObserved { pane: PaneId, front: Front, evidence: Vec<Evidence> },
    /// The dialog on the screen of a pane's agent.
    DialogObserved { pane: PaneId, dialog: Option<Dialog> },
    /// The time of [`Effect::Wake`] or [`Machine::wake_at`] has come.
    TimerFired,
    /// The runs that the keeper still holds when the daemon starts.
    RunsHeld { runs: Vec<RunId> },
    /// Running programs that the journal does not know because it was lost.
    RunsFound { runs: Vec<ProgramRun>, seed: u64 },
    /// Processes of lost panes that still run without a terminal.
    SurvivorsFound { found: Vec<(PaneId, Vec<Survivor>)> },
    /// Git reported the repository of a pane's working directory.
    Located { pane: PaneId, place: Option<GitLocation> },
    /// Callers have had time to repeat the requests that were lost with the previous daemon. Panes that were opened
    /// since then, or for requests that were repeated, are not concerned.
    RetriesOver {
        /// The panes that the previous daemon left.
        left: Vec<PaneId>,
    },
    /// The output of parallel commands has been read, so their panes can be closed.
    PanesReleased { panes: Vec<PaneId> },
    /// A notification about these messages was typed, and the agent accepted it.
    NotificationTyped { session: SessionId, messages: Vec<MessageId> },
    /// The caller of a pending request disconnected.
    CallerGone { ticket: Ticket },
    /// A client attached to a session.
    ClientAttached(ClientAttached),
    /// A client disconnected.
    ClientLeft { client: u64 },
    /// The result of a command that had its own pane was delivered.
    ResultDelivered { pane: PaneId },
    /// The edge found something that the user must know of.
    Warned { warning: String },
    /// A worktree was removed.
    WorktreeRemoved { path: String },
    /// The daemon shuts down.
    CloseAll,
}

/// The result of one input.
#[derive(Debug, Default)]
pub struct Step {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The commands for the edge, in order.
    pub effects: Vec<Effect>,
    /// The replies, by ticket.
    pub answers: Vec<(Ticket, Answered)>,
    /// The requests that have begun to wait.
    pub waiting: Vec<Ticket>,
    /// The payloads to store with the events.
    pub payloads: Vec<(MessageId, PayloadSource)>,
    /// The session that was chosen for a caller who is in no pane and named none.
    pub assumed: Option<(Ticket, SessionName)>,
    /// The line for the audit log: an agent reached beyond its own session, or was refused to.
    pub audit: Option<AuditEntry>,
}

impl Step {
    /// Appends the events and effects of a step that belongs to no request.
    fn and(mut self, then: Self) -> Self {
        self.events.extend(then.events);
        self.effects.extend(then.effects);
        self
    }
}

/// A serialized reply, or a refusal.
pub type Answered = Result<Box<RawValue>, Refusal>;

/// The world and the requests that are not answered yet.
#[derive(Debug, Default)]
pub struct Machine {
    pub(crate) world: World,
    settings: Settings,
    scopes: Scopes,
    rules: PermissionRules,
    /// The agents that are known; none for the built-in ones.
    agents: Option<Arc<AgentTable>>,
    waiting: BTreeMap<Ticket, PendingStart>,
    /// The programs that agents may still start in this minute.
    pub(crate) spawned: TokenBuckets,
    /// The messages that agents may still send in this minute.
    pub(crate) sent: TokenBuckets,
    pub(crate) waits: BTreeMap<Ticket, PendingWait<Box<RawValue>>>,
    /// When panes are to be noted.
    pub(crate) notes: PaneNotes,
    /// The requests that began to wait in this step.
    pub(crate) newly_waiting: Vec<Ticket>,
}

/// A request that was decided once and waits for its programs to start.
#[derive(Debug)]
struct PendingStart {
    verb: Verb,
    context: RequestContext,
    children: Vec<ChildSpec>,
}

impl Machine {
    /// Creates a machine that continues with a world.
    pub fn new(world: World, settings: Settings) -> Self {
        Self { world, settings, ..Self::default() }
    }

    /// Limits what agents can reach.
    pub fn with_scopes(self, scopes: Scopes) -> Self {
        Self { scopes, ..self }
    }

    /// Numbers windows and panes from here on, before anybody has seen them.
    pub fn number_from(&mut self, base_index: usize) {
        self.world.base_index = base_index;
    }

    /// Replaces the user's rules for what agents ask.
    pub fn set_rules(&mut self, rules: PermissionRules) {
        self.rules = rules;
    }

    /// Replaces the table of agents.
    pub fn set_agents(&mut self, agents: Arc<AgentTable>) {
        self.agents = Some(agents);
    }

    /// Replaces the settings and the scopes. Requests that are already waiting keep the settings they came with.
    pub fn configure(&mut self, settings: Settings, scopes: Scopes) {
        (self.settings, self.scopes) = (settings, scopes);
    }

    /// The current world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Restores an earlier world because the later changes could not be stored.
    pub fn restore(&mut self, world: World) {
        let base_index = self.world.base_index;
        self.world = World { base_index, ..world };
        self.notes.repeat();
    }

    /// Handles one input.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Step {
        let step = self.take(now, input);
        self.notes.watch(&step.events, now);
        self.wake(now, step)
    }

    fn take(&mut self, now: Timestamp, input: Input) -> Step {
        match input {
            Input::Request { ticket, verb, caller, seed } => {
                let context = RequestContext::new(now, caller, seed, self.settings);
                let agents = self.agents.clone().unwrap_or_else(AgentTable::shared);
                let context = context.beside(self.promised()).knowing(agents);
                self.decide(ticket, *verb, context)
            }
            Input::Started { ticket, outcome } => self.started(ticket, outcome),
            Input::Exited { run, exit } => self.record(perform::removal::exited(&self.world, run, exit)),
            Input::TitleChanged { pane, title } => {
                self.record(program_reports::title_changed(&self.world, pane, title))
            }
            Input::DirectoryChanged { pane, cwd } => {
                self.record(program_reports::directory_changed(&self.world, pane, cwd))
            }
            Input::ForegroundChanged { pane, program } => {
                self.record(program_reports::foreground_changed(&self.world, pane, program))
            }
            Input::CommandEnded { pane, exit } => {
                self.record(program_reports::command_ended(&self.world, pane, exit))
            }
            Input::ActivitySeen { pane, kind } => {
                self.record(program_reports::activity_seen(&self.world, pane, kind))
            }
            Input::BaseIndexSet { base } => {
                let changed = self.world.base_index != base;
                self.record(changed.then_some(Event::NumberedFrom { base }).into_iter().collect())
            }
            Input::BellRang { pane } => self.record(program_reports::bell_rang(&self.world, pane)),
            Input::Notified { pane, title, body } => {
                self.record(program_reports::notified(&self.world, pane, title, body))
            }
            Input::AgentObserved { pane, front, evidence } => {
                self.record(agents::seen(&self.world, pane, &front, evidence, now))
            }
            Input::DialogObserved { pane, dialog } => {
                let before = self.dialog_in(pane);
                let step = self.record(permissions::observed(&self.world, pane, dialog, now));
                self.apply_rules(pane, before.as_deref(), step)
            }
            Input::TimerFired => {
                let notes = self.notes.due(&self.world, now);
                let agents = agents::woken(&self.world, now);
                self.record(notes.into_iter().chain(agents).chain(self.due(now)).collect())
            }
            Input::RunsHeld { runs } => {
                let lost = self.record(lost(&self.world, &runs));
                let popups = lost.and(self.record(perform::removal::lost_popups(&self.world)));
                let mut step = popups.and(self.record(perform::parallel::left_over(&self.world)));
                step.effects.extend(notifications::for_all(&self.world));
                step
            }
            Input::RunsFound { runs, seed } => {
                let context = RequestContext::new(now, Caller::Outside, seed, self.settings);
                self.record(perform::recovery::found(&self.world, &runs, &context))
            }
            Input::SurvivorsFound { found } => self.record(survivors_found(&self.world, found)),
            Input::RetriesOver { left } => {
                let claimed: Vec<_> = self.waits.values().flat_map(|wait| wait.abandoned.clone()).collect();
                let others = self.world.panes.keys().filter(|pane| !left.contains(pane));
                let kept: Vec<_> = others.copied().chain(claimed).collect();
                self.record(perform::parallel::unclaimed(&self.world, &kept))
            }
            Input::Located { pane, place } => self.record(program_reports::located(&self.world, pane, place)),
            Input::CallerGone { ticket } => {
                let gone = self.waits.remove(&ticket).map(|wait| wait.abandoned).unwrap_or_default();
                self.record(perform::parallel::cleared(&self.world, &gone))
            }
            Input::NotificationTyped { session, messages } => {
                let (how, offered_at) = (OfferedVia::Typed, now);
                self.record(vec![Event::MessagesOffered { session, messages, how, offered_at }])
            }
            Input::PanesReleased { panes } => self.record(perform::parallel::cleared(&self.world, &panes)),
            Input::ClientAttached(client) => self.record(perform::clients::attached(&self.world, client)),
            Input::ClientLeft { client } => self.record(perform::clients::left(&self.world, client)),
            Input::ResultDelivered { pane } => {
                let pane = self.world.panes.get(&pane).filter(|pane| pane.run().is_none());
                self.record(pane.map(|pane| perform::removal::pane(&self.world, pane)).unwrap_or_default())
            }
            Input::Warned { warning } => self.record(vec![Event::WarningRaised { warning }]),
            Input::WorktreeRemoved { path } => {
                let known = self.world.worktrees.contains_key(&path);
                self.record(known.then_some(Event::WorktreeRemoved { path }).into_iter().collect())
            }
            Input::CloseAll => self.record(perform::removal::everything(&self.world)),
        }
    }

    fn decide(&mut self, ticket: Ticket, verb: Verb, context: RequestContext) -> Step {
        let decision = perform::decide(verb.clone(), &self.world, &context)
            .and_then(|decision| self.within_quota(&context, decision));
        let assumed = context.assumed().map(|session| (ticket, session));
        let (decision, audit) = self.within_scope(&verb, &context, decision);
        let step = match decision {
            Err(refusal) => Step { audit, ..refused(ticket, refusal) },
            Ok(decision) if decision.children.is_empty() => Step { audit, ..self.apply(ticket, decision) },
            Ok(decision) => self.start(ticket, verb, context, decision.children),
        };
        Step { assumed, ..step }
    }

    /// Returns the decision if it is within the caller's scope, and the line for the audit log, if any. The authority
    /// of what it creates is fixed here, so that no verb can forget it.
    fn within_scope(
        &self,
        verb: &Verb,
        context: &RequestContext,
        decision: Result<Decision<Box<RawValue>>, Refusal>,
    ) -> (Result<Decision<Box<RawValue>>, Refusal>, Option<AuditEntry>) {
        let mut decision = match decision {
            Ok(decision) => decision,
            Err(refusal) => {
                let audit = scope::audited(&self.scopes, &self.world, context, verb, &refusal);
                return (Err(refusal), audit);
            }
        };
        let (outcome, audit) = scope::check(&self.scopes, &self.world, context, verb, &decision);
        let stamped = outcome.and_then(|()| {
            let events = std::mem::take(&mut decision.events);
            decision.events = scope::stamp(&self.world, context, events)?;
            Ok(decision)
        });
        (stamped, audit)
    }

    /// The id of the dialog in a pane.
    fn dialog_in(&self, pane: PaneId) -> Option<String> {
        self.world.panes.get(&pane)?.dialog.as_ref().map(|open| open.id.clone())
    }

    /// Answers a dialog that has just opened, if a rule of the user covers it.
    fn apply_rules(&self, pane: PaneId, before: Option<&str>, mut step: Step) -> Step {
        let open = self.world.panes.get(&pane).and_then(|pane| pane.dialog.as_ref());
        let opened = open.filter(|open| before != Some(open.id.as_str()));
        if let Some((effect, entry)) = opened.and_then(|open| self.rules.answer(&self.world, pane, open)) {
            step.effects.push(effect);
            step.audit = Some(entry);
        }
        step
    }

    /// Whether a caller may send keys straight to a pane, and the line for the audit log, if any.
    pub fn may_send_keys(
        &self,
        now: Timestamp,
        caller: Caller,
        pane: PaneId,
    ) -> (Result<(), Refusal>, Option<AuditEntry>) {
        let context = RequestContext::new(now, caller, 0, self.settings);
        scope::check_keys(&self.scopes, &self.world, &context, pane)
    }

    /// Whether a caller may replace the daemon by another version, and the line for the audit log.
    pub fn may_upgrade(&self, caller: Caller) -> (Result<(), Refusal>, Option<AuditEntry>) {
        scope::check_daemon(&self.scopes, &self.world, caller, "upgrade")
    }

    fn start(
        &mut self,
        ticket: Ticket,
        verb: Verb,
        context: RequestContext,
        mut children: Vec<ChildSpec>,
    ) -> Step {
        let promised = self.waiting.values().flat_map(|waiting| &waiting.children);
        numbers::assign(&self.world, promised, &mut children);
        let verb = children.iter().fold(verb, perform::pinned);
        self.waiting.insert(ticket, PendingStart { verb, context, children: children.clone() });
        Step { effects: vec![Effect::Start { ticket, children }], ..Step::default() }
    }

    /// The names of sessions that are being started; other requests must not take them.
    fn promised(&self) -> Vec<SessionName> {
        let children = self.waiting.values().flat_map(|waiting| &waiting.children);
        let new = children.filter(|child| !self.world.sessions.contains_key(&child.session));
        new.map(|child| child.session_name.clone()).collect()
    }

    /// The requests whose programs are being started.
    pub(crate) fn pending_starts(&self) -> impl Iterator<Item = (&RequestContext, &[ChildSpec])> {
        self.waiting.values().map(|waiting| (&waiting.context, waiting.children.as_slice()))
    }

    /// Decides a request again once its programs run, since the world may have changed meanwhile.
    fn started(&mut self, ticket: Ticket, outcome: Result<Vec<Started>, Refusal>) -> Step {
        let Some(PendingStart { verb, context, children }) = self.waiting.remove(&ticket) else {
            return Step::default();
        };
        let started = match outcome {
            Ok(started) => started,
            Err(refusal) => return refused(ticket, refusal),
        };
        let context = context.with_children(started);
        let decision = perform::decide(verb.clone(), &self.world, &context)
            .and_then(|decision| self.within_quota(&context, decision));
        let (decision, audit) = self.within_scope(&verb, &context, decision);
        match decision {
            Ok(mut decision) => {
                decision.events.extend(numbers::told(&self.world, &children, &decision.events));
                let mut step = Step { audit, ..self.apply(ticket, decision) };
                step.effects.extend(kill_unhosted(children, &step.effects));
                step
            }
            Err(refusal) => Step { audit, effects: vec![kill(&children)], ..refused(ticket, refusal) },
        }
    }

    pub(crate) fn apply(&mut self, ticket: Ticket, decision: Decision<Box<RawValue>>) -> Step {
        let mut step = self.record(decision.events);
        step.payloads = decision.payloads;
        match decision.answer {
            Answer::After(answer) => step.answers.push((ticket, Ok(answer(&self.world)))),
            Answer::Later(EdgeRequest::Waits) => step.answers.push((ticket, Ok(self.wait_graph()))),
            Answer::Later(request) => step.effects.push(Effect::Request { ticket, request }),
            Answer::When(wait) => {
                self.waits.insert(ticket, wait);
                self.newly_waiting.push(ticket);
                step.waiting.push(ticket);
            }
        }
        step
    }

    pub(crate) fn record(&mut self, events: Vec<Event>) -> Step {
        let mut step = Step::default();
        let sizes = Sizes::before(&self.world, &events);
        let mut events = VecDeque::from(events);
        while let Some(event) = events.pop_front() {
            if is_moot(&self.world, &event) {
                continue;
            }
            self.world.evolve(&event);
            step.effects.extend(react(&self.world, &event));
            step.effects.extend(notifications::for_event(&self.world, &event));
            events.extend(follow_up_events(&self.world, &event));
            step.events.push(event);
        }
        step.effects.extend(sizes.changed(&self.world));
        debug_assert_eq!(self.world.check(), Ok(()));
        step
    }
}

fn refused(ticket: Ticket, refusal: Refusal) -> Step {
    Step { answers: vec![(ticket, Err(refusal))], ..Step::default() }
}

fn kill(children: &[ChildSpec]) -> Effect {
    Effect::Kill { runs: children.iter().map(|child| child.run).collect() }
}

/// Kills the children that no pane hosts, because their request no longer needed them.
fn kill_unhosted(mut children: Vec<ChildSpec>, effects: &[Effect]) -> Option<Effect> {
    let hosts = |run: RunId| {
        effects.iter().any(|effect| matches!(effect, Effect::Host { run: own, .. } if *own == run))
    };
    children.retain(|child| !hosts(child.run));
    (!children.is_empty()).then(|| kill(&children))
}

/// The processes that outlived lost programs.
fn survivors_found(world: &World, found: Vec<(PaneId, Vec<Survivor>)>) -> Vec<Event> {
    let is_lost = |pane: &PaneId| world.panes.get(pane).is_some_and(|pane| pane.life == PaneLife::Lost);
    let found = found.into_iter().filter(|(pane, _)| is_lost(pane));
    found.map(|(pane, survivors)| Event::SurvivorsFound { pane, survivors }).collect()
}

/// The panes whose programs were lost with a keeper that died.
fn lost(world: &World, held: &[RunId]) -> Vec<Event> {
    let gone = |life: PaneLife| matches!(life, PaneLife::Running(run) if !held.contains(&run.id));
    let panes = world.panes.values().filter(|pane| gone(pane.life));
    panes.map(|pane| Event::PaneLost { pane: pane.id }).collect()
}
