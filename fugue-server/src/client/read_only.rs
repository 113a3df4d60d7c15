//! Read-only clients: a client declares itself read-only when it attaches, and the daemon enforces it from then on.

use fugue_protocol::Verb;
use fugue_protocol::verbs::Nature;

/// Whether a client is read-only.
#[derive(Debug, Default)]
pub(super) struct ReadOnly {
    /// Set for good: nothing the client runs later can reset it.
    pub(super) is_set: bool,
}

impl ReadOnly {
    /// Whether the client may make this request. Changing the focus only changes what it looks at, so it is allowed.
    pub(super) fn allows(&mut self, verb: &Verb) -> bool {
        match verb {
            Verb::AttachClient(attach) => {
                self.is_set |= attach.read_only;
                true
            }
            Verb::FocusPane(_) | Verb::SelectWindow(_) => true,
            verb => !self.is_set || verb.nature() == Nature::Reads,
        }
    }
}
