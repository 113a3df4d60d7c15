//! The variables of this client's login and display, which the session's new panes get: a person who logs in again, or
//! over ssh, has others than the person who started the daemon.

use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use fugue_protocol::paths::ssh_agent_link;
use fugue_protocol::verbs::SetEnvironment;

use super::App;
use super::state::daemon::Purpose;

/// Old panes know it as well: they have the path of a link.
const SSH_AGENT: &str = "SSH_AUTH_SOCK";

impl App {
    /// Gives the session this client's variables. One that is not set here is removed, as in tmux.
    pub(super) fn update_environment(&mut self) {
        if self.options.read_only {
            return;
        }
        for name in self.config.settings.update_environment.clone() {
            let own = std::env::var(&name).ok().filter(|value| !value.is_empty());
            let value = match name.as_str() {
                SSH_AGENT if own.is_none() => continue,
                SSH_AGENT => own.map(|agent| self.link_to(agent)),
                _ => own,
            };
            let session = Some(self.tree.here.into());
            self.daemon.request(Purpose::Quiet, &SetEnvironment { session, name, value });
        }
    }

    /// Points the link at this client's ssh agent, and returns the link; the agent itself where that is not possible.
    fn link_to(&self, agent: String) -> String {
        let link = ssh_agent_link(&self.options.paths.socket);
        match link.to_str() {
            Some(path) if path == agent || point(&link, Path::new(&agent)).is_ok() => path.to_owned(),
            _ => agent,
        }
    }
}

/// Replaces a link at once, so that nobody finds none.
fn point(link: &Path, agent: &Path) -> io::Result<()> {
    if std::fs::read_link(link).is_ok_and(|now| now == agent) {
        return Ok(());
    }
    let new = link.with_extension(format!("ssh-agent-{}", std::process::id()));
    symlink(agent, &new)?;
    std::fs::rename(&new, link).inspect_err(|_| drop(std::fs::remove_file(&new)))
}
