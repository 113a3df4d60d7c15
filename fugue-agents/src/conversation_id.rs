//! How a command line names a conversation: the one to resume, or the id for a new one.

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
