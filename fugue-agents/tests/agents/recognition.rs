//! Detectors of agents and of their states.

use fugue_agents::{AgentTable, canonical, name_of};
use fugue_protocol::Timestamp;
use fugue_protocol::agents::AgentState;

use crate::captured_screens;

/// What the built-in rules read from a screen of Codex.
fn codex(screen: &str) -> (Option<AgentState>, Option<String>) {
    let rows: Vec<_> = screen.lines().map(str::to_owned).collect();
    let shown = AgentTable::built_in().shown("codex", &rows, moment(0));
    (shown.as_ref().map(|sign| sign.state), shown.and_then(|sign| sign.reason))
}

const CODEX_FIELD: &str = "› Ask Codex to do anything\n\n  gpt-5.5 default · ~/proj\n  ? for shortcuts";

#[test]
fn an_error_or_an_interruption_of_an_earlier_turn_is_over() {
    for first in ["■ bad request said the model", "■ Conversation interrupted - use /feedback"] {
        let later = format!("› one\n\n\n{first}\n\n\n› two\n\n\n• It is done.\n\n\n{CODEX_FIELD}");
        assert_eq!(codex(&later), (Some(AgentState::Idle), None), "{later}");
    }
    let twice = format!("› one\n\n■ bad request\n\n› two\n\n■ worse request\n\n{CODEX_FIELD}");
    assert_eq!(codex(&twice), (Some(AgentState::Error), Some("worse request".into())));
}

#[test]
fn a_directory_with_enter_in_its_name_is_no_dialog() {
    for directory in ["~/enterprise", "~/enter to/it", "~/re-enter it"] {
        let draft = format!("› 1. do this\n  2. do that\n\n  gpt-5.5 default · {directory}");
        assert_eq!(codex(&draft).0, Some(AgentState::Idle), "{draft}");
    }
}

#[test]
fn a_menu_has_its_own_heading_as_the_reason() {
    let menu = "  >_ OpenAI Codex (v0.166.0)\n     ~/proj\n\n\n• Model changed.\n  That was it.\n\n\n  \
                Select Model and Effort\n  Older models have their own flag.\n\n  1. gpt-5.5\n› 2. gpt-5.4\n  3. gpt-5\n\n  \
                Press enter to confirm or esc to go back";
    assert_eq!(codex(menu), (Some(AgentState::Blocked), Some("Select Model and Effort".into())));
}

#[test]
fn the_start_screen_of_opencode_is_idle_in_a_window_of_any_height() {
    let rows = captured_screens::rows("opencode", "empty");
    let last = rows.iter().rposition(|row| !row.trim().is_empty()).unwrap();
    for blank in [0, 10, 100] {
        let space = vec![String::new(); blank];
        let tall = [&space, &rows[..last], &space, &rows[last..]].concat();
        let shown = AgentTable::built_in().shown("opencode", &tall, moment(0));
        assert_eq!(shown.map(|sign| sign.state), Some(AgentState::Idle), "{blank} more rows on each side");
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
        assert_eq!(
            AgentTable::built_in().titled(agent, title).map(|sign| sign.state),
            state,
            "{agent}: {title}"
        );
    }
    let blocked = AgentTable::built_in().titled("gemini", "✋  Action Required (proj)").unwrap();
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
        ("bash /usr/local/bin/claude", Some("claude")),
        ("bash ./build.sh claude", None),
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

#[test]
fn a_users_file_adds_agents_and_rules_and_its_mistakes_have_a_line() {
    let file = r#"
        [[agent]]
        name = "mine"
        processes = ["mine-cli"]
        title = [{ state = "working", starts = ["* "] }]

        [[agent.screen]]
        state = "waiting_for_input"
        waits_for = "answer"
        rows = 3
        texts = ["[y/n]"]
        reason = ['^(.+) \[y/n\]']

        [[agent]]
        name = "claude"
        processes = ["my-claude"]
    "#;
    let table = AgentTable::with_file(file).unwrap();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(table.name_of(&words("/opt/bin/mine-cli --fast")), Some("mine"));
    assert_eq!(table.name_of(&words("my-claude")), Some("claude"));
    assert_eq!(table.name_of(&words("codex")), Some("codex"));
    let asks = table.shown("mine", &["Delete it? [y/n]".to_owned()], moment(0)).unwrap();
    assert_eq!((asks.state, asks.reason.as_deref()), (AgentState::WaitingForInput, Some("Delete it?")));
    assert_eq!(table.titled("mine", "* at it").map(|sign| sign.state), Some(AgentState::Working));
    for (file, line, mistake) in [
        ("[[agent]]\nname = \"a\"\ncolour = 1", 3, "unknown field `colour`"),
        (
            "[[agent]]\nname = \"a\"\n[[agent.screen]]\nstate = \"busy\"\nrows = 1",
            4,
            "unknown variant `busy`",
        ),
        (
            "[[agent]]\nname = \"a\"\n[[agent.screen]]\nstate = \"idle\"\nrows = 1\nreason = [\"x\"]",
            6,
            "needs a capture group",
        ),
    ] {
        let found = AgentTable::with_file(file).unwrap_err();
        assert_eq!(found.line, Some(line), "{found:?}");
        assert!(found.text.contains(mistake), "{found:?}");
    }
}
