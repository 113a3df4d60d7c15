//! The verbs' behaviour: each struct's twin. It reads the world, decides, and says what happened; it writes nothing.

use fugue_protocol::verbs::{Verb, VerbSpec};
use fugue_protocol::{Refusal, for_each_verb};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::decision::{Answer, Decision};
use crate::request_context::RequestContext;
use crate::waits::{Moment, Wait};
use crate::world::World;

mod announcing;
mod arrange;
mod bounds;
pub(crate) mod clients;
pub(crate) mod fleeting;
mod inboxes;
mod keys;
mod launch;

mod leases;
pub(crate) mod located;
mod messages;

mod layouts;

mod panes;
pub(crate) mod parallel;
mod pin;
mod placing;
mod posting;
pub(crate) mod recovery;
pub(crate) mod removal;
mod resending;
mod running;
mod server;
mod sessions;
mod terminal;
mod waiting;
mod windows;

pub(crate) use pin::pinned;
pub use waiting::gone;

/// What a verb does.
pub(crate) trait Perform: VerbSpec {
    /// Decides. Nothing has happened yet.
    fn perform(self, world: &World, asking: &RequestContext) -> Result<Decision<Self::Reply>, Refusal>;
}

macro_rules! dispatch {
    ($($nature:ident $verb:ident $name:literal -> $reply:ty, $properties:expr;)*) => {
        /// Decides whatever verb it is.
        pub(crate) fn decide(
            verb: Verb, world: &World, asking: &RequestContext,
        ) -> Result<Decision<Box<RawValue>>, Refusal> {
            match verb { $(Verb::$verb(verb) => verb.perform(world, asking).map(worded),)* }
        }
    };
}

for_each_verb!(dispatch);

/// The same decision with its answer in words.
fn worded<R: Serialize + 'static>(decision: Decision<R>) -> Decision<Box<RawValue>> {
    let Decision { events, children, bodies, answer } = decision;
    let answer = match answer {
        Answer::After(reply) => Answer::After(Box::new(move |world: &World| in_words(&reply(world)))),
        Answer::Later(ask) => Answer::Later(ask),
        Answer::When(wait) => Answer::When(worded_wait(wait)),
    };
    Decision { events, children, bodies, answer }
}

fn worded_wait<R: Serialize + 'static>(wait: Wait<R>) -> Wait<Box<RawValue>> {
    let Wait { who, about, on, until, look, abandoned } = wait;
    let look = Box::new(move |world: &World, moment: &Moment| look(world, moment).map(worded));
    Wait { who, about, on, until, look, abandoned }
}

fn in_words(reply: &impl Serialize) -> Box<RawValue> {
    serde_json::value::to_raw_value(reply).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
