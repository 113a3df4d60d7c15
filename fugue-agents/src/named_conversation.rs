//! The conversation that a command line names: the agent was told which one to resume, or which id to give a new one.

use fugue_protocol::Launch;
use fugue_protocol::conversation::{Conversation, ConversationId};

use crate::command_line::plain_words;
use crate::foreground::agent_at;
use crate::known_agent::KnownAgent;

/// Whether the command line of an agent names its conversation.
pub fn names(agent: &str) -> bool {
    KnownAgent::find(agent).is_some()
}

/// Returns the conversation that a command names.
pub fn in_words(words: &[String]) -> Option<Conversation> {
    let (at, agent) = agent_at(words)?;
    // What follows is the prompt.
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let arguments = words.get(at + 1..end).unwrap_or_default();
    let id = KnownAgent::find(agent)?.naming.id(arguments)?.parse::<ConversationId>().ok()?;
    Some(Conversation { agent: agent.to_owned(), id })
}

/// Returns the conversation that a launch names.
pub fn in_launch(launch: &Launch) -> Option<Conversation> {
    match &launch.command {
        Some(line) => in_words(&plain_words(line)?),
        None => in_words(&launch.argv),
    }
}

/// How an agent's command line names a conversation.
#[derive(Debug)]
pub(crate) struct ConversationIdSyntax {
    /// The flags whose value is an id.
    pub(crate) flags: &'static [&'static str],
    /// The subcommand whose first argument is an id.
    pub(crate) subcommand: Option<&'static str>,
    /// Flags with which the conversation becomes another one.
    pub(crate) forks: &'static [&'static str],
    /// Whether a text is an id of this agent. The same flags take names, numbers and search words.
    pub(crate) is_id: fn(&str) -> bool,
}

impl ConversationIdSyntax {
    /// Returns the id that these arguments name.
    pub(crate) fn id<'a>(&self, arguments: &'a [String]) -> Option<&'a str> {
        if arguments.iter().any(|word| self.forks.contains(&word.as_str())) {
            return None;
        }
        let id = self.flag_value(arguments).or_else(|| self.subcommand_value(arguments))?;
        (self.is_id)(id).then_some(id)
    }

    fn flag_value<'a>(&self, arguments: &'a [String]) -> Option<&'a str> {
        arguments.iter().enumerate().find_map(|(at, word)| match word.split_once('=') {
            Some((flag, value)) if self.flags.contains(&flag) => Some(value),
            None if self.flags.contains(&word.as_str()) => arguments.get(at + 1).map(String::as_str),
            _ => None,
        })
    }

    fn subcommand_value<'a>(&self, arguments: &'a [String]) -> Option<&'a str> {
        let at = arguments.iter().position(|word| Some(word.as_str()) == self.subcommand)?;
        arguments[at + 1..].iter().map(String::as_str).find(|word| (self.is_id)(word))
    }
}

/// Whether a text is a UUID in its usual form.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::parse_str(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "019a0000-0000-7000-8000-000000000001";

    fn named(line: &str) -> Option<String> {
        let launch = Launch { command: Some(line.replace("ID", ID)), ..Launch::default() };
        in_launch(&launch).map(|conversation| format!("{} {}", conversation.agent, conversation.id))
    }

    #[test]
    fn a_command_line_names_a_conversation_in_each_agents_own_way() {
        for (line, agent) in [
            ("claude --resume ID", "claude"),
            ("claude --model opus --session-id=ID hello", "claude"),
            ("npx @anthropic-ai/claude-code -r ID", "claude"),
            ("codex --no-alt-screen resume -m gpt-5 ID", "codex"),
            ("gemini --session-id ID -i hello", "gemini"),
        ] {
            assert_eq!(named(line), Some(format!("{agent} {ID}")), "{line}");
        }
        assert_eq!(named("opencode -s ses_4f2a ../project"), Some("opencode ses_4f2a".into()));
    }

    #[test]
    fn a_conversation_is_never_guessed() {
        for line in [
            "claude",
            "claude --resume",
            "claude --resume 'the auth refactor'",
            "claude --resume ID --fork-session",
            "claude 'resume ID'",
            "claude -- '--resume=ID'",
            "codex resume --last",
            "codex resume my-session",
            "codex fork ID",
            "gemini --resume latest",
            "gemini --resume 3",
            "opencode -s ses_1 --fork",
            "opencode -c",
            "vim --resume ID",
        ] {
            assert_eq!(named(line), None, "{line}");
        }
    }
}
