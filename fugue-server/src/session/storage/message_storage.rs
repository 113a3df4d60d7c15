//! Messages on disk: the changes that follow from events, and replies that need the bodies.

use std::collections::{BTreeMap, BTreeSet};

use fugue_core::PayloadSource;
use fugue_core::inbox::MessageStore;
use fugue_protocol::agent_messages::Payload;
use fugue_protocol::views::PendingPayloads;
use fugue_protocol::{Event, MessageId, Refusal, SessionId};

use crate::journal::{Journal, MessageChange};
use crate::replies::reply::Reply;
use crate::tasks;

/// Returns what a batch of events changes on disk, given the messages as they are after the events.
pub(crate) fn changes<'a>(
    events: impl Iterator<Item = &'a Event>,
    bodies: Vec<(MessageId, PayloadSource)>,
    store: &MessageStore,
) -> Vec<MessageChange> {
    let mut bodies: BTreeMap<_, _> = bodies.into_iter().collect();
    let (mut changes, mut receipts) = (Vec::new(), BTreeSet::new());
    for event in events {
        match event {
            Event::MessageSent(sent) => {
                changes.extend(
                    bodies
                        .remove(&sent.message)
                        .and_then(|body| super::message_storage::sent(store, sent.message, body)),
                );
                receipts.extend(sent.recipients.iter().map(|to| (sent.message, to.session)));
                receipts.extend(sent.reply_to.zip(sent.from.as_ref().map(|from| from.session)));
                receipts.extend(sent.resends.into_iter().flat_map(|dead| all_recipients(store, dead)));
            }
            Event::MessagesOffered { session, messages, .. }
            | Event::MessagesRead { session, messages, .. }
            | Event::MessagesRelayed { session, messages, .. }
            | Event::MessagesDeadLettered { session, messages, .. } => {
                receipts.extend(messages.iter().map(|message| (*message, *session)));
            }
            Event::ReceiptsArrived { session, receipts: arrived } => {
                receipts.extend(arrived.iter().map(|receipt| (receipt.message_id, *session)));
            }
            Event::RecipientsFound { message, group, recipients } => {
                receipts.extend(group.map(|group| (*message, group)));
                receipts.extend(recipients.iter().map(|to| (*message, to.session)));
            }
            Event::ReceiptsRelayed { messages } => {
                receipts.extend(messages.iter().map(|(message, session, _)| (*message, *session)));
            }
            Event::MessagesExpired { messages, .. } | Event::ReceiptsMissed { messages } => {
                receipts.extend(messages.iter().flat_map(|message| all_recipients(store, *message)));
            }
            Event::MessagesForgotten { messages } => {
                changes.extend(messages.iter().map(|message| MessageChange::Forgotten { message: *message }));
            }
            _ => {}
        }
    }
    changes.extend(receipts.into_iter().filter_map(|(message, session)| receipt(store, message, session)));
    changes
}

fn all_recipients(store: &MessageStore, message: MessageId) -> Vec<(MessageId, SessionId)> {
    let stored = store.get(message);
    stored.into_iter().flat_map(|stored| stored.receipts.keys().map(|session| (message, *session))).collect()
}

fn sent(store: &MessageStore, message: MessageId, body: PayloadSource) -> Option<MessageChange> {
    let stored = store.get(message)?;
    let envelope = serde_json::to_string(&stored.header.to_header()).ok()?;
    Some(MessageChange::Sent { number: stored.number, message, envelope, body })
}

fn receipt(store: &MessageStore, message: MessageId, session: SessionId) -> Option<MessageChange> {
    let stored = store.get(message)?;
    let receipt = serde_json::to_string(stored.receipts.get(&session)?).ok()?;
    Some(MessageChange::Receipt { number: stored.number, session, receipt })
}

/// Replies with a page of messages once their bodies are read.
pub(crate) fn reply_with_bodies(journal: Journal, mut page: PendingPayloads, reply: Reply) {
    let messages: Vec<_> = page.messages().iter().map(|message| message.message_id).collect();
    if messages.is_empty() {
        return reply.done(&page);
    }
    tasks::spawn_local(async move {
        let bodies = match journal.bodies(messages).await {
            Ok(bodies) => bodies,
            Err(why) => return reply.refuse(Refusal::StorageFull { why }),
        };
        for message in page.messages() {
            // An outbox has a message for several hosts several times.
            let body = bodies.get(&message.message_id);
            message.payload = body.and_then(|body| serde_json::from_str(body).ok()).map(Payload::stored);
        }
        reply.done(&page);
    });
}
