//! `wait`: finds the panes, whose tasks do the waiting.

use fugue_protocol::refusal::{ArgumentProblem, Quantity, Quota};
use fugue_protocol::verbs::{OutputCursor, Until, Wait, WaitEvent};
use fugue_protocol::views::{ExitStatus, WaitOutcome, WaitResult};
use fugue_protocol::{PaneId, Refusal, Timestamp, limits};

use super::Perform;
use crate::decision::Decision;
use crate::decision::{WaitSubject, WakeReason};
use crate::edge_request::{AwaitedEvents, EdgeRequest, PaneRequest, PanesWait, WaitRequest};
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for Wait {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WaitResult>, Refusal> {
        let until = self.checked_until()?;
        super::at_most("timeout_ms", Quantity::Wait, self.timeout_ms, limits::WAIT_MILLIS)?;
        if until == Until::Message {
            return self.for_message(world, context);
        }
        let events = self.awaited_events(world, context)?;
        if !self.panes.is_empty() {
            return self.several(until, events, world, context.now);
        }
        if let (Until::Exit, Some(waited)) = (until, self.over_already(world, context)) {
            return Ok(Decision::reply(waited));
        }
        let pane = world.pane_or_ended(&self.choice, context)?;
        let (panes, waiting) = (vec![(pane, self.since)], self.waiting(until));
        Ok(Decision::later(match events.is_empty() {
            true => EdgeRequest::Pane(pane, PaneRequest::Wait(waiting)),
            false => EdgeRequest::Panes(PanesWait { panes, waiting, all: false, events }),
        }))
    }
}

trait WaitTargets {
    fn checked_until(&self) -> Result<Until, Refusal>;
    fn several(
        self,
        until: Until,
        events: AwaitedEvents,
        world: &World,
        now: Timestamp,
    ) -> Result<Decision<WaitResult>, Refusal>;
    fn awaited_events(&self, world: &World, context: &RequestContext) -> Result<AwaitedEvents, Refusal>;
    fn over_already(&self, world: &World, context: &RequestContext) -> Option<WaitResult>;
    fn waiting(self, until: Until) -> WaitRequest;
    fn for_message(self, world: &World, context: &RequestContext) -> Result<Decision<WaitResult>, Refusal>;
}

impl WaitTargets for Wait {
    /// Waits until the pane's session has an unread message that matches its subscription.
    fn for_message(self, world: &World, context: &RequestContext) -> Result<Decision<WaitResult>, Refusal> {
        if !self.panes.is_empty() {
            return Err(Refusal::argument("panes", ArgumentProblem::MessagesOfSeveralPanes));
        }
        let pane = world.pane(&self.choice, context)?;
        let (pane, session, begun) = (pane.id, world.session_of(pane).id, context.now);
        let seen = move |world: &World, outcome, now: Timestamp| WaitResult {
            outcome,
            exit: None,
            already: now == begun && world.unread_in_sight(session) > 0,
            elapsed_ms: now.millis().saturating_sub(begun.millis()),
            ..gone(pane, ExitStatus::Unknown)
        };
        if world.unread_in_sight(session) > 0 {
            return Ok(Decision::reply(seen(world, WaitOutcome::Message, begun)));
        }
        let timeout_ms = self.timeout_ms;
        Ok(Decision::when(crate::decision::PendingWait {
            who: context.caller.pane().map(|_| session),
            about: WaitSubject::Inbox(session),
            on: Vec::new(),
            until: Timestamp::from_millis(begun.millis() + timeout_ms),
            check: Box::new(move |world, wake_up| {
                let outcome = match (world.unread_in_sight(session), &wake_up.reason) {
                    _ if !world.panes.contains_key(&pane) => WaitOutcome::Closed,
                    (0, WakeReason::Changed) => return None,
                    (0, _) => WaitOutcome::Timeout,
                    _ => WaitOutcome::Message,
                };
                Some(Decision::reply(seen(world, outcome, wake_up.now)))
            }),
            abandoned: Vec::new(),
        }))
    }

    fn checked_until(&self) -> Result<Until, Refusal> {
        let invalid = |what, why| Err(Refusal::argument(what, why));
        match (self.until, &self.pattern) {
            (Some(Until::Match), None) => invalid("pattern", ArgumentProblem::PatternRequired),
            (None | Some(Until::Match), Some(_)) => Ok(Until::Match),
            (Some(_), Some(_)) => invalid("pattern", ArgumentProblem::PatternWithoutMatch),
            (None, None) if !self.states.is_empty() => Ok(Until::AgentState),
            (None, None) if self.idle_ms.is_some() => Ok(Until::Idle),
            (None, None) => Ok(Until::Exit),
            (Some(until), None) if until != Until::AgentState && !self.states.is_empty() => {
                invalid("states", ArgumentProblem::StatesWithoutAgentState)
            }
            (Some(until), None) => Ok(until),
        }
    }

    /// The events that end the wait too. A message is one for the caller's session, or outside any, the pane's.
    fn awaited_events(&self, world: &World, context: &RequestContext) -> Result<AwaitedEvents, Refusal> {
        let has = |event| self.events.contains(&event);
        if has(WaitEvent::Lease) != self.lease.is_some() {
            return Err(Refusal::argument("lease", ArgumentProblem::LeaseEventAndName));
        }
        let session = |pane| world.session_of(pane).id;
        let message = match (has(WaitEvent::Message), world.caller_pane(context)) {
            (false, _) => None,
            (true, Some(own)) => Some(session(own)),
            (true, None) if !self.panes.is_empty() => {
                return Err(Refusal::argument("events", ArgumentProblem::MessagesOfSeveralPanes));
            }
            (true, None) => Some(session(world.pane(&self.choice, context)?)),
        };
        Ok(AwaitedEvents { message, lease: self.lease.clone(), bell: has(WaitEvent::Bell) })
    }

    fn several(
        self,
        until: Until,
        events: AwaitedEvents,
        world: &World,
        now: Timestamp,
    ) -> Result<Decision<WaitResult>, Refusal> {
        if self.choice.pane.is_some() || self.choice.session.is_some() {
            return Err(Refusal::argument("panes", ArgumentProblem::PaneAndPanes));
        }
        if self.panes.len() > limits::AWAITED_PANES {
            return Err(Refusal::TooMany { what: Quota::AwaitedPanes, limit: limits::AWAITED_PANES });
        }
        if self.since.is_some() || !(self.cursors.is_empty() || self.cursors.len() == self.panes.len()) {
            return Err(Refusal::argument("cursors", ArgumentProblem::CursorPerPane));
        }
        let cursors = self.cursors.iter().copied().map(Some).chain(std::iter::repeat(None));
        let panes = self.panes.iter().map(|pane| awaited(pane, until, world, now)).zip(cursors);
        let panes = panes.map(|(pane, cursor)| Ok((pane?, cursor))).collect::<Result<_, Refusal>>()?;
        let all = self.all;
        Ok(Decision::later(EdgeRequest::Panes(PanesWait {
            panes,
            all,
            waiting: self.waiting(until),
            events,
        })))
    }

    /// A wait for an exit may come late: the exit status of a closed pane is known by its id for longer than its last
    /// lines are.
    fn over_already(&self, world: &World, context: &RequestContext) -> Option<WaitResult> {
        if world.pane_or_ended(&self.choice, context).is_ok() {
            return None;
        }
        let (pane, exit) = world.departed_named(self.choice.pane.as_ref()?)?;
        Some(gone(pane, exit))
    }

    fn waiting(self, until: Until) -> WaitRequest {
        WaitRequest {
            until,
            pattern: self.pattern,
            since: self.since,
            idle_ms: self.idle_ms.unwrap_or(Self::IDLE_MS),
            states: self.states,
            timeout_ms: self.timeout_ms,
        }
    }
}

/// One of several panes; a closed one is allowed if it has ended lately or the wait is for its exit.
fn awaited(
    pane: &fugue_protocol::PaneRef,
    until: Until,
    world: &World,
    now: Timestamp,
) -> Result<PaneId, Refusal> {
    let found = world.pane_named(pane, None).map(|pane| pane.id);
    let found = found.or_else(|refusal| match (world.ended_named(pane, None, now), &refusal) {
        (Some(ended), Refusal::PaneNotFound { .. }) => Ok(ended.view.pane_id),
        _ => Err(refusal),
    });
    match (found, until) {
        (Ok(pane), _) => Ok(pane),
        (Err(refusal), Until::Exit) => world.departed_named(pane).map(|(id, _)| id).ok_or(refusal),
        (Err(refusal), _) => Err(refusal),
    }
}

/// The result of a wait for a program that has already ended.
pub fn gone(pane_id: PaneId, exit: ExitStatus) -> WaitResult {
    WaitResult {
        pane_id,
        outcome: WaitOutcome::Exited,
        exit: Some(exit),
        matched: None,
        agent: None,
        already: true,
        elapsed_ms: 0,
        cursor: OutputCursor::new(0, 0).to_string(),
        tail: String::new(),
        dropped: None,
        note: None,
        panes: Vec::new(),
    }
}
