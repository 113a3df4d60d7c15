//! From facts to wishes: what the edge must do because something happened. One arm each.

use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, PaneId, RunId, Size, Timestamp};

use crate::agents::AgentSummary;
use crate::decision::Child;
use crate::edge_request::EdgeRequest;
use crate::machine::Ticket;
use crate::notifications::Notice;
use crate::world::World;

/// A wish. The edge obeys.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Effect {
    /// Start these programs and say how that went.
    Start { ticket: Ticket, children: Vec<Child> },
    /// End these, which were started for nothing.
    Abandon { runs: Vec<RunId> },
    /// The program that was started is now a pane's: read it, show it.
    Host { pane: PaneId, run: RunId, size: Size },
    /// A pane has this size now.
    Resize { pane: PaneId, size: Size },
    /// A pane's program has ended, and everybody knows: answer whoever waits for that.
    Settle { pane: PaneId, exit: ExitStatus },
    /// The agent in a pane is doing so now; none when there is none.
    Mood { pane: PaneId, mood: Option<AgentSummary> },
    /// A pane is gone: end its program, forget its screen.
    Drop { pane: PaneId },
    /// Say so when this time has come.
    Wake { at: Timestamp },
    /// Type this line into a pane when it is at rest and nobody types there; none when it is no longer wanted.
    Nudge { pane: PaneId, notice: Option<Notice> },
    /// Answer this.
    Ask { ticket: Ticket, ask: EdgeRequest },
}

/// What follows from an event, in the world as it is after it. New sizes follow from a whole step: see `sizes.rs`.
pub(crate) fn react(world: &World, event: &Event) -> Vec<Effect> {
    match event {
        Event::PaneOpened(e) => vec![host(world, e.pane, e.run.id)],
        Event::PaneRespawned(e) => vec![host(world, e.pane, e.run.id)],
        Event::PaneExited { pane, exit } => vec![Effect::Settle { pane: *pane, exit: *exit }],
        Event::AgentStateChanged { pane, agent } => {
            vec![Effect::Mood { pane: *pane, mood: agent.as_ref().map(AgentSummary::from) }]
        }
        Event::PaneClosed { pane } => vec![Effect::Drop { pane: *pane }],
        Event::AgentSeen { pane, .. } | Event::AgentReported { pane, .. } => wake(world, *pane),
        _ => Vec::new(),
    }
}

fn wake(world: &World, pane: PaneId) -> Vec<Effect> {
    let due = world.panes.get(&pane).and_then(|pane| pane.agent.due());
    due.map(|at| Effect::Wake { at }).into_iter().collect()
}

fn host(world: &World, pane: PaneId, run: RunId) -> Effect {
    Effect::Host { pane, run, size: world.place_of(pane).size() }
}
