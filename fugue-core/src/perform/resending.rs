//! Sending again what was lost: by whom it concerns, once, and marked so.

use fugue_protocol::orchestration::Target;
use fugue_protocol::verbs::ResendMessage;
use fugue_protocol::views::Sent;
use fugue_protocol::{MessageId, Refusal, SessionId};

use super::Perform;
use super::posting::Draft;
use crate::decision::{Body, Decision};
use crate::inbox::Letter;
use crate::request_context::{Caller, RequestContext};
use crate::routing;
use crate::world::World;

impl Perform for ResendMessage {
    fn perform(self, world: &World, asking: &RequestContext) -> Result<Decision<Sent>, Refusal> {
        let message = self.message_id;
        let letter = world.mail.letter(message).ok_or(Refusal::MessageNotFound { message })?;
        may_resend(letter, world, asking)?;
        let lost = still_lost(letter)?;
        let meant = match &self.session {
            Some(session) => vec![world.session(session)?],
            None => lost.iter().filter_map(|session| world.sessions.get(session)).collect(),
        };
        if meant.is_empty() {
            return Err(nobody("whoever lost the message is gone; name another session", message));
        }
        let envelope = letter.envelope.clone();
        let draft = Draft {
            from: envelope.from,
            target: self.session.map_or(envelope.target, Target::Session),
            implied: false,
            msg_type: envelope.msg_type,
            bytes: envelope.bytes,
            body: Body::CopyOf(message),
            reply_to: envelope.reply_to,
            ttl_ms: None,
            key: None,
            resends: Some((message, routing::sender(world, asking)?)),
        };
        draft.post_to(world, asking, &meant)?.decided(None, None, asking)
    }
}

/// It concerns its sender, its recipients, and people.
fn may_resend(letter: &Letter, world: &World, asking: &RequestContext) -> Result<(), Refusal> {
    let message = letter.envelope.message;
    let own = match (routing::sender(world, asking)?, asking.caller) {
        (None, Caller::Agent) => {
            let caller = "an agent outside every session".into();
            return Err(Refusal::NotYourMessage { message, caller });
        }
        (None, _) => return Ok(()),
        (Some(own), _) => own,
    };
    match letter.from() == Some(own.session) || letter.receipts.contains_key(&own.session) {
        true => Ok(()),
        false => Err(Refusal::NotYourMessage { message, caller: format!("session `{}`", own.name) }),
    }
}

/// Those who lost it and were not sent it again.
fn still_lost(letter: &Letter) -> Result<Vec<SessionId>, Refusal> {
    let message = letter.envelope.message;
    let lost = || letter.receipts.iter().filter(|(_, receipt)| receipt.state.is_lost());
    let open: Vec<_> =
        lost().filter(|(_, receipt)| receipt.resent_as.is_none()).map(|(session, _)| *session).collect();
    match (open.is_empty(), lost().find_map(|(_, receipt)| receipt.resent_as)) {
        (false, _) => Ok(open),
        (true, Some(resent_as)) => Err(Refusal::ResentAlready { message, resent_as }),
        (true, None) => Err(nobody("the message was not lost, so it does not need to be resent", message)),
    }
}

fn nobody(why: &str, message: MessageId) -> Refusal {
    Refusal::NoRecipients { why: format!("{why}; {message}") }
}
