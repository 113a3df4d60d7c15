//! What ends with a daemon: its name, its sessions and their panes. The commands that end it say so.

use clap::ArgMatches;
use fugue_client::{Paths, StartPolicy};
use fugue_protocol::verbs::{ListSessions, Nature, Reach, VerbInfo};
use fugue_protocol::views::SessionView;

use crate::context;

/// Sessions that are named; a person recognizes the daemon by a few.
const NAMED: usize = 5;

/// What a verb is going to end, if that is the daemon.
pub(crate) fn of_verb(verb: &VerbInfo, args: &ArgMatches) -> Option<String> {
    if verb.nature != Nature::Ends || verb.properties.reach != Reach::Daemon {
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

/// The sentence about a daemon that was shut down with these sessions.
pub(crate) fn sentence(daemon: &str, sessions: &[SessionView]) -> String {
    let count = |number: usize, what: &str| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let panes = sessions.iter().flat_map(|session| &session.windows).map(|window| window.panes.len()).sum();
    let mut names: Vec<_> = sessions.iter().take(NAMED).map(|session| session.name.to_string()).collect();
    if sessions.len() > NAMED {
        names.push(format!("{} more", sessions.len() - NAMED));
    }
    match names.is_empty() {
        true => format!("Shut down daemon {daemon}: it had no sessions"),
        false => {
            let (ended, panes) = (count(sessions.len(), "session"), count(panes, "pane"));
            format!("Shut down daemon {daemon}: ended {ended} ({}) and {panes}", names.join(", "))
        }
    }
}
