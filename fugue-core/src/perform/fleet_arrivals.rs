//! Messages that arrive from other hosts: whether they are accepted, and who gets them.

use fugue_protocol::agent_messages::{FleetGroup, MessageHeader, Recipient, RemoteTarget, Target};
use fugue_protocol::views::RemoteMessage;
use fugue_protocol::{Event, FleetHost, MessageId, Refusal, SessionRef, Timestamp, limits};

use super::message_draft::{recipient, room_for};
use crate::inbox::InboxSender;
use crate::recipients;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::{Session, World};

/// A message from another host that is accepted.
pub(super) struct Arrival {
    pub(super) header: MessageHeader,
    pub(super) payload: String,
    /// The members of a group whose inbox has no room for it.
    pub(super) full: Vec<Event>,
}

/// The reason that a message from another host is not accepted.
pub(super) struct RefusedArrival {
    pub(super) reason: String,
    /// Whether it is for a group to which no session belongs.
    pub(super) nobody: bool,
}

impl From<Refusal> for RefusedArrival {
    fn from(refusal: Refusal) -> Self {
        Self { reason: refusal.to_string(), nobody: false }
    }
}

/// Checks a message from another host, which is believed only as far as its own sessions are concerned. The bounds of an
/// inbox apply to the inbox as it was before the call, so one call may exceed them by its own messages.
pub(super) fn arrival(
    world: &World,
    context: &RequestContext,
    host: &FleetHost,
    remote: RemoteMessage,
) -> Result<Arrival, RefusedArrival> {
    let message = remote.message;
    if world.messages.get(message.message_id).is_some() {
        let why = format!("message {} is not from host `{host}`", message.message_id);
        return Err(Refusal::NoRecipients { why }.into());
    }
    let (target, sessions) = meant(world, context, &remote.to)?;
    let payload = message.payload.as_ref().map(fugue_protocol::agent_messages::Payload::to_json);
    let payload = payload.unwrap_or_else(|| "{}".into());
    let (bytes, limit) = (payload.len(), limits::MESSAGE_BYTES);
    if bytes > limit {
        return Err(Refusal::MessageTooLarge { bytes, limit }.into());
    }
    let (from, origin) = remote_sessions::sender(host, &message)?;
    let by = InboxSender::Agent(Some(from.session));
    let full = without_room(world, message.message_id, &sessions, by, bytes)?;
    let latest = Timestamp::from_millis(context.now.millis().saturating_add(limits::TTL_MOST_MS));
    let expires_at = message.expires_at.min(latest);
    if expires_at <= context.now {
        return Err(Refusal::NoRecipients { why: "the message expired in transit".into() }.into());
    }
    // Only who was asked can answer.
    let asked = |original: &MessageId| {
        world.messages.get(*original).is_some_and(|stored| stored.recipients_on(host).next().is_some())
    };
    let header = MessageHeader {
        message: message.message_id,
        from: Some(from),
        // Another host cannot say who its users are.
        from_user: false,
        origin: Some(origin),
        target,
        recipients: sessions.into_iter().map(recipient).collect::<Vec<Recipient>>(),
        msg_type: message.msg_type,
        bytes,
        sent_at: message.sent_at.min(context.now),
        expires_at,
        reply_to: message.reply_to.filter(asked),
        key: None,
        key_space: None,
        resends: None,
        resent_by: None,
        digest: None,
        undelivered: Vec::new(),
    };
    Ok(Arrival { header, payload, full })
}

/// The target as the recipients see it, and the sessions that are meant.
fn meant<'a>(
    world: &'a World,
    context: &RequestContext,
    to: &RemoteTarget,
) -> Result<(Target, Vec<&'a Session>), RefusedArrival> {
    let group = match to {
        RemoteTarget::Session(session) => {
            let session = world.session(session)?;
            let target = Target::Session(SessionRef::Name(session.name.to_string()));
            return Ok((target, vec![session]));
        }
        RemoteTarget::Tag(tag) => FleetGroup::Tagged(tag.clone()),
        RemoteTarget::Repository(_) => FleetGroup::Repository,
        RemoteTarget::Start(_) => {
            return Err(Refusal::BadMessage { why: "it requests a new session".into() }.into());
        }
    };
    let sessions = recipients::members(world, to, None);
    let own = context.settings.fleet.as_ref().map(|fleet| fleet.host.to_string()).unwrap_or_default();
    match sessions.len() {
        0 => {
            let reason = format!("no session on host `{own}` matches the target");
            Err(RefusedArrival { reason, nobody: true })
        }
        count if count > limits::GROUP_SESSIONS => {
            let most = limits::GROUP_SESSIONS;
            let why = format!("{count} sessions on host `{own}` match the target; the limit is {most}");
            Err(Refusal::NoRecipients { why }.into())
        }
        _ => Ok((Target::OnAllHosts(group), sessions)),
    }
}

/// The sessions whose inbox has no room, for which the message is dead-lettered as soon as it is stored. If that is all
/// of them, the message is refused.
fn without_room(
    world: &World,
    message: MessageId,
    sessions: &[&Session],
    by: InboxSender,
    bytes: usize,
) -> Result<Vec<Event>, Refusal> {
    let (mut full, mut last) = (Vec::new(), None);
    for session in sessions {
        if let Err(refusal) = room_for(world, session.id, session.name.as_str(), by, bytes) {
            let reason = refusal.to_string();
            full.push(Event::MessagesDeadLettered { session: session.id, messages: vec![message], reason });
            last = Some(refusal);
        }
    }
    match last {
        Some(refusal) if full.len() == sessions.len() => Err(refusal),
        _ => Ok(full),
    }
}
