//! `fugue hook AGENT`: the command that an agent's own hooks run. It notifies the agent of unread messages, in the form
//! that the agent expects, and prints nothing in every other case: a hook that fails would disturb the agent. It also
//! reports the agent's conversation, so that the agent can resume it after a reboot.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_agents::{AgentHooks, HookInput, HookKind, KnownAgent, PermissionRequest, TurnPhase};
use fugue_client::StartPolicy;
use fugue_protocol::AgentState;
use fugue_protocol::agent_messages::NOTIFICATION_START;
use fugue_protocol::conversation::Conversation;
use fugue_protocol::escape::escape_json;
use fugue_protocol::verbs::{AnnounceMessages, ReportConversation, ReportState, VerbSpec};
use serde_json::Value;

use crate::context::{self, CommandFailure};
use crate::plugin_link;

/// How long to wait for the daemon. The agent is blocked while its hook runs, and ends it after a somewhat longer time.
const BUDGET: Duration = Duration::from_secs(10);

/// The most that is read of an agent's input, which is far shorter.
const INPUT_BYTES: u64 = 8 << 20;

/// The command line of `fugue hook`.
pub(crate) fn command() -> Command {
    let agents: Vec<_> = KnownAgent::names().collect();
    Command::new("hook")
        .about("Notify an agent of unread messages (run by its hooks)")
        .after_help(
            "`fugue setup` adds this hook to an agent's settings. `--settings` prints these settings.",
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
    let agent = args.get_one::<String>("agent").and_then(|name| KnownAgent::find(name));
    let Some(KnownAgent { name, hooks, .. }) = agent else { return Ok(()) };
    match (hooks, args.get_flag("settings")) {
        (HookKind::Plugin(source), true) => print(&source.text("fugue")),
        (HookKind::Plugin(_), false) => plugin_link::run(name, args),
        (HookKind::Events(hooks), true) => {
            print(&escape_json(&format!("{:#}", hooks.settings(name, "fugue"))));
        }
        (HookKind::Events(hooks), false) => {
            if let Some(answer) = answer(name, hooks, args) {
                print(&escape_json(&answer.to_string()));
            }
        }
    }
    Ok(())
}

fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}

/// The output for the agent; `None` if there is nothing to say, or no daemon to ask.
fn answer(agent: &str, hooks: &AgentHooks, args: &ArgMatches) -> Option<Value> {
    let mut text = String::new();
    std::io::stdin().take(INPUT_BYTES).read_to_string(&mut text).ok()?;
    let input = HookInput::read(&text)?;
    let phase = hooks.phase(&input.event)?;
    if phase == TurnPhase::Ends && input.is_kept_on {
        ask(args, hook_report(agent))?;
        return None;
    }
    if phase == TurnPhase::Asks {
        let PermissionRequest { reason, command } = hooks.asked(&input)?;
        let (state, reason) = (AgentState::Blocked, Some(reason));
        ask(args, ReportState { state, reason, command, ..hook_report(agent) })?;
        return None;
    }
    let conversation = input.conversation.as_ref().and_then(|id| id.parse().ok());
    let conversation = conversation.map(|id| Conversation { agent: agent.to_owned(), id });
    // A prompt that is a notification says it already: it was pushed or typed.
    if input.prompt.as_ref().is_some_and(|prompt| prompt.contains(NOTIFICATION_START)) {
        let Conversation { agent, id } = conversation?;
        ask(args, hook_report(&agent))?;
        ask(args, ReportConversation { agent, id })?;
        return None;
    }
    let news = phase != TurnPhase::Begins;
    // A tool that has run was permitted. Otherwise, nothing that was asked before is still open.
    let tool = if phase == TurnPhase::Works { hooks.asked(&input) } else { None };
    let over = Some(tool.map(|asked| asked.reason).unwrap_or_default());
    let line =
        ask(args, AnnounceMessages { news, conversation, over, ..AnnounceMessages::default() })?.text?;
    Some(hooks.response(phase, &input.event, &line))
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

#[cfg(test)]
mod tests {
    use fugue_testkit::Random;

    use super::*;

    #[test]
    fn any_payload_of_a_hook_is_read_or_ignored() {
        const WORDS: [&str; 6] =
            ["hook_event_name", "session_id", "stop_hook_active", "prompt", "Stop", "UserPromptSubmit"];
        let hooks = KnownAgent::find("claude").map(|agent| &agent.hooks);
        let Some(HookKind::Events(hooks)) = hooks else { panic!("it has hooks") };
        let mut random = Random(3);
        let mut read = 0;
        for _ in 0..100_000 {
            let text = random.nearly_json(&WORDS);
            let Some(input) = HookInput::read(&text) else { continue };
            read += 1;
            let phase = hooks.phase(&input.event);
            assert!(phase.is_none() || WORDS[4..].contains(&input.event.as_str()), "{text}");
        }
        assert!(read > 1_000, "only {read} payloads were valid");
    }
}
