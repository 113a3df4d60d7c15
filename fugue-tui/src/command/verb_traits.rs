//! What the client must know about verbs, from their rows.

use fugue_protocol::verbs::{Nature, VerbInfo};

/// Whether a verb only moves the person's focus, which a read-only client may do.
pub(crate) fn only_goes(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.navigates)
}

/// Whether a verb only reads.
pub(crate) fn only_reads(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.nature == Nature::Reads)
}

/// Whether a verb changes something and reports what came of it.
pub(crate) fn tells_outcome(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.tells_outcome)
}

/// Whether a verb may wait for long: what is typed meanwhile goes to the pane.
pub(crate) fn may_wait(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.wait.is_some())
}

/// Whether a verb leads the person elsewhere: what is typed after it is meant for there.
pub(crate) fn leads_elsewhere(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.holds_input)
}

/// Whether a verb without a pane is about all panes of a session.
pub(crate) fn lists_panes(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.lists_panes)
}

/// Whether a verb without a target is about everything.
pub(crate) fn lists_all(verb: &str) -> bool {
    VerbInfo::find(verb).is_some_and(|verb| verb.properties.lists_all)
}
