//! Verbs about the options of tmux's commands.

use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{ChangeOption, ListOptions};
use fugue_protocol::views::{OptionList, OptionOutcome};
use fugue_protocol::{Event, OptionScope, PaneRef, Refusal, SessionRef};

use super::Perform;
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for ChangeOption {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<OptionOutcome>, Refusal> {
        let Self { scope, name, value, append, only_unset } = self;
        check_scope(world, scope)?;
        if name.is_empty() {
            return Err(Refusal::argument("name", ArgumentProblem::EmptyName));
        }
        let before = world.options.get(scope, &name);
        let outcome = Decision::reply(OptionOutcome { was_set: before.is_some() });
        let value = value.map(|value| before.filter(|_| append).unwrap_or_default().to_owned() + &value);
        if (only_unset && before.is_some()) || before == value.as_deref() {
            return Ok(outcome);
        }
        if let Some(value) = &value {
            world.options.check_room(scope, &name, value)?;
        }
        Ok(outcome.event(Event::OptionChanged { scope, name, value }))
    }
}

/// Refuses a scope that does not exist.
pub(super) fn check_scope(world: &World, scope: OptionScope) -> Result<(), Refusal> {
    match scope {
        OptionScope::Global => Ok(()),
        OptionScope::Session(session) => world.session(&SessionRef::Id(session)).map(drop),
        OptionScope::Window(window) => match world.windows.contains_key(&window) {
            true => Ok(()),
            false => Err(Refusal::WindowNotFound { window: window.to_string(), nearest: None }),
        },
        OptionScope::Pane(pane) => world.pane_named(&PaneRef::Id(pane), None).map(drop),
    }
}

impl Perform for ListOptions {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<OptionList>, Refusal> {
        Ok(Decision::reply(world.options.list()))
    }
}
