//! The environment of shell commands: with the setting `tmux_link`, `tmux` means fugue to them as it does in panes.

use std::ffi::OsString;
use std::process::Command;

use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::GetServerStatus;
use fugue_server::tmux_link;

use super::shim::Shim;

impl Shim {
    /// A shell that runs a command for a place.
    pub(super) fn shell(&mut self, command: &str, at: Option<TargetPlace>) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).env("FUGUE_SOCKET", &self.paths.socket);
        if let Some(at) = at.filter(|_| self.has_tmux_link()) {
            shell.envs(self.tmux_variables(at).unwrap_or_default());
        }
        shell
    }

    fn has_tmux_link(&self) -> bool {
        let config = Config::parse(&ConfigSource::read(&self.paths.config), None);
        config.unwrap_or_else(UnusableConfig::or_defaults).daemon.tmux_link
    }

    fn tmux_variables(&mut self, at: TargetPlace) -> Result<[(&'static str, OsString); 3], String> {
        let daemon = self.call(&GetServerStatus {})?.pid;
        let directory = tmux_link::directory(&self.paths.socket);
        let (session, _, pane) = self.views(at);
        let path = tmux_link::search_path(&directory, &std::env::var_os("PATH").unwrap_or_default());
        Ok([
            ("PATH", path),
            ("TMUX", tmux_link::tmux_variable(&self.paths.socket, daemon, session.number)),
            ("TMUX_PANE", format!("%{}", pane.number).into()),
        ])
    }
}
