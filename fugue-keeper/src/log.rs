//! The keeper's log, on its standard error: a file, or nowhere. Ids and numbers only, never terminal content.

use std::io::Write;

use crate::link::messages::PaneId;

/// Writes one line. Errors are ignored: a full disk or a closed log must not stop the keeper.
pub(crate) fn write(line: std::fmt::Arguments<'_>) {
    let seconds = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
    let _ = writeln!(std::io::stderr(), "{seconds} keeper: {line}");
}

/// Formats a pane's id in hexadecimal.
pub(crate) fn pane_id(pane: &PaneId) -> String {
    pane.iter().map(|byte| format!("{byte:02x}")).collect()
}
