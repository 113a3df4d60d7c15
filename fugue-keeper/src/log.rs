//! The keeper's few words, to its standard error: the log file, or nowhere. Ids and numbers only, never content.

use std::io::Write;

use crate::wire::PaneId;

/// Writes one line. A full disk or a closed log must not stop the keeper.
pub fn say(line: std::fmt::Arguments<'_>) {
    let seconds = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    let _ = writeln!(std::io::stderr(), "{seconds} keeper: {line}");
}

/// A pane's id as people write it.
pub fn name(pane: &PaneId) -> String {
    pane.iter().map(|byte| format!("{byte:02x}")).collect()
}
