//! The verb about channels of tmux's `wait-for`.

use fugue_protocol::refusal::{ArgumentProblem, Quantity, Quota};
use fugue_protocol::verbs::{ChannelAct, UseChannel};
use fugue_protocol::views::ChannelOutcome;
use fugue_protocol::{Event, IdempotencyKey, Refusal, Timestamp, limits};

use super::{Perform, at_most, waiter};
use crate::decision::{Decision, PendingWait, WaitCheck, WaitSubject, WakeReason};
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for UseChannel {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<ChannelOutcome>, Refusal> {
        check_name(&self.channel)?;
        let timeout_ms = self.timeout_ms.unwrap_or(limits::WAIT_MILLIS);
        at_most("timeout_ms", Quantity::Wait, timeout_ms, limits::WAIT_MILLIS)?;
        let Self { act, channel, idempotency_key: key, .. } = self;
        if matches!(act, ChannelAct::Signal | ChannelAct::Lock) {
            world.channels.check_room(&channel)?;
        }
        let done = Decision::reply(ChannelOutcome::Done);
        let (about, subject) = (channel.clone(), WaitSubject::Channel(channel.clone()));
        let check: WaitCheck<ChannelOutcome> = match act {
            ChannelAct::Signal => return Ok(done.event(Event::ChannelSignalled { channel })),
            ChannelAct::Unlock if !world.channels.is_locked(&channel) => {
                return Ok(Decision::reply(ChannelOutcome::NotLocked));
            }
            ChannelAct::Unlock => return Ok(done.event(Event::ChannelUnlocked { channel })),
            // The call was answered by a daemon that is gone.
            ChannelAct::Wait if world.channels.has_heard(key.as_ref()) => return Ok(done),
            ChannelAct::Wait if world.channels.is_unheard(&channel) => {
                return Ok(done.event(Event::ChannelHeard { channel, key }));
            }
            ChannelAct::Wait => {
                let before = world.channels.last_signal(&channel);
                Box::new(move |world, _| heard(world, &about, before, key.as_ref()))
            }
            ChannelAct::Lock => match locked(world, &channel, key.as_ref()) {
                Some(locked) => return Ok(locked),
                None => Box::new(move |world, _| locked(world, &about, key.as_ref())),
            },
        };
        Ok(Decision::when(PendingWait {
            who: waiter(world, context),
            about: subject,
            on: Vec::new(),
            until: Timestamp::from_millis(context.now.millis() + timeout_ms),
            check: or_timeout(check),
            abandoned: Vec::new(),
        }))
    }
}

fn check_name(name: &str) -> Result<(), Refusal> {
    match name.chars().count() {
        0 => Err(Refusal::argument("channel", ArgumentProblem::EmptyName)),
        1..=limits::NAME_CHARS => Ok(()),
        _ => Err(Refusal::TooMany { what: Quota::ChannelNameCharacters, limit: limits::NAME_CHARS }),
    }
}

/// Takes the lock, if it is free or was taken by the same call before.
fn locked(world: &World, channel: &str, key: Option<&IdempotencyKey>) -> Option<Decision<ChannelOutcome>> {
    let done = Decision::reply(ChannelOutcome::Done);
    match world.channels.is_locked(channel) {
        true => world.channels.is_locked_with(channel, key).then_some(done),
        false => Some(done.event(Event::ChannelLocked { channel: channel.to_owned(), key: key.cloned() })),
    }
}

/// Ends the wait for a signal that is newer than this one. All that wait hear it.
fn heard(
    world: &World,
    channel: &str,
    before: u64,
    key: Option<&IdempotencyKey>,
) -> Option<Decision<ChannelOutcome>> {
    let is_new = world.channels.last_signal(channel) > before;
    let is_first = world.channels.is_unheard(channel);
    let heard = || Event::ChannelHeard { channel: channel.to_owned(), key: key.cloned() };
    is_new.then(|| Decision::reply(ChannelOutcome::Done).events((is_first || key.is_some()).then(heard)))
}

fn or_timeout(check: WaitCheck<ChannelOutcome>) -> WaitCheck<ChannelOutcome> {
    Box::new(move |world, wake_up| {
        let timeout = || match &wake_up.reason {
            WakeReason::Changed => None,
            WakeReason::Timeout | WakeReason::Deadlock(_) => Some(Decision::reply(ChannelOutcome::Timeout)),
        };
        check(world, wake_up).or_else(timeout)
    })
}
