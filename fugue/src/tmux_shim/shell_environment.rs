//! The environment of shell commands: with the setting `tmux_link`, `tmux` means fugue to them as it does in panes.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use fugue_client::daemon_socket;
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::GetServerStatus;
use fugue_server::tmux_link;

use super::shim::{Shim, is_daemon_of_environment};

impl Shim {
    /// A shell that runs a command for a place.
    pub(super) fn shell(&mut self, command: &str, at: Option<TargetPlace>) -> Command {
        let socket = daemon_socket(&self.paths);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).env("FUGUE_SOCKET", &socket);
        let link = Some(tmux_link::directory(&socket)).filter(|directory| directory.join("tmux").exists());
        if !is_daemon_of_environment(&self.paths) {
            // They name a pane of the daemon that this process is in, which is not the one that the command is about.
            for name in ["FUGUE_PANE_ID", "FUGUE_PANE_KEY", "TMUX", "TMUX_PANE"] {
                shell.env_remove(name);
            }
        }
        if let (Some(at), Some(link)) = (at, link.filter(|_| self.has_tmux_link())) {
            // Without the daemon's answer, the command still runs, and `tmux` is another program.
            shell.envs(self.tmux_variables(at, &socket, &link).into_iter().flatten());
        }
        shell
    }

    fn has_tmux_link(&self) -> bool {
        let config = Config::parse(&ConfigSource::read(&self.paths.config), None);
        config.unwrap_or_else(UnusableConfig::or_defaults).daemon.tmux_link
    }

    fn tmux_variables(
        &mut self,
        at: TargetPlace,
        socket: &Path,
        link: &Path,
    ) -> Result<[(&'static str, OsString); 3], String> {
        let daemon = self.call(&GetServerStatus {})?.pid;
        let (session, _, pane) = self.views(at);
        Ok([
            ("PATH", tmux_link::search_path(link, &std::env::var_os("PATH").unwrap_or_default())),
            ("TMUX", tmux_link::tmux_variable(socket, daemon, session.number)),
            ("TMUX_PANE", format!("%{}", pane.number).into()),
        ])
    }
}
