//! What screens look like: the last resort, for agents that say nothing themselves. A rule holds as long as the screen
//! shows it and no longer. Its test is a captured screen in `screens/`, whose file name is the answer.

use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource, WaitsFor};

/// One look: all of these texts stand in the last rows of the screen.
struct Rule {
    agent: &'static str,
    state: AgentState,
    /// Rows from the last one that shows something.
    rows: usize,
    all: &'static [&'static str],
}

const fn rule(agent: &'static str, state: AgentState, rows: usize, all: &'static [&'static str]) -> Rule {
    Rule { agent, state, rows, all }
}

/// The first that fits counts, so questions stand before everything else.
const RULES: [Rule; 14] = [
    rule("claude", AgentState::Blocked, 12, &["Do you want to", "❯ 1. Yes", "Esc to cancel"]),
    rule("claude", AgentState::Working, 4, &["esc to interrupt"]),
    rule("claude", AgentState::Idle, 3, &["? for shortcuts"]),
    rule("claude", AgentState::Idle, 3, &["❯", "shift+tab to cycle"]),
    rule("codex", AgentState::Blocked, 16, &["Would you like to", "1. Yes", "esc"]),
    rule("codex", AgentState::Working, 8, &["esc to interrupt"]),
    rule("codex", AgentState::Idle, 4, &["›"]),
    rule("gemini", AgentState::Blocked, 12, &["Allow", "● 1. Allow once"]),
    rule("gemini", AgentState::Working, 8, &["(esc to cancel"]),
    rule("gemini", AgentState::Idle, 6, &[">   Type your message"]),
    rule("opencode", AgentState::Blocked, 12, &["Permission required", "Allow once"]),
    rule("opencode", AgentState::Working, 2, &["esc interrupt"]),
    rule("opencode", AgentState::Idle, 12, &["ctrl+p commands"]),
    rule("copilot", AgentState::Working, 4, &["Esc to cancel"]),
];

/// What these rows say of this agent.
pub fn shown(agent: &str, rows: &[String]) -> Option<Evidence> {
    let used = rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
    let fits = |rule: &&Rule| {
        let last = &rows[used.saturating_sub(rule.rows)..used];
        rule.agent == agent && rule.all.iter().all(|text| last.iter().any(|row| row.contains(text)))
    };
    RULES.iter().find(fits).map(|rule| {
        let blocked = rule.state == AgentState::Blocked;
        Evidence {
            source: EvidenceSource::Screen,
            state: rule.state,
            reason: blocked.then(|| "its screen shows a question".to_owned()),
            waits_for: blocked.then_some(WaitsFor::Permission),
        }
    })
}
