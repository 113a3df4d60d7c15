//! `resume-agent`: restarts an agent that has ended, so that it continues its conversation.

use fugue_agents::{AgentTable, launched, resume};
use fugue_protocol::refusal::{AgentAbility, AgentStartProblem};
use fugue_protocol::verbs::ResumeAgent;
use fugue_protocol::views::RestoredPanes;
use fugue_protocol::{Launch, PaneRef, Refusal};

use super::Perform;
use super::restore::{Restart, RestorePlan, dropped_note};
use crate::decision::Decision;
use crate::request_context::RequestContext;
use crate::world::{Pane, PaneLife, World};

impl Perform for ResumeAgent {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<RestoredPanes>, Refusal> {
        let found = world.pane(&self.choice, context);
        let closed = |refusal| resume_elsewhere(self.choice.pane.as_ref(), world, context).unwrap_or(refusal);
        let pane = found.map_err(closed)?;
        let plan = plan(&context.agents, pane)?;
        let command = plan.launch.label();
        let Restart { events, child, restored } =
            plan.begin(pane, world, context).map_err(|why| Refusal::CannotStart { command, why })?;
        let reply = RestoredPanes { restored: vec![restored], skipped: Vec::new() };
        Ok(Decision::reply(reply).events(events).child(child))
    }
}

/// How the agent is started again, if its program has ended and its conversation is known.
fn plan(table: &AgentTable, pane: &Pane) -> Result<RestorePlan, Refusal> {
    let runs = matches!(pane.life, PaneLife::Running(_));
    if runs && (pane.agent.view.is_some() || launched(&pane.launch).is_some()) {
        return Err(Refusal::PaneRunning { pane: pane.id });
    }
    let conversation = pane.last_conversation().ok_or(Refusal::NoConversation { pane: pane.id })?;
    let launch = Launch { cwd: pane.cwd().map(str::to_owned), ..pane.launch.clone() };
    let resumed = resume::resumed(table, &launch, conversation).filter(|_| !runs).ok_or_else(|| {
        resume::command(table, conversation).map_or_else(
            || cannot_resume(&conversation.agent),
            |command| Refusal::ResumeByHand { pane: pane.id, command },
        )
    })?;
    let notes = dropped_note(&resumed.dropped).into_iter().collect();
    Ok(RestorePlan { launch: resumed.launch, resumed: true, notes })
}

/// The refusal for a pane that is closed, with the command that continues its conversation. To others than people, a closed
/// pane does not exist.
fn resume_elsewhere(wanted: Option<&PaneRef>, world: &World, context: &RequestContext) -> Option<Refusal> {
    let (pane, _) = world.departed_named(wanted?).filter(|_| context.caller.pane().is_none())?;
    let command = resume::command(&context.agents, world.ended_conversation(pane)?)?;
    Some(Refusal::ResumeElsewhere { pane, command })
}

/// The refusal for an agent of which it is not known how it resumes a conversation.
fn cannot_resume(agent: &str) -> Refusal {
    let why = AgentStartProblem::Lacks { ability: AgentAbility::Resume };
    Refusal::CannotSpawn { agent: agent.to_owned(), why }
}
