//! `run`: finds the pane whose shell runs the command, or opens one for it. The pane's task types the command, watches
//! it and replies.

use fugue_protocol::Launch;
use fugue_protocol::events::{PaneOpened, WindowOpened};
use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::{Program, Run};
use fugue_protocol::views::{ExitStatus, OnExit, RunResult};
use fugue_protocol::{Event, PaneRef, Refusal, RunId, limits};

use super::Perform;
use super::launch::{self, ChildPlace};
use crate::decision::Decision;
use crate::edge_request::{EdgeRequest, PaneRequest, RunRequest};
use crate::request_context::RequestContext;
use crate::scope;
use crate::world::{Pane, Session, World};

impl Perform for Run {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<RunResult>, Refusal> {
        let launch =
            Program { command: Some(self.command.clone()), cwd: self.cwd.clone(), ..Program::default() };
        let launch = launch::launch(&launch)?;
        super::at_most("timeout_ms", Quantity::Wait, self.timeout_ms, limits::WAIT_MILLIS)?;
        let key = self.idempotency_key.as_ref().map(|key| context.caller.own_key(key));
        // The call is repeated: the command runs, or has run, in the pane that was opened for it.
        if let Some(pane) = key.and_then(|key| world.panes_started_by(&key).first().copied()) {
            return Ok(Decision::later(EdgeRequest::Pane(
                pane,
                PaneRequest::Finish(self.running(OnExit::Keep, context)),
            )));
        }
        match &self.pane {
            Some(wanted) => self.in_shell(shell(wanted, world, context)?, context),
            None => {
                self.in_own(launch, world.session_or_own(self.session.as_ref(), context)?, world, context)
            }
        }
    }
}

/// The pane that is named. It cannot be the caller's, because the caller keeps that pane's shell busy.
fn shell<'a>(wanted: &PaneRef, world: &'a World, context: &RequestContext) -> Result<&'a Pane, Refusal> {
    let pane = world.pane_target(wanted, None, context)?;
    if context.caller.pane() == Some(pane.id) {
        return Err(Refusal::OwnPane { pane: pane.id });
    }
    if pane.run().is_none() {
        return Err(Refusal::PaneEnded { pane: pane.id, exit: pane.exit().unwrap_or(ExitStatus::Unknown) });
    }
    scope::may_type(pane, context)?;
    Ok(pane)
}

/// Checks that a command can be typed. A line can end in a carriage return, too; the shell takes any other control character
/// for a key, so it would be left out.
fn check_typed(command: &str) -> Result<(), Refusal> {
    let command = command.trim().replace("\r\n", "\n");
    match command.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        Some(character) => Err(Refusal::argument("command", ArgumentProblem::ControlInCommand { character })),
        None => Ok(()),
    }
}

trait RunTargets {
    fn in_shell(&self, pane: &Pane, context: &RequestContext) -> Result<Decision<RunResult>, Refusal>;
    fn in_own(
        &self,
        launch: Launch,
        session: &Session,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<RunResult>, Refusal>;
    fn running(&self, on_exit: OnExit, context: &RequestContext) -> RunRequest;
}

impl RunTargets for Run {
    fn in_shell(&self, pane: &Pane, context: &RequestContext) -> Result<Decision<RunResult>, Refusal> {
        let running = PaneRequest::Run(self.running(pane.on_exit, context));
        match (&self.session, &self.cwd) {
            (Some(_), _) => Err(Refusal::argument("session", ArgumentProblem::SessionOfNamedPane)),
            (_, Some(_)) => Err(Refusal::argument("cwd", ArgumentProblem::DirectoryOfRunningShell)),
            _ => {
                check_typed(&self.command)?;
                Ok(Decision::later(EdgeRequest::Pane(pane.id, running)))
            }
        }
    }

    /// Runs in a new background window, so that no layout changes. It is kept until the reply is sent, and longer if
    /// the command is still running by then.
    fn in_own(
        &self,
        launch: Launch,
        session: &Session,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<RunResult>, Refusal> {
        launch::room_for_a_pane(world)?;
        let (window, pane, run) = (context.fresh(), context.fresh(), context.fresh::<RunId>());
        let size = world.current_window(session).size;
        let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
        let comes_from = Some(own.unwrap_or_else(|| world.current_pane(session)).id);
        let child = ChildPlace { pane, window, session, size, comes_from, world }.child(run, &launch);
        let opened = PaneOpened {
            pane,
            window,
            run: context.run(pane, run),
            launch: launch::settled(launch, pane, context),
            on_exit: OnExit::Keep,
            name: None,
        };
        let name = launch::window_name(pane, context);
        let (index, slot) = world.free_place(session);
        let session = session.id;
        let started = launch::started(self.idempotency_key.as_ref(), pane, 0, context);
        let events = [
            Event::WindowOpened(WindowOpened {
                window,
                session,
                name,
                size,
                index,
                slot,
                pane,
                automatic_name: false,
                popup: false,
            }),
            Event::PaneOpened(opened),
            Event::PaneRunsOnce { pane },
        ];
        let ask = EdgeRequest::Pane(pane, PaneRequest::Finish(self.running(OnExit::Keep, context)));
        Ok(Decision::later(ask).events(events).events(started).child(child))
    }

    fn running(&self, on_exit: OnExit, context: &RequestContext) -> RunRequest {
        RunRequest {
            on_exit,
            by_agent: context.caller.is_agent(),
            command: self.command.clone(),
            lines: self.lines,
            timeout_ms: self.timeout_ms,
            key: self.idempotency_key.as_ref().map(|key| context.caller.own_key(key)),
        }
    }
}
