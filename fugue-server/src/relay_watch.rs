//! The relay of this host (`fugue fleet run`), as far as the daemon can tell that it does nothing.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What the relay writes about itself.
#[derive(Deserialize)]
struct RelayProcess {
    pid: u32,
}

/// The warning that the relay was stopped by a signal, if it was.
pub(crate) fn warning(state: &Path) -> Option<String> {
    let text = fs::read_to_string(state.join("fleet.json")).ok()?;
    let RelayProcess { pid } = serde_json::from_str(&text).ok()?;
    fugue_keeper::is_stopped_with_file(pid, &state.join("fleet.lock")).then(|| {
        format!(
            "The relay (pid {pid}) is stopped, so messages to and from other hosts wait. \
             `kill -CONT {pid}` resumes it"
        )
    })
}
