//! Evidence of an agent's state in a pane: its own reports, its progress, its title, its screen, and its silence.

use std::time::Duration;

use fugue_agents::{AgentTable, Front, combined};
use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};
use fugue_screen::{BlockedBy, ProgramState, ProgramStatus, ProgressReport, Screen};

/// How long a pane must be silent to count as quiet: longer than any agent's spinner pauses.
pub(crate) const QUIET: Duration = Duration::from_secs(3);

/// How long a program must have been in the foreground for its reports to count, unless it is known to be an agent. A
/// program that prints a file is done sooner.
pub(crate) const REPORT_AGE: Duration = Duration::from_millis(300);

/// How long an agent that reports its state may take until its first report. Until then a dialog may follow what looks
/// like an idle screen. Measured with the real programs on a busy machine.
pub(crate) const STARTUP: Duration = Duration::from_secs(5);

/// What is known about a pane when it is looked at, besides its screen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PaneLook {
    pub(crate) now: Timestamp,
    /// Whether the pane was silent for long enough.
    pub(crate) is_quiet: bool,
    /// How long the program has been in the foreground; without a limit if it was there before this daemon.
    pub(crate) age: Duration,
    /// The revision of the screen when the program was started; none if it was there before this daemon.
    pub(crate) begun: Option<u64>,
}

impl PaneLook {
    /// The rows of the screen without what another program left on it.
    fn rows(self, screen: &Screen) -> Vec<String> {
        self.begun.map_or_else(|| screen.screen_rows(), |begun| screen.screen_rows_since(begun))
    }

    /// The title, if this program set it.
    fn title(self, screen: &Screen) -> &str {
        self.begun.map_or_else(|| screen.title(), |begun| screen.title_since(begun))
    }
}

/// Returns the foreground program, and all evidence of its state, the strongest first.
pub(crate) fn evidence(
    agents: &AgentTable,
    screen: &Screen,
    front: Front,
    look: PaneLook,
) -> (Front, Vec<Evidence>) {
    let is_agent = matches!(front, Front::Named(_));
    // Whatever a shell prints, it is not an agent.
    if front == Front::Shell || !is_agent && look.age < REPORT_AGE {
        return (front, Vec::new());
    }
    let front = if is_agent { front } else { self_named(agents, screen, front) };
    let status = status(screen);
    let Front::Named(agent) = &front else { return (front, status.into_iter().collect()) };
    let is_starting = status.is_none() && agents.reports(agent) && look.age < STARTUP;
    let reported = status.or_else(|| progress(screen.progress()));
    let shown = agents.shown(agent, &look.rows(screen), look.now);
    // A title may say that an agent is ready before a dialog is drawn.
    let is_blind = shown.is_none() && agents.reads_screen_of(agent);
    let titled =
        agents.titled(agent, look.title(screen)).filter(|title| !is_blind || !title.state.is_at_rest());
    let reported: Vec<_> = reported.into_iter().chain(titled).collect();
    let mut all = combined(reported, shown.filter(|shown| !is_starting || shown.state.needs_somebody()));
    if all.is_empty() && !agents.reads_screen_of(agent) {
        all.push(quiescence(look.is_quiet));
    }
    (front, all)
}

/// Returns the name that a program reports for itself, if it does.
fn self_named(agents: &AgentTable, screen: &Screen, front: Front) -> Front {
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

/// Returns what the output alone says. One who is silent may be idle, ask something or think.
fn quiescence(quiet: bool) -> Evidence {
    let state = if quiet { AgentState::Unknown } else { AgentState::Working };
    Evidence::new(EvidenceSource::Quiescence, state)
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;

    #[test]
    fn silence_of_an_agent_without_rules_for_its_screen_is_not_idleness() {
        let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
        screen.feed(b"Allow goose to run rm? [y/N] ");
        for (is_quiet, expected) in [(false, AgentState::Working), (true, AgentState::Unknown)] {
            let look = PaneLook { now: Timestamp::from_millis(0), is_quiet, age: Duration::MAX, begun: None };
            let front = Front::Named("goose".into());
            let (_, found) = evidence(AgentTable::built_in(), &screen, front, look);
            let found: Vec<_> = found.iter().map(|sign| (sign.source, sign.state)).collect();
            assert_eq!(found, [(EvidenceSource::Quiescence, expected)]);
        }
    }

    #[test]
    fn what_an_agent_that_has_ended_left_on_the_screen_is_no_evidence_for_the_next_one() {
        let idle = "\x1b]2;◇  Ready (proj)\x07 x   Shift+Tab to accept edits\r\n > Type your message\r\n";
        let mut screen = Screen::new(Size { cols: 80, rows: 24 }, Limits::default());
        screen.feed(idle.as_bytes());
        let begun = Some(screen.revision());
        let states = |screen: &Screen, begun| {
            let look = PaneLook { now: Timestamp::from_millis(0), is_quiet: true, age: Duration::MAX, begun };
            let (_, found) = evidence(AgentTable::built_in(), screen, Front::Named("gemini".into()), look);
            found.iter().map(|sign| sign.state).collect::<Vec<_>>()
        };
        assert_ne!(states(&screen, None), []);
        assert_eq!(states(&screen, begun), []);
        screen.feed(idle.as_bytes());
        assert_eq!(states(&screen, begun)[0], AgentState::Idle);
    }
}
