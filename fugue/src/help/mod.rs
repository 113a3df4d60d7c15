//! `fugue --help`: the whole command line, and its commands by group.

mod description;
mod topics;
mod width;

use std::ffi::OsString;
use std::fmt::Write;

use clap::Command;
use fugue_protocol::verbs::{HelpGroup, VERBS};

use crate::context::{CommandFailure, with_global_flags};
use crate::own_commands::OWN_COMMANDS;
use crate::verb_command;

pub(crate) use description::{described, takes_host};
pub(crate) use topics::{command, run as run_topic};
pub(crate) use width::of_output as output_width;

const ABOUT: &str = "A terminal multiplexer for coding agents";

const TARGETS: &str = "\
A session has windows, a window has panes, and a pane runs a program. By default, a command acts on the pane and session \
it runs in. Outside any pane, it acts on the most recently used session.";

/// What stands below the list of commands: command lines, and what each does.
const EXAMPLES: [(&str, &str); 5] = [
    ("fugue", "attach to the most recent session"),
    ("fugue new -d -s work", "create a session with a shell"),
    ("fugue send -s work 'make test' --submit", "type a line and press Enter"),
    ("fugue wait -s work --match 'pass|fail'", "wait for output"),
    ("fugue read -s work", "print the output"),
];

/// What leads on from here.
const FURTHER: &str = "\
`fugue COMMAND --help` describes a command, `fugue help` lists the topics that concern several commands, and `fugue tutor` \
teaches the keys in five minutes.";

/// The whole command line of fugue.
pub(crate) fn command_line() -> Command {
    let commands: Vec<_> = grouped_commands().into_iter().map(|(_, command)| described(command)).collect();
    let fugue = Command::new("fugue").about(ABOUT).version(env!("CARGO_PKG_VERSION"));
    let fugue = fugue.subcommand_required(true).arg_required_else_help(true).disable_help_subcommand(true);
    with_global_flags(fugue).override_help(help_text(width::of_output())).subcommands(commands)
}

/// Every command with its group: fugue's own first, then the verbs in the order of their table.
fn grouped_commands() -> Vec<(HelpGroup, Command)> {
    let own = OWN_COMMANDS.iter().map(|own| (own.group, (own.command)()));
    let verbs = VERBS.iter().map(|verb| {
        let hidden = verb.properties.group == HelpGroup::Internal;
        let command = verb_command::command(verb).visible_aliases(verb.properties.aliases).hide(hidden);
        (verb.properties.group, command)
    });
    own.chain(verbs).collect()
}

/// The commands by group, each with its short aliases.
fn help_text(width: usize) -> String {
    let commands = grouped_commands();
    let column = commands.iter().map(|(_, command)| command.get_name().len()).max().unwrap_or_default();
    let mut text = format!("{ABOUT}\n\nUsage: fugue [OPTIONS] [COMMAND]\n");
    for (group, heading) in HelpGroup::LISTED {
        let _ = writeln!(text, "\n{heading}:");
        for (_, command) in commands.iter().filter(|(of, _)| *of == group) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            add_row(&mut text, command.get_name(), column, &(about + &short_aliases(command)), width);
        }
    }
    let options = with_global_flags(Command::new("fugue"));
    text.push_str("\nOptions:\n");
    for option in options.get_arguments() {
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.map(|names| format!(" <{}>", names[0])).unwrap_or_default();
        let short = option.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
        let name = format!("{short}--{}{value}", option.get_long().unwrap_or_default());
        add_row(&mut text, &name, column, &option.get_help().cloned().unwrap_or_default().to_string(), width);
    }
    add_row(&mut text, "-V, --version", column, "Print the version", width);
    text.push_str("\nExamples:\n");
    add_examples(&mut text, width);
    text.push('\n');
    for paragraph in [TARGETS, FURTHER] {
        let _ = writeln!(text, "{}\n", fugue_tui::wrapped(paragraph, width).join("\n"));
    }
    text.trim_end().to_owned() + "\n"
}

/// Adds a name and a text beside it, or below it if there is no room.
fn add_row(text: &mut String, name: &str, column: usize, words: &str, width: usize) {
    let begin = column + 4;
    let rows = fugue_tui::wrapped(words, width.saturating_sub(begin).max(20));
    for (number, row) in rows.iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        let _ = writeln!(text, "  {name:column$}  {row}");
    }
}

/// Adds the examples: what each does stands beside it, or below it if there is no room.
fn add_examples(text: &mut String, width: usize) {
    let column = EXAMPLES.iter().map(|(line, _)| line.len()).max().unwrap_or_default();
    let longest = EXAMPLES.iter().map(|(_, does)| does.len()).max().unwrap_or_default();
    for (line, does) in EXAMPLES {
        let _ = match column + longest + 4 <= width {
            true => writeln!(text, "  {line:column$}  {does}"),
            false => writeln!(text, "  {line}\n      {does}"),
        };
    }
}

/// The other names of a command in the list: those that are shorter.
fn short_aliases(command: &Command) -> String {
    let is_short = |alias: &&str| alias.len() < command.get_name().len() && !alias.contains('-');
    let aliases: Vec<_> = command.get_visible_aliases().filter(is_short).collect();
    if aliases.is_empty() { String::new() } else { format!(" [{}]", aliases.join(", ")) }
}

/// Prints the help or the version, or says what is wrong with the command line.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    command_line().try_get_matches_from(words)?;
    Ok(())
}

#[cfg(test)]
mod tests;
