//! Drafts of messages: checks them and puts them into inboxes. A recipient without room is always reported.

use fugue_protocol::agent_messages::{MessageHeader, Recipient, Sender, Target, Undelivered};
use fugue_protocol::refusal::{ArgumentProblem, Quantity};
use fugue_protocol::verbs::SendOrchestration;
use fugue_protocol::views::{RecipientView, Sent};
use fugue_protocol::{
    Event, IdempotencyKey, MessageId, MessageType, Refusal, SessionId, SessionRef, Timestamp, limits,
};

use super::at_most;
use super::gathered_answers::{self, AnswerWait};
use crate::caller::{Caller, KeySpace};
use crate::decision::{Decision, PayloadSource};
use crate::inbox::{FullInbox, InboxSender};
use crate::recipients;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// The suggested delay before a retry to a full inbox: about one step of an agent.
const AGAIN_MS: u64 = 5_000;

/// A message that is about to be sent.
pub(super) struct Draft {
    pub(super) from: Option<Sender>,
    /// Whether the user wrote it, according to who called.
    pub(super) from_user: bool,
    pub(super) target: Target,
    /// The target was not named but follows from the message that is replied to.
    pub(super) implied: bool,
    pub(super) msg_type: MessageType,
    pub(super) payload: PayloadSource,
    pub(super) bytes: usize,
    /// The lost message that this one resends, and who resends it.
    pub(super) resends: Option<(MessageId, Option<Sender>)>,
    pub(super) reply_to: Option<MessageId>,
    pub(super) ttl_ms: Option<u64>,
    pub(super) key: Option<IdempotencyKey>,
    /// Whose key it is, if the sender is an agent in no pane.
    pub(super) key_space: Option<u64>,
}

/// A message that is ready to be recorded.
pub(super) struct Posted {
    pub(super) event: Option<Event>,
    pub(super) payload: Option<(MessageId, PayloadSource)>,
    pub(super) sent: Sent,
}

impl Draft {
    /// Builds the draft of a request.
    pub(super) fn of(
        wanted: SendOrchestration,
        world: &World,
        context: &RequestContext,
    ) -> Result<Self, Refusal> {
        let from = recipients::sender(world, context)?;
        let implied = wanted.target.is_none();
        let target = match (wanted.target, wanted.reply_to) {
            (Some(target), _) => remote_sessions::without_own_host(target, context),
            (None, Some(original)) => Target::Session(back_to(world, original)?),
            (None, None) => return Err(Refusal::argument("target", ArgumentProblem::TargetRequired)),
        };
        let payload = wanted.payload.to_json();
        Ok(Self {
            from,
            from_user: !context.caller.is_agent(),
            target,
            implied,
            msg_type: wanted.msg_type,
            bytes: payload.len(),
            payload: PayloadSource::Text(payload),
            resends: None,
            reply_to: wanted.reply_to,
            ttl_ms: wanted.ttl_ms,
            key: wanted.idempotency_key,
            key_space: context.caller.key_space().map(KeySpace::number),
        })
    }

    /// Finds the recipients and checks their inboxes.
    pub(super) fn post(self, world: &World, context: &RequestContext) -> Result<Posted, Refusal> {
        if let Some(before) = self.sent_before(world)? {
            return Ok(before);
        }
        self.check(world, context)?;
        if let Some(remote) = self.remote_recipient(world, context)? {
            return self.post_to(world, context, vec![remote]);
        }
        let meant = recipients::recipients(world, &self.target, self.from.as_ref())?;
        self.reaches_who_asked(world, &meant)?;
        let elsewhere = self.other_hosts(world)?;
        self.post_to(world, context, meant.into_iter().map(recipient).chain(elsewhere).collect())
    }

    /// The recipient that stands for a group on all other hosts.
    fn other_hosts(&self, world: &World) -> Result<Option<Recipient>, Refusal> {
        let Target::OnAllHosts(group) = &self.target else { return Ok(None) };
        let to = recipients::across_hosts(world, group, self.from.as_ref())?;
        remote_sessions::group(None, to).map(Some)
    }

    /// The recipient on another host: who asked, or whom the target names.
    fn remote_recipient(
        &self,
        world: &World,
        context: &RequestContext,
    ) -> Result<Option<Recipient>, Refusal> {
        let named = remote_sessions::recipient(world, &self.target, self.from.as_ref(), context)?;
        let asker = self.reply_to.and_then(|original| remote_sessions::asker(world, original));
        let is_asker = |asker: &Recipient| {
            self.implied || named.as_ref().is_some_and(|named| named.session == asker.session)
        };
        match asker {
            Some(asker) if is_asker(&asker) => Ok(Some(asker)),
            _ if named.is_some() => self.reaches_who_asked(world, &[]).map(|()| named),
            _ => Ok(None),
        }
    }

    /// Sends to whoever the sender reports to.
    pub(super) fn report(
        self,
        from: &Sender,
        world: &World,
        context: &RequestContext,
    ) -> Result<Posted, Refusal> {
        if let Some(before) = self.sent_before(world)? {
            return Ok(before);
        }
        self.check(world, context)?;
        if let Some(parent) = remote_sessions::recipient(world, &self.target, Some(from), context)? {
            return self.post_to(world, context, vec![parent]);
        }
        let meant = recipients::superiors(world, &self.target, from)?;
        self.post_to(world, context, meant.into_iter().map(recipient).collect())
    }

    /// A reply must reach the session that asked. Otherwise the question would count as answered while the asker keeps
    /// waiting.
    fn reaches_who_asked(&self, world: &World, meant: &[&Session]) -> Result<(), Refusal> {
        let asked = self.reply_to.and_then(|original| world.messages.get(original)?.from());
        match asked.filter(|asked| !meant.iter().any(|session| session.id == *asked)) {
            Some(_) => Err(Refusal::argument("target", ArgumentProblem::NotTheAsker)),
            None => Ok(()),
        }
    }

    /// Sends to these sessions.
    pub(super) fn post_to(
        self,
        world: &World,
        context: &RequestContext,
        meant: Vec<Recipient>,
    ) -> Result<Posted, Refusal> {
        self.fits_outbox(world, context, &meant)?;
        let by = match context.caller {
            Caller::Outside => InboxSender::User,
            _ => InboxSender::Agent(self.from.as_ref().map(|from| from.session)),
        };
        let (recipients, undelivered) = with_room(world, meant, by, self.bytes)?;
        Ok(self.posted(context, recipients, undelivered))
    }

    /// Refuses a message to another host if too many wait to be relayed.
    fn fits_outbox(
        &self,
        world: &World,
        context: &RequestContext,
        meant: &[Recipient],
    ) -> Result<(), Refusal> {
        if meant.iter().all(|to| to.remote.is_none()) {
            return Ok(());
        }
        let fleet = context.settings.fleet.as_ref().ok_or(Refusal::NoFleet)?;
        let (messages, bytes) = world.messages.outbox_size();
        match messages >= fleet.outbox_messages || bytes + self.bytes > limits::OUTBOX_BYTES {
            true => Err(Refusal::OutboxFull { messages, bytes, retry_after_ms: AGAIN_MS }),
            false => Ok(()),
        }
    }

    /// Checks its size, its lifetime and what it replies to.
    pub(super) fn check(&self, world: &World, context: &RequestContext) -> Result<(), Refusal> {
        let (bytes, limit) = (self.bytes, limits::MESSAGE_BYTES);
        if bytes > limit {
            return Err(Refusal::MessageTooLarge { bytes, limit });
        }
        let own = self.from.as_ref().map(|from| from.session);
        if self.ttl_ms == Some(0) {
            return Err(Refusal::argument("ttl_ms", ArgumentProblem::ZeroDuration));
        }
        at_most("ttl_ms", Quantity::Lifetime, self.ttl_ms.unwrap_or_default(), limits::TTL_MOST_MS)?;
        self.reply_to.map_or(Ok(()), |original| may_answer(world, context, original, own))?;
        match world.messages.must_pause(own, context.now).filter(|_| self.target.is_broadcast()) {
            Some(retry_after_ms) => Err(Refusal::RateLimited {
                limit: limits::BROADCASTS,
                window_ms: limits::BROADCAST_WINDOW_MS,
                retry_after_ms,
            }),
            None => Ok(()),
        }
    }

    fn posted(
        self,
        context: &RequestContext,
        recipients: Vec<Recipient>,
        missed: Vec<Undelivered>,
    ) -> Posted {
        let message = context.fresh();
        let sent = Sent {
            message_id: message,
            recipients: recipients.iter().map(shown).collect(),
            undelivered: missed.iter().map(undelivered).collect(),
            duplicate: false,
            outcome: None,
            answer: None,
            answers: Vec::new(),
            unanswered: Vec::new(),
            circle: Vec::new(),
        };
        let ttl = self.ttl_ms.unwrap_or(limits::TTL_MS);
        let digest = self.digest();
        let (resends, resent_by) = self.resends.unzip();
        let header = MessageHeader {
            message,
            from: self.from,
            from_user: self.from_user,
            origin: None,
            target: self.target,
            recipients,
            msg_type: self.msg_type,
            bytes: self.bytes,
            sent_at: context.now,
            expires_at: Timestamp::from_millis(context.now.millis().saturating_add(ttl)),
            reply_to: self.reply_to,
            key: self.key,
            key_space: self.key_space,
            resends,
            resent_by: resent_by.flatten(),
            digest,
            undelivered: missed,
        };
        Posted {
            event: Some(Event::MessageSent(Box::new(header))),
            payload: Some((message, self.payload)),
            sent,
        }
    }
}

/// The session that sent a message, which is the target of a reply.
fn back_to(world: &World, original: MessageId) -> Result<SessionRef, Refusal> {
    let message = world.messages.get(original).ok_or(Refusal::MessageNotFound { message: original })?;
    let outside = "the sender of that message is outside any session and has no inbox";
    let nobody = || Refusal::NoRecipients { why: outside.into() };
    let from = message.from().ok_or_else(nobody)?;
    if message.header.origin.is_some() {
        let asker = remote_sessions::asker(world, original).ok_or_else(nobody)?;
        return Ok(SessionRef::Name(asker.name.to_string()));
    }
    let name = world.sessions.get(&from).map(|session| SessionRef::Name(session.name.to_string()));
    Ok(name.unwrap_or(SessionRef::Id(from)))
}

/// Only recipients may reply to a message. The user may reply to any, because users can read every inbox.
fn may_answer(
    world: &World,
    context: &RequestContext,
    message: MessageId,
    own: Option<SessionId>,
) -> Result<(), Refusal> {
    let stored = world.messages.get(message).ok_or(Refusal::MessageNotFound { message })?;
    let not_theirs = |caller: String| Err(Refusal::NotARecipient { message, caller });
    match own {
        Some(own) if stored.receipts.contains_key(&own) => Ok(()),
        Some(own) => {
            let name = world.sessions.get(&own).map(|session| format!("session `{}`", session.name));
            not_theirs(name.unwrap_or_default())
        }
        None if context.caller == Caller::Outside => Ok(()),
        None => not_theirs("an agent outside any session".into()),
    }
}

/// Splits recipients by whether their inbox has room. Refuses if none has.
fn with_room(
    world: &World,
    meant: Vec<Recipient>,
    by: InboxSender,
    bytes: usize,
) -> Result<(Vec<Recipient>, Vec<Undelivered>), Refusal> {
    let (mut recipients, mut missed, mut full) = (Vec::new(), Vec::new(), None);
    for to in meant {
        match room_for(world, to.session, to.name.as_str(), by, bytes) {
            Ok(()) => recipients.push(to),
            Err(refusal) => {
                missed.push(Undelivered { to, reason: refusal.to_string() });
                full = Some(refusal);
            }
        }
    }
    match full {
        Some(refusal) if recipients.is_empty() => Err(refusal),
        _ => Ok((recipients, missed)),
    }
}

/// Refuses a message for whose recipient's inbox it is one too many.
pub(super) fn room_for(
    world: &World,
    session: SessionId,
    name: &str,
    by: InboxSender,
    bytes: usize,
) -> Result<(), Refusal> {
    let Some(FullInbox { messages, bytes, is_share }) = world.messages.is_full(session, by, bytes) else {
        return Ok(());
    };
    let (session, retry_after_ms) = (name.to_owned(), AGAIN_MS);
    Err(Refusal::InboxFull { session, messages, bytes, is_share, retry_after_ms })
}

/// A session of this host as a recipient.
pub(super) fn recipient(session: &Session) -> Recipient {
    Recipient { session: session.id, name: session.name.clone(), remote: None }
}

fn shown(to: &Recipient) -> RecipientView {
    RecipientView { session_id: to.session, session_name: to.name.clone(), reason: None }
}

impl Posted {
    /// Replies at once, or when the replies to the message have arrived.
    pub(super) fn decided(
        self,
        from: Option<&Sender>,
        wait: AnswerWait,
        world: &World,
        context: &RequestContext,
    ) -> Result<Decision<Sent>, Refusal> {
        let decision = match wait.wait_ms.filter(|wait| *wait > 0) {
            None => Decision::reply(self.sent),
            Some(wait_ms) => {
                at_most("wait_ms", Quantity::Wait, wait_ms, limits::MESSAGE_WAIT_MS)?;
                let from =
                    from.ok_or_else(|| Refusal::argument("wait_ms", ArgumentProblem::NoInboxForReply))?;
                let until = Timestamp::from_millis(context.now.millis() + wait_ms);
                Decision::when(gathered_answers::wait(self.sent, from.session, wait.wait_for, until, world))
            }
        };
        let decision = decision.events(self.event);
        Ok(self
            .payload
            .into_iter()
            .fold(decision, |decision, (message, payload)| decision.payload(message, payload)))
    }
}

/// A recipient whose inbox had no room, as replies show it.
pub(super) fn undelivered(missed: &Undelivered) -> RecipientView {
    RecipientView {
        session_id: missed.to.session,
        session_name: missed.to.name.clone(),
        reason: Some(missed.reason.clone()),
    }
}
