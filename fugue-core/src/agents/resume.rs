//! How agents resume a conversation after their program was lost: with the words from their row in `agents.toml`, and
//! with those of their other arguments that may be repeated, which are rows here.
//!
//! Only flags that are known to be safe to repeat are kept: an unknown one may take a value, or belong to the prompt.

use fugue_protocol::Launch;
use fugue_protocol::conversation::Conversation;

use super::AgentTable;
use super::known_agents::agent_at_in;
use super::start::AgentStart;

/// Which arguments of an agent may be repeated.
struct ResumeRow {
    agent: &'static str,
    /// The known flags.
    flags: &'static [(&'static str, FlagKind)],
    /// Subcommands and flags with which the agent holds no conversation in its terminal.
    one_shot: &'static [&'static str],
    /// Whether arguments that are not flags are directories; otherwise they are the prompt, which was answered already.
    keeps_words: bool,
}

/// What becomes of a flag when a conversation is resumed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlagKind {
    /// It is repeated.
    Keep,
    /// It is repeated with its value.
    KeepValue,
    /// It is repeated with all words up to the next flag.
    KeepWords,
    /// It is dropped.
    Drop,
    /// It is dropped with its value, if it has one.
    DropValue,
}

use FlagKind::{Drop, DropValue, Keep, KeepValue, KeepWords};

const ROWS: [ResumeRow; 4] = [
    ResumeRow {
        agent: "claude",
        flags: &[
            ("--add-dir", KeepWords),
            ("--agent", KeepValue),
            ("--agents", KeepValue),
            ("--allow-dangerously-skip-permissions", Keep),
            ("--allowedTools", KeepWords),
            ("--allowed-tools", KeepWords),
            ("--append-system-prompt", KeepValue),
            ("--chrome", Keep),
            ("--continue", Drop),
            ("-c", Drop),
            ("--dangerously-skip-permissions", Keep),
            ("--disallowedTools", KeepWords),
            ("--disallowed-tools", KeepWords),
            ("--fallback-model", KeepValue),
            ("--fork-session", Drop),
            ("--ide", Keep),
            ("--mcp-config", KeepWords),
            ("--model", KeepValue),
            ("--permission-mode", KeepValue),
            ("--plugin-dir", KeepValue),
            ("--resume", DropValue),
            ("-r", DropValue),
            ("--session-id", DropValue),
            ("--setting-sources", KeepValue),
            ("--settings", KeepValue),
            ("--strict-mcp-config", Keep),
            ("--system-prompt", KeepValue),
            ("--tools", KeepWords),
            ("--verbose", Keep),
        ],
        one_shot: &["-p", "--print", "mcp", "plugin", "doctor", "update", "install", "setup-token"],
        keeps_words: false,
    },
    ResumeRow {
        agent: "codex",
        flags: &[
            ("--add-dir", KeepValue),
            ("--ask-for-approval", KeepValue),
            ("-a", KeepValue),
            ("--cd", KeepValue),
            ("-C", KeepValue),
            ("--config", KeepValue),
            ("-c", KeepValue),
            ("--dangerously-bypass-approvals-and-sandbox", Keep),
            ("--disable", KeepValue),
            ("--enable", KeepValue),
            ("--full-auto", Keep),
            ("--image", DropValue),
            ("-i", DropValue),
            ("--last", Drop),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--no-alt-screen", Keep),
            ("--no-daemon", Keep),
            ("--oss", Keep),
            ("--profile", KeepValue),
            ("-p", KeepValue),
            ("--sandbox", KeepValue),
            ("-s", KeepValue),
            ("--search", Keep),
            ("--yolo", Keep),
        ],
        one_shot: &[
            "exec",
            "e",
            "review",
            "login",
            "logout",
            "mcp",
            "mcp-server",
            "app-server",
            "apply",
            "a",
            "cloud",
            "completion",
            "debug",
            "features",
            "queue",
            "sandbox",
        ],
        keeps_words: false,
    },
    ResumeRow {
        agent: "gemini",
        flags: &[
            ("--allowed-mcp-server-names", KeepValue),
            ("--allowed-tools", KeepValue),
            ("--approval-mode", KeepValue),
            ("--debug", Keep),
            ("-d", Keep),
            ("--extensions", KeepValue),
            ("-e", KeepValue),
            ("--include-directories", KeepValue),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--prompt-interactive", DropValue),
            ("-i", DropValue),
            ("--resume", DropValue),
            ("-r", DropValue),
            ("--sandbox", Keep),
            ("-s", Keep),
            ("--screen-reader", Keep),
            ("--session-id", DropValue),
            ("--skip-trust", Keep),
            ("--yolo", Keep),
            ("-y", Keep),
        ],
        one_shot: &["-p", "--prompt", "mcp", "extensions", "skills", "hooks"],
        keeps_words: false,
    },
    ResumeRow {
        agent: "opencode",
        flags: &[
            ("--agent", KeepValue),
            ("--auto", Keep),
            ("--continue", Drop),
            ("-c", Drop),
            ("--fork", Drop),
            ("--hostname", KeepValue),
            ("--model", KeepValue),
            ("-m", KeepValue),
            ("--port", KeepValue),
            ("--print-logs", Keep),
            ("--prompt", DropValue),
            ("--session", DropValue),
            ("-s", DropValue),
        ],
        one_shot: &[
            "acp",
            "agent",
            "attach",
            "auth",
            "export",
            "github",
            "import",
            "mcp",
            "models",
            "pr",
            "run",
            "serve",
            "session",
            "stats",
            "uninstall",
            "upgrade",
            "web",
        ],
        keeps_words: true,
    },
];

/// An agent of whose arguments nothing is known.
const UNKNOWN: ResumeRow = ResumeRow { agent: "", flags: &[], one_shot: &[], keeps_words: false };

/// A launch that resumes a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumedLaunch {
    pub(crate) launch: Launch,
    /// The flags that were not repeated because nothing is known about them.
    pub(crate) dropped: Vec<String>,
}

/// The launch with which an agent resumes its conversation; none if the launch starts another program, or if it cannot
/// be changed safely.
pub(crate) fn resumed(
    table: &AgentTable,
    launch: &Launch,
    conversation: &Conversation,
) -> Option<ResumedLaunch> {
    let words = match &launch.command {
        Some(line) => plain_words(line)?,
        None => launch.argv.clone(),
    };
    let (at, agent) = agent_at_in(table, &words)?;
    let start = table.start_of(agent).filter(|_| agent == conversation.agent)?;
    let (program, arguments) = words.split_at(at + 1 + fixed_arguments(start, agent, &words[at + 1..]));
    let (kept, dropped) = row(agent).repeatable(arguments, start)?;
    let resume = start.resume(conversation.id.as_str())?;
    let argv: Vec<_> = program.iter().cloned().chain(resume).chain(kept).collect();
    let launch = match &launch.command {
        Some(_) => Launch { command: Some(line(argv)), ..launch.clone() },
        None => Launch { argv, ..launch.clone() },
    };
    Some(ResumedLaunch { launch, dropped })
}

/// The command line with which a person resumes a conversation.
pub(crate) fn command(table: &AgentTable, conversation: &Conversation) -> Option<String> {
    let start = table.start_of(&conversation.agent)?;
    let program = start.program(&conversation.agent).into_iter().map(str::to_owned);
    Some(line(program.chain(start.resume(conversation.id.as_str())?).collect()))
}

fn row(agent: &str) -> &'static ResumeRow {
    ROWS.iter().find(|row| row.agent == agent).unwrap_or(&UNKNOWN)
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

impl ResumeRow {
    /// What becomes of a flag; none if nothing is known about it.
    fn kind(&self, name: &str, start: &AgentStart) -> Option<FlagKind> {
        let known = self.flags.iter().find(|(flag, _)| *flag == name).map(|(_, kind)| *kind);
        // The flags of the start, in the user's own row.
        known.or_else(|| {
            start.flag(name).map(|flag| match (flag.is_kept, flag.has_value) {
                (true, true) => KeepValue,
                (true, false) => Keep,
                (false, true) => DropValue,
                (false, false) => Drop,
            })
        })
    }

    /// The arguments to repeat, and the unknown flags that are dropped; none if the agent held no conversation.
    fn repeatable(&self, arguments: &[String], start: &AgentStart) -> Option<(Vec<String>, Vec<String>)> {
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        let mut words = arguments.iter().peekable();
        let mut is_first = true;
        while let Some(word) = words.next() {
            let (name, has_value) =
                word.split_once('=').map_or((word.as_str(), false), |(name, _)| (name, true));
            if word == "--" {
                break;
            }
            if !is_flag(word) {
                if std::mem::take(&mut is_first) && self.one_shot.contains(&word.as_str()) {
                    return None;
                }
                kept.extend(self.keeps_words.then(|| word.clone()));
                continue;
            }
            if self.one_shot.contains(&name) {
                return None;
            }
            let kind = self.kind(name, start);
            let mut values = Vec::new();
            let most = match kind {
                Some(KeepValue | DropValue) if !has_value => 1,
                Some(KeepWords) if !has_value => usize::MAX,
                _ => 0,
            };
            while values.len() < most
                && let Some(value) = words.next_if(|next| !is_flag(next))
            {
                values.push(value.clone());
            }
            match kind {
                Some(Keep | KeepValue | KeepWords) => kept.extend([word.clone()].into_iter().chain(values)),
                Some(Drop | DropValue) => {}
                // Flag and value are one word, so that it cannot be mistaken for something else.
                None if has_value => kept.push(word.clone()),
                None => dropped.push(word.clone()),
            }
        }
        Some((kept, dropped))
    }
}

fn is_flag(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// The words of a command line that any shell splits in the same way; none if it does more than start one program.
pub(super) fn plain_words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '$' | '`' | '\\' | '!') | (None, '\0'..='\u{8}' | '\n' | '$' | '`' | '\\' | '!') => {
                return None;
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (
                None,
                ';' | '&' | '|' | '<' | '>' | '(' | ')' | '*' | '?' | '[' | ']' | '{' | '}' | '~' | '#',
            ) => return None,
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let is_assignment = words.first().is_none_or(|first| first.contains('='));
    (quote.is_none() && !is_assignment).then_some(words)
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
