//! A command that does not exist, and the names that may be meant.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::error::{ContextKind, ErrorKind};
use fugue_protocol::refusal::nearest;
use fugue_protocol::verbs::{HelpGroup, VERBS};
use fugue_tmux::command_table::{COMMANDS, CommandRow, full_name};

use crate::own_commands::OWN_COMMANDS;
use crate::tmux_translation::split_global_flags;

/// The most names in a hint; with more, the whole list is better.
const MAX_NAMES: usize = 16;

/// Says that no command of fugue's has the name that the command line begins with, and which ones may be meant. Returns
/// `None` for any other error.
pub(crate) fn describe(error: &clap::Error, words: &[OsString]) -> Option<String> {
    let (_, line) = split_global_flags(words);
    let (unknown, rest) = line.split_first()?;
    let named = error.get(ContextKind::InvalidSubcommand).filter(|named| named.to_string() == *unknown);
    named.filter(|_| error.kind() == ErrorKind::InvalidSubcommand)?;
    let option = rest.iter().take_while(|word| *word != "--").find(|word| word.starts_with("--"));
    Some(match (full_name(unknown), option) {
        (Some(_), Some(option)) => format!(
            "`{unknown}` is a tmux command and has no `{option}` option\nhint: only `--server NAME` can be used, before the command"
        ),
        _ => similar_names(unknown),
    })
}

fn similar_names(unknown: &str) -> String {
    let names = names();
    let which =
        |fits: &dyn Fn(&str) -> bool| -> Vec<_> { names.iter().copied().filter(|name| fits(name)).collect() };
    let begun = which(&|name| name.starts_with(unknown));
    if (2..=MAX_NAMES).contains(&begun.len()) {
        return format!("Ambiguous command: {unknown}\nhint: it could be {}", listed(&begun));
    }
    let word = nearest(unknown, names.iter().flat_map(|name| name.split('-')));
    let with_word = which(&|name| name.split('-').any(|part| word.as_deref() == Some(part)));
    let similar = nearest(unknown, names.iter().copied());
    let hint = match (begun.as_slice(), with_word.len(), similar) {
        ([only], ..) => format!("did you mean `{only}`?"),
        (_, 1..=MAX_NAMES, _) => format!("did you mean {}?", listed(&with_word)),
        (.., Some(similar)) => format!("did you mean `{similar}`?"),
        _ => "`fugue --help` lists the commands".into(),
    };
    format!("Unknown command: {unknown}\nhint: {hint}")
}

/// The names of all commands that people use: fugue's, and those of tmux's that have a counterpart.
fn names() -> BTreeSet<&'static str> {
    let own = OWN_COMMANDS.iter().filter(|own| own.group != HelpGroup::Internal).map(|own| own.name);
    let verbs = VERBS.iter().filter(|verb| verb.properties.group != HelpGroup::Internal);
    let verbs = verbs.flat_map(|verb| [&[verb.name], verb.properties.aliases].concat());
    let has_counterpart = |name: &&str| fugue_tui::tmux_refusal(&[(*name).to_owned()]).is_none();
    own.chain(verbs).chain(COMMANDS.iter().map(CommandRow::name).filter(has_counterpart)).collect()
}

/// Names in a sentence: `a`, `b` or `c`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_that_may_be_meant_are_listed() {
        let hint = |unknown: &str| similar_names(unknown).lines().nth(1).unwrap_or_default().to_owned();
        assert_eq!(
            similar_names("spilt-window"),
            "Unknown command: spilt-window\nhint: did you mean `split-window`?"
        );
        assert_eq!(
            similar_names("kill"),
            "Ambiguous command: kill\nhint: it could be `kill-pane`, `kill-server`, `kill-session` or `kill-window`"
        );
        assert!(hint("list").starts_with("hint: it could be `list-buffers`, `list-clients`, "));
        assert_eq!(hint("attch"), "hint: did you mean `attach` or `attach-session`?");
        assert_eq!(hint("history"), "hint: did you mean `clear-history`?");
        assert_eq!(hint("sned-keys"), "hint: did you mean `send-keys`?");
        assert_eq!(hint("sesions"), "hint: did you mean `list-sessions`?");
        assert_eq!(hint("spilt"), "hint: did you mean `split-pane` or `split-window`?");
        assert_eq!(hint("quit"), "hint: `fugue --help` lists the commands");
    }

    #[test]
    fn a_command_of_tmuxs_has_no_long_options() {
        let described = |line: &str| {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            let error = crate::help::command_line().try_get_matches_from(&words).expect_err("unknown");
            describe(&error, &words)
        };
        let has = described("fugue --server dev has-session -t work --json");
        let text = "`has-session` is a tmux command and has no `--json` option\n";
        assert!(has.as_ref().is_some_and(|has| has.starts_with(text)), "{has:?}");
        assert_eq!(described("fugue hosts nothing"), None, "it has an error of its own");
    }
}
