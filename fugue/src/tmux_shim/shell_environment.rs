//! The environment of shell commands: with the setting `tmux_link`, `tmux` means fugue to them as it does in panes.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use fugue_client::daemon_socket;
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::PaneId;
use fugue_protocol::verbs::{GetServerStatus, ListSessions};
use fugue_server::tmux_link;

use super::step_runner::StepRunner;
use super::{is_daemon_of_environment, names};

/// A shell that runs a command about a pane.
pub(super) fn shell(runner: &mut StepRunner, command: &str, about: Option<PaneId>) -> Command {
    let socket = daemon_socket(&runner.paths);
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).env("FUGUE_SOCKET", &socket);
    let link = Some(tmux_link::directory(&socket)).filter(|directory| directory.join("tmux").exists());
    if !is_daemon_of_environment(&runner.paths) {
        // They name a pane of the daemon that this process is in, which is not the one that the command is about.
        for name in ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "TMUX", "TMUX_PANE"] {
            shell.env_remove(name);
        }
    }
    if let (Some(pane), Some(link)) = (about, link.filter(|_| has_tmux_link(runner))) {
        // Without the daemon's answer, the command still runs, and `tmux` is another program.
        shell.envs(tmux_variables(runner, pane, &socket, &link).into_iter().flatten());
    }
    shell
}

fn has_tmux_link(runner: &StepRunner) -> bool {
    let config = Config::parse(&ConfigSource::read(&runner.paths.config), None);
    config.unwrap_or_else(UnusableConfig::or_defaults).daemon.tmux_link
}

fn tmux_variables(
    runner: &mut StepRunner,
    pane: PaneId,
    socket: &Path,
    link: &Path,
) -> Option<[(&'static str, OsString); 3]> {
    let daemon = runner.connection.call(&GetServerStatus {}).ok()?.pid;
    let sessions = runner.connection.call(&ListSessions::default()).ok()?.sessions;
    let number = |name: String| name.get(1..).and_then(|number| number.parse().ok());
    let (pane, session) = names(&sessions, pane);
    Some([
        ("PATH", tmux_link::search_path(link, &std::env::var_os("PATH").unwrap_or_default())),
        ("TMUX", tmux_link::tmux_variable(socket, daemon, number(session)?)),
        ("TMUX_PANE", pane.into()),
    ])
}
