//! Messages at the edge: what a turn changes on the disk, bodies for whoever reads, and how much lies unread.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_core::inbox::MessageStore;
use fugue_core::{Caller, PayloadSource};
use fugue_protocol::orchestration::Payload;
use fugue_protocol::views::PendingPayloads;
use fugue_protocol::{Event, MessageId, Refusal, SessionId};

use super::Manager;
use crate::journal::Change;
use crate::reply::Reply;

/// How many messages lie unread for each session, as whoever writes an answer sees it.
#[derive(Debug, Default)]
pub(super) struct Unread(BTreeMap<SessionId, Arc<AtomicUsize>>);

/// What a turn's events change on the disk, where the mail is as these events made it.
pub(super) fn changes<'a>(
    events: impl Iterator<Item = &'a Event>,
    bodies: Vec<(MessageId, PayloadSource)>,
    mail: &MessageStore,
) -> Vec<Change> {
    let mut bodies: BTreeMap<_, _> = bodies.into_iter().collect();
    let (mut changes, mut receipts) = (Vec::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::MessageSent(sent) => {
                changes
                    .extend(bodies.remove(&sent.message).and_then(|body| stored(mail, sent.message, body)));
                receipts.extend(sent.recipients.iter().map(|to| (sent.message, to.session)));
                receipts.extend(sent.reply_to.zip(sent.from.as_ref().map(|from| from.session)));
                receipts.extend(sent.resends.into_iter().flat_map(|lost| everybody(mail, lost)));
            }
            Event::MessagesOffered { session, messages, .. }
            | Event::MessagesRead { session, messages, .. }
            | Event::MessagesDeadLettered { session, messages, .. } => {
                receipts.extend(messages.iter().map(|message| (*message, *session)));
            }
            Event::MessagesExpired { messages, .. } => {
                receipts.extend(messages.iter().flat_map(|message| everybody(mail, *message)));
            }
            Event::MessagesForgotten { messages } => {
                changes.extend(messages.iter().map(|message| Change::Forgotten { message: *message }));
            }
            _ => {}
        }
    }
    changes.extend(receipts.into_iter().filter_map(|(message, session)| receipt(mail, message, session)));
    changes
}

fn everybody(mail: &MessageStore, message: MessageId) -> Vec<(MessageId, SessionId)> {
    let letter = mail.get(message);
    letter.into_iter().flat_map(|letter| letter.receipts.keys().map(|session| (message, *session))).collect()
}

fn stored(mail: &MessageStore, message: MessageId, body: PayloadSource) -> Option<Change> {
    let letter = mail.get(message)?;
    let envelope = serde_json::to_string(&letter.header).ok()?;
    Some(Change::Sent { number: letter.number, message, envelope, body })
}

fn receipt(mail: &MessageStore, message: MessageId, session: SessionId) -> Option<Change> {
    let letter = mail.get(message)?;
    let receipt = serde_json::to_string(letter.receipts.get(&session)?).ok()?;
    Some(Change::Receipt { number: letter.number, session, receipt })
}

impl Manager {
    /// Answers with the bodies that are on the disk.
    pub(super) fn fill(&self, mut page: PendingPayloads, reply: Reply) {
        let journal = self.journal.clone();
        let messages: Vec<_> = page.messages().iter().map(|message| message.message_id).collect();
        if messages.is_empty() {
            return reply.done(&page);
        }
        tokio::task::spawn_local(async move {
            let mut bodies = match journal.bodies(messages).await {
                Ok(bodies) => bodies,
                Err(why) => return reply.refuse(Refusal::StorageFull { why }),
            };
            for message in page.messages() {
                let body = bodies.remove(&message.message_id);
                message.payload = body.and_then(|body| serde_json::from_str(&body).ok()).map(Payload);
            }
            reply.done(&page);
        });
    }

    /// The count that stands in every answer to a caller.
    pub(super) fn unread_of(&mut self, caller: Caller) -> Option<Arc<AtomicUsize>> {
        let world = self.machine.world();
        let session = world.session_of(world.panes.get(&caller.pane()?)?).id;
        let fresh = || Arc::new(AtomicUsize::new(world.unread_counted(session)));
        Some(Arc::clone(self.unread.0.entry(session).or_insert_with(fresh)))
    }

    /// Counts again what an event may have changed.
    pub(super) fn count_unread(&mut self, event: &Event) {
        let world = self.machine.world();
        let count = |session: SessionId| {
            if let Some(unread) = self.unread.0.get(&session) {
                unread.store(world.unread_counted(session), Ordering::Relaxed);
            }
        };
        match event {
            Event::MessageSent(sent) => {
                sent.recipients.iter().for_each(|to| count(to.session));
                sent.from.iter().for_each(|from| count(from.session));
            }
            Event::MessagesRead { session, .. } | Event::SubscriptionChanged { session, .. } => {
                count(*session);
            }
            Event::MessagesExpired { messages, .. } => {
                let mail = &self.machine.world().messages;
                let all = messages.iter().flat_map(|message| everybody(mail, *message));
                all.map(|(_, session)| session).collect::<BTreeSet<_>>().into_iter().for_each(count);
            }
            Event::SessionClosed { session } => drop(self.unread.0.remove(session)),
            _ => {}
        }
    }
}
