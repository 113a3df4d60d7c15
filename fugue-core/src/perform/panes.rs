//! Verbs that create, focus, respawn and close panes.

use fugue_protocol::Launch;
use fugue_protocol::events::{PaneOpened, PaneRespawned};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::*;
use fugue_protocol::views::{Done, PaneCreated, PaneList, PaneView};
use fugue_protocol::{Event, PaneId, Refusal, RunId, Side};

use super::launch::{self, ChildPlace};
use super::{Perform, layout_outcome, removal};
use crate::decision::Decision;
use crate::layout::Share;
use crate::request_context::RequestContext;
use crate::world::{Pane, PaneLife, Window, World};

impl Perform for ListPanes {
    fn perform(self, world: &World, _: &RequestContext) -> Result<Decision<PaneList>, Refusal> {
        let only = self.session.as_ref().map(|session| world.session(session)).transpose()?;
        let sessions = world.sessions.values().filter(|one| only.is_none_or(|only| only.id == one.id));
        let panes = sessions.flat_map(|session| world.panes_of(session));
        Ok(Decision::reply(PaneList { panes: panes.map(|pane| world.pane_view(pane)).collect() }))
    }
}

impl Perform for CreatePane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneCreated>, Refusal> {
        launch::room_for_a_pane(world)?;
        let beside = self.beside(world, context)?;
        let window = world.window_of(beside);
        layout_outcome::room_in(window)?;
        let launch = launch::launch(&self.program)?;
        let (pane, run) = (context.fresh(), context.fresh::<RunId>());
        let side = self.direction.unwrap_or(Side::Below);
        let share = self.percent.map(share).transpose()?;
        let layout = window.layout.split(beside.id, pane, side, share, window.size);
        let layout = layout.map_err(|error| layout_outcome::refusal(&error))?;
        let size = layout.place(pane, window.size).map_or(window.size, |place| place.size());
        let session = &world.sessions[&window.session];
        let spot = ChildPlace { pane, window: window.id, session, size, comes_from: Some(beside.id) };
        let child = spot.child(run, &launch);
        let opened = Event::PaneOpened(PaneOpened {
            pane,
            window: window.id,
            run: context.run(pane, run),
            launch: launch::settled(launch, pane, context),
            on_exit: self.program.on_exit.unwrap_or(context.settings.on_exit),
            name: self.name,
        });
        // The layout comes first, so that the pane starts at its final size.
        let focused = (!self.background).then_some(Event::PaneFocused { pane });
        Ok(Decision::after(move |world| world.created(pane))
            .events(layout_outcome::laid_out(window, &layout))
            .event(opened)
            .events(focused)
            .child(child))
    }
}

/// A share that leaves room for both panes.
fn share(percent: u8) -> Result<Share, Refusal> {
    let sane = (1..=99).contains(&percent).then(|| Share::percent(percent.into()));
    sane.ok_or_else(|| Refusal::argument("percent", ArgumentProblem::NotAPercentage { given: percent }))
}

trait Splits {
    fn beside<'a>(&self, world: &'a World, context: &RequestContext) -> Result<&'a Pane, Refusal>;
    fn fits(&self, world: &World, context: &RequestContext, pane: &Pane) -> Result<bool, Refusal>;
}

impl Splits for CreatePane {
    /// The pane to split: the named one, else the caller's own if it is in that window, else the active one.
    fn beside<'a>(&self, world: &'a World, context: &RequestContext) -> Result<&'a Pane, Refusal> {
        if let Some(wanted) = &self.pane {
            let pane = world.pane_named(wanted, self.choice.session.as_ref())?;
            let elsewhere = || Refusal::PaneNotFound { pane: wanted.to_string(), exit: None };
            return if self.fits(world, context, pane)? { Ok(pane) } else { Err(elsewhere()) };
        }
        let window = world.window(&self.choice, context)?;
        let own = world.caller_pane(context).filter(|pane| pane.window == window.id);
        Ok(own.unwrap_or_else(|| active(world, window)))
    }

    /// Whether a pane is in the named window, if one is named.
    fn fits(&self, world: &World, context: &RequestContext, pane: &Pane) -> Result<bool, Refusal> {
        Ok(self.choice.window.is_none() || world.window(&self.choice, context)?.id == pane.window)
    }
}

fn active<'a>(world: &'a World, window: &Window) -> &'a Pane {
    &world.panes[&window.active]
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

impl Perform for FocusPane {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<PaneView>, Refusal> {
        let pane = world.pane(&self.choice, context)?;
        let window = world.window_of(pane);
        let around = |side| window.layout.around(pane.id, side, window.size).filter(|_| self.wrap);
        let beside = |side| window.layout.neighbor(pane.id, side, window.size).or_else(|| around(side));
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
        let launch = again(&pane.launch, launch::launch(&self.program)?);
        let run = context.fresh::<RunId>();
        let window = world.window_of(pane);
        let size = world.place_of(pane.id).size();
        let session = &world.sessions[&window.session];
        let spot = ChildPlace { pane: pane.id, window: window.id, session, size, comes_from: Some(pane.id) };
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
