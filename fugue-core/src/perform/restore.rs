//! `restore-panes`: starts lost programs again, each in its own pane. Those that cannot be started are reported.

use fugue_agents::{AgentTable, launched, named_conversation, resume};
use fugue_protocol::events::PaneRespawned;
use fugue_protocol::verbs::RestorePanes;
use fugue_protocol::views::{RestoredPane, RestoredPanes, SkippedPane, Survivor};
use fugue_protocol::{Event, Launch, PaneId, Refusal, RunId};

use super::Perform;
use super::launch::{self, ChildPlace};
use crate::decision::Decision;
use crate::effect::{ChildSpec, RestoredChild};
use crate::request_context::{RequestContext, Started};
use crate::world::{Pane, PaneLife, World};

impl Perform for RestorePanes {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<RestoredPanes>, Refusal> {
        let mut reply = RestoredPanes { restored: Vec::new(), skipped: Vec::new() };
        let (mut events, mut children) = (Vec::new(), Vec::new());
        for pane in chosen(&self, world, context)? {
            match plan(&context.agents, pane, self.shells).and_then(|plan| plan.begin(pane, world, context)) {
                Ok(Restart { events: own, child, restored }) => {
                    events.extend(own);
                    children.push(child);
                    reply.restored.push(restored);
                }
                Err(why) => reply.skipped.push(skipped(pane, world, why)),
            }
        }
        let decision = Decision::reply(reply).events(events);
        Ok(children.into_iter().fold(decision, Decision::child))
    }
}

/// The panes to restore, in order. Panes whose program was started for this request are among them, even if they are
/// not lost any more.
fn chosen<'a>(
    verb: &RestorePanes,
    world: &'a World,
    context: &RequestContext,
) -> Result<Vec<&'a Pane>, Refusal> {
    if let Some(wanted) = &verb.pane {
        return Ok(vec![world.pane_target(wanted, verb.session.as_ref(), context)?]);
    }
    let sessions: Vec<_> = match verb.all {
        true => world.sessions.values().collect(),
        false => vec![world.session_or_own(verb.session.as_ref(), context)?],
    };
    let started: Vec<_> = context.started_panes().collect();
    let panes = sessions.into_iter().flat_map(|session| world.panes_of(session));
    let panes = panes.filter_map(|pane| world.panes.get(&pane));
    Ok(panes.filter(|pane| pane.life == PaneLife::Lost || started.contains(&pane.id)).collect())
}

fn skipped(pane: &Pane, world: &World, why: String) -> SkippedPane {
    let session_name = world.session_of(pane).name.clone();
    SkippedPane { pane_id: pane.id, number: pane.number, session_name, command: pane.launch.label(), why }
}

/// How a lost program is to be started.
pub(super) struct RestorePlan {
    pub(super) launch: Launch,
    pub(super) resumed: bool,
    pub(super) notes: Vec<String>,
}

/// A program that is started again.
pub(super) struct Restart {
    pub(super) events: Vec<Event>,
    pub(super) child: ChildSpec,
    pub(super) restored: RestoredPane,
}

/// The command line with which a lost pane's program would be started.
pub(crate) fn restart(table: &AgentTable, pane: &Pane) -> Option<String> {
    plan(table, pane, false).ok().map(|plan| plan.launch.label())
}

/// Decides how a pane's program is started; the error is the reason why it is not.
fn plan(table: &AgentTable, pane: &Pane, shells: bool) -> Result<RestorePlan, String> {
    match pane.life {
        PaneLife::Running(_) => return Err("it is running".into()),
        PaneLife::Exited(_, exit) => return Err(format!("it exited on its own ({exit})")),
        PaneLife::Lost if pane.lent || pane.runs_once => {
            return Err("it ran a single command, which may not be safe to repeat".into());
        }
        PaneLife::Lost if !pane.survivors.is_empty() => return Err(survivor_note(&pane.survivors)),
        PaneLife::Lost if shells && !is_shell(&pane.launch) => return Err("it is not a shell".into()),
        PaneLife::Lost => {}
    }
    let launch = Launch { cwd: pane.cwd().map(str::to_owned), ..pane.launch.clone() };
    let mut plan = RestorePlan { launch, resumed: false, notes: Vec::new() };
    plan.resume(table, pane);
    Ok(plan)
}

/// Why a program is not started again although its pane is lost.
fn survivor_note(survivors: &[Survivor]) -> String {
    let names: Vec<_> = survivors.iter().map(ToString::to_string).collect();
    format!("it is still running without a terminal: {}; end it first", names.join(", "))
}

/// The shells, and the flags with which they are interactive.
const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "fish", "dash", "ksh", "nu", "elvish", "xonsh"];
const SHELL_FLAGS: [&str; 4] = ["-l", "-i", "--login", "-il"];

/// Whether a launch starts an interactive shell.
fn is_shell(launch: &Launch) -> bool {
    let line = launch.command.iter().flat_map(|line| line.split_whitespace());
    let mut words = line.chain(launch.argv.iter().map(String::as_str));
    let Some(program) = words.next() else { return true };
    let name = program.rsplit('/').next().unwrap_or(program);
    SHELLS.contains(&name) && words.all(|word| SHELL_FLAGS.contains(&word))
}

impl RestorePlan {
    /// Has an agent resume its conversation, if the agent reported it; otherwise says how to.
    fn resume(&mut self, table: &AgentTable, pane: &Pane) {
        let conversation = pane.conversation.as_ref();
        let resumed =
            conversation.and_then(|conversation| resume::resumed(table, &self.launch, conversation));
        let command = conversation.and_then(|conversation| resume::command(table, conversation));
        let launched = launched(&self.launch);
        match (resumed, command, launched) {
            (Some(resumed), ..) => {
                (self.launch, self.resumed) = (resumed.launch, true);
                self.notes.extend(dropped_note(&resumed.dropped));
            }
            (None, Some(command), _) => {
                self.notes.push(format!("`{command}` resumes its agent's conversation"));
            }
            (None, None, Some(agent)) => self.notes.push(not_resumed(agent)),
            (None, None, None) => {}
        }
    }

    /// The event and the child that start the program. In the second decision, the error is why it was not started.
    pub(super) fn begin(
        mut self,
        pane: &Pane,
        world: &World,
        context: &RequestContext,
    ) -> Result<Restart, String> {
        let started = context.child(pane.id);
        let run = match (context.has_children(), &started) {
            (false, _) => context.fresh::<RunId>(),
            (true, Started { failure: Some(why), .. }) => return Err(why.clone()),
            (true, Started { run: Some(run), .. }) => *run,
            (true, Started { run: None, .. }) => return Err("it was lost just now; try again".into()),
        };
        self.note_directory(&started);
        let launch = launch::settled(self.launch.clone(), pane.id, context);
        let cwd = launch.cwd.clone().unwrap_or_default();
        let session_name = world.session_of(pane).name.clone();
        let Self { resumed, notes, .. } = self;
        let restored = RestoredPane {
            pane_id: pane.id,
            number: pane.number,
            session_name,
            command: launch.label(),
            cwd,
            resumed,
            notes,
        };
        let child = child(pane, run, &self.launch, world);
        let run = context.run(pane.id, run);
        let event = Event::PaneRespawned(PaneRespawned { pane: pane.id, run, launch, on_exit: None });
        let conversation = resumed.then(|| conversation(pane)).flatten();
        Ok(Restart { events: [event].into_iter().chain(conversation).collect(), child, restored })
    }

    /// Notes that the program was started in another directory than it was in.
    fn note_directory(&mut self, started: &Started) {
        if let Some(wanted) = self.launch.cwd.as_ref().filter(|wanted| **wanted != started.cwd) {
            self.notes.push(format!("its last directory {wanted} no longer exists"));
        }
    }
}

/// The conversation that a program resumes, if its command line does not tell by itself.
fn conversation(pane: &Pane) -> Option<Event> {
    let own = pane.last_conversation().filter(|own| !named_conversation::names(&own.agent))?;
    Some(Event::ConversationReported { pane: pane.id, conversation: own.clone() })
}

/// The note about flags that were not repeated.
pub(super) fn dropped_note(dropped: &[String]) -> Option<String> {
    (!dropped.is_empty()).then(|| format!("unknown flags were dropped: {}", dropped.join(" ")))
}

fn not_resumed(agent: &str) -> String {
    format!(
        "its conversation was not resumed, because {agent} did not report the conversation id \
         (`fugue hook {agent} --settings` shows how to set this up)"
    )
}

fn child(pane: &Pane, run: RunId, launch: &Launch, world: &World) -> ChildSpec {
    let window = world.window_of(pane);
    let session = &world.sessions[&window.session];
    let (size, comes_from): (_, Option<PaneId>) = (world.place_of(pane.id).size(), Some(pane.id));
    let place = ChildPlace { pane: pane.id, window: window.id, session, size, comes_from, world };
    let restored = Some(RestoredChild { fallback_cwd: pane.launch.cwd.clone() });
    ChildSpec { restored, ..place.child(run, launch) }
}
