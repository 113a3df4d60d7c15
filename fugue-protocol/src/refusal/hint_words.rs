//! The wording of hints: what is common to all surfaces, and the language of the command line.

use serde_json::Value;

use super::hint::{Hint, HintArgument};
use crate::launch::quoted;

/// The language of one surface. Only commands and arguments are named differently; the sentences are the same.
pub trait HintWords {
    /// A verb and its arguments, as the reader would invoke them, quoted where the surface quotes.
    fn invocation(&self, verb: &str, args: &[HintArgument]) -> String;

    /// An argument, as the reader would write it; without a value when there is none.
    fn argument(&self, name: &str, value: Option<&Value>) -> String;

    /// The sentence that points to the arguments of a verb, or to the list of verbs.
    fn help(&self, verb: Option<&str>) -> String;

    /// The sentence that points to an existing session.
    fn attach(&self, session: &str) -> String;

    /// One hint as a clause.
    fn hint(&self, hint: &Hint) -> String {
        match hint {
            Hint::DidYouMean(name) => format!("did you mean `{name}`?"),
            Hint::Use { verb, args, purpose } => format!("{} {purpose}", self.invocation(verb, args)),
            Hint::Give { argument, purpose } => {
                format!("use {} {purpose}", self.argument(&argument.name, Some(&argument.value)))
            }
            Hint::Omit { arguments, purpose } => {
                let names: Vec<_> = arguments.iter().map(|name| self.argument(name, None)).collect();
                format!("omit {} {purpose}", names.join(" or ")).trim_end().to_owned()
            }
            Hint::Help { verb } => self.help(verb.as_deref()),
            Hint::Attach { session } => self.attach(session),
            Hint::RetryAfter { ms } => format!("try again in {ms} ms"),
            Hint::AskUser(step) => format!("ask the user to {step}"),
            Hint::Do(step) => step.to_string(),
        }
    }

    /// All hints on one line; nothing when there are none.
    fn hints(&self, hints: &[Hint]) -> Option<String> {
        let clauses: Vec<_> = hints.iter().map(|hint| self.hint(hint)).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }
}

/// The language of the `fugue` command: subcommands and flags.
#[derive(Debug, Clone, Copy)]
pub struct CommandLineWords;

/// Arguments whose flag is not their name on the wire. An empty flag is a positional argument.
const FLAGS: [(&str, &str); 6] = [
    ("pattern", "--match"),
    ("states", "--state"),
    ("keys", "--key"),
    ("tags", "--tag"),
    ("message_id", ""),
    ("key", ""),
];

impl HintWords for CommandLineWords {
    fn invocation(&self, verb: &str, args: &[HintArgument]) -> String {
        let args = args.iter().map(|arg| format!(" {}", flag(&arg.name, Some(&arg.value))));
        format!("`fugue {verb}{}`", args.collect::<String>())
    }

    fn argument(&self, name: &str, value: Option<&Value>) -> String {
        format!("`{}`", flag(name, value))
    }

    fn help(&self, verb: Option<&str>) -> String {
        match verb {
            Some(verb) => format!("`fugue {verb} --help` shows its arguments"),
            None => "`fugue --help` lists the commands".into(),
        }
    }

    fn attach(&self, session: &str) -> String {
        format!("`fugue attach {}` attaches to it", quoted(session))
    }
}

/// An argument as flag and value; a positional argument as its value, or by its name in capitals.
fn flag(name: &str, value: Option<&Value>) -> String {
    let known = FLAGS.iter().find(|(known, _)| *known == name).map(|(_, flag)| (*flag).to_owned());
    let flag = known.unwrap_or_else(|| format!("--{}", name.replace('_', "-")));
    match value.map(words) {
        None if flag.is_empty() => name.to_uppercase(),
        None => flag,
        Some(value) => format!("{flag} {value}").trim().to_owned(),
    }
}

/// A value as words of a command line. A switch has none.
fn words(value: &Value) -> String {
    match value {
        Value::Bool(true) => String::new(),
        Value::String(text) => quoted(text).into_owned(),
        Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verbs::{ListSessions, RespawnPane, SendInput, VERBS, VerbInfo};

    fn worded(hint: &Hint) -> String {
        CommandLineWords.hint(hint)
    }

    #[test]
    fn the_command_line_names_subcommands_and_flags() {
        for (hint, text) in [
            (Hint::use_verb::<ListSessions>("lists sessions"), "`fugue list-sessions` lists sessions"),
            (
                Hint::use_with::<RespawnPane>([HintArgument::new("kill", true)], "kills it first"),
                "`fugue respawn-pane --kill` kills it first",
            ),
            (
                Hint::use_with::<SendInput>([HintArgument::new("keys", vec!["C-c"])], "interrupts it"),
                "`fugue send-input --key C-c` interrupts it",
            ),
            (Hint::Attach { session: "two words; x".into() }, "`fugue attach 'two words; x'` attaches to it"),
            (
                Hint::use_with::<RespawnPane>([HintArgument::new("pane", "it's")], "restarts it"),
                r"`fugue respawn-pane --pane 'it'\''s'` restarts it",
            ),
            (Hint::omit("ttl_ms", "to use the default"), "omit `--ttl-ms` to use the default"),
            (Hint::omit_one_of("pattern", "until"), "omit `--match` or `--until`"),
            (Hint::Help { verb: None }, "`fugue --help` lists the commands"),
        ] {
            assert_eq!(worded(&hint), text);
        }
    }

    #[test]
    fn every_renamed_flag_exists_on_the_command_line() {
        for (name, flag) in FLAGS {
            let exists = VERBS.iter().map(VerbInfo::command).any(|command| {
                let mut args = command.get_arguments().filter(|arg| arg.get_id() == name);
                args.any(|arg| arg.get_long().map(|long| format!("--{long}")).unwrap_or_default() == flag)
            });
            assert!(exists, "{name} {flag}");
        }
    }
}
