//! Facts that could not be stored because the disk is full: they are published from memory, so that an ended program is
//! not shown as running, and are stored with the next batch.

use fugue_core::Effect;
use fugue_protocol::{Event, Timestamp};

use crate::journal::MessageChange;

/// Facts that are published but not stored. Only exits of programs are such facts, so there are no more of them than
/// there were panes.
#[derive(Default)]
pub(super) struct UnstoredFacts {
    events: Vec<(Timestamp, Event)>,
    messages: Vec<MessageChange>,
    /// Effects that a crash must not leave half done: a program is forgotten only once its end is stored.
    effects: Vec<Effect>,
}

impl UnstoredFacts {
    pub(crate) fn add(&mut self, at: Timestamp, event: Event) {
        self.events.push((at, event));
    }

    pub(super) fn add_messages(&mut self, changes: Vec<MessageChange>) {
        self.messages.extend(changes);
    }

    /// Keeps those effects that have to wait, and returns the others.
    pub(crate) fn keep(&mut self, effects: Vec<Effect>) -> Vec<Effect> {
        let waits = |effect: &Effect| matches!(effect, Effect::DropPane { .. } | Effect::Kill { .. });
        let (kept, now): (Vec<_>, Vec<_>) = effects.into_iter().partition(waits);
        self.effects.extend(kept);
        now
    }

    /// Returns a batch with the facts before it.
    pub(crate) fn before(
        &self,
        events: Vec<(u64, String)>,
        messages: Vec<MessageChange>,
    ) -> (Vec<(u64, String)>, Vec<MessageChange>) {
        let json = |(at, event): &(Timestamp, Event)| Some((at.millis(), serde_json::to_string(event).ok()?));
        let facts = self.events.iter().filter_map(json);
        (facts.chain(events).collect(), self.messages.iter().cloned().chain(messages).collect())
    }

    /// Takes the facts that were stored, and the effects that waited for that.
    pub(crate) fn take(&mut self) -> (Vec<(Timestamp, Event)>, Vec<Effect>) {
        let Self { events, effects, .. } = std::mem::take(self);
        (events, effects)
    }
}
