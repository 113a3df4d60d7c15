//! `fugue hook AGENT`: the command that an agent's own hooks run. It notifies the agent of unread messages, in the form
//! that the agent expects, and prints nothing in every other case: a hook that fails would disturb the agent. It also
//! reports the agent's conversation, so that the agent can resume it after a reboot.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, StartPolicy};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::escape::escape_json;
use fugue_protocol::verbs::AnnounceMessages;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};

/// How long to wait for the daemon. The agent is blocked while its hook runs.
const BUDGET: Duration = Duration::from_secs(10);

/// The timeout in the agent's settings, in seconds: somewhat more than the hook takes at most.
const TIMEOUT: u64 = 15;

/// The most that is read of an agent's input, which is far shorter.
const INPUT_BYTES: u64 = 8 << 20;

/// The agents by name, with the names of their hook events.
const AGENTS: [(&str, [(&str, TurnPhase); 4]); 3] = [
    ("claude", CLAUDE),
    ("codex", CLAUDE),
    (
        "gemini",
        [
            ("SessionStart", TurnPhase::Begins),
            ("BeforeAgent", TurnPhase::Begins),
            ("AfterTool", TurnPhase::Works),
            ("AfterAgent", TurnPhase::Ends),
        ],
    ),
];

const CLAUDE: [(&str, TurnPhase); 4] = [
    ("SessionStart", TurnPhase::Begins),
    ("UserPromptSubmit", TurnPhase::Begins),
    ("PostToolUse", TurnPhase::Works),
    ("Stop", TurnPhase::Ends),
];

/// The phase of an agent's turn in which a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnPhase {
    /// The turn begins: the agent is notified of all unread messages.
    Begins,
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
}

/// The command line of `fugue hook`.
pub(crate) fn command() -> Command {
    let agents: Vec<_> = AGENTS.iter().map(|(name, _)| *name).collect();
    Command::new("hook")
        .about("Notify an agent of unread messages (run by its hooks)")
        .after_help(
            "`fugue setup` adds this hook to an agent's settings.\n\
             `--settings` prints the settings that it adds.",
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
    let answer = match args.get_flag("settings") {
        true => Some(format!("{:#}", settings(agent, "fugue"))),
        false => answer(agent, args).map(|answer| answer.to_string()),
    };
    if let Some(answer) = answer {
        let _ = writeln!(std::io::stdout(), "{}", escape_json(&answer));
    }
    Ok(())
}

/// The output for the agent; `None` if there is nothing to say, or no daemon to ask.
fn answer(agent: &str, args: &ArgMatches) -> Option<Value> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES).read_to_string(&mut text).ok()?;
    let input: HookInput = serde_json::from_str(&text).ok()?;
    let phase = phase(agent, &input.hook_event_name)?;
    if phase == TurnPhase::Ends && input.stop_hook_active {
        return None;
    }
    let conversation = input.session_id.and_then(|id| id.parse().ok());
    let conversation = conversation.map(|id| Conversation { agent: agent.to_owned(), id });
    let line = announcement(args, phase != TurnPhase::Begins, conversation)?;
    Some(response(agent, phase, &input.hook_event_name, &line))
}

fn phase(agent: &str, event: &str) -> Option<TurnPhase> {
    let (_, events) = AGENTS.iter().find(|(name, _)| *name == agent)?;
    events.iter().find(|(name, _)| *name == event).map(|(_, phase)| *phase)
}

/// The notification of unread messages, requested with a report of the agent's conversation. It is requested on another
/// thread, since the daemon may hang.
fn announcement(args: &ArgMatches, news: bool, conversation: Option<Conversation>) -> Option<String> {
    let (args, (answer, answered)) = (args.clone(), mpsc::channel());
    std::thread::spawn(move || {
        let announcement =
            context::open(&args, StartPolicy::Never).and_then(|mut connection| -> Result<_, CallError> {
                connection.call(&AnnounceMessages { news, conversation, ..AnnounceMessages::default() })
            });
        let _ = answer.send(announcement);
    });
    answered.recv_timeout(BUDGET).ok()?.ok()?.text
}

/// The notification in the form that the agent's hooks expect.
fn response(agent: &str, phase: TurnPhase, event: &str, line: &str) -> Value {
    match phase {
        TurnPhase::Begins | TurnPhase::Works => {
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
