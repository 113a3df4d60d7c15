//! Verbs that send messages.

use fugue_agents::launched;
use fugue_protocol::agent_messages::{Sender, Target};
use fugue_protocol::agents::{Evidence, EvidenceSource};
use fugue_protocol::conversation::{Conversation, ConversationId};
use fugue_protocol::verbs::*;
use fugue_protocol::views::{RecipientView, Reported, Sent};
use fugue_protocol::{AgentState, Event, IdempotencyKey, MessageType, Refusal};
use serde_json::{Value, json};

use super::gathered_answers::AnswerWait;
use super::message_draft::{Draft, Posted};
use super::{Perform, agent_reports};
use crate::agent_events::{Report, reported};
use crate::caller::KeySpace;
use crate::decision::{Decision, PayloadSource};
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for SendOrchestration {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Sent>, Refusal> {
        let wait = AnswerWait { wait_ms: self.wait_ms, wait_for: self.wait_for };
        let draft = Draft::of(self, world, context)?;
        let from = draft.from.clone();
        draft.post(world, context)?.decided(from.as_ref(), wait, world, context)
    }
}

impl Perform for ReportStatus {
    /// The status becomes the pane's state even if nobody is told of it.
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Reported>, Refusal> {
        let from = recipients::sender_inside(world, context)?;
        let mut payload = json!({ "session_id": from.session, "status": self.status });
        if let Some(message) = &self.message {
            payload["message"] = json!(message);
        }
        let mut state = state_of(&from, self.status, self.message, world, context);
        state.extend(self.conversation_id.and_then(|id| own_conversation(&from, id, world, context)));
        let target = recipients::superior(world, &from, context);
        let draft = convention(Some(from.clone()), target, "status.update", &payload, self.idempotency_key)?;
        let (session_id, status) = (from.session, self.status);
        let answer = |sent: Option<Sent>, note: Option<String>| {
            let duplicate = sent.as_ref().is_some_and(|sent| sent.duplicate);
            let (message_id, recipients, undelivered) = told(sent);
            Reported { session_id, status, message_id, recipients, undelivered, duplicate, note }
        };
        match draft.report(&from, world, context) {
            // A report is not repeated under its key: the state may have changed since.
            Ok(Posted { event: None, sent, .. }) => Ok(Decision::reply(answer(Some(sent), None))),
            Ok(Posted { event, payload, sent }) => {
                let decision = Decision::reply(answer(Some(sent), None)).events(state).events(event);
                Ok(payload
                    .into_iter()
                    .fold(decision, |decision, (message, payload)| decision.payload(message, payload)))
            }
            Err(
                refusal @ (Refusal::NoRecipients { .. }
                | Refusal::NoRepository { .. }
                | Refusal::InboxFull { .. }),
            ) => Ok(Decision::reply(answer(None, Some(refusal.to_string()))).events(state)),
            Err(refusal) => Err(refusal),
        }
    }
}

/// Records the reported status as the state of the caller's pane.
fn state_of(
    from: &Sender,
    status: Status,
    message: Option<String>,
    world: &World,
    context: &RequestContext,
) -> Vec<Event> {
    let state = match status {
        Status::Idle => AgentState::Idle,
        Status::Working => AgentState::Working,
        Status::WaitingForInput => AgentState::WaitingForInput,
        Status::Blocked => AgentState::Blocked,
        Status::Complete => AgentState::Complete,
        Status::Error => AgentState::Error,
    };
    let sign = Evidence { reason: message, ..Evidence::new(EvidenceSource::Reported, state) };
    let report = Report { sign, name: None };
    world.panes.get(&from.pane).map(|pane| reported(pane, report, context.now)).unwrap_or_default()
}

/// Records the conversation of the agent in the caller's pane, if it is known which agent that is.
fn own_conversation(
    from: &Sender,
    id: ConversationId,
    world: &World,
    context: &RequestContext,
) -> Option<Event> {
    let pane = world.panes.get(&from.pane)?;
    let agent = launched(&pane.launch).or(pane.agent.name())?.to_owned();
    agent_reports::conversation(Conversation { agent, id }, world, context)
}

type Told = (Option<fugue_protocol::MessageId>, Vec<RecipientView>, Vec<RecipientView>);

fn told(sent: Option<Sent>) -> Told {
    sent.map_or_else(Default::default, |sent| (Some(sent.message_id), sent.recipients, sent.undelivered))
}

impl Perform for RequestHelp {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Sent>, Refusal> {
        let from = recipients::sender_inside(world, context)?;
        let payload = json!({ "session_id": from.session, "context": self.context });
        let target = recipients::superior(world, &from, context);
        let draft = convention(Some(from.clone()), target, "help.request", &payload, self.idempotency_key)?;
        let wait = AnswerWait { wait_ms: self.wait_ms, wait_for: self.wait_for };
        draft.report(&from, world, context)?.decided(Some(&from), wait, world, context)
    }
}

impl Perform for Broadcast {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Sent>, Refusal> {
        let from = recipients::sender(world, context)?;
        let session = from.as_ref().map(|from| from.session);
        let payload = json!({ "from_session_id": session, "message": self.message });
        let mut draft =
            convention(from.clone(), Target::Broadcast, "broadcast", &payload, self.idempotency_key)?;
        draft.msg_type = self.msg_type.unwrap_or(draft.msg_type);
        draft.from_user = !context.caller.is_agent();
        draft.key_space = context.caller.key_space().map(KeySpace::number);
        draft.post(world, context)?.decided(from.as_ref(), AnswerWait::default(), world, context)
    }
}

/// A message of one of the standard types.
fn convention(
    from: Option<Sender>,
    target: Target,
    msg_type: &str,
    payload: &Value,
    key: Option<IdempotencyKey>,
) -> Result<Draft, Refusal> {
    let msg_type: MessageType = msg_type.parse()?;
    let payload = payload.to_string();
    Ok(Draft {
        from,
        from_user: false,
        target,
        implied: false,
        msg_type,
        bytes: payload.len(),
        payload: PayloadSource::Text(payload),
        reply_to: None,
        ttl_ms: None,
        key,
        key_space: None,
        resends: None,
    })
}
