//! `run-parallel`: runs each command in a background window, and replies when all have ended.

use fugue_protocol::events::{PaneOpened, WindowOpened};
use fugue_protocol::refusal::{ArgumentProblem, Quantity, Quota};
use fugue_protocol::verbs::{Program, RunParallel};
use fugue_protocol::views::{ExitStatus, OnExit, ParallelOutcome, ParallelRun, ParallelRuns};
use fugue_protocol::{Event, PaneId, Refusal, RunId, SessionId, Timestamp, WindowName, limits};

use super::launch::{self, ChildPlace};
use super::{Perform, at_most, removal, waiter};
use crate::decision::Decision;
use crate::decision::{PendingWait, WaitSubject, WakeReason, WakeUp};
use crate::edge_request::EdgeRequest;
use crate::request_context::RequestContext;
use crate::world::{PaneLife, World};

impl Perform for RunParallel {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<ParallelRuns>, Refusal> {
        if let Some(gathering) = gathering_before(&self, world, context) {
            return Ok(Decision::when(gathering.wait(context.now, self.wait_ms)));
        }
        let many = self.commands.len();
        match many {
            0 => return Err(Refusal::argument("commands", ArgumentProblem::NoCommands)),
            _ if many > limits::PARALLEL => {
                return Err(Refusal::TooMany { what: Quota::ParallelCommands, limit: limits::PARALLEL });
            }
            _ if world.panes.len() + many > limits::PANES => {
                return Err(Refusal::TooMany { what: Quota::Panes, limit: limits::PANES });
            }
            _ => {}
        }
        at_most("wait_ms", Quantity::Wait, self.wait_ms, limits::WAIT_MILLIS)?;
        at_most("lines", Quantity::Lines, self.lines as u64, LINES as u64)?;
        let session = world.session_or_own(self.session.as_ref(), context)?;
        let size = world.current_window(session).size;
        let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
        let comes_from = Some(own.unwrap_or_else(|| world.current_pane(session)).id);
        let (mut events, mut children, mut runs) = (Vec::new(), Vec::new(), Vec::new());
        let mut slots = session.slots.clone();
        for (number, command) in self.commands.iter().enumerate() {
            let program =
                Program { command: Some(command.clone()), cwd: self.cwd.clone(), ..Program::default() };
            let launch = launch::launch(&program)?;
            let (window, pane, run) = (context.fresh(), context.fresh(), context.fresh::<RunId>());
            children.push(ChildPlace { pane, window, session, size, comes_from, world }.child(run, &launch));
            let (name, slot) = (name(number)?, slots.first_free());
            let index = slots.insert(slot);
            let session = session.id;
            events.push(Event::WindowOpened(WindowOpened {
                window,
                session,
                name,
                size,
                index,
                slot: (!world.renumber_windows).then_some(slot),
                pane,
                automatic_name: false,
                popup: false,
            }));
            events.push(Event::PaneOpened(PaneOpened {
                pane,
                window,
                run: context.run(pane, run),
                launch: launch::settled(launch, pane, context),
                on_exit: OnExit::Keep,
                name: None,
            }));
            events.push(if self.keep { Event::PaneRunsOnce { pane } } else { Event::PaneLent { pane } });
            events.extend(launch::started(self.idempotency_key.as_ref(), pane, number, context));
            runs.push((pane, command.clone()));
        }
        let who = waiter(world, context);
        let gathering = Gathering { who, runs, lines: self.lines, keep: self.keep, begun: context.now };
        let wait = gathering.wait(context.now, self.wait_ms);
        let decision = Decision::when(wait).events(events);
        Ok(children.into_iter().fold(decision, Decision::child))
    }
}

/// The commands that the same call has started, if it is repeated.
fn gathering_before(verb: &RunParallel, world: &World, context: &RequestContext) -> Option<Gathering> {
    let key = context.caller.own_key(verb.idempotency_key.as_ref()?);
    let panes = world.panes_started_by(&key);
    let started = |pane: &PaneId| world.panes.get(pane)?.started_by.as_ref();
    let begun = panes.iter().filter_map(|pane| Some(started(pane)?.started_at)).min()?;
    let command = |number: usize| verb.commands.get(number).cloned().unwrap_or_default();
    let runs = panes.iter().filter_map(|pane| Some((*pane, command(started(pane)?.number)))).collect();
    Some(Gathering { who: waiter(world, context), runs, lines: verb.lines, keep: verb.keep, begun })
}

/// The maximum number of output lines per command; all sixteen go into one reply.
const LINES: usize = 1_000;

fn name(number: usize) -> Result<WindowName, Refusal> {
    Ok(format!("parallel-{}", number + 1).parse()?)
}

/// Commands that run in parallel.
struct Gathering {
    /// The session whose agent waits.
    who: Option<SessionId>,
    runs: Vec<(PaneId, String)>,
    lines: usize,
    keep: bool,
    begun: Timestamp,
}

impl Gathering {
    fn wait(self, now: Timestamp, wait_ms: u64) -> PendingWait<ParallelRuns> {
        let panes: Vec<_> = self.runs.iter().map(|(pane, _)| *pane).collect();
        let abandoned = if self.keep { Vec::new() } else { panes.clone() };
        PendingWait {
            who: self.who,
            about: WaitSubject::Exits(panes),
            on: Vec::new(),
            until: Timestamp::from_millis(now.millis() + wait_ms),
            check: Box::new(move |world, wake_up| self.over(world, wake_up)),
            abandoned,
        }
    }

    /// The reply when all have ended or the wait timed out. The edge reads their output.
    fn over(&self, world: &World, wake_up: &WakeUp) -> Option<Decision<ParallelRuns>> {
        let runs: Vec<_> = self.runs.iter().map(|(pane, command)| ran(world, *pane, command)).collect();
        let running = runs.iter().any(|run| run.outcome == ParallelOutcome::Timeout);
        if running && wake_up.reason == WakeReason::Changed {
            return None;
        }
        let succeeded = runs.iter().all(|run| run.exit == Some(ExitStatus::Code(0)));
        let elapsed_ms = wake_up.now.millis().saturating_sub(self.begun.millis());
        let told = ParallelRuns { runs, succeeded, kept: self.keep, elapsed_ms };
        Some(Decision::later(EdgeRequest::Outputs { told, lines: self.lines }))
    }
}

fn ran(world: &World, pane_id: PaneId, command: &str) -> ParallelRun {
    let (outcome, exit) = match world.panes.get(&pane_id).map(|pane| pane.life) {
        Some(PaneLife::Running(_)) => (ParallelOutcome::Timeout, None),
        Some(PaneLife::Exited(_, exit)) => (ParallelOutcome::Exited, Some(exit)),
        Some(PaneLife::Lost) => (ParallelOutcome::Closed, None),
        None => (ParallelOutcome::Closed, world.departed(pane_id)),
    };
    let (command, output, start) = (command.to_owned(), String::new(), String::new());
    ParallelRun {
        command,
        pane_id,
        outcome,
        exit,
        output,
        lines_missing: 0,
        bytes_missing: 0,
        dropped: None,
        start,
    }
}

/// Closes panes of requests whose caller was lost with the previous daemon and cannot repeat them.
pub(crate) fn left_over(world: &World) -> Vec<Event> {
    let lent = world.panes.values().filter(|pane| pane.lent && pane.started_by.is_none()).map(|pane| pane.id);
    cleared(world, &lent.collect::<Vec<_>>())
}

/// Closes panes of requests that their callers did not repeat after the previous daemon was lost; `claimed` are those of
/// requests that were.
pub(crate) fn unclaimed(world: &World, claimed: &[PaneId]) -> Vec<Event> {
    let lent = world.panes.values().filter(|pane| pane.lent && !claimed.contains(&pane.id));
    cleared(world, &lent.map(|pane| pane.id).collect::<Vec<_>>())
}

/// Closes panes that are no longer needed.
pub(crate) fn cleared(world: &World, panes: &[PaneId]) -> Vec<Event> {
    let mut after = world.clone_tree();
    let mut events = Vec::new();
    for pane in panes {
        // One at a time: the last pane closes its window, and the last window its session.
        let closed = after.panes.get(pane).map(|pane| removal::pane(&after, pane)).unwrap_or_default();
        closed.iter().for_each(|event| after.evolve(event));
        events.extend(closed);
    }
    events
}
