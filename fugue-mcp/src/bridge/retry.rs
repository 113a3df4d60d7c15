//! Whether a call may be sent again after the daemon went away.

use fugue_protocol::verbs::Nature;

use crate::arguments::KEYED;
use crate::tools::ToolEntry;

/// Whether repeating a call has no further effect.
pub(super) fn is_safe(entry: &ToolEntry) -> bool {
    entry.nature == Nature::Reads
        || matches!(entry.verb, "poll-messages" | "claim")
        || KEYED.contains(&entry.verb)
}
