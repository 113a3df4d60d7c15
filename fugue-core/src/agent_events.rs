//! The events of agents: what follows from a look at a pane, from a report, and from time alone. The most credible evidence
//! counts, and only changes become events. The edge looks at screens and processes.

use fugue_agents::{Front, in_front, named_conversation};
use fugue_protocol::agents::{AgentState, Evidence};
use fugue_protocol::{Event, PaneId, Timestamp};

use crate::world::{Pane, World};

/// A report by an agent, its plugin or one of its hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) sign: Evidence,
    /// The agent's name, if the report has it.
    pub(crate) name: Option<String>,
}

/// The events that follow from a look at a pane.
pub(crate) fn seen(
    world: &World,
    pane: PaneId,
    front: &Front,
    signs: Vec<Evidence>,
    at: Timestamp,
) -> Vec<Event> {
    let Some(pane) = world.panes.get(&pane).filter(|pane| pane.run().is_some()) else { return Vec::new() };
    let program = in_front(front, &pane.launch);
    let told = pane.agent.signs.iter().map(|heard| &heard.sign);
    let news = pane.agent.program != program || !told.eq(signs.iter());
    // The end of an agent is not stored, so the end of its reports is. What cannot be seen has not ended.
    let outlived = pane.agent.outlived(program.as_deref());
    let outlived = outlived.into_iter().filter(|_| *front != Front::Hidden);
    let withdrawn = outlived.map(|source| Event::AgentReported {
        pane: pane.id,
        at,
        name: None,
        sign: Evidence::new(source, AgentState::Unknown),
        program: None,
    });
    let seen = news.then(|| Event::AgentSeen { pane: pane.id, at, program: program.clone(), signs });
    let mut events = with_consequence(pane, withdrawn.chain(seen), at);
    events.extend(named(pane, front));
    events
}

/// The conversation that the command line of an agent names, unless one is known: the agent may have begun another since.
fn named(pane: &Pane, front: &Front) -> Option<Event> {
    let Front::Program(words) = front else { return None };
    let conversation = named_conversation::in_words(words).filter(|_| pane.conversation.is_none())?;
    Some(Event::ConversationReported { pane: pane.id, conversation })
}

/// The events that follow from a report.
pub(crate) fn reported(pane: &Pane, report: Report, at: Timestamp) -> Vec<Event> {
    let Report { sign, name } = report;
    let program = pane.agent.program.clone();
    with_consequence(pane, [Event::AgentReported { pane: pane.id, at, name, sign, program }], at)
}

/// The events that follow from time alone: an old report may be overruled.
pub(crate) fn woken(world: &World, now: Timestamp) -> Vec<Event> {
    let reporting = world.panes.values().filter(|pane| !pane.agent.reports.is_empty());
    reporting.flat_map(|pane| with_consequence(pane, [], now)).collect()
}

fn with_consequence(pane: &Pane, events: impl IntoIterator<Item = Event>, now: Timestamp) -> Vec<Event> {
    let mut events: Vec<_> = events.into_iter().collect();
    let mut agent = pane.agent.clone();
    events.iter().for_each(|event| agent.evolve(event));
    let judged = agent.judge(now);
    let changed = (judged != agent.view).then_some(Event::AgentStateChanged { pane: pane.id, agent: judged });
    events.extend(changed);
    events
}
