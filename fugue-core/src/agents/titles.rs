//! Evidence in titles: the glyph that an agent puts first. Only unambiguous glyphs are listed: Claude Code's `✳` means
//! both idle and asking, so it is no evidence.

use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};

/// The agent (any, when empty), the start of its title, and the state that it means.
const TITLES: [(&str, &[&str], AgentState); 7] = [
    ("gemini", &["◇"], AgentState::Idle),
    ("gemini", &["✦", "⏲"], AgentState::Working),
    ("gemini", &["✋"], AgentState::Blocked),
    ("codex", &["[ ! ]", "[ . ]"], AgentState::Blocked),
    ("claude", &["◐", "◑", "◒", "◓"], AgentState::Working),
    ("", &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"], AgentState::Working),
    ("", &["⠂", "⠐", "⠈", "⠁", "⠄", "⠠", "⡀", "⢀"], AgentState::Working),
];

/// The evidence in a title of this agent.
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
