//! Evidence of an agent's state in a pane: its own reports, its progress, its title, its screen, and its silence.

use std::time::{Duration, Instant};

use fugue_core::agents::{Front, canonical, name_of, shown, titled};
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use fugue_screen::{BlockedBy, ProgramState, ProgramStatus, ProgressReport, Screen};

/// How long a pane must be silent to count as quiet: longer than any agent's spinner pauses.
pub(super) const QUIET: Duration = Duration::from_secs(3);

/// Returns the foreground program, and all evidence of its state, the strongest first.
pub(super) fn evidence(
    screen: &Screen,
    front: Front,
    last_output: Instant,
    now: Instant,
) -> (Front, Vec<Evidence>) {
    let front = named(screen, front);
    let status = status(screen);
    let Some(agent) = agent(&front) else { return (front, status.into_iter().collect()) };
    let reported = status.or_else(|| progress(screen.progress()));
    let reported: Vec<_> = reported.into_iter().chain(titled(&agent, screen.title())).collect();
    // The screen of an agent that reports its own state is not interpreted.
    let certain = reported.iter().any(|evidence| evidence.source == EvidenceSource::Osc7501);
    let seen = (!certain).then(|| shown(&agent, &screen.screen_rows())).flatten();
    let mut all: Vec<_> = reported.into_iter().chain(seen).collect();
    if all.is_empty() {
        all.push(quiescence(now.saturating_duration_since(last_output) >= QUIET));
    }
    (front, all)
}

/// Returns the name that a program reports for itself, if it does.
fn named(screen: &Screen, front: Front) -> Front {
    let app = screen.statuses().filter_map(|status| status.app.as_deref()).last();
    app.map_or(front, |app| Front::Named(canonical(app).to_owned()))
}

fn agent(front: &Front) -> Option<String> {
    match front {
        Front::Named(name) => Some(name.clone()),
        Front::Program(words) => name_of(words).map(str::to_owned),
        Front::Other | Front::Hidden => None,
    }
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
    Evidence { source: EvidenceSource::Osc7501, state, reason, waits_for }
}

fn progress(progress: ProgressReport) -> Option<Evidence> {
    let state = match progress {
        ProgressReport::None => return None,
        ProgressReport::Percent(_) | ProgressReport::Busy => AgentState::Working,
        ProgressReport::Error(_) => AgentState::Error,
        ProgressReport::Paused(_) => AgentState::WaitingForInput,
    };
    Some(Evidence { source: EvidenceSource::Progress, state, reason: None, waits_for: None })
}

fn quiescence(quiet: bool) -> Evidence {
    let state = if quiet { AgentState::Idle } else { AgentState::Working };
    Evidence { source: EvidenceSource::Quiescence, state, reason: None, waits_for: None }
}
