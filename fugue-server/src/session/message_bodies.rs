//! Replies with messages: their bodies are read from disk when someone reads them.

use fugue_protocol::Refusal;
use fugue_protocol::orchestration::Payload;
use fugue_protocol::views::PendingBodies;

use crate::journal::Journal;
use crate::reply::Reply;

/// Replies with a page of messages once their bodies are read.
pub(super) fn reply_with_bodies(journal: Journal, mut page: PendingBodies, reply: Reply) {
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
