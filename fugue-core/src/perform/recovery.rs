//! Recovery of programs that run although the journal, which was lost, does not know them: they get a new session.

use fugue_protocol::Launch;
use fugue_protocol::events::{PaneOpened, ProgramRun, SessionCreated, WindowOpened};
use fugue_protocol::views::OnExit;
use fugue_protocol::{Event, SessionName, Size, WindowName};

use crate::request_context::RequestContext;
use crate::world::World;

/// Creates a session with one window for each run.
pub(crate) fn found(world: &World, runs: &[ProgramRun], context: &RequestContext) -> Vec<Event> {
    let (Some(name), Some(window_name)) = (free_name(world, context), "recovered".parse::<WindowName>().ok())
    else {
        return Vec::new();
    };
    let session = context.fresh();
    let mut events = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let (window, pane) = (context.fresh(), context.fresh());
        if index == 0 {
            events.push(created(session, name.clone(), window, context));
        }
        let name = window_name.clone();
        events.push(Event::WindowOpened(WindowOpened {
            window,
            session,
            name,
            size: Size::DEFAULT,
            index,
            slot: None,
            pane,
            automatic_name: false,
            popup: false,
        }));
        let (launch, on_exit) = (Launch::default(), OnExit::Keep);
        events.push(Event::PaneOpened(PaneOpened { pane, window, run: *run, launch, on_exit, name: None }));
    }
    events
}

fn created(
    session: fugue_protocol::SessionId,
    name: SessionName,
    window: fugue_protocol::WindowId,
    context: &RequestContext,
) -> Event {
    Event::SessionCreated(SessionCreated {
        session,
        name,
        parent: None,
        window,
        created_at: context.now,
        tags: Vec::new(),
        metadata: Default::default(),
        environment: Default::default(),
        closes_with: None,
        number: None,
    })
}

fn free_name(world: &World, context: &RequestContext) -> Option<SessionName> {
    let names = (1..).map(|number| format!("recovered-{number}"));
    names.filter_map(|name| name.parse().ok()).find(|name| world.name_is_free(name, None, context).is_ok())
}
