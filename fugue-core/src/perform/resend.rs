//! `resend-message`: resends a lost message, once, on behalf of its sender.

use fugue_protocol::agent_messages::{Recipient, Target};
use fugue_protocol::verbs::ResendMessage;
use fugue_protocol::views::Sent;
use fugue_protocol::{MessageId, Refusal, SessionId};

use super::Perform;
use super::gathered_answers::AnswerWait;
use super::message_draft::{Draft, recipient};
use crate::decision::{Decision, PayloadSource};
use crate::inbox::StoredMessage;
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for ResendMessage {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Sent>, Refusal> {
        let message = self.message_id;
        let stored = world.messages.get(message).ok_or(Refusal::MessageNotFound { message })?;
        may_resend(stored, world, context)?;
        let lost = still_lost(stored)?;
        let meant = match &self.session {
            Some(session) => vec![recipient(world.session(session)?)],
            None => still_there(world, stored, &lost),
        };
        if meant.is_empty() {
            return Err(nobody(
                "the recipients that did not get the message no longer exist; specify another session",
                message,
            ));
        }
        let header = stored.header.to_header();
        let draft = Draft {
            from: header.from,
            from_user: header.from_user,
            target: self.session.map_or(header.target, Target::Session),
            implied: false,
            msg_type: header.msg_type,
            bytes: header.bytes,
            payload: PayloadSource::CopyOf(message),
            reply_to: header.reply_to,
            ttl_ms: None,
            key: None,
            key_space: None,
            resends: Some((message, recipients::sender(world, context)?)),
        };
        draft.post_to(world, context, meant)?.decided(None, AnswerWait::default(), world, context)
    }
}

/// Only the sender, the recipients and the user may resend a message.
fn may_resend(stored: &StoredMessage, world: &World, context: &RequestContext) -> Result<(), Refusal> {
    let message = stored.header.message;
    let own = match (recipients::sender(world, context)?, context.caller) {
        (None, caller) if caller.is_agent_outside() => {
            return Err(Refusal::UnknownResender { message });
        }
        (None, _) => return Ok(()),
        (Some(own), _) => own,
    };
    match stored.from() == Some(own.session) || stored.receipts.contains_key(&own.session) {
        true => Ok(()),
        false => Err(Refusal::NotYourMessage { message, caller: format!("session `{}`", own.name) }),
    }
}

/// The recipients that lost the message and were not sent it again.
fn still_lost(stored: &StoredMessage) -> Result<Vec<SessionId>, Refusal> {
    let message = stored.header.message;
    let lost = || stored.receipts.iter().filter(|(_, receipt)| receipt.state.is_lost());
    let open: Vec<_> =
        lost().filter(|(_, receipt)| receipt.resent_as.is_none()).map(|(session, _)| *session).collect();
    match (open.is_empty(), lost().find_map(|(_, receipt)| receipt.resent_as)) {
        (false, _) => Ok(open),
        (true, Some(resent_as)) => Err(Refusal::ResentAlready { message, resent_as }),
        (true, None) => Err(nobody("the message has neither expired nor been dead-lettered", message)),
    }
}

/// The recipients that can be sent a message again: open sessions of this host, and all sessions of others.
fn still_there(world: &World, stored: &StoredMessage, lost: &[SessionId]) -> Vec<Recipient> {
    let remote = |session: &SessionId| {
        let recipients = stored.header.recipients.iter();
        recipients.filter(|to| to.remote.is_some()).find(|to| to.session == *session).cloned()
    };
    let open = |session: &SessionId| world.sessions.get(session).map(recipient);
    lost.iter().filter_map(|session| open(session).or_else(|| remote(session))).collect()
}

fn nobody(why: &str, message: MessageId) -> Refusal {
    Refusal::NoRecipients { why: format!("{why}; {message}") }
}
