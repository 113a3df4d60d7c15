//! `fugue --help`: the whole command line, and its commands by group.

use std::ffi::OsString;
use std::fmt::Write;

use clap::Command;
use fugue_protocol::verbs::{HelpGroup, VERBS};

use crate::context::{CommandFailure, with_global_flags};
use crate::own_commands::OWN_COMMANDS;
use crate::verb_command;

const ABOUT: &str = "A terminal multiplexer for coding agents";

const EXAMPLES: &str = "\
A session has windows, a window has panes, and a pane runs a program. By
default, a command acts on the pane and session it runs in. Outside any pane, it
acts on the most recently used session.

  fugue                                       attach to the most recent session
  fugue new -d -s work -- bash                create a session with a shell
  fugue send -s work 'make test' --submit     type a line and press Enter
  fugue wait -s work --match 'passed|failed'  wait for output
  fugue read -s work                          print the output
";

/// The whole command line of fugue.
pub(crate) fn command_line() -> Command {
    let commands: Vec<_> = grouped_commands().into_iter().map(|(_, command)| command).collect();
    let fugue = Command::new("fugue").about(ABOUT).version(env!("CARGO_PKG_VERSION"));
    let fugue = fugue.subcommand_required(true).arg_required_else_help(true);
    with_global_flags(fugue).override_help(help_text()).subcommands(commands)
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

/// The commands by group, one line each.
fn help_text() -> String {
    let commands = grouped_commands();
    let width = commands.iter().map(|(_, command)| command.get_name().len()).max().unwrap_or_default();
    let mut text = format!("{ABOUT}\n\nUsage: fugue [OPTIONS] [COMMAND]\n");
    for (group, heading) in HelpGroup::LISTED {
        let _ = writeln!(text, "\n{heading}:");
        for (_, command) in commands.iter().filter(|(of, _)| *of == group) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:width$}  {about}", command.get_name());
        }
    }
    let options = with_global_flags(Command::new("fugue").disable_help_flag(true));
    text.push_str("\nOptions:\n");
    for option in options.get_arguments() {
        let value = option.get_value_names().filter(|_| option.get_action().takes_values());
        let value = value.map(|names| format!(" <{}>", names[0])).unwrap_or_default();
        let name = format!("--{}{value}", option.get_long().unwrap_or_default());
        let _ = writeln!(text, "  {name:width$}  {}", option.get_help().cloned().unwrap_or_default());
    }
    let _ = writeln!(text, "  {:width$}  Print help for fugue or for one command", "-h, --help");
    let _ = writeln!(text, "  {:width$}  Print the version", "-V, --version");
    text + "\n" + EXAMPLES
}

/// Prints the help or the version, or says what is wrong with the command line.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    command_line().try_get_matches_from(words)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_help_fits_eighty_columns() {
        let text = help_text();
        let long: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{}", long.join("\n"));
    }

    #[test]
    fn the_help_lists_every_command_that_people_use_once() {
        let text = help_text();
        for (group, command) in grouped_commands() {
            let listed = text.lines().filter(|line| line.starts_with(&format!("  {} ", command.get_name())));
            assert_eq!(listed.count(), usize::from(group != HelpGroup::Internal), "{}", command.get_name());
            assert!(command.get_about().is_some(), "{}", command.get_name());
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        command_line().debug_assert();
    }
}
