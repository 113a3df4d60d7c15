//! How agents resume a conversation after their program was lost: with the words from their row in `agents.toml`, and
//! with those of their other arguments that may be repeated.

use fugue_protocol::Launch;
use fugue_protocol::conversation::Conversation;

use crate::command_line::plain_words;
use crate::known_agent::KnownAgent;
use crate::resume_arguments::ResumeArguments;
use crate::start::AgentStart;
use crate::table::AgentTable;

/// A launch that resumes a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResumedLaunch {
    /// The launch.
    pub launch: Launch,
    /// The flags that were not repeated because nothing is known about them.
    pub dropped: Vec<String>,
}

/// The launch with which an agent resumes its conversation; none if the launch starts another program, or if it cannot
/// be changed safely.
pub fn resumed(table: &AgentTable, launch: &Launch, conversation: &Conversation) -> Option<ResumedLaunch> {
    let words = match &launch.command {
        Some(line) => plain_words(line)?,
        None => launch.argv.clone(),
    };
    let (at, agent) = table.agent_at(&words)?;
    let start = table.start_of(agent).filter(|_| agent == conversation.agent)?;
    let (program, arguments) = words.split_at(at + 1 + fixed_arguments(start, agent, &words[at + 1..]));
    let known = KnownAgent::find(agent).map_or(&ResumeArguments::UNKNOWN, |agent| &agent.arguments);
    let (kept, dropped) = known.repeatable(arguments, start)?;
    let resume = start.resume(conversation.id.as_str())?;
    let argv: Vec<_> = program.iter().cloned().chain(resume).chain(kept).collect();
    let launch = match &launch.command {
        Some(_) => Launch { command: Some(line(argv)), ..launch.clone() },
        None => Launch { argv, ..launch.clone() },
    };
    Some(ResumedLaunch { launch, dropped })
}

/// The command line with which a person resumes a conversation.
pub fn command(table: &AgentTable, conversation: &Conversation) -> Option<String> {
    let start = table.start_of(&conversation.agent)?;
    let program = start.program(&conversation.agent).into_iter().map(str::to_owned);
    Some(line(program.chain(start.resume(conversation.id.as_str())?).collect()))
}

/// The number of arguments that the agent always gets.
fn fixed_arguments(start: &AgentStart, agent: &str, arguments: &[String]) -> usize {
    let program = start.program(agent);
    let fixed = program.get(1..).unwrap_or_default();
    if arguments.iter().zip(fixed).filter(|(is, fixed)| is == fixed).count() == fixed.len() {
        fixed.len()
    } else {
        0
    }
}

fn line(argv: Vec<String>) -> String {
    Launch { argv, ..Launch::default() }.label()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(agent: &str) -> Conversation {
        Conversation { agent: agent.into(), id: "id-1".parse().expect("an id") }
    }

    fn resumed_line(agent: &str, line: &str) -> Option<String> {
        let launch = Launch { command: Some(line.into()), ..Launch::default() };
        resumed(AgentTable::built_in(), &launch, &conversation(agent))
            .and_then(|resumed| resumed.launch.command)
    }

    #[test]
    fn each_agent_resumes_in_its_own_way_with_its_flags_and_without_its_prompt() {
        for (agent, line, expected) in [
            ("claude", "claude", "claude --resume id-1"),
            ("claude", "claude 'fix the tests'", "claude --resume id-1"),
            ("claude", "claude --model opus \"fix it\"", "claude --resume id-1 --model opus"),
            ("claude", "claude --resume old-1 --verbose", "claude --resume id-1 --verbose"),
            ("claude", "claude -r --continue --settings=x.json", "claude --resume id-1 --settings=x.json"),
            ("claude", "claude --add-dir ../a ../b --ide", "claude --resume id-1 --add-dir ../a ../b --ide"),
            (
                "claude",
                "npx -y @anthropic-ai/claude-code --ide",
                "npx -y @anthropic-ai/claude-code --resume id-1 --ide",
            ),
            ("claude", "env A=1 claude hello", "env 'A=1' claude --resume id-1"),
            ("codex", "codex -m gpt-5 -i a.png 'look at this'", "codex resume id-1 -m gpt-5"),
            ("codex", "codex resume old-1 --yolo --no-daemon", "codex resume id-1 --yolo --no-daemon"),
            (
                "gemini",
                "gemini -i 'explain' --approval-mode yolo",
                "gemini --resume id-1 --approval-mode yolo",
            ),
            ("opencode", "opencode ../project -m a/b --prompt hi -c", "opencode -s id-1 ../project -m a/b"),
        ] {
            assert_eq!(resumed_line(agent, line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_launch_that_cannot_be_changed_safely_is_left_alone() {
        for (agent, line) in [
            ("claude", "claude; echo done"),
            ("claude", "claude < $HOME/prompt"),
            ("claude", "A=1 claude"),
            ("claude", "claude 'unfinished"),
            ("claude", "claude -p 'one question'"),
            ("claude", "codex"),
            ("claude", "bash"),
            ("codex", "codex exec 'one task'"),
            ("gemini", "gemini --prompt=hi"),
            ("opencode", "opencode run hi"),
            ("aider", "aider"),
        ] {
            assert_eq!(resumed_line(agent, line), None, "{line}");
        }
    }

    #[test]
    fn an_argv_stays_an_argv_and_unknown_flags_are_dropped_and_named() {
        let argv = ["/usr/bin/claude", "--new-flag", "value", "--other=1", "--", "-prompt"];
        let launch = Launch { argv: argv.map(str::to_owned).to_vec(), ..Launch::default() };
        let resumed = resumed(AgentTable::built_in(), &launch, &conversation("claude")).expect("resumed");
        assert_eq!(resumed.launch.argv, ["/usr/bin/claude", "--resume", "id-1", "--other=1"]);
        assert_eq!(resumed.dropped, ["--new-flag"]);
    }

    #[test]
    fn a_person_is_told_the_command_of_each_agent() {
        let command = |agent| command(AgentTable::built_in(), &conversation(agent));
        assert_eq!(command("codex").as_deref(), Some("codex resume id-1"));
        assert_eq!(command("opencode").as_deref(), Some("opencode -s id-1"));
        assert_eq!(command("aider"), None);
    }

    #[test]
    fn a_users_agent_resumes_as_its_row_says() {
        let file = "[[agent]]\nname = \"robot\"\nprocesses = [\"robot-cli\"]\n[agent.start]\n\
                    command = [\"robot-cli\", \"chat\"]\nresume = [\"--load\", \"{}\"]\n\
                    model = [\"--brain\", \"{}\"]\n";
        let table = AgentTable::with_file(file).expect("a table");
        let argv = ["robot-cli", "chat", "--load", "id-0", "--brain", "b", "--fast", "--color=no", "hello"]
            .map(str::to_owned)
            .to_vec();
        let launch = Launch { argv, ..Launch::default() };
        let resumed = resumed(&table, &launch, &conversation("robot")).expect("resumed");
        assert_eq!(
            resumed.launch.argv,
            ["robot-cli", "chat", "--load", "id-1", "--brain", "b", "--color=no"]
        );
        assert_eq!(resumed.dropped, ["--fast"]);
        assert_eq!(command(&table, &conversation("robot")).as_deref(), Some("robot-cli chat --load id-1"));
    }
}
