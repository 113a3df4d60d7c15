//! What the real agents said to `fugue hook`: `tests/hook_payloads/AGENT.jsonl`.

use fugue_agents::{AgentHooks, HookInput, HookKind, KnownAgent, PluginLine, TurnPhase};
use fugue_protocol::AgentState;
use fugue_protocol::conversation::ConversationId;

/// What each agent was given or wrote, and the commands that it asks for. From Claude Code 2.1.197 and 2.1.327, Codex 0.169,
/// Gemini CLI 0.61, OpenCode 1.18.33.
const PAYLOADS: [(&str, &str, &[&str]); 4] = [
    ("claude", include_str!("../hook_payloads/claude.jsonl"), &["touch made-cl", "touch made-cn"]),
    ("codex", include_str!("../hook_payloads/codex.jsonl"), &["touch made-cx"]),
    ("gemini", include_str!("../hook_payloads/gemini.jsonl"), &["touch made-ge"]),
    ("opencode", include_str!("../hook_payloads/opencode.jsonl"), &["touch made-oc"]),
];

/// Reads the payloads of an agent's hooks, and returns the commands that it asks for.
fn commands_of_hooks(agent: &str, hooks: &AgentHooks, lines: &str) -> Vec<String> {
    let (mut phases, mut commands) = (Vec::new(), Vec::new());
    for line in lines.lines() {
        let input = HookInput::read(line).expect(line);
        let phase = hooks.phase(&input.event);
        let id: Result<ConversationId, _> = input.conversation.clone().unwrap_or_default().parse();
        assert!(phase.is_some() && id.is_ok(), "{agent}: {line}");
        phases.extend(phase);
        if phase == Some(TurnPhase::Asks) {
            commands.extend(hooks.asked(&input).and_then(|asked| asked.command));
        }
    }
    for (event, expected) in hooks.events {
        assert!(phases.contains(expected), "{agent}: no payload of {event}");
    }
    commands
}

/// Reads the lines of an agent's plugin, and returns the commands that it asks for.
fn commands_of_plugin(agent: &str, lines: &str) -> Vec<String> {
    let lines: Vec<_> = lines.lines().map(|line| PluginLine::read(line.as_bytes()).expect(line)).collect();
    assert!(lines.iter().all(|line| line.session.is_some()), "{agent}: {lines:?}");
    let reports = lines.into_iter().filter_map(|line| line.report);
    reports.filter(|report| report.state == AgentState::Blocked).filter_map(|report| report.command).collect()
}

#[test]
fn every_real_payload_is_understood_and_the_command_that_is_asked_for_is_in_it() {
    for agent in KnownAgent::all() {
        let payloads = PAYLOADS.iter().find(|(name, ..)| *name == agent.name);
        let (name, lines, expected) = payloads.expect("payloads of each agent");
        let commands = match &agent.hooks {
            HookKind::Events(hooks) => commands_of_hooks(name, hooks, lines),
            HookKind::Plugin(_) => commands_of_plugin(name, lines),
        };
        assert_eq!(commands, *expected, "{name}");
    }
}
