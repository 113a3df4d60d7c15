//! What the edge reports about the programs of panes. A report that changes nothing makes no event.

use fugue_protocol::events::ActivityKind;
use fugue_protocol::views::Survivor;
use fugue_protocol::worktree::GitLocation;
use fugue_protocol::{Event, PaneId, RunId};

use crate::world::{PaneLife, World};

/// A program set its title.
pub(crate) fn title_changed(world: &World, pane: PaneId, title: String) -> Vec<Event> {
    let changed = world.panes.get(&pane).is_some_and(|pane| pane.title != title);
    changed.then_some(Event::PaneTitled { pane, title }).into_iter().collect()
}

/// A program changed its working directory.
pub(crate) fn directory_changed(world: &World, pane: PaneId, cwd: String) -> Vec<Event> {
    let changed = world.panes.get(&pane).is_some_and(|pane| pane.cwd.as_ref() != Some(&cwd));
    changed.then_some(Event::PaneWentTo { pane, cwd }).into_iter().collect()
}

/// Another program came to the foreground.
pub(crate) fn foreground_changed(world: &World, pane: PaneId, program: Option<String>) -> Vec<Event> {
    let changed = world.panes.get(&pane).is_some_and(|pane| pane.foreground != program);
    changed.then_some(Event::ForegroundChanged { pane, program }).into_iter().collect()
}

/// The last command of a pane's shell ended.
pub(crate) fn command_ended(world: &World, pane: PaneId, exit: Option<i32>) -> Vec<Event> {
    let changed = world.panes.get(&pane).is_some_and(|pane| pane.last_exit != exit);
    changed.then_some(Event::CommandEnded { pane, exit }).into_iter().collect()
}

/// A pane that is monitored printed something, or has been silent for long.
pub(crate) fn activity_seen(world: &World, pane: PaneId, kind: ActivityKind) -> Vec<Event> {
    is_audible(world, pane).then_some(Event::PaneActivity { pane, kind }).into_iter().collect()
}

/// Git reported the repository of a pane's working directory.
pub(crate) fn located(world: &World, pane: PaneId, place: Option<GitLocation>) -> Vec<Event> {
    let changed = world.panes.get(&pane).is_some_and(|pane| pane.place.as_deref() != place.as_ref());
    changed.then_some(Event::PaneLocated { pane, place }).into_iter().collect()
}

/// A program rang the bell.
pub(crate) fn bell_rang(world: &World, pane: PaneId) -> Vec<Event> {
    is_audible(world, pane).then_some(Event::PaneRang { pane }).into_iter().collect()
}

/// A program sent a desktop notification.
pub(crate) fn notified(world: &World, pane: PaneId, title: String, body: String) -> Vec<Event> {
    is_audible(world, pane).then_some(Event::PaneNotified { pane, title, body }).into_iter().collect()
}

/// Whether a pane exists and is not muted.
fn is_audible(world: &World, pane: PaneId) -> bool {
    world.panes.get(&pane).is_some_and(|pane| !pane.muted)
}

/// The processes that outlived lost programs.
pub(crate) fn survivors_found(world: &World, found: Vec<(PaneId, Vec<Survivor>)>) -> Vec<Event> {
    let is_news = |(pane, survivors): &(PaneId, Vec<Survivor>)| {
        let pane = world.panes.get(pane).filter(|pane| pane.life == PaneLife::Lost);
        pane.is_some_and(|pane| pane.survivors != *survivors)
    };
    let found = found.into_iter().filter(is_news);
    found.map(|(pane, survivors)| Event::SurvivorsFound { pane, survivors }).collect()
}

/// The panes whose programs were lost with a keeper that died.
pub(crate) fn lost(world: &World, held: &[RunId]) -> Vec<Event> {
    let gone = |life: PaneLife| matches!(life, PaneLife::Running(run) if !held.contains(&run.id));
    let panes = world.panes.values().filter(|pane| gone(pane.life));
    panes.map(|pane| Event::PaneLost { pane: pane.id }).collect()
}
