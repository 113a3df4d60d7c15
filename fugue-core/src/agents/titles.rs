//! Signs in titles: the glyph an agent puts first. Only glyphs that mean one thing are here: Claude Code's `✳` stands
//! for rest and for a question alike, so it tells nothing.

use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};

/// Agent (any, when empty), what its title begins with, what that means.
const TITLES: [(&str, &[&str], AgentState); 7] = [
    ("gemini", &["◇"], AgentState::Idle),
    ("gemini", &["✦", "⏲"], AgentState::Working),
    ("gemini", &["✋"], AgentState::Blocked),
    ("codex", &["[ ! ]", "[ . ]"], AgentState::Blocked),
    ("claude", &["◐", "◑", "◒", "◓"], AgentState::Working),
    ("", &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], AgentState::Working),
    ("", &["⠂", "⠐", "⠈", "⠁", "⠄", "⠠", "⡀", "⢀"], AgentState::Working),
];

/// What a title says of this agent.
pub fn titled(agent: &str, title: &str) -> Option<Evidence> {
    let rows = TITLES.iter().filter(|(name, ..)| name.is_empty() || *name == agent);
    let (state, rest) = rows
        .filter_map(|(_, signs, state)| {
            Some((*state, signs.iter().find_map(|sign| title.strip_prefix(sign))?))
        })
        .next()?;
    let asks = state.needs_somebody();
    Some(Evidence {
        source: EvidenceSource::Title,
        state,
        reason: asks.then(|| rest.trim().to_owned()),
        waits_for: asks.then_some(WaitsFor::Permission),
    })
}
