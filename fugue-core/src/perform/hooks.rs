//! Verbs about the hooks of tmux's `set-hook`.

use fugue_protocol::events::HookLine;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{ChangeHook, ListHooks};
use fugue_protocol::views::{Done, HookList};
use fugue_protocol::{Event, Refusal};

use super::Perform;
use super::options::check_scope;
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for ChangeHook {
    /// A line runs with the rights of whoever set it: those of the user, or those of an agent.
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let Self { scope, event, line, index, append } = self;
        check_scope(world, scope)?;
        if event.is_empty() {
            return Err(Refusal::argument("event", ArgumentProblem::EmptyName));
        }
        let before = world.hooks.indexes(scope, &event);
        let free = (0..).find(|index| !before.contains(index)).unwrap_or_default();
        let at = index.unwrap_or(if append { free } else { 0 });
        if let Some(line) = &line {
            world.hooks.check_room(&event, line, !before.contains(&at))?;
        }
        let is_replaced = |other: &u32| match index {
            Some(index) => line.is_none() && *other == index,
            None => !append && (line.is_none() || *other != at),
        };
        let change = |index, line| Event::HookChanged { scope, hook: event.clone(), index, line };
        let mut events: Vec<_> =
            before.iter().copied().filter(is_replaced).map(|index| change(index, None)).collect();
        let set = line.clone().map(|text| HookLine { text, by_agent: context.caller.is_agent() });
        events.extend(set.map(|line| change(at, Some(line))));
        Ok(Decision::done().events(events))
    }
}

impl Perform for ListHooks {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<HookList>, Refusal> {
        Ok(Decision::reply(world.hooks.list()))
    }
}
