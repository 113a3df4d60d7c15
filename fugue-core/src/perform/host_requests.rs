//! Sessions on other hosts: a request to create one is a message to that host, and the caller waits for its receipt.

use fugue_protocol::agent_messages::{DeliveryState, Receipt, RemoteStart, Sender, StartedSession, Target};
use fugue_protocol::verbs::{CreateSession, SpawnAgent};
use fugue_protocol::views::{PaneCreated, SpawnStatus, SpawnedAgent};
use fugue_protocol::{FleetHost, IdempotencyKey, MessageId, Refusal, SessionRef, Timestamp, limits};
use serde::Serialize;

use super::message_draft::Draft;
use crate::caller::KeySpace;
use crate::decision::{Decision, PayloadSource, PendingWait, WaitSubject, WakeReason, WakeUp};
use crate::recipients;
use crate::remote_sessions;
use crate::request_context::RequestContext;
use crate::world::World;

/// The type of the message.
const MESSAGE_TYPE: &str = "fleet.start";

/// A request to create a session on another host.
pub(super) struct HostRequest<R> {
    host: FleetHost,
    start: RemoteStart,
    /// The arguments of the verb there, as JSON.
    arguments: String,
    key: Option<IdempotencyKey>,
    wait_ms: u64,
    reply: StartReply<R>,
}

/// Makes the reply of a session that was created on a host, after this many milliseconds.
type StartReply<R> = fn(&FleetHost, &StartedSession, u64) -> Result<R, Refusal>;

impl HostRequest<PaneCreated> {
    /// The request for a session; none if it is to be created on this host.
    pub(super) fn of_session(wanted: &CreateSession, context: &RequestContext) -> Option<Self> {
        Some(Self {
            host: other_host(wanted.host.as_ref(), context)?,
            start: RemoteStart::CreateSession,
            arguments: json(&CreateSession { host: None, ..wanted.clone() }),
            key: None,
            wait_ms: limits::START_WAIT_MS,
            reply: session_reply,
        })
    }
}

impl HostRequest<SpawnedAgent> {
    /// The request for an agent; none if it is to be started on this host.
    pub(super) fn of_agent(wanted: &SpawnAgent, context: &RequestContext) -> Option<Self> {
        Some(Self {
            host: other_host(wanted.host.as_ref(), context)?,
            start: RemoteStart::SpawnAgent,
            arguments: json(&SpawnAgent { host: None, idempotency_key: None, ..wanted.clone() }),
            key: wanted.idempotency_key.clone(),
            wait_ms: wanted.timeout_ms.min(limits::START_WAIT_MS),
            reply: agent_reply,
        })
    }
}

impl<R: Send + 'static> HostRequest<R> {
    /// Sends the request, unless it was sent before, and waits for what becomes of it.
    pub(super) fn decide(self, world: &World, context: &RequestContext) -> Result<Decision<R>, Refusal> {
        let from = recipients::sender(world, context)?;
        let to = remote_sessions::new_session(&self.host, self.start)?;
        let draft = Draft {
            from: from.clone(),
            from_user: !context.caller.is_agent(),
            target: Target::Session(SessionRef::Name(to.name.to_string())),
            implied: false,
            msg_type: MESSAGE_TYPE.parse()?,
            bytes: self.arguments.len(),
            payload: PayloadSource::Text(self.arguments.clone()),
            resends: None,
            reply_to: None,
            ttl_ms: Some(limits::START_TTL_MS),
            key: self.key.clone(),
            key_space: context.caller.key_space().map(KeySpace::number),
        };
        let posted = match draft.sent_before(world)? {
            Some(before) => before,
            None => {
                draft.check(world, context)?;
                context.check_relay()?;
                draft.post_to(world, context, vec![to])?
            }
        };
        let wait = self.wait(posted.sent.message_id, from.as_ref(), context.now);
        let decision = Decision::when(wait).events(posted.event);
        let payload = posted.payload.into_iter();
        Ok(payload.fold(decision, |decision, (message, payload)| decision.payload(message, payload)))
    }

    fn wait(self, message: MessageId, from: Option<&Sender>, begun: Timestamp) -> PendingWait<R> {
        PendingWait {
            who: from.map(|from| from.session),
            about: WaitSubject::Delivery(message),
            on: Vec::new(),
            until: Timestamp::from_millis(begun.millis() + self.wait_ms),
            check: Box::new(move |world, wake_up| self.check(world, message, begun, wake_up)),
            // The other host creates the session whether or not anyone waits for it.
            abandoned: Vec::new(),
        }
    }

    fn check(
        &self,
        world: &World,
        message: MessageId,
        begun: Timestamp,
        wake_up: &WakeUp,
    ) -> Option<Decision<R>> {
        let elapsed_ms = wake_up.now.millis().saturating_sub(begun.millis());
        let receipts = world.messages.get(message).map(|stored| &stored.receipts);
        match receipts.and_then(|receipts| receipts.values().next()) {
            Some(Receipt { started: Some(started), .. }) if is_of_this_host(world, started) => {
                let reason = "it answered with a session or pane of this host".into();
                Some(Decision::refused(Refusal::StartRefused { host: self.host.clone(), reason }))
            }
            Some(Receipt { started: Some(started), .. }) => Some(self.replied(started, elapsed_ms)),
            Some(Receipt { state, reason, .. }) if !state.is_unread() => {
                Some(Decision::refused(self.refusal(*state, reason.clone())))
            }
            _ if wake_up.reason == WakeReason::Changed => None,
            _ => {
                let (host, waited_ms) = (self.host.clone(), self.wait_ms);
                Some(Decision::refused(Refusal::StartUnanswered { host, message, waited_ms }))
            }
        }
    }

    fn replied(&self, started: &StartedSession, elapsed_ms: u64) -> Decision<R> {
        match (self.reply)(&self.host, started, elapsed_ms) {
            Ok(reply) => Decision::reply(reply),
            Err(refusal) => Decision::refused(refusal),
        }
    }

    fn refusal(&self, state: DeliveryState, reason: Option<String>) -> Refusal {
        let reason = reason.unwrap_or_else(|| format!("the request is {state}"));
        Refusal::StartRefused { host: self.host.clone(), reason }
    }
}

/// Whether another host claims to have started what belongs to this one. Its caller would act on that.
fn is_of_this_host(world: &World, started: &StartedSession) -> bool {
    let PaneCreated { pane_id, session_id, window_id, .. } = &started.pane;
    world.panes.contains_key(pane_id)
        || world.sessions.contains_key(session_id)
        || world.windows.contains_key(window_id)
}

/// The host, unless it is this one.
fn other_host(wanted: Option<&FleetHost>, context: &RequestContext) -> Option<FleetHost> {
    let own = context.settings.fleet.as_ref().map(|fleet| &fleet.host);
    wanted.filter(|wanted| Some(*wanted) != own).cloned()
}

fn json(arguments: &impl Serialize) -> String {
    serde_json::to_string(arguments).unwrap_or_default()
}

fn session_reply(host: &FleetHost, started: &StartedSession, _: u64) -> Result<PaneCreated, Refusal> {
    let note =
        format!("on host `{host}`, as session `{}`", host.session_name(started.session_name.as_str())?);
    Ok(PaneCreated { note: Some(note), ..started.pane.clone() })
}

fn agent_reply(host: &FleetHost, started: &StartedSession, elapsed_ms: u64) -> Result<SpawnedAgent, Refusal> {
    let PaneCreated { pane_id, session_id, window_id, worktree, .. } = started.pane.clone();
    Ok(SpawnedAgent {
        status: SpawnStatus::Started,
        reason: format!("started on host `{host}`"),
        pane_id,
        session_id,
        session_name: host.session_name(started.session_name.as_str())?,
        window_id,
        worktree,
        agent: None,
        conversation: None,
        dialog_id: None,
        dialog: None,
        exit: None,
        last_message: None,
        last_lines: String::new(),
        copied_files: 0,
        elapsed_ms,
    })
}
