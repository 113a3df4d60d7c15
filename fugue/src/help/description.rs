//! The help of a command: its own words and options first, then its aliases and examples, as wide as the terminal.

use clap::Command;
use fugue_protocol::verbs::{Example, HelpGroup, VERBS};

use super::width;
use crate::context::with_one_command;
use crate::own_commands::{OWN_COMMANDS, OwnCommand, WorksOn};

/// What the help of a command adds to its command line.
struct Additions {
    aliases: Vec<String>,
    examples: Vec<Example>,
    is_internal: bool,
}

/// A command whose help also shows its aliases and examples.
pub(crate) fn described(command: Command) -> Command {
    described_at(command, width::of_output())
}

/// The same for output of this width.
pub(super) fn described_at(command: Command, width: usize) -> Command {
    let additions = additions(&command);
    let command = with_additions(command.term_width(width), "", &additions);
    if width >= ROOM_FOR_USAGE {
        return command;
    }
    let mut fugue = with_one_command(command.clone());
    fugue.build();
    let built = fugue.find_subcommand(command.get_name());
    built.map_or_else(|| command.clone(), |built| with_usage(command.clone(), built, width))
}

/// Terminals in which every usage fits: a test looks at all of them.
const ROOM_FOR_USAGE: usize = 80;

/// A command whose usage, which clap does not wrap, is wrapped. `built` is the same command as a part of the command line.
fn with_usage(command: Command, built: &Command, width: usize) -> Command {
    const BEGIN: &str = "Usage: ";
    let command = command.mut_subcommands(|nested| match built.find_subcommand(nested.get_name()) {
        Some(built) => with_usage(nested, built, width),
        None => nested,
    });
    let usage = built.clone().render_usage().to_string();
    let rows = fugue_tui::wrapped(usage.trim_start_matches(BEGIN), width - BEGIN.len());
    command.override_usage(rows.join(&format!("\n{:1$}", "", BEGIN.len())))
}

fn additions(command: &Command) -> Additions {
    let name = command.get_name();
    let verb = VERBS.iter().find(|verb| verb.name == name);
    let own = OWN_COMMANDS.iter().find(|own| own.name == name);
    let group = own.map(|own| own.group).or(verb.map(|verb| verb.properties.group));
    let aliases = match verb {
        Some(verb) => verb.properties.aliases.iter().map(ToString::to_string).collect(),
        None => command.get_visible_aliases().map(str::to_owned).collect(),
    };
    let examples = own.map(|own| own.examples).or(verb.map(|verb| verb.properties.examples));
    Additions {
        aliases,
        examples: examples.unwrap_or_default().to_vec(),
        is_internal: group == Some(HelpGroup::Internal),
    }
}

/// Adds to a command, and to each of its subcommands the examples that are about it.
fn with_additions(command: Command, parents: &str, additions: &Additions) -> Command {
    let path = format!("{parents} {}", command.get_name());
    let names: Vec<_> = command.get_subcommands().map(|nested| nested.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| {
        let begin = format!("fugue{path} {name}");
        let is_about = |line: &str| {
            line.strip_prefix(&begin).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let examples = additions.examples.iter().copied().filter(|(_, line)| is_about(line)).collect();
        command.mut_subcommand(name, |nested| {
            let aliases = nested.get_visible_aliases().map(str::to_owned).collect();
            with_additions(
                nested,
                &path,
                &Additions { aliases, examples, is_internal: additions.is_internal },
            )
        })
    });
    let after = after_help(&command, additions);
    if after.is_empty() { command } else { command.after_help(after) }
}

/// The notes of the command itself, its aliases, and its examples.
fn after_help(command: &Command, additions: &Additions) -> String {
    let internal = "Internal: fugue's own processes use this command, and it may change in any version.";
    let mut parts: Vec<_> = additions.is_internal.then(|| internal.to_owned()).into_iter().collect();
    parts.extend(command.get_after_help().map(ToString::to_string));
    if !additions.aliases.is_empty() {
        parts.push(format!("Aliases: {}", additions.aliases.join(", ")));
    }
    if !additions.examples.is_empty() {
        let examples = additions.examples.iter().map(|(what, line)| format!("\n  {what}:\n    {line}"));
        parts.push(format!("Examples:{}", examples.collect::<String>()));
    }
    parts.join("\n\n")
}

/// Whether a command takes `--host`.
pub(crate) fn takes_host(command: &Command) -> bool {
    let own = OWN_COMMANDS.iter().find(|own| own.name == command.get_name());
    own.is_none_or(|own: &OwnCommand| own.works_on == WorksOn::AnyHost)
}
