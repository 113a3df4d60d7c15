//! The environment of shell commands: with the setting `tmux_link`, `tmux` means fugue to them as it does in panes.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use fugue_client::{Paths, StartPolicy, connect, daemon_socket, is_daemon_of_environment};
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::PaneId;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{GetServerStatus, ListSessions};
use fugue_protocol::views::SessionView;
use fugue_server::tmux_link;
use fugue_tmux::steps::ShellStep;

/// The variables that name the pane of a process: it is none of another daemon's.
pub(super) const PANE_VARIABLES: [&str; 4] = ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "TMUX", "TMUX_PANE"];

/// Starts its first argument in the background, and ends.
const IN_BACKGROUND: &str = "sh -c \"$1\" >/dev/null 2>&1 &";

/// A shell that runs a command about a pane.
pub(super) fn shell(paths: &Paths, step: &ShellStep) -> Command {
    let socket = daemon_socket(paths);
    let mut shell = Command::new("sh");
    if step.background {
        // The command belongs to nobody, so that nobody need wait for it.
        shell.args(["-c", IN_BACKGROUND, "sh"]).arg(&step.command);
    } else {
        shell.arg("-c").arg(&step.command);
    }
    shell.env("FUGUE_SOCKET", &socket);
    let link = Some(tmux_link::directory(&socket)).filter(|directory| directory.join("tmux").exists());
    if !is_daemon_of_environment(paths) {
        // They name a pane of the daemon that this process is in, which is not the one that the command is about.
        for name in PANE_VARIABLES {
            shell.env_remove(name);
        }
    }
    if let (Some(pane), Some(link)) = (step.about, link.filter(|_| has_tmux_link(paths))) {
        // Without the daemon's answer, the command still runs, and `tmux` is another program.
        shell.envs(tmux_variables(paths, pane, &socket, &link).into_iter().flatten());
    }
    shell
}

fn has_tmux_link(paths: &Paths) -> bool {
    let config = Config::parse(&ConfigSource::read(&paths.config), None);
    config.unwrap_or_else(UnusableConfig::or_defaults).daemon.tmux_link
}

fn tmux_variables(
    paths: &Paths,
    pane: PaneId,
    socket: &Path,
    link: &Path,
) -> Option<[(&'static str, OsString); 3]> {
    let mut connection = connect(paths, Role::Command, StartPolicy::Never).ok()?;
    let daemon = connection.call(&GetServerStatus {}).ok()?.pid;
    let sessions = connection.call(&ListSessions::default()).ok()?.sessions;
    let number = |name: String| name.get(1..).and_then(|number| number.parse().ok());
    let (pane, session) = names(&sessions, pane);
    Some([
        ("PATH", tmux_link::search_path(link, &std::env::var_os("PATH").unwrap_or_default())),
        ("TMUX", tmux_link::tmux_variable(socket, daemon, number(session)?)),
        ("TMUX_PANE", pane.into()),
    ])
}

/// Returns tmux's names of a pane and of its session.
pub(crate) fn names(sessions: &[SessionView], pane: PaneId) -> (String, String) {
    let found = sessions.iter().flat_map(|session| {
        let panes = session.windows.iter().flat_map(|window| &window.panes);
        panes.map(move |pane| (session, pane))
    });
    let found = found.into_iter().find(|(_, of)| of.pane_id == pane);
    let names = found.map(|(session, pane)| (format!("%{}", pane.number), format!("${}", session.number)));
    names.unwrap_or_default()
}
