//! The variables of a person's login and display, which sessions get from the client that attaches: a person who logs in
//! again, or over ssh, has others than the person who started the daemon.

use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use fugue_client::Paths;
use fugue_config::{ClientSettings, Config, ConfigSource};
use fugue_protocol::paths::ssh_agent_link;

/// Old panes know it as well: they have the path of a link.
const SSH_AGENT: &str = "SSH_AUTH_SOCK";

/// The variables of these names, as a session gets them; one that is not set here is to be removed. The link to the ssh
/// agent leads to the one of this login from now on.
pub(crate) fn variables(names: &[String], socket: &Path) -> Vec<(String, Option<String>)> {
    let own = |name: &String| std::env::var(name).ok().filter(|value| !value.is_empty());
    let variable = |name: &String| match (name.as_str(), own(name)) {
        // The agent of the last login may still be there.
        (SSH_AGENT, None) => None,
        (SSH_AGENT, Some(agent)) => Some((name.clone(), Some(linked(agent, socket)))),
        (_, value) => Some((name.clone(), value)),
    };
    names.iter().filter_map(variable).collect()
}

/// The variables for a session that is created to be attached, as the settings name them; none on another host, where
/// they would mean nothing.
pub fn login_environment(paths: &Paths) -> Vec<(String, String)> {
    if paths.host.is_some() {
        return Vec::new();
    }
    let config = Config::parse(&ConfigSource::read(&paths.config), None);
    let settings = config.map_or_else(|_| ClientSettings::default(), |config| config.client);
    let all = variables(&settings.update_environment, &paths.socket).into_iter();
    // Before the daemon runs there is no directory for the link; the daemon itself links to the agent then.
    let is_usable = |(name, value): &(String, String)| {
        name != SSH_AGENT || Path::new(value) == ssh_agent_link(&paths.socket)
    };
    all.filter_map(|(name, value)| Some((name, value?))).filter(is_usable).collect()
}

/// Points the link at this login's ssh agent, and returns the link; the agent itself where that is not possible.
fn linked(agent: String, socket: &Path) -> String {
    let link = ssh_agent_link(socket);
    match link.to_str() {
        Some(path) if path == agent || point(&link, Path::new(&agent)).is_ok() => path.to_owned(),
        _ => agent,
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
