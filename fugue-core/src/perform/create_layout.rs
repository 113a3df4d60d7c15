//! `create-layout`: checks the whole description before anything is created.

use fugue_protocol::events::{PaneOpened, WindowOpened};
use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::verbs::{CreateLayout, LayoutPart};
use fugue_protocol::views::WindowView;
use fugue_protocol::{Event, PaneId, Refusal, RunId, Side, limits};

use super::Perform;
use super::launch::{self, ChildPlace};
use super::windows::shown;
use crate::decision::Decision;
use crate::layout::{Layout, Spec, SpecChild};
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for CreateLayout {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<WindowView>, Refusal> {
        let session = world.session_or_own(self.session.as_ref(), context)?;
        let window = context.fresh();
        let mut panes = Vec::new();
        let spec = described(&self.layout, "layout", context, &mut panes)?;
        let layout = Layout::from_tree(&spec).map_err(|flaw| wrong(flaw.to_string()))?;
        room_for(panes.len(), world)?;
        let size = world.current_window(session).size;
        let least = layout.least();
        if least.cols > size.cols || least.rows > size.rows {
            let why = format!("these panes need {least}, but the window is {size}");
            return Err(Refusal::NoRoom { why });
        }
        let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
        let comes_from = Some(own.unwrap_or_else(|| world.current_pane(session)).id);
        let first = panes[0].0;
        let automatic_name = self.name.is_none() && context.settings.automatic_names;
        let name = self.name.unwrap_or_else(|| launch::window_name(first, context));
        let (index, slot) = world.free_place(session);
        let opened = WindowOpened {
            window,
            session: session.id,
            name,
            size,
            index,
            slot,
            pane: first,
            automatic_name,
            popup: false,
        };
        let mut decision = shown(window)
            .event(Event::WindowOpened(opened))
            // The layout comes first, so that each pane starts at its final size.
            .event(Event::LayoutChanged { window, layout: layout.to_node() });
        for (pane, part) in panes {
            let (launch, run) = (launch::launch(&part.program())?, context.fresh::<RunId>());
            let size = layout.place(pane, size).map_or(size, |place| place.size());
            let child = ChildPlace { pane, window, session, size, comes_from, world }.child(run, &launch);
            let opened = PaneOpened {
                pane,
                window,
                run: context.run(pane, run),
                launch: launch::settled(launch, pane, context),
                on_exit: launch::on_exit(part.on_exit, world, context),
                name: part.name.clone(),
            };
            decision = decision.event(Event::PaneOpened(opened)).child(child);
        }
        let selected = (!self.background).then_some(Event::WindowSelected { window });
        Ok(decision.events(selected))
    }
}

/// Assigns an id to each pane of the description, and lists the panes in order.
fn described<'a>(
    part: &'a LayoutPart,
    path: &str,
    context: &RequestContext,
    panes: &mut Vec<(PaneId, &'a LayoutPart)>,
) -> Result<Spec<PaneId>, Refusal> {
    let at = |what: &str| Err(wrong(format!("{path}: {what}")));
    if part.children.is_empty() {
        if part.direction.is_some() {
            return at("a split needs two or more children");
        }
        if panes.len() >= limits::PANES_PER_WINDOW {
            return Err(Refusal::TooMany { what: Quota::PanesPerWindow, limit: limits::PANES_PER_WINDOW });
        }
        let pane = context.fresh();
        panes.push((pane, part));
        return Ok(Spec::Pane(pane));
    }
    let axis = match part.direction {
        Some(side @ (Side::Right | Side::Below)) => side.axis(),
        Some(_) => return at("direction must be right or below"),
        None => return at("a split needs a direction: right or below"),
    };
    if part.children.len() == 1 {
        return at("a split needs two or more children, not one");
    }
    if part.is_pane() {
        return at("must be either a split or a pane, not both");
    }
    let mut children = Vec::new();
    for (number, child) in part.children.iter().enumerate() {
        let node = described(child, &format!("{path}.children[{number}]"), context, panes)?;
        children.push(SpecChild { ratio: child.ratio, node });
    }
    Ok(Spec::Split { axis, children })
}

/// A refusal of the description. Its path starts below `layout`, which the refusal names already.
fn wrong(why: String) -> Refusal {
    let why = match why.strip_prefix("layout") {
        Some(rest) => rest.trim_start_matches([':', '.', ' ']).to_owned(),
        None => why,
    };
    Refusal::argument("layout", ArgumentProblem::InvalidLayout { why })
}

fn room_for(panes: usize, world: &World) -> Result<(), Refusal> {
    if world.panes.len() + panes > limits::PANES {
        return Err(Refusal::TooMany { what: Quota::Panes, limit: limits::PANES });
    }
    Ok(())
}
