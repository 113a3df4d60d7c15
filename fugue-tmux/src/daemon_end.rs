//! What ends with a daemon, for people.

use fugue_protocol::views::SessionView;

/// Sessions that are named; a person recognizes the daemon by a few.
const NAMED: usize = 5;

/// The sentence about a daemon that was shut down with these sessions.
pub fn sentence(daemon: &str, sessions: &[SessionView]) -> String {
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
