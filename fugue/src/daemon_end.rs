//! What ends with a daemon: its name, its sessions and their panes. The commands that end it say so.

use clap::ArgMatches;
use fugue_client::{Paths, StartPolicy};
use fugue_protocol::verbs::{ListSessions, Shutdown, VerbInfo, VerbSpec};
use fugue_tmux::daemon_end::sentence;

use crate::context;

/// What a verb is going to end, if that is the daemon.
pub(crate) fn of_verb(verb: &VerbInfo, args: &ArgMatches) -> Option<String> {
    if verb.name != Shutdown::NAME {
        return None;
    }
    let mut connection = context::open(args, StartPolicy::Never).ok()?;
    let sessions = connection.call(&ListSessions::default()).ok()?.sessions;
    Some(sentence(&name(&context::paths(args).ok()?), &sessions))
}

/// The name of a daemon, as `--server` and `--host` have it; one whose socket may be anywhere is known by that.
pub(crate) fn name(paths: &Paths) -> String {
    if let Some(remote) = &paths.host {
        let server = remote.server.as_deref().unwrap_or("default");
        return format!("{server} on {}", remote.host.name);
    }
    let name = paths.state.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with('@') { paths.socket.display().to_string() } else { name.into_owned() }
}
