//! Checks of names that a decision gives: a name must not look like another one, or like an id. They are made here and not
//! where names are parsed, since stored names of earlier versions must stay readable.

use fugue_protocol::names::{begins_as_target, invisible_character};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::{Event, Refusal};

/// Refuses events that give such a name to a session, a window, a pane or a tag.
pub(crate) fn check(events: &[Event]) -> Result<(), Refusal> {
    events.iter().try_for_each(|event| match event {
        Event::SessionCreated(created) => {
            named(created.name.as_str())?;
            created.tags.iter().try_for_each(|tag| visible("tag", tag.as_str()))
        }
        Event::SessionRenamed { name, .. } => named(name.as_str()),
        Event::TagsChanged { added, .. } => added.iter().try_for_each(|tag| visible("tag", tag.as_str())),
        Event::WindowOpened(opened) => named(opened.name.as_str()),
        Event::WindowRenamed { name, .. } => named(name.as_str()),
        Event::PaneOpened(opened) => opened.name.as_ref().map_or(Ok(()), |name| named(name.as_str())),
        Event::PaneRenamed { name, .. } => name.as_ref().map_or(Ok(()), |name| named(name.as_str())),
        _ => Ok(()),
    })
}

fn named(name: &str) -> Result<(), Refusal> {
    match begins_as_target(name) {
        true => Err(Refusal::argument("name", ArgumentProblem::SignInName)),
        false => visible("name", name),
    }
}

fn visible(what: &'static str, name: &str) -> Result<(), Refusal> {
    let problem = |character| ArgumentProblem::InvisibleInName { character };
    invisible_character(name).map_or(Ok(()), |character| Err(Refusal::argument(what, problem(character))))
}
