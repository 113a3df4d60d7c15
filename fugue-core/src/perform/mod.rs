//! The behavior of the verbs: for each struct in `fugue_protocol::verbs` an implementation of [`Perform`], which reads
//! the world and decides what happens. Only `evolve` changes the world.

use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::{Verb, VerbSpec};
use fugue_protocol::{Refusal, SessionId, for_each_verb};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::decision::{Decision, ReplySource};
use crate::decision::{PendingWait, WakeUp};
use crate::request_context::RequestContext;
use crate::world::World;

mod agent_reports;
mod arrangement;
mod buffers;
mod channels;
mod client_lines;
pub(crate) mod clients;
mod explain;
mod fleet;
mod fleet_arrivals;
mod fleet_groups;
mod gathered_answers;
mod hooks;
mod host_requests;
mod idempotency;
mod inboxes;
mod launch;
pub(crate) mod program_reports;
mod subscriptions;

mod leases;
mod messages;
#[cfg(fugue_next)]
mod next;
mod options;

mod create_layout;
mod create_pane;

mod layout_outcome;
mod message_draft;
mod panes;
pub(crate) mod parallel;
pub(crate) mod permissions;
mod pinned_targets;
pub(crate) mod pipes;
pub(crate) mod recovery;
mod remote_starts;
pub(crate) mod removal;
mod resend;
pub(crate) mod restore;
mod resume;
mod run;
mod server;
mod sessions;
mod spawn;
mod spawn_wait;
mod terminal;
mod wait;
mod windows;
mod worktrees;

pub(crate) use pinned_targets::pinned;
pub use wait::gone;

/// The behavior of a verb.
pub(crate) trait Perform: VerbSpec {
    /// Decides a request without changing anything.
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Self::Reply>, Refusal>;
}

macro_rules! dispatch {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty, $properties:expr;)*) => {
        /// Decides any request.
        pub(crate) fn decide(
            verb: Verb, world: &World, context: &RequestContext,
        ) -> Result<Decision<Box<RawValue>>, Refusal> {
            match verb { $(Verb::$verb(verb) => verb.perform(world, context).map(serialized),)* }
        }
    };
}

for_each_verb!(dispatch);

/// The session whose agent waits, if the caller is in one.
fn waiter(world: &World, context: &RequestContext) -> Option<SessionId> {
    world.caller_pane(context).map(|pane| world.session_of(pane).id)
}

/// The same decision, with a reply that is serialized.
fn serialized<R: Serialize + 'static>(decision: Decision<R>) -> Decision<Box<RawValue>> {
    let Decision { events, children, payloads, answer } = decision;
    let answer = match answer {
        ReplySource::After(reply) => {
            ReplySource::After(Box::new(move |world: &World| to_json(&reply(world))))
        }
        ReplySource::Shared(verb, reply) => {
            ReplySource::Shared(verb, Box::new(move |world: &World| to_json(&reply(world))))
        }
        ReplySource::Later(ask) => ReplySource::Later(ask),
        ReplySource::When(wait) => ReplySource::When(serialized_wait(wait)),
        ReplySource::Refused(refusal) => ReplySource::Refused(refusal),
    };
    Decision { events, children, payloads, answer }
}

fn serialized_wait<R: Serialize + 'static>(wait: PendingWait<R>) -> PendingWait<Box<RawValue>> {
    let PendingWait { who, about, on, until, check, abandoned } = wait;
    let check = Box::new(move |world: &World, wake_up: &WakeUp| check(world, wake_up).map(serialized));
    PendingWait { who, about, on, until, check, abandoned }
}

fn to_json(reply: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(reply).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Refuses the argument `what` if it exceeds `maximum`. To lower it silently would do something else than was asked.
fn at_most(what: &'static str, quantity: Quantity, given: u64, maximum: u64) -> Result<(), Refusal> {
    if given <= maximum {
        return Ok(());
    }
    Err(Refusal::argument(what, ArgumentProblem::AboveMaximum { given, maximum, quantity }))
}
