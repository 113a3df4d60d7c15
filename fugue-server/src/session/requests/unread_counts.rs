//! The number of unread messages, which is part of every reply to a program in a session.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_core::{Caller, World};
use fugue_protocol::{Event, SessionId};

/// The number of unread messages of each session whose programs made a request. A reply reads it when it is sent.
#[derive(Debug, Default)]
pub(crate) struct UnreadCounts(BTreeMap<SessionId, Arc<AtomicUsize>>);

impl UnreadCounts {
    /// Returns the count of the caller's session, if the caller is in one.
    pub(crate) fn of_caller(&mut self, world: &World, caller: Caller) -> Option<Arc<AtomicUsize>> {
        let session = world.session_of(world.panes.get(&caller.pane()?)?).id;
        let new = || Arc::new(AtomicUsize::new(world.unread_counted(session)));
        Some(Arc::clone(self.0.entry(session).or_insert_with(new)))
    }

    /// Updates the counts that an event may have changed.
    pub(crate) fn update(&mut self, world: &World, event: &Event) {
        let mut changed = BTreeSet::new();
        match event {
            Event::MessageSent(sent) => {
                changed.extend(sent.recipients.iter().map(|to| to.session));
                changed.extend(sent.from.iter().map(|from| from.session));
            }
            Event::MessagesRead { session, .. } | Event::SubscriptionChanged { session, .. } => {
                changed.insert(*session);
            }
            Event::MessagesExpired { messages, .. } => {
                let expired = messages.iter().filter_map(|message| world.messages.get(*message));
                changed.extend(expired.flat_map(|message| message.receipts.keys().copied()));
            }
            Event::SessionClosed { session } => drop(self.0.remove(session)),
            _ => {}
        }
        for session in changed {
            if let Some(unread) = self.0.get(&session) {
                unread.store(world.unread_counted(session), Ordering::Relaxed);
            }
        }
    }
}
