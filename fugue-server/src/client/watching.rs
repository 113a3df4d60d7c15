//! A client that only watches: it said so itself when it attached, and from then on the daemon holds it to that.

use fugue_protocol::Verb;
use fugue_protocol::verbs::Nature;

/// Whether a client only watches.
#[derive(Debug, Default)]
pub(super) struct Watching {
    /// It does, and for good: what it runs later cannot take that back.
    pub(super) only: bool,
}

impl Watching {
    /// Whether it may ask for this. Going from pane to pane is looking, too.
    pub(super) fn allows(&mut self, verb: &Verb) -> bool {
        match verb {
            Verb::AttachClient(attach) => {
                self.only |= attach.read_only;
                true
            }
            Verb::FocusPane(_) | Verb::SelectWindow(_) => true,
            verb => !self.only || verb.nature() == Nature::Reads,
        }
    }
}
