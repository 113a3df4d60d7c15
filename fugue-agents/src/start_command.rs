//! The command that starts an agent of the table.

use fugue_protocol::Refusal;
use fugue_protocol::refusal::{AgentAbility, AgentStartProblem, nearest};

use crate::known_agent::KnownAgent;
use crate::start::StartOptions;
use crate::table::AgentTable;

/// A command that starts an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartCommand {
    /// The canonical name of the agent.
    pub agent: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The id of the conversation that it was told to begin or to resume.
    pub conversation: Option<String>,
}

/// Returns the command that starts an agent.
pub fn start_command(
    table: &AgentTable,
    agent: &str,
    options: &StartOptions<'_>,
) -> Result<StartCommand, Refusal> {
    let refused = |why| Refusal::CannotSpawn { agent: agent.to_owned(), why };
    let name = table.canonical(agent);
    let start = table.start_of(name).ok_or_else(|| match table.has(name) {
        true => refused(AgentStartProblem::Lacks { ability: AgentAbility::Start }),
        false => {
            let built_in = KnownAgent::names().map(str::to_owned).collect();
            refused(AgentStartProblem::Unknown { nearest: nearest(agent, table.startable()), built_in })
        }
    })?;
    let argv = start.argv(name, options).map_err(refused)?;
    let conversation = start.conversation(options).map(str::to_owned);
    Ok(StartCommand { agent: name.to_owned(), argv, conversation })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(agent: &str, options: &StartOptions<'_>) -> Result<String, String> {
        let argv = start_command(AgentTable::built_in(), agent, options);
        argv.map(|command| command.argv.join(" ")).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn each_agent_is_started_in_its_own_words() {
        let plain = StartOptions { new_conversation: "NEW", ..StartOptions::default() };
        let full = StartOptions {
            prompt: Some("-fix it"),
            model: Some("m"),
            permission_mode: Some("never"),
            ..plain.clone()
        };
        let resume = StartOptions { resume: Some("ID"), ..plain.clone() };
        for (agent, options, expected) in [
            ("claude", &plain, "claude --session-id NEW"),
            ("claude-code", &plain, "claude --session-id NEW"),
            ("claude", &full, "claude --model m --permission-mode never --session-id NEW -- -fix it"),
            ("claude", &resume, "claude --resume ID"),
            ("codex", &full, "codex --model m --ask-for-approval never -- -fix it"),
            ("codex", &resume, "codex resume ID"),
            ("gemini", &resume, "gemini --resume ID"),
            ("opencode", &resume, "opencode -s ID"),
        ] {
            assert_eq!(line(agent, options).as_deref(), Ok(expected));
        }
        let modes = |agent, mode| line(agent, &StartOptions { permission_mode: Some(mode), ..plain.clone() });
        assert_eq!(modes("codex", "read-only").as_deref(), Ok("codex --sandbox read-only"));
        assert_eq!(modes("opencode", "auto").as_deref(), Ok("opencode --auto"));
        assert_eq!(
            modes("gemini", "never").unwrap_err(),
            "Cannot start gemini: it has no permission mode `never`, only default, auto_edit, yolo, plan"
        );
        let prompt = |agent| line(agent, &StartOptions { prompt: Some("-a b"), ..plain.clone() });
        let gemini = "gemini --session-id NEW --prompt-interactive=-a b";
        assert_eq!(prompt("gemini").as_deref(), Ok(gemini));
        assert_eq!(prompt("opencode").as_deref(), Ok("opencode --prompt=-a b"));
    }

    #[test]
    fn a_callers_own_arguments_come_before_the_prompt_and_may_choose_the_conversation() {
        let args = ["--continue".to_owned()];
        let options = StartOptions { prompt: Some("go"), args: &args, ..StartOptions::default() };
        assert_eq!(line("claude", &options).as_deref(), Ok("claude --continue -- go"));
    }

    #[test]
    fn what_the_table_does_not_say_is_refused_by_name() {
        let plain = StartOptions::default();
        assert_eq!(line("calude", &plain).unwrap_err(), "Cannot start calude: there is no such agent");
        assert_eq!(
            line("aider", &plain).unwrap_err(),
            "Cannot start aider: fugue does not know how to start it"
        );
        assert_eq!(line("*", &plain).unwrap_err(), "Cannot start *: there is no such agent");
    }

    const ROBOT: &str = "[[agent]]\nname = \"robot\"\n[agent.start]\ncommand = [\"robot-cli\", \"chat\"]\n";

    #[test]
    fn a_users_agent_is_started_and_a_built_in_one_changed() {
        let file = format!(
            "{ROBOT}resume = [\"--load={{}}\"]\n[[agent]]\nname = \"claude\"\n[agent.start]\ncommand = [\"cc\"]\n"
        );
        let table = AgentTable::with_file(&file).expect("a table");
        let resume = StartOptions { resume: Some("7"), ..StartOptions::default() };
        assert_eq!(
            start_command(&table, "robot", &resume).unwrap().argv.join(" "),
            "robot-cli chat --load=7"
        );
        assert_eq!(start_command(&table, "claude", &resume).unwrap().argv.join(" "), "cc --resume 7");
        let prompted = StartOptions { prompt: Some("x"), ..StartOptions::default() };
        let refusal = start_command(&table, "robot", &prompted).unwrap_err();
        assert_eq!(refusal.to_string(), "Cannot start robot: fugue does not know how to pass it a prompt");
    }

    #[test]
    fn words_without_a_place_for_the_value_are_a_mistake() {
        let mistake =
            AgentTable::with_file(&format!("{ROBOT}prompt = [\"--ask\"]\n")).expect_err("a mistake");
        assert_eq!(mistake.line, Some(2));
        assert_eq!(
            mistake.text,
            "`prompt` needs an argument that contains `{}`, the placeholder for the value"
        );
    }
}
