//! Verbs that focus, respawn and close panes.

use fugue_protocol::Launch;
use fugue_protocol::events::PaneRespawned;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, PaneList, PaneView};
use fugue_protocol::{Event, PaneId, Refusal, RunId};

use super::launch::{self, ChildPlace};
use super::{Perform, removal};
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::{PaneLife, World};

impl Perform for ListPanes {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneList>, Refusal> {
        if let Some(wanted) = &self.pane {
            let choice = PaneChoice { pane: Some(wanted.clone()), session: self.session.clone() };
            let pane = world.pane_or_ended(&choice, context)?;
            let ended = || world.ended_pane(pane, context.now).map(|ended| ended.view.clone());
            let view = world.panes.contains_key(&pane).then(|| world.pane_view(pane)).or_else(ended);
            let panes: Vec<PaneView> = view.into_iter().collect();
            let session = |view: &PaneView| world.sessions.get(&view.session_id);
            let session_names =
                panes.iter().filter_map(session).map(|session| (session.id, session.name.clone()));
            return Ok(Decision::reply(PaneList { session_names: session_names.collect(), panes }));
        }
        let only = self.session.as_ref().map(|session| world.session_target(session, context)).transpose()?;
        let sessions = world.sessions.values().filter(|one| only.is_none_or(|only| only.id == one.id));
        let panes = sessions.clone().flat_map(|session| world.panes_of(session));
        let panes: Vec<PaneView> = panes.map(|pane| world.pane_view(pane)).collect();
        let session_names = sessions.map(|session| (session.id, session.name.clone())).collect();
        Ok(Decision::reply(PaneList { panes, session_names }))
    }
}

/// Replies with the pane after the change.
fn shown(pane: PaneId) -> Decision<PaneView> {
    Decision::after(move |world| world.pane_view(pane))
}

impl Perform for RenamePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let news = pane.name != self.name;
        let renamed = Event::PaneRenamed { pane: pane.id, name: self.name };
        Ok(shown(pane.id).events(news.then_some(renamed)))
    }
}

impl Perform for MutePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let muted = !self.off;
        let news = pane.muted != muted;
        Ok(shown(pane.id).events(news.then_some(Event::PaneMuted { pane: pane.id, muted })))
    }
}

impl Perform for MarkPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = match self.clear {
            true => None,
            false => Some(world.pane(&self.choice, context)?.id),
        };
        Ok(Decision::done().events((world.marked != pane).then_some(Event::MarkMoved { pane })))
    }
}

impl Perform for FocusPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let window = world.window_of(pane);
        // Of several, the one that was active last, as in tmux.
        let recency = |pane: PaneId| match window.former.iter().position(|former| *former == pane) {
            _ if window.active == pane => usize::MAX,
            former => former.map_or(0, |at| at + 1),
        };
        let (layout, size) = (&window.layout, window.size);
        let around = |side| layout.around(pane.id, side, size, recency).filter(|_| self.wrap);
        let beside = |side| layout.neighbor(pane.id, side, size, recency).or_else(|| around(side));
        let target = self.direction.map_or(Some(pane.id), beside);
        let none = || Refusal::argument("direction", ArgumentProblem::NoPaneOnThatSide);
        let pane = target.ok_or_else(none)?;
        let hidden = window.zoomed.is_some_and(|zoomed| zoomed != pane);
        let unzoomed = hidden.then_some(Event::ZoomChanged { window: window.id, pane: None });
        let focused = (window.active != pane).then_some(Event::PaneFocused { pane });
        Ok(shown(pane).events(unzoomed).events(focused))
    }
}

impl Perform for RespawnPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        if matches!(pane.life, PaneLife::Running(_)) && !self.kill {
            return Err(Refusal::PaneRunning { pane: pane.id });
        }
        let launch = again(&pane.launch, launch::launch(&self.program.clone().into())?);
        let run = context.fresh::<RunId>();
        let window = world.window_of(pane);
        let size = world.place_of(pane.id).size();
        let session = &world.sessions[&window.session];
        let spot =
            ChildPlace { pane: pane.id, window: window.id, session, size, comes_from: Some(pane.id), world };
        let respawned = PaneRespawned {
            pane: pane.id,
            run: context.run(pane.id, run),
            launch: launch::settled(launch.clone(), pane.id, context),
            on_exit: self.program.on_exit,
        };
        Ok(shown(pane.id).event(Event::PaneRespawned(respawned)).child(spot.child(run, &launch)))
    }
}

/// The previous launch, with the newly given parts replaced.
fn again(former: &Launch, wanted: Launch) -> Launch {
    let other = wanted.command.is_some() || !wanted.argv.is_empty();
    Launch {
        command: if other { wanted.command } else { former.command.clone() },
        argv: if other { wanted.argv } else { former.argv.clone() },
        cwd: wanted.cwd.or_else(|| former.cwd.clone()),
        environment: former.environment.clone().into_iter().chain(wanted.environment).collect(),
    }
}

impl Perform for ClosePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        Ok(Decision::done().events(removal::pane(world, pane)))
    }
}
