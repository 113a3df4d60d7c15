//! Hints in the language of the attached client: keys as they are bound, and commands for the prompt.

use fugue_protocol::refusal::{CommandLineWords, HintArgument, HintWords};
use fugue_protocol::verbs::{ListClients, ListMessages, ListPanes, ListSessions, VerbSpec};
use serde_json::Value;

use crate::keys::bindings::Keys;

/// The language of the attached client.
pub(crate) struct KeyWords<'a> {
    pub(crate) keys: &'a Keys,
}

/// Verbs that the client shows in a list of its own, and the command that opens it.
const LISTS: [(&str, &str); 4] = [
    (ListSessions::NAME, "choose-tree"),
    (ListPanes::NAME, "choose-tree"),
    (ListClients::NAME, "choose-client"),
    (ListMessages::NAME, "messages"),
];

impl KeyWords<'_> {
    /// The key that runs a command line, otherwise the command line after the key of the prompt.
    fn key_or_prompt(&self, line: &str) -> String {
        let prompt = || match self.keys.of("command-prompt") {
            Some(prompt) => format!("`{prompt} {line}`"),
            None => format!("`{line}`"),
        };
        self.keys.of(line).unwrap_or_else(prompt)
    }
}

impl HintWords for KeyWords<'_> {
    fn invocation(&self, verb: &str, args: &[HintArgument]) -> String {
        let list = LISTS.iter().find(|(listed, _)| *listed == verb);
        match list.filter(|_| args.is_empty()) {
            Some((_, command)) => self.key_or_prompt(command),
            None => {
                let line = CommandLineWords.invocation(verb, args);
                self.key_or_prompt(line.trim_matches('`').trim_start_matches("fugue "))
            }
        }
    }

    fn argument(&self, name: &str, value: Option<&Value>) -> String {
        CommandLineWords.argument(name, value)
    }

    fn help(&self, verb: Option<&str>) -> String {
        match verb {
            Some(_) => CommandLineWords.help(verb),
            None => format!("{} lists the commands", self.key_or_prompt("palette")),
        }
    }

    fn attach(&self, session: &str) -> String {
        format!("{} attaches to it", self.key_or_prompt(&format!("attach {session}")))
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::refusal::Hint;
    use fugue_protocol::verbs::RespawnPane;

    use super::*;

    #[test]
    fn hints_name_the_bound_key_or_the_prompt_command() {
        let mut keys = Keys::default();
        let worded = |keys: &Keys, hint: &Hint| KeyWords { keys }.hint(hint);
        let list = Hint::use_verb::<ListPanes>("lists panes");
        assert_eq!(worded(&keys, &list), "C-b w lists panes");
        let respawn = Hint::use_with::<RespawnPane>([HintArgument::new("kill", true)], "kills it first");
        assert_eq!(worded(&keys, &respawn), "`C-b : respawn-pane --kill` kills it first");
        keys.set_prefix("C-a".parse().unwrap());
        assert_eq!(worded(&keys, &list), "C-a w lists panes");
    }
}
