//! The state machine: it takes one input at a time and returns the resulting step.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use fugue_agents::AgentTable;
use fugue_protocol::agent_messages::OfferedVia;
use fugue_protocol::{Event, PaneId, Refusal, Timestamp, Verb};
use serde_json::value::RawValue;

use crate::agent_events;
use crate::agents::AgentSetting;
use crate::caller::Caller;
use crate::child_numbers;
use crate::decision::{Decision, PendingWait, ReplySource};
use crate::edge_request::EdgeRequest;
use crate::effect::{Effect, Ticket};
use crate::follow_up_events::{follow_up_events, is_moot};
use crate::input::Input;
use crate::notifications;
use crate::pane_notes::PaneNotes;
use crate::pane_resizes::Sizes;
use crate::pending_starts::{PendingStart, PendingStarts, kill, kill_unhosted};
use crate::perform::{self, permissions, program_reports};
use crate::permission_rules::{PermissionRules, Ruling};
use crate::quota::{Allowances, QuotaCheck};
use crate::reactions::react;
use crate::request_context::{RequestContext, Started};
use crate::scope::{self, AuditEntry, Scopes};
use crate::settings::Settings;
use crate::shared_replies::SharedReplies;
use crate::step::MachineStep;
use crate::world::World;

/// The world and the requests that are not answered yet.
#[derive(Debug, Default)]
pub struct Machine {
    pub(crate) world: World,
    settings: Settings,
    scopes: Scopes,
    rules: Arc<PermissionRules>,
    /// The dialogs that a rule covers, by pane: their ids, and whether the rule has answered.
    ruled: BTreeMap<PaneId, (String, bool)>,
    starts: PendingStarts,
    allowances: Allowances,
    pub(crate) waits: BTreeMap<Ticket, PendingWait<Box<RawValue>>>,
    /// When panes are to be noted.
    pub(crate) notes: PaneNotes,
    /// When all agents were last judged without new evidence.
    pub(crate) agents_judged_at: Timestamp,
    /// The requests that began to wait in this step.
    pub(crate) newly_waiting: Vec<Ticket>,
    shared_replies: SharedReplies,
    /// Why the other host that the next request names cannot be asked.
    relay_refusal: Option<Refusal>,
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

    /// Replaces the user's rules for what agents ask.
    pub fn set_rules(&mut self, rules: PermissionRules) {
        self.rules = Arc::new(rules);
    }

    /// Replaces the table of agents.
    pub fn set_agents(&mut self, agents: Arc<AgentTable>) {
        if !Arc::ptr_eq(&self.world.agents.0, &agents) {
            self.world.agents = AgentSetting(agents);
            self.shared_replies.clear();
        }
    }

    /// Sets the reason why the other host that the next request names cannot be asked.
    pub fn set_relay_refusal(&mut self, refusal: Option<Refusal>) {
        self.relay_refusal = refusal;
    }

    /// The name of this host in its fleet.
    pub fn fleet_host(&self) -> Option<&fugue_protocol::FleetHost> {
        self.settings.fleet.as_ref().map(|fleet| &fleet.host)
    }

    /// Whether this host belongs to a fleet.
    pub fn is_in_fleet(&self) -> bool {
        self.settings.fleet.is_some()
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
        let World { base_index, renumber_windows, ref agents, .. } = self.world;
        self.world = World { base_index, renumber_windows, agents: agents.clone(), ..world };
        self.world.close_gaps();
        self.shared_replies.clear();
        self.agents_judged_at = Timestamp::default();
        self.notes.repeat();
        self.ruled.clear();
    }

    /// Handles one input.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> MachineStep {
        let step = self.take(now, input);
        let step = self.apply_rules(step);
        self.notes.watch(&step.events, now);
        self.wake(now, step)
    }

    /// Handles an input in the middle of a batch, when there is nowhere to store what follows from it. It ends no wait, not
    /// even one whose time is over: that is due with the next input.
    pub fn handle_alone(&mut self, now: Timestamp, input: Input) -> MachineStep {
        let step = self.take(now, input);
        self.notes.watch(&step.events, now);
        step
    }

    fn take(&mut self, now: Timestamp, input: Input) -> MachineStep {
        match input {
            Input::Request { ticket, verb, caller, seed } => {
                let context = RequestContext::new(now, caller, seed, self.settings.clone())
                    .relayed(self.relay_refusal.take());
                let agents = Arc::clone(&self.world.agents.0);
                let context = context
                    .beside(self.starts.promised(&self.world))
                    .knowing(agents)
                    .ruled_by(self.rules.clone());
                self.decide(ticket, *verb, context)
            }
            Input::Started { ticket, outcome } => self.started(ticket, outcome),
            Input::Exited { run, exit } => self.record(perform::removal::exited(&self.world, run, exit, now)),
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
            Input::NumbersSet { base, renumber } => {
                let changed = (self.world.base_index, self.world.renumber_windows) != (base, renumber);
                self.record(changed.then_some(Event::NumberedFrom { base, renumber }).into_iter().collect())
            }
            Input::BellRang { pane } => self.record(program_reports::bell_rang(&self.world, pane)),
            Input::Notified { pane, title, body } => {
                self.record(program_reports::notified(&self.world, pane, title, body))
            }
            Input::AgentObserved { pane, front, evidence } => {
                self.record(agent_events::seen(&self.world, pane, &front, evidence, now))
            }
            Input::DialogObserved { pane, dialog, answered } => {
                let over = match answered {
                    true => permissions::answered(&self.world, pane, dialog.as_ref(), now),
                    false => Vec::new(),
                };
                let over = self.record(over);
                over.and(self.record(permissions::observed(&self.world, pane, dialog, now)))
            }
            Input::TimerFired => {
                let notes = self.notes.due(&self.world, now);
                let agents = agent_events::woken(&self.world, now);
                self.agents_judged_at = now;
                self.record(notes.into_iter().chain(agents).chain(self.due(now)).collect())
            }
            Input::RunsHeld { runs } => {
                let lost = self.record(program_reports::lost(&self.world, &runs));
                let popups = lost.and(self.record(perform::removal::lost_popups(&self.world)));
                let mut step = popups.and(self.record(perform::parallel::left_over(&self.world)));
                // Nothing runs any more after a reboot, so nobody frees a lock.
                if runs.is_empty() {
                    step = step.and(self.record(self.world.channels.clear()));
                }
                step.effects.extend(notifications::for_all(&self.world));
                step
            }
            Input::RunsFound { runs, seed } => {
                let context = RequestContext::new(now, Caller::Outside, seed, self.settings.clone());
                self.record(perform::recovery::found(&self.world, &runs, &context))
            }
            Input::SurvivorsFound { found } => {
                self.record(program_reports::survivors_found(&self.world, found))
            }
            Input::RetriesOver { left } => {
                let claimed: Vec<_> = self.waits.values().flat_map(|wait| wait.abandoned.clone()).collect();
                let others = self.world.panes.keys().filter(|pane| !left.contains(pane));
                let kept: Vec<_> = others.copied().chain(claimed).collect();
                self.record(perform::parallel::unclaimed(&self.world, &kept))
            }
            Input::Located { pane, place } => self.record(program_reports::located(&self.world, pane, place)),
            Input::CallerGone { ticket } => {
                let Some(gone) = self.waits.remove(&ticket) else { return MachineStep::default() };
                let pipe = perform::pipes::dropped(&self.world, &gone.about);
                self.record(
                    perform::parallel::cleared(&self.world, &gone.abandoned)
                        .into_iter()
                        .chain(pipe)
                        .collect(),
                )
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

    fn decide(&mut self, ticket: Ticket, verb: Verb, context: RequestContext) -> MachineStep {
        let decision = perform::decide(verb.clone(), &self.world, &context)
            .and_then(|decision| decision.check_names().map(|()| decision))
            .and_then(|decision| self.within_quota(&context, decision));
        let assumed = context.assumed().map(|session| (ticket, session));
        let (decision, audit) = self.within_scope(&verb, &context, decision);
        let step = match decision {
            Err(refusal) => MachineStep { audit, ..refused(ticket, refusal) },
            Ok(decision) if decision.children.is_empty() => {
                MachineStep { audit, ..self.apply(ticket, decision) }
            }
            Ok(Decision { children, .. }) => {
                let start = self.starts.add(&self.world, ticket, PendingStart { verb, context, children });
                MachineStep { effects: vec![start], ..MachineStep::default() }
            }
        };
        MachineStep { assumed, ..step }
    }

    /// Returns the decision if the quotas of its caller allow it.
    fn within_quota<R>(
        &mut self,
        context: &RequestContext,
        decision: Decision<R>,
    ) -> Result<Decision<R>, Refusal> {
        let (world, pending) = (&self.world, self.starts.children().collect());
        let check = QuotaCheck { world, context, pending, waits: &self.waits };
        check.within(&mut self.allowances, decision)
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
            scope::check_moves(&self.world, &events)?;
            decision.events = scope::stamp(&self.world, context, events)?;
            scope::confine(&self.world, context, &decision.events, &mut decision.children);
            Ok(decision)
        });
        (stamped, audit)
    }

    /// Answers dialogs that have just opened, or that their agents have just reported, if a rule of the user covers them.
    fn apply_rules(&mut self, mut step: MachineStep) -> MachineStep {
        let concerned = |event: &Event| match event {
            Event::DialogChanged { pane, .. } | Event::AgentReported { pane, .. } => Some(*pane),
            _ => None,
        };
        let panes: BTreeSet<_> = step.events.iter().filter_map(concerned).collect();
        for pane in panes {
            let Some((id, ruling)) = self.ruling(pane) else { continue };
            let is_answer = ruling.effect.is_some();
            self.ruled.retain(|pane, _| self.world.panes.contains_key(pane));
            self.ruled.insert(pane, (id, is_answer));
            step.effects.extend(ruling.effect);
            step.audit = Some(ruling.entry);
        }
        step
    }

    /// The id of the dialog in a pane, and what the rules say to it, if that is new.
    fn ruling(&self, pane: PaneId) -> Option<(String, Ruling)> {
        let open = self.world.panes.get(&pane)?.dialog.as_deref()?;
        let ruling = self.rules.ruling(&self.world, pane, open)?;
        let is_known =
            |(id, answered): &(String, bool)| *id == open.id && (*answered || ruling.effect.is_none());
        let is_news = !self.ruled.get(&pane).is_some_and(is_known);
        is_news.then(|| (open.id.clone(), ruling))
    }

    /// Whether a caller may send keys straight to a pane, and the line for the audit log, if any.
    pub fn may_send_keys(
        &self,
        now: Timestamp,
        caller: Caller,
        pane: PaneId,
    ) -> (Result<(), Refusal>, Option<AuditEntry>) {
        let context = RequestContext::new(now, caller, 0, self.settings.clone());
        scope::check_keys(&self.scopes, &self.world, &context, pane)
    }

    /// Whether a caller may replace the daemon by another version, and the line for the audit log.
    pub fn may_upgrade(&self, caller: Caller) -> (Result<(), Refusal>, Option<AuditEntry>) {
        scope::check_daemon(&self.scopes, &self.world, caller, "upgrade")
    }

    /// Decides a request again once its programs run, since the world may have changed meanwhile.
    fn started(&mut self, ticket: Ticket, outcome: Result<Vec<Started>, Refusal>) -> MachineStep {
        let Some(PendingStart { verb, context, children }) = self.starts.remove(ticket) else {
            return MachineStep::default();
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
                child_numbers::keep_told(&self.world, &children, &mut decision.events);
                decision.events.extend(child_numbers::told(&self.world, &children, &decision.events));
                let mut step = MachineStep { audit, ..self.apply(ticket, decision) };
                step.effects.extend(kill_unhosted(children, &step.effects));
                step
            }
            Err(refusal) => MachineStep { audit, effects: vec![kill(&children)], ..refused(ticket, refusal) },
        }
    }

    pub(crate) fn apply(&mut self, ticket: Ticket, decision: Decision<Box<RawValue>>) -> MachineStep {
        let mut step = self.record(decision.events);
        step.payloads = decision.payloads;
        match decision.answer {
            ReplySource::After(answer) => step.answers.push((ticket, Ok(answer(&self.world)))),
            ReplySource::Shared(verb, answer) => {
                let world = &self.world;
                step.answers.push((ticket, Ok(self.shared_replies.reply(verb, || answer(world)))));
            }
            ReplySource::Later(EdgeRequest::Waits) => step.answers.push((ticket, Ok(self.wait_graph()))),
            ReplySource::Later(request) => step.effects.push(Effect::Request { ticket, request }),
            ReplySource::Refused(refusal) => step.answers.push((ticket, Err(refusal))),
            ReplySource::When(wait) => {
                self.waits.insert(ticket, wait);
                self.newly_waiting.push(ticket);
                step.waiting.push(ticket);
            }
        }
        step
    }

    pub(crate) fn record(&mut self, events: Vec<Event>) -> MachineStep {
        let mut step = MachineStep::default();
        let sizes = Sizes::before(&self.world, &events);
        let mut events = VecDeque::from(events);
        while let Some(event) = events.pop_front() {
            if is_moot(&self.world, &event) {
                continue;
            }
            self.world.evolve(&event);
            self.shared_replies.clear();
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

fn refused(ticket: Ticket, refusal: Refusal) -> MachineStep {
    MachineStep { answers: vec![(ticket, Err(refusal))], ..MachineStep::default() }
}
