//! The commands that are not verbs, a row each.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Command;
use fugue_protocol::verbs::{Example, HelpGroup};

use crate::context::{self, CommandFailure};
use crate::{
    agents, attach, completions, config_command, confine, debug_bundle, doctor, events, fleet, guide, help,
    hook, hosts, messages, metrics, project, proxy, record, setup, teams, tmux_settings, tmux_shim, tutor,
    upgrade,
};

/// A command that is not a verb.
pub(crate) struct OwnCommand {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its heading in `fugue --help`.
    pub(crate) group: HelpGroup,
    /// Its command line, which also holds its aliases.
    pub(crate) command: fn() -> Command,
    /// Examples of its use.
    pub(crate) examples: &'static [Example],
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
    examples: &'static [Example],
) -> OwnCommand {
    let (action, works_on) = (CommandAction::Run(run), WorksOn::ThisHost);
    OwnCommand { name, group, command, examples, action, works_on }
}

const fn any_host(row: OwnCommand) -> OwnCommand {
    OwnCommand { works_on: WorksOn::AnyHost, ..row }
}

const fn describing(
    name: &'static str,
    command: fn() -> Command,
    run: fn(Vec<OsString>, Command) -> Result<(), CommandFailure>,
    examples: &'static [Example],
) -> OwnCommand {
    let (action, works_on) = (CommandAction::Describe(run), WorksOn::ThisHost);
    OwnCommand { name, group: HelpGroup::Setup, command, examples, action, works_on }
}

/// All of them, in the order in which their groups list them.
pub(crate) static OWN_COMMANDS: [OwnCommand; 29] = [
    row(
        "help",
        HelpGroup::Setup,
        help::command,
        help::run_topic,
        &[("List the topics", "fugue help"), ("Read how to name sessions and panes", "fugue help targets")],
    ),
    row(
        "tutor",
        HelpGroup::Setup,
        tutor::command,
        tutor::run,
        &[("Learn the keys, or continue where you were", "fugue tutor")],
    ),
    any_host(row(
        "attach",
        HelpGroup::Sessions,
        attach::command,
        attach::run,
        &[
            ("Attach to the most recently used session", "fugue attach"),
            ("Attach to a session on another host", "fugue attach box:work"),
        ],
    )),
    row(
        "up",
        HelpGroup::Sessions,
        project::up_command,
        project::up,
        &[("Start what .fugue.toml describes, and attach", "fugue up")],
    ),
    row(
        "allow",
        HelpGroup::Sessions,
        project::allow_command,
        project::allow,
        &[("Trust the file after reading it", "fugue allow")],
    ),
    row(
        "export-layout",
        HelpGroup::Sessions,
        project::export_command,
        project::export,
        &[("Save the layout you are in", "fugue export-layout > .fugue.toml")],
    ),
    row(
        "confine",
        HelpGroup::Running,
        confine::command,
        confine::run,
        &[
            ("Run a program without network", "fugue confine run --profile offline -- make test"),
            ("See what a profile allows", "fugue confine check --profile read-only"),
        ],
    ),
    any_host(row(
        "record",
        HelpGroup::Running,
        record::command,
        record::run,
        &[("Record a pane until you press C-c", "fugue record -t server out.cast")],
    )),
    any_host(row(
        "agents",
        HelpGroup::Agents,
        agents::command,
        agents::run,
        &[
            ("See which agents work, wait or failed", "fugue agents --watch"),
            ("Replay the states in a recording", "fugue agents test out.cast"),
        ],
    )),
    row(
        "setup",
        HelpGroup::Setup,
        setup::command,
        setup::run,
        &[
            ("Connect all installed agents to fugue", "fugue setup"),
            ("See the changes without making them", "fugue setup claude --dry-run --diff"),
        ],
    ),
    row(
        "teams",
        HelpGroup::Agents,
        teams::command,
        teams::run,
        &[("Start Claude Code with its teammates in panes", "fugue teams -- claude")],
    ),
    any_host(row(
        "mcp",
        HelpGroup::Agents,
        fugue_mcp::command,
        mcp,
        &[
            ("Serve MCP over stdio, as agents start it", "fugue mcp"),
            ("Offer only tools that read", "fugue mcp --tools observe"),
        ],
    )),
    row(
        "guide",
        HelpGroup::Setup,
        guide::command,
        guide::run,
        &[("Tell a project's agents how to use fugue", "fugue guide >> AGENTS.md")],
    ),
    any_host(row(
        "tmux",
        HelpGroup::Running,
        tmux_shim::command,
        tmux_shim::run,
        &[("Print the names of all sessions", "fugue tmux list-sessions -F '#S'")],
    )),
    row(
        "hook",
        HelpGroup::Internal,
        hook::command,
        hook::run,
        &[("Print the settings that run this hook", "fugue hook claude --settings")],
    ),
    any_host(row(
        "messages",
        HelpGroup::Messages,
        messages::command,
        messages::run,
        &[("Follow the messages between agents", "fugue messages --follow")],
    )),
    row("proxy", HelpGroup::Internal, proxy::command, proxy::run, &[]),
    row("tmux-pipe", HelpGroup::Internal, tmux_shim::pipe_command, tmux_shim::run_pipe, &[]),
    row(
        "import-tmux",
        HelpGroup::Setup,
        tmux_settings::command,
        tmux_settings::run,
        &[("Import ~/.tmux.conf after a question", "fugue import-tmux")],
    ),
    row(
        "config",
        HelpGroup::Setup,
        config_command::command,
        config_command::run,
        &[
            ("See where the mouse setting comes from", "fugue config show client.mouse"),
            ("Check the configuration", "fugue config check"),
            ("Find config.toml", "fugue config path"),
        ],
    ),
    any_host(row(
        "events",
        HelpGroup::Daemon,
        events::command,
        events::run,
        &[("Print events as they happen", "fugue events --follow")],
    )),
    row(
        "hosts",
        HelpGroup::Daemon,
        hosts::command,
        hosts::run,
        &[
            ("Add a host, and put fugue on it", "fugue hosts add box user@box.example"),
            ("Copy fugue to it", "fugue hosts install box"),
            ("See which hosts respond", "fugue hosts ping"),
            ("List the hosts", "fugue hosts list"),
            ("Forget one", "fugue hosts remove box"),
        ],
    ),
    row(
        "fleet",
        HelpGroup::Daemon,
        fleet::command,
        fleet::run,
        &[
            ("Relay messages to other hosts", "fugue fleet run"),
            ("See whether the relay works", "fugue fleet status"),
            ("Create the stream and buckets", "fugue fleet setup --servers nats://box:4222"),
            ("Claim something on all hosts", "fugue fleet claim deploy --ttl-ms 60000"),
            ("Release it", "fugue fleet release deploy"),
            ("List such leases", "fugue fleet leases"),
            ("Remove a host", "fugue fleet forget box --servers nats://hub:4222"),
        ],
    ),
    row(
        "upgrade",
        HelpGroup::Daemon,
        upgrade::command,
        upgrade::run,
        &[("Replace the daemon; programs keep running", "fugue upgrade")],
    ),
    row(
        "doctor",
        HelpGroup::Daemon,
        doctor::command,
        doctor::run,
        &[("Check this installation", "fugue doctor")],
    ),
    row(
        "metrics",
        HelpGroup::Daemon,
        metrics::command,
        metrics::run,
        &[("Serve metrics to a collector", "fugue metrics --http 127.0.0.1:9100")],
    ),
    row(
        "debug-bundle",
        HelpGroup::Daemon,
        debug_bundle::command,
        debug_bundle::run,
        &[("Write the file for a bug report", "fugue debug-bundle")],
    ),
    describing(
        "completions",
        completions::command,
        completions::run,
        &[
            ("Complete commands in bash", "fugue completions bash > /etc/bash_completion.d/fugue"),
            ("Complete them in zsh", "fugue completions zsh > ~/.zfunc/_fugue"),
        ],
    ),
    describing(
        "man",
        completions::man_command,
        completions::man,
        &[("Write the pages where `man` finds them", "fugue man ~/.local/share/man/man1")],
    ),
];

/// The command that a word names, by its name or an alias.
pub(crate) fn find(word: &str) -> Option<&'static OwnCommand> {
    let by_name = OWN_COMMANDS.iter().find(|own| own.name == word);
    by_name.or_else(|| OWN_COMMANDS.iter().find(|own| (own.command)().get_all_aliases().any(|of| of == word)))
}

/// Runs `fugue mcp`.
fn mcp(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(fugue_mcp::command(), words)?;
    let ended = fugue_mcp::run(context::daemon_name(&args), &args);
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
