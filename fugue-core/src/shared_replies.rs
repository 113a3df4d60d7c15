//! Replies that depend on nothing but the world, such as the list of all sessions: they are made once, and repeated for
//! every caller until the world changes.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The replies, by the name of the verb: one at most for each verb, until the next change.
#[derive(Debug, Default)]
pub(crate) struct SharedReplies(BTreeMap<&'static str, Box<RawValue>>);

impl SharedReplies {
    /// The reply of a verb, which is made if there is none.
    pub(crate) fn reply(
        &mut self,
        verb: &'static str,
        make: impl FnOnce() -> Box<RawValue>,
    ) -> Box<RawValue> {
        self.0.entry(verb).or_insert_with(make).clone()
    }

    /// Forgets all replies, because the world has changed.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
