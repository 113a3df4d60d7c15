//! Verbs about the pipes of panes. The process of a pipe holds it by a request that is pending for as long as its
//! connection lasts, so that a pipe is gone when its process is.

use fugue_protocol::verbs::{AwaitPipeEnd, EndPipe, HoldPipe};
use fugue_protocol::views::{Done, PipeOutcome};
use fugue_protocol::{Event, PaneId, Refusal, Timestamp};

use super::Perform;
use crate::decision::{Decision, PendingWait, WaitCheck, WaitSubject, WakeReason};
use crate::request_context::RequestContext;
use crate::world::{PanePipe, World};

/// How long a pipe may last, in milliseconds: a year.
const LONGEST_MS: u64 = 365 * 24 * 3600 * 1000;

/// How long the end of a pipe is waited for: its process ends at once, unless it is stopped.
const END_MS: u64 = 5_000;

/// The pipe of a pane, if both exist.
fn pipe(world: &World, pane: PaneId) -> Option<&PanePipe> {
    world.panes.get(&pane)?.pipe.as_deref()
}

/// A wait of a process, not of the agent that started it.
fn wait<R>(context: &RequestContext, about: WaitSubject, ms: u64, check: WaitCheck<R>) -> Decision<R> {
    Decision::when(PendingWait {
        who: None,
        about,
        on: Vec::new(),
        until: Timestamp::from_millis(context.now.millis() + ms),
        check,
        abandoned: Vec::new(),
    })
}

impl Perform for HoldPipe {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        if pipe(world, pane).is_some_and(|pipe| pipe.key != self.key) {
            return Ok(Decision::done());
        }
        let key = self.key.clone();
        let check: WaitCheck<Done> = Box::new(move |world, wake_up| {
            let is_held = pipe(world, pane).is_some_and(|pipe| pipe.key == key);
            let is_over = !is_held || wake_up.reason != WakeReason::Changed;
            is_over.then(|| Decision::done().events(is_held.then_some(Event::PipeEnded { pane })))
        });
        let about = WaitSubject::Held { pane, pipe: self.key.clone() };
        Ok(wait(context, about, LONGEST_MS, check).event(Event::PipeHeld { pane, key: self.key }))
    }
}

impl Perform for AwaitPipeEnd {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        let check: WaitCheck<Done> = Box::new(move |world, wake_up| {
            if !world.panes.contains_key(&pane) {
                return Some(Decision::refused(world.pane_missing(&pane.into())));
            }
            let stays = pipe(world, pane).is_some_and(|pipe| pipe.key == self.key && !pipe.is_ending);
            (!stays || wake_up.reason != WakeReason::Changed).then(Decision::done)
        });
        Ok(wait(context, WaitSubject::Pipe(pane), LONGEST_MS, check))
    }
}

impl Perform for EndPipe {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PipeOutcome>, Refusal> {
        let pane = world.pane(&self.choice, context)?.id;
        let Some(key) = pipe(world, pane).map(|pipe| pipe.key.clone()) else {
            return Ok(Decision::reply(PipeOutcome { was_piped: false }));
        };
        let check: WaitCheck<PipeOutcome> = Box::new(move |world, wake_up| {
            let is_gone = pipe(world, pane).is_none_or(|pipe| pipe.key != key);
            let is_over = is_gone || wake_up.reason != WakeReason::Changed;
            is_over.then(|| Decision::reply(PipeOutcome { was_piped: true }))
        });
        let ending = wait(context, WaitSubject::Pipe(pane), END_MS, check);
        Ok(ending.event(Event::PipeEndRequested { pane }))
    }
}

/// The event that ends the pipe whose process is gone.
pub(crate) fn dropped(world: &World, about: &WaitSubject) -> Option<Event> {
    let WaitSubject::Held { pane, pipe: key } = about else { return None };
    let is_held = pipe(world, *pane).is_some_and(|pipe| pipe.key == *key);
    is_held.then_some(Event::PipeEnded { pane: *pane })
}
