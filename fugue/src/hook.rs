//! `fugue hook AGENT`: what an agent's own hooks run at the turns of its work. It tells the agent that messages lie unread,
//! in the agent's own dialect, and stays silent in every other case: a hook that fails would disturb the agent.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, StartPolicy};
use fugue_protocol::verbs::AnnounceMessages;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::{self, Failure};

/// An agent stands still while its hook runs: a daemon that hangs may not hold it longer.
const BUDGET: Duration = Duration::from_secs(10);

/// The agent ends a hook that takes longer, in seconds: somewhat more than the hook takes at most.
const TIMEOUT: u64 = 15;

/// What an agent tells its hook: far less than this.
const TOLD_BYTES: u64 = 8 << 20;

/// The agents, by name, and the names they give to the moments of their work.
const AGENTS: [(&str, [(&str, Moment); 4]); 3] = [
    ("claude", CLAUDE),
    ("codex", CLAUDE),
    (
        "gemini",
        [
            ("SessionStart", Moment::Begins),
            ("BeforeAgent", Moment::Begins),
            ("AfterTool", Moment::Works),
            ("AfterAgent", Moment::Ends),
        ],
    ),
];

const CLAUDE: [(&str, Moment); 4] = [
    ("SessionStart", Moment::Begins),
    ("UserPromptSubmit", Moment::Begins),
    ("PostToolUse", Moment::Works),
    ("Stop", Moment::Ends),
];

/// A moment of an agent's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    /// It begins: it is told what lies there.
    Begins,
    /// It goes on: it is told what is new.
    Works,
    /// It wants to stop: what is new keeps it from that.
    Ends,
}

/// What an agent tells its hook, as far as it matters.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Told {
    hook_event_name: String,
    /// A hook has kept it from stopping already.
    stop_hook_active: bool,
}

/// The command line.
pub(crate) fn command() -> Command {
    let agents: Vec<_> = AGENTS.iter().map(|(name, _)| *name).collect();
    Command::new("hook")
        .about("Tell an agent of unread messages at the turns of its work; its own hooks run this")
        .after_help("`fugue hook claude --settings` prints what to merge into ~/.claude/settings.json\n(codex: ~/.codex/hooks.json, gemini: ~/.gemini/settings.json).")
        .arg(Arg::new("agent").required(true).value_parser(agents).help("Whose hook it is"))
        .arg(
            Arg::new("settings")
                .long("settings")
                .action(ArgAction::SetTrue)
                .help("Print the agent's settings that run it"),
        )
}

/// Runs it.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), Failure> {
    let fugue = cli::with_common(Command::new("fugue").subcommand_required(true));
    let matches = fugue.subcommand(command()).try_get_matches_from(words)?;
    let Some((_, args)) = matches.subcommand() else { return Ok(()) };
    let agent = args.get_one::<String>("agent").map_or("", String::as_str);
    let answer = match args.get_flag("settings") {
        true => Some(format!("{:#}", settings(agent))),
        false => answer(agent, args).map(|answer| answer.to_string()),
    };
    if let Some(answer) = answer {
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
    Ok(())
}

/// What the agent is told; nothing when there is nothing, or nobody to ask.
fn answer(agent: &str, args: &ArgMatches) -> Option<Value> {
    let mut text = String::new();
    std::io::stdin().take(TOLD_BYTES).read_to_string(&mut text).ok()?;
    let told: Told = serde_json::from_str(&text).ok()?;
    let moment = moment(agent, &told.hook_event_name)?;
    if moment == Moment::Ends && told.stop_hook_active {
        return None;
    }
    let line = announcement(args, moment != Moment::Begins)?;
    Some(worded(agent, moment, &told.hook_event_name, &line))
}

fn moment(agent: &str, event: &str) -> Option<Moment> {
    let (_, moments) = AGENTS.iter().find(|(name, _)| *name == agent)?;
    moments.iter().find(|(name, _)| *name == event).map(|(_, moment)| *moment)
}

/// The line that tells of unread messages, asked for on another thread, which may hang.
fn announcement(args: &ArgMatches, news: bool) -> Option<String> {
    let (args, (answer, answered)) = (args.clone(), mpsc::channel());
    std::thread::spawn(move || {
        let told = cli::open(&args, StartPolicy::Never).and_then(|mut connection| -> Result<_, CallError> {
            connection.call(&AnnounceMessages { news, ..AnnounceMessages::default() })
        });
        let _ = answer.send(told);
    });
    answered.recv_timeout(BUDGET).ok()?.ok()?.text
}

/// The line in the words of an agent's hooks.
fn worded(agent: &str, moment: Moment, event: &str, line: &str) -> Value {
    match moment {
        Moment::Begins | Moment::Works => {
            json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": line } })
        }
        Moment::Ends => {
            let decision = if agent == "gemini" { "deny" } else { "block" };
            json!({ "decision": decision, "reason": line })
        }
    }
}

/// The settings of an agent that run its hooks.
fn settings(agent: &str) -> Value {
    // One agent counts in milliseconds.
    let timeout = if agent == "gemini" { TIMEOUT * 1_000 } else { TIMEOUT };
    let hook = json!({ "type": "command", "command": format!("fugue hook {agent}"), "timeout": timeout });
    let moments = AGENTS.iter().find(|(name, _)| *name == agent).map(|(_, moments)| moments);
    let hooks =
        moments.into_iter().flatten().map(|(event, _)| ((*event).to_owned(), json!([{ "hooks": [hook] }])));
    json!({ "hooks": Value::Object(hooks.collect()) })
}
