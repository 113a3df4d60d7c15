//! The machine: an input comes in, a step comes out. One task owns it.

use std::collections::{BTreeMap, VecDeque};

use fugue_protocol::agents::Evidence;
use fugue_protocol::events::{ClientAttached, ProgramRun};
use fugue_protocol::orchestration::{GitLocation, OfferedVia};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, MessageId, PaneId, Refusal, RunId, SessionId, SessionName, Timestamp, Verb};
use serde_json::value::RawValue;

use crate::agents::{self, Front};
use crate::decision::{Answer, Body, Child, Decision};
use crate::edge_request::EdgeRequest;
use crate::follow::follow;
use crate::notifications::{self, nudges};
use crate::perform;
use crate::perform::fleeting;
use crate::react::{Effect, react};
use crate::request_context::{Caller, RequestContext, Settings, Started};
use crate::scope::{self, ScopeViolation, Scopes};
use crate::sizes::Sizes;
use crate::waits::Wait;
use crate::world::{Life, World};

/// Names a request that waits for its answer.
pub type Ticket = u64;

/// What the machine is told.
#[derive(Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Input {
    /// Somebody asks for something.
    Request { ticket: Ticket, verb: Verb, caller: Caller, seed: u64 },
    /// The programs asked for were started, all of them, or none.
    Started { ticket: Ticket, outcome: Result<Vec<Started>, Refusal> },
    /// A program ended, and all it wrote has been read.
    Exited { run: RunId, exit: ExitStatus },
    /// A program set its title.
    Titled { pane: PaneId, title: String },
    /// A program went to another directory.
    WentTo { pane: PaneId, cwd: String },
    /// A program rang the bell.
    Rang { pane: PaneId },
    /// A program has something to tell a person.
    Notified { pane: PaneId, title: String, body: String },
    /// A look at a pane: what is in front of its terminal, and every sign of how an agent there is doing.
    Seen { pane: PaneId, front: Front, signs: Vec<Evidence> },
    /// The time has come that was asked for.
    Woken,
    /// The runs that a keeper still holds, at the daemon's start.
    Held { runs: Vec<RunId> },
    /// Programs that live though the journal, which was lost, cannot speak of them.
    Found { runs: Vec<ProgramRun>, seed: u64 },
    /// Where a pane's directory is, as git tells.
    Located { pane: PaneId, place: Option<GitLocation> },
    /// These panes are no longer needed.
    Cleared { panes: Vec<PaneId> },
    /// A line that tells a session's agent of these messages was typed, and the agent took it.
    Typed { session: SessionId, messages: Vec<MessageId> },
    /// Nobody waits for the answer to this any more.
    GaveUp { ticket: Ticket },
    /// A terminal shows a session.
    Attached(ClientAttached),
    /// A connection ended.
    Left { client: u64 },
    /// A command that had a pane of its own is over and told.
    Told { pane: PaneId },
    /// Everything ends.
    CloseAll,
}

/// What follows from an input.
#[derive(Debug, Default)]
pub struct Step {
    /// What happened, in order.
    pub events: Vec<Event>,
    /// What the edge must do, in order.
    pub effects: Vec<Effect>,
    /// What is answered, and to whom.
    pub answers: Vec<(Ticket, Answered)>,
    /// Requests that wait from now on.
    pub waiting: Vec<Ticket>,
    /// Bodies of messages, to be stored with the events.
    pub bodies: Vec<(MessageId, Body)>,
    /// A request that named no session, from a person outside, and the session that was taken for meant.
    pub assumed: Option<(Ticket, SessionName)>,
    /// What an agent changed outside its own session.
    pub trespass: Option<ScopeViolation>,
}

impl Step {
    /// This, and then that. What is said of one request alone is not in either.
    fn and(mut self, then: Self) -> Self {
        self.events.extend(then.events);
        self.effects.extend(then.effects);
        self
    }
}

/// A reply in words, or a refusal.
pub type Answered = Result<Box<RawValue>, Refusal>;

/// The world, and the requests that wait for their children.
#[derive(Debug, Default)]
pub struct Machine {
    pub(crate) world: World,
    settings: Settings,
    scopes: Scopes,
    waiting: BTreeMap<Ticket, Waiting>,
    pub(crate) waits: BTreeMap<Ticket, Wait<Box<RawValue>>>,
    /// Those who have begun to wait in this step.
    pub(crate) newly_waiting: Vec<Ticket>,
}

/// A request that was decided once and waits for its children to be started.
#[derive(Debug)]
struct Waiting {
    verb: Verb,
    asking: RequestContext,
    children: Vec<Child>,
}

impl Machine {
    /// A machine that goes on with this world.
    pub fn new(world: World, settings: Settings) -> Self {
        Self { world, settings, ..Self::default() }
    }

    /// The same machine, with these bounds for agents.
    pub fn within(self, scopes: Scopes) -> Self {
        Self { scopes, ..self }
    }

    /// Replaces the settings and the scopes. Requests that are already waiting keep the settings they came with.
    pub fn configure(&mut self, settings: Settings, scopes: Scopes) {
        (self.settings, self.scopes) = (settings, scopes);
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Goes back to an earlier world, because what came after could not be stored.
    pub fn go_back(&mut self, world: World) {
        self.world = world;
    }

    /// Takes one input.
    pub fn handle(&mut self, now: Timestamp, input: Input) -> Step {
        let step = self.take(now, input);
        self.wake(now, step)
    }

    fn take(&mut self, now: Timestamp, input: Input) -> Step {
        match input {
            Input::Request { ticket, verb, caller, seed } => {
                let asking = RequestContext::new(now, caller, seed, self.settings).beside(self.promised());
                self.decide(ticket, verb, asking)
            }
            Input::Started { ticket, outcome } => self.started(ticket, outcome),
            Input::Exited { run, exit } => self.happened(perform::removal::exited(&self.world, run, exit)),
            Input::Titled { pane, title } => self.happened(fleeting::titled(&self.world, pane, title)),
            Input::WentTo { pane, cwd } => self.happened(fleeting::went_to(&self.world, pane, cwd)),
            Input::Rang { pane } => self.happened(fleeting::rang(&self.world, pane)),
            Input::Notified { pane, title, body } => {
                self.happened(fleeting::notified(&self.world, pane, title, body))
            }
            Input::Seen { pane, front, signs } => {
                self.happened(agents::seen(&self.world, pane, &front, signs, now))
            }
            Input::Woken => {
                let agents = agents::woken(&self.world, now);
                self.happened(agents.into_iter().chain(self.due(now)).collect())
            }
            Input::Held { runs } => {
                let lost = self.happened(lost(&self.world, &runs));
                let mut step = lost.and(self.happened(perform::parallel::left_over(&self.world)));
                step.effects.extend(notifications::all(&self.world));
                step
            }
            Input::Found { runs, seed } => {
                let asking = RequestContext::new(now, Caller::Outside, seed, self.settings);
                self.happened(perform::recovery::found(&self.world, &runs, &asking))
            }
            Input::Located { pane, place } => {
                self.happened(perform::located::located(&self.world, pane, place))
            }
            Input::GaveUp { ticket } => {
                let gone = self.waits.remove(&ticket).map(|wait| wait.abandoned).unwrap_or_default();
                self.happened(perform::parallel::cleared(&self.world, &gone))
            }
            Input::Typed { session, messages } => {
                let (how, offered_at) = (OfferedVia::Typed, now);
                self.happened(vec![Event::MessagesOffered { session, messages, how, offered_at }])
            }
            Input::Cleared { panes } => self.happened(perform::parallel::cleared(&self.world, &panes)),
            Input::Attached(client) => self.happened(perform::clients::attached(&self.world, client)),
            Input::Left { client } => self.happened(perform::clients::left(&self.world, client)),
            Input::Told { pane } => {
                let pane = self.world.panes.get(&pane).filter(|pane| pane.run().is_none());
                self.happened(pane.map(|pane| perform::removal::pane(&self.world, pane)).unwrap_or_default())
            }
            Input::CloseAll => self.happened(perform::removal::everything(&self.world)),
        }
    }

    fn decide(&mut self, ticket: Ticket, verb: Verb, asking: RequestContext) -> Step {
        let decision = perform::decide(verb.clone(), &self.world, &asking);
        let assumed = asking.assumed().map(|session| (ticket, session));
        let step = match self.within_scope(&verb, &asking, decision) {
            Err(refusal) => refused(ticket, refusal),
            Ok((decision, trespass)) if decision.children.is_empty() => {
                Step { trespass, ..self.settle(ticket, decision) }
            }
            Ok((decision, _)) => self.start(ticket, verb, asking, decision.children),
        };
        Step { assumed, ..step }
    }

    /// The decision if the caller may make it, and what it touches that is not the caller's.
    fn within_scope(
        &self,
        verb: &Verb,
        asking: &RequestContext,
        decision: Result<Decision<Box<RawValue>>, Refusal>,
    ) -> Result<(Decision<Box<RawValue>>, Option<ScopeViolation>), Refusal> {
        let decision = decision?;
        let verb = (verb.name(), verb.nature());
        let trespass = scope::check(&self.scopes, &self.world, asking, verb, &decision)?;
        Ok((decision, trespass))
    }

    fn start(&mut self, ticket: Ticket, verb: Verb, asking: RequestContext, children: Vec<Child>) -> Step {
        let verb = children.iter().fold(verb, perform::pinned);
        self.waiting.insert(ticket, Waiting { verb, asking, children: children.clone() });
        Step { effects: vec![Effect::Start { ticket, children }], ..Step::default() }
    }

    /// Names of sessions that are being started: whoever asks meanwhile gets other ones.
    fn promised(&self) -> Vec<SessionName> {
        let children = self.waiting.values().flat_map(|waiting| &waiting.children);
        let new = children.filter(|child| !self.world.sessions.contains_key(&child.session));
        new.map(|child| child.session_name.clone()).collect()
    }

    /// Decides again, with the children at hand: the world may have changed since.
    fn started(&mut self, ticket: Ticket, outcome: Result<Vec<Started>, Refusal>) -> Step {
        let Some(Waiting { verb, asking, children }) = self.waiting.remove(&ticket) else {
            return Step::default();
        };
        let started = match outcome {
            Ok(started) => started,
            Err(refusal) => return refused(ticket, refusal),
        };
        let asking = asking.with_children(started);
        let decision = perform::decide(verb.clone(), &self.world, &asking);
        match self.within_scope(&verb, &asking, decision) {
            Ok((decision, trespass)) => Step { trespass, ..self.settle(ticket, decision) },
            Err(refusal) => Step { effects: vec![abandon(&children)], ..refused(ticket, refusal) },
        }
    }

    pub(crate) fn settle(&mut self, ticket: Ticket, decision: Decision<Box<RawValue>>) -> Step {
        let mut step = self.happened(decision.events);
        step.bodies = decision.bodies;
        match decision.answer {
            Answer::After(answer) => step.answers.push((ticket, Ok(answer(&self.world)))),
            Answer::Later(EdgeRequest::Waits) => step.answers.push((ticket, Ok(self.who_waits()))),
            Answer::Later(ask) => step.effects.push(Effect::Ask { ticket, ask }),
            Answer::When(wait) => {
                self.waits.insert(ticket, wait);
                self.newly_waiting.push(ticket);
                step.waiting.push(ticket);
            }
        }
        step
    }

    pub(crate) fn happened(&mut self, events: Vec<Event>) -> Step {
        let mut step = Step::default();
        let sizes = Sizes::before(&self.world, &events);
        let mut events = VecDeque::from(events);
        while let Some(event) = events.pop_front() {
            self.world.evolve(&event);
            step.effects.extend(react(&self.world, &event));
            step.effects.extend(nudges(&self.world, &event));
            events.extend(follow(&self.world, &event));
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

fn abandon(children: &[Child]) -> Effect {
    Effect::Abandon { runs: children.iter().map(|child| child.run).collect() }
}

/// Panes whose programs went with a keeper that died.
fn lost(world: &World, held: &[RunId]) -> Vec<Event> {
    let gone = |life: Life| matches!(life, Life::Running(run) if !held.contains(&run.id));
    let panes = world.panes.values().filter(|pane| gone(pane.life));
    panes.map(|pane| Event::PaneLost { pane: pane.id }).collect()
}
