//! Command lines: a line becomes a verb with its target filled in, or a command of the client itself.

pub(crate) mod client_commands;
pub(crate) mod placeholders;
mod usage_errors;
pub(crate) mod verb_traits;
mod word_split;

use fugue_protocol::refusal::nearest;
use fugue_protocol::verbs::{NAMES, VerbInfo};
use fugue_protocol::{SessionId, Verb};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::tmux;
use crate::tree::Tree;
use client_commands::{OWN, is_own};
use fugue_tmux::command_table::COMMANDS;
use placeholders::fill;
use usage_errors::usage_error;

/// A command that can be run.
#[derive(Debug)]
pub(crate) enum Command {
    /// A verb, ready to be sent.
    Verb { name: &'static str, args: Box<RawValue> },
    /// A command of the client itself, with its words.
    Own(Vec<String>),
}

/// Where a command line comes from. A line carries it to the last step: through semicolons, questions and waiting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum CommandOrigin {
    /// A person, who typed it, chose it from a list, or bound it to a key.
    #[default]
    Person,
    /// A program that had the daemon send it; the daemon's host, if that is another one.
    Program { host: Option<String> },
}

impl CommandOrigin {
    pub(crate) fn is_program(&self) -> bool {
        *self != Self::Person
    }
}

/// Reads a command line.
pub(crate) fn read(line: &str, tree: &Tree, aliases: &[(&str, &'static str)]) -> Result<Command, String> {
    let mut words = ours(word_split::split(line, tree.home.as_deref())?, tree, aliases)?;
    let Some(first) = words.first().cloned() else { return Err("No command given".into()) };
    // The command of a question is filled in when the question is answered.
    let fill_from = match first.as_str() {
        "ask" => words.len().min(3),
        // Its words are tmux's.
        "tmux" => 0,
        _ => words.len(),
    };
    for word in &mut words[..fill_from] {
        *word = fill(word, tree)?;
    }
    if is_own(&first) {
        return Ok(Command::Own(words));
    }
    let alias = aliases.iter().find(|(alias, _)| *alias == first).map(|(_, verb)| *verb);
    let name = alias.or_else(|| NAMES.iter().find(|name| **name == first).copied());
    let name = name.ok_or_else(|| with_hint(unknown(&first, aliases)))?;
    verb(name, words, tree)
}

/// Says where commands are found, unless one is suggested. Keys have their names in angle brackets.
fn with_hint(why: String) -> String {
    if why.ends_with('?') { why } else { format!("{why}; <palette> finds commands") }
}

/// The words of a line; a tmux command becomes one of fugue's.
fn ours(words: Vec<String>, tree: &Tree, aliases: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let known =
        |name: &str| NAMES.contains(&name) || is_own(name) || aliases.iter().any(|(alias, _)| *alias == name);
    tmux::translate(&words, tree, known).unwrap_or(Ok(words))
}

/// The first command of a line, and the rest after the semicolon.
pub(crate) fn split_first(line: &str) -> (&str, &str) {
    word_split::first(line)
}

/// The words of the commands of a line, in fugue's terms; an error where a command has no counterpart.
pub(crate) fn commands_of(line: &str, aliases: &[(&str, &'static str)]) -> Result<Vec<Vec<String>>, String> {
    let nowhere = Tree::new(SessionId::from_bytes([0; 16]));
    let (mut commands, mut rest) = (Vec::new(), line);
    while !rest.trim().is_empty() {
        let (first, others) = split_first(rest);
        let mut words = ours(word_split::split(first, None)?, &nowhere, aliases)?;
        if let Some(name) = words.first_mut() {
            let alias = aliases.iter().find(|(alias, _)| alias == name);
            alias.into_iter().for_each(|(_, verb)| (*verb).clone_into(name));
        }
        commands.push(words);
        rest = others;
    }
    Ok(commands)
}

/// Checks a line that may be run anywhere. An empty line is valid.
pub(crate) fn check(line: &str, aliases: &[(&str, &'static str)]) -> Result<(), String> {
    let (line, rest) = split_first(line);
    if !rest.trim().is_empty() {
        check(rest, aliases)?;
    }
    let nowhere = Tree::new(SessionId::from_bytes([0; 16]));
    let words = ours(word_split::split(line, None)?, &nowhere, aliases)?;
    let Some(first) = words.first() else { return Ok(()) };
    if is_own(first) {
        return Ok(());
    }
    let alias = aliases.iter().find(|(alias, _)| alias == first).map(|(_, verb)| *verb);
    let name = alias.or_else(|| NAMES.iter().find(|name| *name == first).copied());
    let name = name.ok_or_else(|| unknown(first, aliases))?;
    // Placeholders are filled in when the key is pressed.
    if words.iter().any(|word| word.starts_with('{')) {
        return Ok(());
    }
    read_verb(name, &words).map(drop)
}

fn unknown(word: &str, aliases: &[(&str, &str)]) -> String {
    let own = OWN.iter().map(|(name, _)| *name);
    let tmux = COMMANDS.iter().flat_map(|row| row.names.iter().copied());
    let names = NAMES.iter().copied().chain(own).chain(aliases.iter().map(|(alias, _)| *alias)).chain(tmux);
    match nearest(word, names) {
        Some(near) => format!("Unknown command `{word}`; did you mean `{near}`?"),
        None => format!("Unknown command `{word}`"),
    }
}

/// A verb with the words of the command that stands for it.
pub(crate) fn verb(name: &'static str, words: Vec<String>, tree: &Tree) -> Result<Command, String> {
    let args = read_verb(name, &words)?.args().map_err(|why| why.to_string())?;
    Ok(Command::Verb { name, args: with_target(name, &args, tree) })
}

fn read_verb(name: &'static str, words: &[String]) -> Result<Verb, String> {
    let verb = VerbInfo::find(name).ok_or_else(|| format!("Unknown command `{name}`"))?;
    let command = verb.command().no_binary_name(true);
    let matches = command.try_get_matches_from(&words[1..]).map_err(|why| usage_error(&words[0], &why))?;
    verb.from_matches(&matches).map_err(|why| usage_error(&words[0], &why))
}

/// Fills in the target that a line omits: the pane, window or session that the person looks at.
fn with_target(name: &str, args: &RawValue, tree: &Tree) -> Box<RawValue> {
    if verb_traits::lists_all(name) {
        return args.to_owned();
    }
    let mut fields: Map<String, Value> = serde_json::from_str(args.get()).unwrap_or_default();
    let schema = VerbInfo::find(name).map(|verb| verb.schemas().0.to_value()).unwrap_or_default();
    let takes = |field: &str| {
        schema["properties"].get(field).is_some() && !(field == "pane" && verb_traits::lists_panes(name))
    };
    let given = ["pane", "window", "session"].iter().any(|field| fields.contains_key(*field));
    let targets = [
        ("pane", tree.pane().map(|pane| pane.pane_id.to_string())),
        ("window", tree.window().map(|window| window.window_id.to_string())),
        ("session", Some(tree.here.to_string())),
    ];
    // A window given by its number is one of this session's.
    let session_only = fields.contains_key("window") && !fields.contains_key("session");
    let target =
        targets.into_iter().find(|(field, _)| takes(field) && (!session_only || *field == "session"));
    if let Some((field, Some(id))) = target.filter(|_| !given || session_only) {
        fields.insert(field.into(), id.into());
    }
    to_raw_value(&fields).unwrap_or_else(|_| args.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::bindings::default_bindings;

    fn nowhere() -> Tree {
        Tree::new(SessionId::from_bytes([1; 16]))
    }

    #[test]
    fn every_binding_is_a_valid_command() {
        for binding in default_bindings() {
            match read(binding.command, &nowhere(), &[]) {
                Err(why) if why.starts_with("No ") => {}
                other => drop(other.unwrap_or_else(|why| panic!("{}: {why}", binding.command))),
            }
        }
    }

    #[test]
    fn an_unknown_word_is_named_with_the_nearest_known_one() {
        let why = read("create-pain", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "Unknown command `create-pain`; did you mean `create-pane`?");
        let why = read("zoom-pane --loud", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "`zoom-pane` has no option `--loud`");
        let why = read("focus-pane --lefft", &nowhere(), &[]).unwrap_err();
        assert_eq!(why, "`focus-pane` has no option `--lefft`; did you mean `--left`?");
    }

    #[test]
    fn invalid_arguments_are_described_in_one_short_sentence() {
        let why = |line| read(line, &nowhere(), &[]).map(drop).unwrap_err();
        assert_eq!(why("swap-windows"), "`swap-windows` needs --with");
        assert_eq!(why("rename-window"), "`rename-window` needs NAME");
        assert_eq!(why("resize-pane --by many"), "Invalid value `many` for --by: not a number");
        assert_eq!(why("resize-pane --by"), "`resize-pane --by` needs a value");
        assert_eq!(why("zoom-pane now"), "`zoom-pane` has no argument `now`");
    }

    #[test]
    fn a_list_of_panes_is_that_of_this_session() {
        let list = |line| match read(line, &nowhere(), &[]) {
            Ok(Command::Verb { args, .. }) => args.get().to_owned(),
            _ => panic!("no verb"),
        };
        let here = SessionId::from_bytes([1; 16]);
        assert_eq!(list("list-panes"), format!(r#"{{"session":"{here}"}}"#));
        assert_eq!(list("list-panes --pane build"), r#"{"pane":"build"}"#);
    }

    #[test]
    fn a_list_of_all_sessions_is_not_narrowed_to_this_one() {
        let Ok(Command::Verb { args, .. }) = read("list-sessions", &nowhere(), &[]) else {
            panic!("no verb")
        };
        assert_eq!(args.get(), "{}");
    }

    #[test]
    fn an_omitted_session_is_this_one() {
        let Ok(Command::Verb { name, args }) = read("create-window -n logs", &nowhere(), &[]) else {
            panic!("no verb")
        };
        let session = nowhere().here;
        assert_eq!(
            (name, args.get().contains(&format!("\"session\":\"{session}\""))),
            ("create-window", true)
        );
    }
}
