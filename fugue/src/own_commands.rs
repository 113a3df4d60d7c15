//! The commands that are not verbs, a row each.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use fugue_protocol::verbs::HelpGroup;

use crate::context::{self, CommandFailure};
use crate::{
    agents, attach, completions, config_command, confine, debug_bundle, doctor, events, fleet, guide, hook,
    hosts, messages, metrics, project, proxy, record, setup, teams, tmux_settings, tmux_shim, upgrade,
};

/// A command that is not a verb.
pub(crate) struct OwnCommand {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its heading in `fugue --help`.
    pub(crate) group: HelpGroup,
    /// Its command line, which also holds its aliases.
    pub(crate) command: fn() -> Command,
    /// What it does.
    pub(crate) action: CommandAction,
    /// Where it can be used.
    pub(crate) works_on: WorksOn,
}

impl OwnCommand {
    /// The end of the words that may be flags of fugue; `at` is the place of the command's name. What comes after it is
    /// tmux's for `fugue tmux`.
    pub(crate) fn end_of_flags(&self, words: &[OsString], at: usize) -> usize {
        if self.name == "tmux" { tmux_shim::end_of_global_flags(words, at + 1) } else { words.len() }
    }
}

/// Where a command can be used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorksOn {
    /// It only asks the daemon, which may be on another host.
    AnyHost,
    /// It works with files or programs of this host.
    ThisHost,
}

/// What a command does with the words of its command line.
pub(crate) enum CommandAction {
    /// It runs.
    Run(fn(Vec<OsString>) -> Result<(), CommandFailure>),
    /// It runs, and needs the whole command line of fugue to describe it.
    Describe(fn(Vec<OsString>, Command) -> Result<(), CommandFailure>),
}

const fn row(
    name: &'static str,
    group: HelpGroup,
    command: fn() -> Command,
    run: fn(Vec<OsString>) -> Result<(), CommandFailure>,
) -> OwnCommand {
    OwnCommand { name, group, command, action: CommandAction::Run(run), works_on: WorksOn::ThisHost }
}

const fn any_host(row: OwnCommand) -> OwnCommand {
    OwnCommand { works_on: WorksOn::AnyHost, ..row }
}

const fn describing(
    name: &'static str,
    command: fn() -> Command,
    run: fn(Vec<OsString>, Command) -> Result<(), CommandFailure>,
) -> OwnCommand {
    let action = CommandAction::Describe(run);
    OwnCommand { name, group: HelpGroup::Daemon, command, action, works_on: WorksOn::ThisHost }
}

/// All of them, in the order in which their groups list them.
pub(crate) static OWN_COMMANDS: [OwnCommand; 27] = [
    any_host(row("attach", HelpGroup::Sessions, attach::command, attach::run)),
    row("up", HelpGroup::Sessions, project::up_command, project::up),
    row("allow", HelpGroup::Sessions, project::allow_command, project::allow),
    row("export-layout", HelpGroup::Sessions, project::export_command, project::export),
    row("confine", HelpGroup::Running, confine::command, confine::run),
    any_host(row("record", HelpGroup::Running, record::command, record::run)),
    any_host(row("agents", HelpGroup::Agents, agents::command, agents::run)),
    row("setup", HelpGroup::Agents, setup::command, setup::run),
    row("teams", HelpGroup::Agents, teams::command, teams::run),
    any_host(row("mcp", HelpGroup::Agents, fugue_mcp::command, mcp)),
    row("guide", HelpGroup::Agents, guide::command, guide::run),
    any_host(row("tmux", HelpGroup::Agents, tmux_shim::command, tmux_shim::run)),
    row("hook", HelpGroup::Agents, hook::command, hook::run),
    any_host(row("messages", HelpGroup::Messages, messages::command, messages::run)),
    row("proxy", HelpGroup::Internal, proxy::command, proxy::run),
    row("tmux-pipe", HelpGroup::Internal, tmux_shim::pipe_command, tmux_shim::run_pipe),
    row("import-tmux", HelpGroup::Daemon, tmux_settings::command, tmux_settings::run),
    row("config", HelpGroup::Daemon, config_command::command, config_command::run),
    any_host(row("events", HelpGroup::Daemon, events::command, events::run)),
    row("hosts", HelpGroup::Daemon, hosts::command, hosts::run),
    row("fleet", HelpGroup::Daemon, fleet::command, fleet::run),
    row("upgrade", HelpGroup::Daemon, upgrade::command, upgrade::run),
    row("doctor", HelpGroup::Daemon, doctor::command, doctor::run),
    row("metrics", HelpGroup::Daemon, metrics::command, metrics::run),
    row("debug-bundle", HelpGroup::Daemon, debug_bundle::command, debug_bundle::run),
    describing("completions", completions::command, completions::run),
    describing("man", completions::man_command, completions::man),
];

/// The command that a word names, by its name or an alias.
pub(crate) fn find(word: &str) -> Option<&'static OwnCommand> {
    let by_name = OWN_COMMANDS.iter().find(|own| own.name == word);
    by_name.or_else(|| OWN_COMMANDS.iter().find(|own| (own.command)().get_all_aliases().any(|of| of == word)))
}

/// `fugue mcp` with global flags before it; the usual order is handled in `main`.
fn mcp(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(fugue_mcp::command(), words)?;
    let ended = fugue_mcp::run_parsed(context::daemon_name(&args), &args);
    if ended == ExitCode::SUCCESS { Ok(()) } else { Err(CommandFailure::ExitCode(2)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_tested_to_reach_the_right_daemon() {
        let lines =
            include_str!("../tests/right_daemon/own.txt").lines().filter(|line| !line.starts_with('#'));
        let listed: Vec<_> =
            lines.filter_map(|line| line.trim_start_matches("- ").split(' ').next()).collect();
        let names: Vec<_> = OWN_COMMANDS.iter().map(|own| own.name).collect();
        assert_eq!(listed, names);
    }
}
