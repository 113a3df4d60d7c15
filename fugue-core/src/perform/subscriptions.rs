//! Verbs about subscriptions and the notifications they ask for.

use fugue_protocol::agent_messages::{DeliveryMethod, OfferedVia, Subscription};
use fugue_protocol::conversation::Conversation;
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::{AnnounceMessages, SubscribeOrchestration};
use fugue_protocol::views::{Announcement, SubscriptionView};
use fugue_protocol::{Event, Refusal, SessionId};

use super::Perform;
use super::inboxes::own_inbox;
use crate::agents::canonical;
use crate::decision::Decision;
use crate::inbox::Filter;
use crate::notifications::{self, line};
use crate::recipients;
use crate::request_context::RequestContext;
use crate::world::World;

impl Perform for SubscribeOrchestration {
    fn perform(self, world: &World, context: &RequestContext) -> Result<Decision<SubscriptionView>, Refusal> {
        let session = own_inbox(world, self.session.as_ref(), context)?;
        Filter::new(self.msg_types.clone(), self.from.clone())?;
        let types = self.deliver.contains(&DeliveryMethod::Type);
        if types && context.caller.is_agent() && !context.settings.type_notices {
            return Err(Refusal::TypingNotAllowed { session: session.name.to_string() });
        }
        let pane = context.caller.pane().filter(|_| types);
        let (msg_types, from, deliver) = (self.msg_types, self.from, self.deliver);
        let subscription = Subscription { msg_types, from, deliver, pane };
        let news = session.subscription != subscription;
        let id = session.id;
        let changed = Event::SubscriptionChanged { session: id, subscription };
        Ok(Decision::after(move |world| subscribed(world, id)).events(news.then_some(changed)))
    }
}

fn subscribed(world: &World, id: SessionId) -> SubscriptionView {
    let session = &world.sessions[&id];
    let unread = world.unread_in_sight(id);
    SubscriptionView {
        session_id: id,
        session_name: session.name.clone(),
        msg_types: session.subscription.msg_types.clone(),
        from: session.subscription.from.clone(),
        deliver: session.subscription.ways().to_vec(),
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
        let told = session.subscription.ways().contains(&self.way);
        let unread = if told { world.unread_in_sight(session.id) } else { 0 };
        let messages = if told { notifications::unannounced(world, session.id) } else { Vec::new() };
        let says = unread > 0 && !(self.news && messages.is_empty());
        let announcement = Announcement {
            session_id: session.id,
            session_name: session.name.clone(),
            unread,
            text: says.then(|| line(unread)),
        };
        let offered = (says && !messages.is_empty()).then_some(Event::MessagesOffered {
            session: session.id,
            messages,
            how,
            offered_at: context.now,
        });
        let conversation = self.conversation.and_then(|own| conversation(own, world, context));
        Ok(Decision::reply(announcement).events(offered).events(conversation))
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
