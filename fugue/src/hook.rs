//! `fugue hook AGENT`: the command that an agent's own hooks run. It notifies the agent of unread messages, in the form
//! that the agent expects, and prints nothing in every other case: a hook that fails would disturb the agent. It also
//! reports the agent's conversation, so that the agent can resume it after a reboot.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::StartPolicy;
use fugue_protocol::AgentState;
use fugue_protocol::agent_messages::NOTIFICATION_START;
use fugue_protocol::conversation::Conversation;
use fugue_protocol::escape::escape_json;
use fugue_protocol::verbs::{AnnounceMessages, ReportConversation, ReportState, VerbSpec};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};
use crate::opencode_link;
use crate::permission_request::{Asked, PermissionRequest};

/// How long to wait for the daemon. The agent is blocked while its hook runs.
const BUDGET: Duration = Duration::from_secs(10);

/// The timeout in the agent's settings, in seconds: somewhat more than the hook takes at most.
const TIMEOUT: u64 = 15;

/// The most that is read of an agent's input, which is far shorter.
const INPUT_BYTES: u64 = 8 << 20;

/// The agents by name, with the names of their hook events.
const AGENTS: [(&str, [(&str, TurnPhase); 5]); 3] = [
    ("claude", CLAUDE),
    ("codex", CLAUDE),
    (
        "gemini",
        [
            ("SessionStart", TurnPhase::Begins),
            ("BeforeAgent", TurnPhase::Begins),
            ("Notification", TurnPhase::Asks),
            ("AfterTool", TurnPhase::Works),
            ("AfterAgent", TurnPhase::Ends),
        ],
    ),
];

/// The agent that has a plugin instead of hooks, to which this command stays linked.
const OPENCODE: &str = "opencode";

const CLAUDE: [(&str, TurnPhase); 5] = [
    ("SessionStart", TurnPhase::Begins),
    ("UserPromptSubmit", TurnPhase::Begins),
    ("PermissionRequest", TurnPhase::Asks),
    ("PostToolUse", TurnPhase::Works),
    ("Stop", TurnPhase::Ends),
];

/// The phase of an agent's turn in which a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnPhase {
    /// The turn begins: the agent is notified of all unread messages.
    Begins,
    /// The agent asks the user for permission, which is reported.
    Asks,
    /// The agent works: it is notified of new messages.
    Works,
    /// The agent wants to stop: new messages keep it from stopping.
    Ends,
}

/// The input of a hook, as far as it matters here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct HookInput {
    hook_event_name: String,
    /// The id of the agent's conversation.
    session_id: Option<String>,
    /// Whether a hook has already kept the agent from stopping.
    stop_hook_active: bool,
    /// The prompt with which a turn begins.
    prompt: Option<String>,
    #[serde(flatten)]
    request: PermissionRequest,
}

/// The command line of `fugue hook`.
pub(crate) fn command() -> Command {
    let agents: Vec<_> = AGENTS.iter().map(|(name, _)| *name).chain([OPENCODE]).collect();
    Command::new("hook")
        .about("Notify an agent of unread messages (run by its hooks)")
        .after_help(
            "`fugue setup` adds this hook to an agent's settings.\n\
             `--settings` prints these settings.",
        )
        .arg(Arg::new("agent").required(true).value_parser(agents).help("The agent that runs this hook"))
        .arg(
            Arg::new("settings")
                .long("settings")
                .action(ArgAction::SetTrue)
                .help("Print the agent settings that enable this hook"),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = &context::parse(command(), words)?;
    let agent = args.get_one::<String>("agent").map_or("", String::as_str);
    match (agent, args.get_flag("settings")) {
        (OPENCODE, true) => print(&opencode_plugin("fugue")),
        (OPENCODE, false) => opencode_link::run(args),
        (agent, true) => print(&escape_json(&format!("{:#}", settings(agent, "fugue")))),
        (agent, false) => {
            if let Some(answer) = answer(agent, args) {
                print(&escape_json(&answer.to_string()));
            }
        }
    }
    Ok(())
}

fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

/// The text of OpenCode's plugin; `fugue` is the program that it runs.
pub(crate) fn opencode_plugin(fugue: &str) -> String {
    const TEXT: &str = include_str!("../../plugins/opencode/fugue.js");
    TEXT.replacen("const FUGUE = \"fugue\"", &format!("const FUGUE = {}", json!(fugue)), 1)
}

/// The output for the agent; `None` if there is nothing to say, or no daemon to ask.
fn answer(agent: &str, args: &ArgMatches) -> Option<Value> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES).read_to_string(&mut text).ok()?;
    let input: HookInput = serde_json::from_str(&text).ok()?;
    let phase = phase(agent, &input.hook_event_name)?;
    if phase == TurnPhase::Ends && input.stop_hook_active {
        ask(args, hook_report(agent))?;
        return None;
    }
    if phase == TurnPhase::Asks {
        let Asked { reason, command } = input.request.asked(agent)?;
        let (state, reason) = (AgentState::Blocked, Some(reason));
        ask(args, ReportState { state, reason, command, ..hook_report(agent) })?;
        return None;
    }
    let conversation = input.session_id.and_then(|id| id.parse().ok());
    let conversation = conversation.map(|id| Conversation { agent: agent.to_owned(), id });
    // A prompt that is a notification says it already: it was pushed or typed.
    if input.prompt.is_some_and(|prompt| prompt.contains(NOTIFICATION_START)) {
        let Conversation { agent, id } = conversation?;
        ask(args, hook_report(&agent))?;
        ask(args, ReportConversation { agent, id })?;
        return None;
    }
    let news = phase != TurnPhase::Begins;
    // A tool that has run was permitted. Otherwise, nothing that was asked before is still open.
    let tool = if phase == TurnPhase::Works { input.request.asked(agent) } else { None };
    let over = Some(tool.map(|asked| asked.reason).unwrap_or_default());
    let line =
        ask(args, AnnounceMessages { news, conversation, over, ..AnnounceMessages::default() })?.text?;
    Some(response(agent, phase, &input.hook_event_name, &line))
}

/// The report of a hook that nothing is asked any more.
fn hook_report(agent: &str) -> ReportState {
    ReportState {
        agent: agent.to_owned(),
        state: AgentState::Unknown,
        reason: None,
        until: None,
        context_tokens: None,
        cost_micros: None,
        command: None,
        hook: true,
    }
}

fn phase(agent: &str, event: &str) -> Option<TurnPhase> {
    let (_, events) = AGENTS.iter().find(|(name, _)| *name == agent)?;
    events.iter().find(|(name, _)| *name == event).map(|(_, phase)| *phase)
}

/// Makes a call on another thread, since the daemon may hang.
fn ask<V: VerbSpec + Send + 'static>(args: &ArgMatches, verb: V) -> Option<V::Reply>
where
    V::Reply: Send + 'static,
{
    let (args, (answer, answered)) = (args.clone(), mpsc::channel());
    std::thread::spawn(move || {
        let called =
            context::open(&args, StartPolicy::Never).and_then(|mut connection| connection.call(&verb));
        let _ = answer.send(called);
    });
    answered.recv_timeout(BUDGET).ok()?.ok()
}

/// The notification in the form that the agent's hooks expect.
fn response(agent: &str, phase: TurnPhase, event: &str, line: &str) -> Value {
    match phase {
        TurnPhase::Begins | TurnPhase::Asks | TurnPhase::Works => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": line } })
        }
        TurnPhase::Ends => {
            let decision = if agent == "gemini" { "deny" } else { "block" };
            json!({ "decision": decision, "reason": line })
        }
    }
}

/// The settings that make an agent run its hooks; `fugue` is how a shell runs this program.
pub(crate) fn settings(agent: &str, fugue: &str) -> Value {
    // Gemini counts in milliseconds.
    let timeout = if agent == "gemini" { TIMEOUT * 1_000 } else { TIMEOUT };
    let hook = json!({ "type": "command", "command": format!("{fugue} hook {agent}"), "timeout": timeout });
    let events = AGENTS.iter().find(|(name, _)| *name == agent).map(|(_, events)| events);
    let hooks =
        events.into_iter().flatten().map(|(event, _)| ((*event).to_owned(), json!([{ "hooks": [hook] }])));
    json!({ "hooks": Value::Object(hooks.collect()) })
}

#[cfg(test)]
mod tests {
    use fugue_protocol::conversation::ConversationId;
    use fugue_testkit::Random;

    use super::*;

    /// What the real agents' hooks were given: Claude Code 2.1.197 and 2.1.327, Codex 0.169, Gemini CLI 0.61.
    const PAYLOADS: [(&str, &str); 3] = [
        ("claude", include_str!("../tests/hook_payloads/claude.jsonl")),
        ("codex", include_str!("../tests/hook_payloads/codex.jsonl")),
        ("gemini", include_str!("../tests/hook_payloads/gemini.jsonl")),
    ];

    #[test]
    fn every_real_payload_is_understood_and_the_command_that_is_asked_for_is_in_it() {
        for (agent, lines) in PAYLOADS {
            let (mut phases, mut commands) = (Vec::new(), Vec::new());
            for line in lines.lines() {
                let input: HookInput = serde_json::from_str(line).expect(line);
                let phase = phase(agent, &input.hook_event_name);
                let id: Result<ConversationId, _> = input.session_id.unwrap_or_default().parse();
                assert!(phase.is_some() && id.is_ok(), "{agent}: {line}");
                phases.extend(phase);
                if phase == Some(TurnPhase::Asks) {
                    commands.extend(input.request.asked(agent).and_then(|asked| asked.command));
                }
            }
            let (_, events) = AGENTS.iter().find(|(name, _)| *name == agent).expect("a row");
            for (event, expected) in events {
                assert!(phases.contains(expected), "{agent}: no payload of {event}");
            }
            let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
            let expected: &[&str] = match agent {
                "claude" => &["touch made-cl", "touch made-cn"],
                "codex" => &["touch made-cx"],
                _ => &["touch made-ge"],
            };
            assert_eq!(commands, expected, "{agent}");
        }
    }

    #[test]
    fn any_payload_of_a_hook_is_read_or_ignored() {
        const WORDS: [&str; 6] =
            ["hook_event_name", "session_id", "stop_hook_active", "prompt", "Stop", "UserPromptSubmit"];
        let mut random = Random(3);
        let mut read = 0;
        for _ in 0..100_000 {
            let text = random.nearly_json(&WORDS);
            let Ok(input) = serde_json::from_str::<HookInput>(&text) else { continue };
            read += 1;
            let phase = phase("claude", &input.hook_event_name);
            assert!(phase.is_none() || WORDS[4..].contains(&input.hook_event_name.as_str()), "{text}");
        }
        assert!(read > 1_000, "only {read} payloads were valid");
    }
}
