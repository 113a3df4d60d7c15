//! Detectors against captured output of real agents. The name of a capture is the expected result.

use super::*;

macro_rules! screens {
    ($($agent:literal / $answer:literal,)*) => {
        [$(($agent, $answer, include_str!(concat!("screens/", $agent, "/", $answer, ".txt")))),*]
    };
}

#[test]
fn a_captured_screen_has_the_state_in_its_file_name() {
    let screens = screens![
        "claude" / "idle",
        "claude" / "working",
        "claude" / "blocked",
        "claude" / "idle-after-work",
        "claude" / "idle-in-auto-mode",
        "codex" / "idle",
        "codex" / "working",
        "codex" / "blocked",
        "gemini" / "idle",
        "gemini" / "working",
        "gemini" / "blocked",
        "opencode" / "idle",
        "opencode" / "working",
        "opencode" / "blocked",
    ];
    for (agent, answer, screen) in screens {
        let rows: Vec<_> = screen.lines().map(|row| row.trim_end().to_owned()).collect();
        let state = answer.split('-').next().unwrap();
        assert_eq!(
            shown(agent, &rows).map(|sign| sign.state.to_string()).as_deref(),
            Some(state),
            "{agent}/{answer}"
        );
        assert_eq!(shown("vim", &rows), None);
    }
}

#[test]
fn only_known_titles_are_evidence() {
    for (agent, title, state) in [
        ("gemini", "◇  Ready (proj)", Some(AgentState::Idle)),
        ("gemini", "✦  Working… (proj)", Some(AgentState::Working)),
        ("gemini", "✋  Action Required (proj)", Some(AgentState::Blocked)),
        ("codex", "⠹ proj", Some(AgentState::Working)),
        ("codex", "[ ! ] Action Required | proj", Some(AgentState::Blocked)),
        ("codex", "proj", None),
        ("claude", "◐ name", Some(AgentState::Working)),
        // It shows this while asking for permission, too.
        ("claude", "✳ Claude Code", None),
        ("claude", "", None),
    ] {
        assert_eq!(titled(agent, title).map(|sign| sign.state), state, "{agent}: {title}");
    }
    let blocked = titled("gemini", "✋  Action Required (proj)").unwrap();
    assert_eq!(blocked.reason.as_deref(), Some("Action Required (proj)"));
}

#[test]
fn an_agent_is_recognized_by_its_program_and_not_by_its_prompt() {
    for (line, agent) in [
        ("claude --resume", Some("claude")),
        ("/home/me/.local/bin/claude", Some("claude")),
        ("node /usr/lib/node_modules/.bin/gemini", Some("gemini")),
        ("node --no-warnings /x/node_modules/@google/gemini-cli/dist/index.js -y", Some("gemini")),
        ("env A=b npx @openai/codex exec", Some("codex")),
        ("python3 -m aider", Some("aider")),
        ("vim claude.md", None),
        ("grep -r claude .", None),
        ("bash", None),
        ("", None),
    ] {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(name_of(&words), agent, "{line}");
    }
    assert_eq!((canonical("claude-code"), canonical("mine")), ("claude", "mine"));
}

fn moment(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn evidence(source: EvidenceSource, state: AgentState) -> Evidence {
    Evidence { source, state, reason: None, waits_for: None }
}

/// An agent that reported at second 100, and whose title changed then or later.
fn reporting(source: EvidenceSource, reported: AgentState, title: AgentState, titled_at: u64) -> Agent {
    let mut agent = Agent::default();
    agent.hear(moment(100), Some("gemini-cli"), &evidence(source, reported));
    agent.see(moment(titled_at), Some("gemini"), &[evidence(EvidenceSource::Title, title)]);
    agent
}

#[test]
fn a_report_holds_until_it_is_old_and_newer_evidence_contradicts_it() {
    use AgentState::{Idle, WaitingForInput, Working};
    for (source, reported, title, titled_at, now, believed) in [
        (EvidenceSource::Reported, Working, Idle, 130, 219, Working),
        (EvidenceSource::Reported, Working, Idle, 130, 220, Idle),
        (EvidenceSource::Reported, Working, Idle, 90, 999, Working),
        (EvidenceSource::Reported, WaitingForInput, Idle, 130, 999, WaitingForInput),
        (EvidenceSource::Reported, WaitingForInput, Working, 130, 220, Working),
        (EvidenceSource::Hook, Working, Idle, 105, 109, Working),
        (EvidenceSource::Hook, Working, Idle, 105, 110, Idle),
    ] {
        let agent = reporting(source, reported, title, titled_at);
        let view = agent.judge(moment(now)).unwrap();
        assert_eq!((view.state, view.name.as_str()), (believed, "gemini"), "{source:?} {reported} at {now}");
    }
}

#[test]
fn the_timer_is_set_for_when_a_report_can_expire() {
    let due = |title, at| reporting(EvidenceSource::Reported, AgentState::Working, title, at).due();
    assert_eq!(due(AgentState::Idle, 130), Some(moment(220)));
    assert_eq!(due(AgentState::Working, 130), None);
    assert_eq!(due(AgentState::Idle, 90), None);
}

#[test]
fn reports_end_when_their_agent_exits() {
    let mut agent = reporting(EvidenceSource::Reported, AgentState::Working, AgentState::Working, 101);
    agent.see(moment(102), None, &[]);
    assert_eq!((agent.name(), agent.judge(moment(103))), (None, None));
}
