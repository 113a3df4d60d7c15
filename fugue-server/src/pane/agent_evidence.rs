//! Evidence of an agent's state in a pane: its own reports, its progress, its title, its screen, and its silence.

use std::time::Duration;

use fugue_core::agents::{AgentTable, Front, combined};
use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use fugue_screen::{BlockedBy, ProgramState, ProgramStatus, ProgressReport, Screen};

/// How long a pane must be silent to count as quiet: longer than any agent's spinner pauses.
pub(super) const QUIET: Duration = Duration::from_secs(3);

/// Returns the foreground program, and all evidence of its state, the strongest first.
pub(crate) fn evidence(
    agents: &AgentTable,
    screen: &Screen,
    front: Front,
    now: Timestamp,
    is_quiet: bool,
) -> (Front, Vec<Evidence>) {
    // Whatever a shell prints, it is not an agent.
    if front == Front::Shell {
        return (front, Vec::new());
    }
    let front = named(agents, screen, front);
    let status = status(screen);
    let Front::Named(agent) = &front else { return (front, status.into_iter().collect()) };
    let reported = status.or_else(|| progress(screen.progress()));
    let reported = reported.into_iter().chain(agents.titled(agent, screen.title())).collect();
    let mut all = combined(reported, agents.shown(agent, &screen.screen_rows(), now));
    if all.is_empty() && !agents.reads_screen_of(agent) {
        all.push(quiescence(is_quiet));
    }
    (front, all)
}

/// Returns the name of an agent: that of its process, or else that which the program reports for itself.
fn named(agents: &AgentTable, screen: &Screen, front: Front) -> Front {
    if let Front::Named(_) = front {
        return front;
    }
    let app = screen.statuses().filter_map(|status| status.app.as_deref()).last();
    app.map_or(front, |app| Front::Named(agents.canonical(app).to_owned()))
}

/// Returns the state that a program reported with OSC 7501: that of a blocked part, or else of the program itself, or else
/// of its most significant part.
fn status(screen: &Screen) -> Option<Evidence> {
    let rank = |status: &&ProgramStatus| match (status.state, status.id.is_empty()) {
        (ProgramState::Blocked, _) => 5,
        (_, true) => 4,
        (ProgramState::Working, _) => 3,
        (ProgramState::Error, _) => 2,
        (ProgramState::Done, _) => 1,
        (ProgramState::Idle | ProgramState::Clear, _) => 0,
    };
    screen.statuses().max_by_key(rank).map(reported)
}

fn reported(status: &ProgramStatus) -> Evidence {
    let state = match (status.state, status.kind) {
        (ProgramState::Idle, _) => AgentState::Idle,
        (ProgramState::Working, _) => AgentState::Working,
        (ProgramState::Done, _) => AgentState::Complete,
        (ProgramState::Error, _) => AgentState::Error,
        (ProgramState::Blocked, Some(BlockedBy::Question)) => AgentState::WaitingForInput,
        (ProgramState::Blocked, _) => AgentState::Blocked,
        (ProgramState::Clear, _) => AgentState::Unknown,
    };
    let waits_for = status.kind.map(|kind| match kind {
        BlockedBy::Permission => WaitsFor::Permission,
        BlockedBy::Question => WaitsFor::Answer,
        BlockedBy::Auth => WaitsFor::Login,
    });
    let reason = status.message.clone().or_else(|| status.title.clone()).filter(|text| !text.is_empty());
    Evidence { reason, waits_for, ..Evidence::new(EvidenceSource::Osc7501, state) }
}

fn progress(progress: ProgressReport) -> Option<Evidence> {
    let state = match progress {
        ProgressReport::None => return None,
        ProgressReport::Percent(_) | ProgressReport::Busy => AgentState::Working,
        ProgressReport::Error(_) => AgentState::Error,
        ProgressReport::Paused(_) => AgentState::WaitingForInput,
    };
    Some(Evidence::new(EvidenceSource::Progress, state))
}

fn quiescence(quiet: bool) -> Evidence {
    let state = if quiet { AgentState::Idle } else { AgentState::Working };
    Evidence::new(EvidenceSource::Quiescence, state)
}
