//! The ssh agent of programs: they get a link, which attaching clients point at their own agent, so that a program that
//! was started before someone logged in again still reaches one.

use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::Path;

use fugue_protocol::paths::ssh_agent_link;

/// Returns a variable of the daemon's environment as programs get it: for `SSH_AUTH_SOCK`, the link.
pub(crate) fn linked(name: OsString, value: OsString, socket: &Path) -> (OsString, OsString) {
    let link = ssh_agent_link(socket);
    let is_agent = name == "SSH_AUTH_SOCK" && !value.is_empty();
    // A client may have pointed the link at a newer agent since.
    if !is_agent || (!link.exists() && point(&link, Path::new(&value)).is_err()) {
        return (name, value);
    }
    (name, link.into())
}

/// Points a dangling or missing link at an agent.
fn point(link: &Path, agent: &Path) -> std::io::Result<()> {
    let _ = std::fs::remove_file(link);
    symlink(agent, link)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_reach_the_agent_through_a_link_that_stays() {
        let dir = std::env::temp_dir().join(format!("fugue-ssh-agent-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a directory");
        let (socket, agent) = (dir.join("default.sock"), dir.join("agent"));
        std::fs::write(&agent, "").expect("a file");
        let linked = |name: &str, value: &Path| linked(name.into(), value.into(), &socket).1;
        let link = dir.join("default.ssh-agent");
        assert_eq!(linked("DISPLAY", Path::new(":0")), ":0");
        assert_eq!(linked("SSH_AUTH_SOCK", &agent), link);
        assert_eq!(linked("SSH_AUTH_SOCK", Path::new("/old")), link, "it is left as a client pointed it");
        assert_eq!(std::fs::read_link(&link).expect("a link"), agent);
        let _ = std::fs::remove_dir_all(&dir);
    }
}
