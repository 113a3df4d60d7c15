//! Verbs about subscriptions and the notifications they ask for.

use fugue_protocol::agent_messages::{DeliveryMethod, OfferedVia, Subscription};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{AnnounceMessages, ReportConversation, SubscribeOrchestration};
use fugue_protocol::views::{Announcement, Done, SubscriptionView};
use fugue_protocol::{Event, Refusal, SessionId};

use super::Perform;
use super::inboxes::own_inbox;
use crate::agents::canonical;
use crate::decision::Decision;
use crate::inbox::Filter;
use crate::notifications::{self, line};
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::{Pane, Session, World};

impl Perform for SubscribeOrchestration {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SubscriptionView>, Refusal> {
        let session = own_inbox(world, self.session.as_ref(), context)?;
        Filter::new(self.msg_types.clone(), self.from.clone())?;
        let types = self.deliver.contains(&DeliveryMethod::Type);
        if types && context.caller.is_agent() && !context.settings.type_notices {
            return Err(Refusal::TypingNotAllowed { session: session.name.to_string() });
        }
        if self.deliver.contains(&DeliveryMethod::Push)
            && let Some(agent) = agent_of(world, session, context).filter(|agent| !has_inbox(agent))
        {
            return Err(Refusal::NoInbox { agent: agent.to_owned() });
        }
        let pane = context.caller.pane().filter(|_| types);
        let (msg_types, from, deliver) = (self.msg_types, self.from, self.deliver);
        let subscription = Subscription { msg_types, from, deliver, pane };
        let news = session.subscription != subscription;
        let id = session.id;
        let changed = Event::SubscriptionChanged { session: id, subscription };
        let pushes = context.settings.push_notices;
        Ok(Decision::after(move |world| subscribed(world, id, pushes)).events(news.then_some(changed)))
    }
}

/// The agents that have an inbox of their own, through which fugue's MCP server can wake them.
const INBOXES: [&str; 3] = ["claude", "codex", "opencode"];

fn has_inbox(agent: &str) -> bool {
    INBOXES.contains(&agent)
}

/// The agent that a session's notifications are for, if one was recognized: the caller's own, or else the first one.
fn agent_of<'a>(world: &'a World, session: &Session, context: &RequestContext) -> Option<&'a str> {
    let own = world.caller_pane(context).filter(|pane| world.session_of(pane).id == session.id);
    let mut panes = world.panes_of(session).into_iter().filter_map(|pane| world.panes.get(&pane));
    let agent = |pane: &'a Pane| pane.agent.view.as_ref().map(|view| view.name.as_str());
    own.and_then(agent).or_else(|| panes.find_map(agent))
}

/// The delivery methods of a session. If it chose none, it gets those that the user allows.
fn ways(subscription: &Subscription, context: &RequestContext) -> Vec<DeliveryMethod> {
    effective(subscription, context.settings.push_notices)
}

fn effective(subscription: &Subscription, pushes: bool) -> Vec<DeliveryMethod> {
    let by_default = subscription.deliver.is_empty() && pushes;
    subscription.ways().iter().copied().chain(by_default.then_some(DeliveryMethod::Push)).collect()
}

fn subscribed(world: &World, id: SessionId, pushes: bool) -> SubscriptionView {
    let session = &world.sessions[&id];
    let unread = world.unread_in_sight(id);
    SubscriptionView {
        session_id: id,
        session_name: session.name.clone(),
        msg_types: session.subscription.msg_types.clone(),
        from: session.subscription.from.clone(),
        deliver: effective(&session.subscription, pushes),
        unread,
        quiet: world.messages.count(id) - unread,
        how: "poll-messages reads them; MCP clients can also subscribe to fugue://inbox".into(),
    }
}

impl Perform for AnnounceMessages {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Announcement>, Refusal> {
        if self.session.is_none() {
            recipients::sender_inside(world, context)?;
        }
        let session = own_inbox(world, self.session.as_ref(), context)?;
        let how = how(self.way)?;
        let told = ways(&session.subscription, context).contains(&self.way);
        let unread = if told { world.unread_in_sight(session.id) } else { 0 };
        let mut messages = if told { notifications::unannounced(world, session.id) } else { Vec::new() };
        if !self.confirm.is_empty() {
            messages.retain(|message| self.confirm.contains(message));
        }
        let says = unread > 0 && !(self.news && messages.is_empty());
        let announcement = Announcement {
            session_id: session.id,
            session_name: session.name.clone(),
            unread,
            text: says.then(|| line(unread)),
            messages: if self.peek { messages.clone() } else { Vec::new() },
        };
        let offered = (says && !self.peek && !messages.is_empty()).then_some(Event::MessagesOffered {
            session: session.id,
            messages,
            how,
            offered_at: context.now,
        });
        let conversation = self.conversation.and_then(|own| conversation(own, world, context));
        Ok(Decision::reply(announcement).events(offered).events(conversation))
    }
}

impl Perform for ReportConversation {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<Done>, Refusal> {
        recipients::sender_inside(world, context)?;
        let own = Conversation { agent: self.agent, id: self.id };
        Ok(Decision::done().events(conversation(own, world, context)))
    }
}

/// Records the conversation of the agent in the caller's pane, if that is news. A pane that is only claimed may be
/// another agent's.
pub(super) fn conversation(own: Conversation, world: &World, context: &RequestContext) -> Option<Event> {
    let pane = world.caller_pane(context).filter(|_| !context.caller.claims())?;
    let conversation = Conversation { agent: canonical(&own.agent).to_owned(), id: own.id };
    let is_news = pane.conversation.as_ref() != Some(&conversation);
    is_news.then_some(Event::ConversationReported { pane: pane.id, conversation })
}

/// The delivery methods by which an agent requests a notification.
fn how(way: DeliveryMethod) -> Result<OfferedVia, Refusal> {
    match way {
        DeliveryMethod::Hook => Ok(OfferedVia::Hook),
        DeliveryMethod::Push => Ok(OfferedVia::Pushed),
        DeliveryMethod::Count | DeliveryMethod::Type => {
            Err(Refusal::argument("way", ArgumentProblem::DeliveryNotRequested { method: way }))
        }
    }
}
