//! What the client must know about verbs: which ones take the person elsewhere, and which ones may take long.

use fugue_protocol::verbs::{Nature, VerbInfo};

/// Verbs by which a person goes somewhere. A read-only client may use them, too.
const GOES: [&str; 2] = ["focus-pane", "select-window"];

/// Verbs that only read but may wait for long: what is typed meanwhile goes to the pane.
const WAITS: [&str; 1] = ["wait"];

/// Verbs that change what there is and where the person is in it, and that take no longer than a program needs to
/// start. What is typed after one of them is meant for the place to which it leads.
const LEADS: [&str; 20] = [
    "create-session",
    "rename-session",
    "select-session",
    "kill-session",
    "create-window",
    "create-layout",
    "rename-window",
    "select-window",
    "move-window",
    "select-layout",
    "rotate-panes",
    "kill-window",
    "create-pane",
    "focus-pane",
    "zoom-pane",
    "swap-panes",
    "join-pane",
    "break-pane",
    "respawn-pane",
    "close-pane",
];

/// Whether a verb only moves the person's focus.
pub(crate) fn only_goes(verb: &str) -> bool {
    GOES.contains(&verb)
}

/// Whether a verb only reads.
pub(crate) fn only_reads(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.nature == Nature::Reads)
}

/// Whether a verb that reads may wait for long.
pub(crate) fn may_wait(verb: &str) -> bool {
    WAITS.contains(&verb)
}

/// Whether a verb that changes something leads the person elsewhere.
pub(crate) fn leads_elsewhere(verb: &str) -> bool {
    LEADS.contains(&verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_protocol::verbs::NAMES;

    #[test]
    fn every_name_in_the_tables_is_a_verb() {
        assert!(GOES.iter().chain(&WAITS).chain(&LEADS).all(|name| NAMES.contains(name)));
    }
}
