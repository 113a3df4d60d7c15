//! Verbs about subscriptions and the notifications they ask for.

use std::time::Duration;

use fugue_agents::KnownAgent;
use fugue_protocol::agent_messages::{DeliveryMethod, OfferedVia, Subscription};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{AnnounceMessages, SubscribeOrchestration};
use fugue_protocol::views::{Announcement, SubscriptionView};
use fugue_protocol::{Event, MessageId, Refusal, SessionId, Timestamp};

use super::Perform;
use super::agent_reports::{self, conversation};
use super::inboxes::own_inbox;
use crate::decision::Decision;
use crate::message_filter::Filter;
use crate::notifications::{self, Unannounced, line};
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::{Pane, PendingPush, Session, World};

impl Perform for SubscribeOrchestration {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SubscriptionView>, Refusal> {
        let session = own_inbox(world, self.session.as_ref(), context)?;
        Filter::new(self.msg_types.clone(), self.from.clone())?;
        let types = self.deliver.contains(&DeliveryMethod::Type);
        if types && context.caller.is_agent() && !context.settings.type_notices {
            return Err(Refusal::TypingNotAllowed { session: session.name.to_string() });
        }
        if let Some(agent) = agent_of(world, session, context) {
            self.deliver.iter().try_for_each(|method| can_be_used(*method, agent))?;
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

/// Refuses a delivery method that cannot work for an agent.
fn can_be_used(method: DeliveryMethod, agent: &str) -> Result<(), Refusal> {
    let (known, name) = (KnownAgent::find(agent), agent.to_owned());
    let lacks_inbox = known.is_none_or(|known| known.inbox.is_none());
    match method {
        DeliveryMethod::Push if lacks_inbox => Err(Refusal::NoInbox { agent: name }),
        // An agent of which nothing is known may run any command, also as a hook.
        DeliveryMethod::Hook if known.is_some_and(|known| !known.has_hooks()) => {
            Err(Refusal::NoHooks { agent: name })
        }
        DeliveryMethod::Type if known.is_none() => Err(Refusal::NoInputField { agent: name }),
        _ => Ok(()),
    }
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
        let told = !context.caller.is_nested() && ways(&session.subscription, context).contains(&self.way);
        let unread = if told { world.unread_in_sight(session.id) } else { 0 };
        let known = if told { notifications::unannounced(world, session) } else { Unannounced::default() };
        // What is being pushed is announced by that; another notification would be the second one.
        let (mut messages, in_sight) = (known.open, unread - known.pushed.len().min(unread));
        if !self.confirm.is_empty() {
            messages.extend(known.pushed);
            messages.retain(|message| self.confirm.contains(message));
        }
        let says = !messages.is_empty() || (in_sight > 0 && !self.news);
        let push = started_push(&self, session, &messages, context.now);
        let announcement = Announcement {
            session_id: session.id,
            session_name: session.name.clone(),
            unread,
            text: says.then(|| line(unread, world.unread_of_user(session.id))),
            messages: if self.peek { messages.clone() } else { Vec::new() },
        };
        let offered = (says && !self.peek && !messages.is_empty()).then_some(Event::MessagesOffered {
            session: session.id,
            messages,
            how,
            offered_at: context.now,
        });
        let conversation = self.conversation.filter(|_| !context.caller.is_nested());
        let conversation = conversation.and_then(|own| self::conversation(own, world, context));
        let over = self.over.map(|reason| agent_reports::over(&reason, world, context)).unwrap_or_default();
        Ok(Decision::reply(announcement).events(offered).events(push).events(conversation).events(over))
    }
}

/// How long a push is believed to be on its way without being heard of.
const PUSH_TTL: Duration = Duration::from_secs(60);

/// The event of a notification that was put into the agent's inbox, or that still waits there: whoever put it there names
/// its messages every few seconds.
fn started_push(
    request: &AnnounceMessages,
    session: &Session,
    messages: &[MessageId],
    now: Timestamp,
) -> Option<Event> {
    let pushes = request.peek && request.way == DeliveryMethod::Push && !request.confirm.is_empty();
    let messages = Some(messages.to_vec()).filter(|messages| pushes && !messages.is_empty())?;
    let is_fresh = |push: &PendingPush| push.messages == messages && push.until > now.after(PUSH_TTL / 2);
    let is_news = !session.push.as_ref().is_some_and(is_fresh);
    let (session, until) = (session.id, now.after(PUSH_TTL));
    is_news.then_some(Event::PushStarted { session, messages, until })
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
