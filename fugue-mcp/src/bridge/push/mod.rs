//! Push delivery: some agents have an inbox of their own, through which a line wakes them. If this agent has one, and its
//! session's subscription allows it, notifications of new messages are put there. Only the MCP server can do this,
//! because agents trust only their own child processes.
//!
//! It begins when the client lists the tools: a client that only probes what the server offers does not get that far.
//! A message counts as offered once the agent's own record shows that the line became part of its conversation.

mod agent_client;
mod conversation_file;
mod inbox_queue;
mod inbox_socket;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::agent_messages::DeliveryMethod;
use fugue_protocol::conversation::Conversation;
use fugue_protocol::verbs::{AnnounceMessages, ReportConversation, SubscribeEvents, Whoami};
use fugue_protocol::views::{Announcement, Identity};
use fugue_protocol::{Event, MessageId};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::Value;

use super::Bridge;

pub(super) use agent_client::AgentClient;
use agent_client::Pending;

/// How long to wait before reconnecting to a daemon that went away.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// How often to look whether the agent has taken a line.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// How often, in looks, to ask whether the agent was notified in another way meanwhile: every five seconds.
const LOOKS_PER_QUESTION: u32 = 25;

/// After how many looks a line is left to its fate: ten minutes, since a turn can take long. It may still be taken, so it
/// is not sent again, but other ways may then announce its messages.
const MAX_LOOKS: u32 = 3_000;

impl Bridge {
    /// Starts push delivery for the agent that made a request, and reports its conversation if that is news.
    pub(super) fn start_push(&self, context: &RequestContext<RoleServer>) {
        let (Some(agent), Ok(link)) = (self.agent(context), self.link()) else { return };
        let endpoint = link.endpoint;
        self.push.get_or_init(|| tokio::spawn(push(endpoint.clone(), Arc::clone(agent))));
        let named = agent.call_names().and_then(|name| context.meta.get(name).cloned());
        tokio::spawn(report(endpoint, Arc::clone(agent), named));
    }
}

/// Reports the agent's conversation, if that is news. `named` is what a call names.
async fn report(endpoint: Endpoint, agent: Arc<AgentClient>, named: Option<Value>) {
    agent.called_with(named.as_ref());
    let Some(conversation) = agent.news() else { return };
    let Conversation { agent: name, id } = conversation.clone();
    if call(&endpoint, &ReportConversation { agent: name, id }).await.is_ok() {
        agent.reported(conversation);
    }
}

async fn call<V: fugue_protocol::verbs::VerbSpec>(
    endpoint: &Endpoint,
    verb: &V,
) -> Result<V::Reply, CallError> {
    AsyncConnection::open(endpoint, StartPolicy::Never).await?.call(verb).await
}

/// What was put into the agent's inbox.
#[derive(Default)]
struct SentLines {
    /// The last line, and its messages, until it is known what became of them.
    on_its_way: Option<(Pending, Vec<MessageId>)>,
    /// Messages of lines that the agent may or may not have taken. As long as they are news to the daemon, they are not
    /// sent again.
    in_doubt: BTreeSet<MessageId>,
}

impl SentLines {
    /// Whether there is something among the new messages that was not sent yet.
    fn is_due(&mut self, news: &[MessageId]) -> bool {
        self.in_doubt.retain(|message| news.contains(message));
        news.iter().any(|message| !self.in_doubt.contains(message))
    }
}

/// Pushes for as long as there is a daemon and this process is in one of its panes.
async fn push(endpoint: Endpoint, client: Arc<AgentClient>) {
    let mut sent = SentLines::default();
    loop {
        match push_next(&endpoint, &client, &mut sent).await {
            Ok(()) => {}
            Err(error) if error.is_temporary() => tokio::time::sleep(RECONNECT_DELAY).await,
            Err(_) => return,
        }
    }
}

/// Waits for the fate of the last line, or for new messages, and pushes one notification of them.
async fn push_next(endpoint: &Endpoint, client: &AgentClient, sent: &mut SentLines) -> Result<(), CallError> {
    if let Some((pending, messages)) = &sent.on_its_way {
        // A daemon that goes away meanwhile does not make the line one that was not sent.
        let is_settled = confirm(endpoint, pending, messages).await?;
        let messages = sent.on_its_way.take().map(|(_, messages)| messages).unwrap_or_default();
        sent.in_doubt.extend(messages.into_iter().filter(|_| !is_settled));
    }
    let mut connection = AsyncConnection::open(endpoint, StartPolicy::Never).await?;
    let own = connection.call(&Whoami::default()).await?;
    connection.call(&SubscribeEvents { since: None }).await?;
    loop {
        // Messages may have arrived before the subscription.
        let news = call(endpoint, &announce(true, Vec::new())).await?;
        if sent.is_due(&news.messages)
            && let Some(line) = deliver(client, news).await
        {
            // Its fate is awaited without this connection: events that are not read would pile up meanwhile.
            sent.on_its_way = Some(line);
            return Ok(());
        }
        while !matches!(connection.next_frame().await?, ServerFrame::Event(record) if concerns(&record.event, &own))
        {
        }
    }
}

fn announce(peek: bool, confirm: Vec<MessageId>) -> AnnounceMessages {
    AnnounceMessages { news: true, way: DeliveryMethod::Push, peek, confirm, ..AnnounceMessages::default() }
}

/// Whether an event may mean that there is something to push, or that the inbox works now.
fn concerns(event: &Event, own: &Identity) -> bool {
    match event {
        Event::MessageSent(sent) => sent.recipients.iter().any(|to| to.session == own.session_id),
        Event::SubscriptionChanged { session, .. } | Event::PushLapsed { session } => {
            *session == own.session_id
        }
        Event::AgentStateChanged { pane, .. } | Event::ConversationReported { pane, .. } => {
            *pane == own.pane_id
        }
        _ => false,
    }
}

/// Puts a notification into the agent's inbox, if the inbox takes it.
async fn deliver(client: &AgentClient, news: Announcement) -> Option<(Pending, Vec<MessageId>)> {
    let text = news.text?;
    let pending = client.deliver(&text).await?;
    Some((pending, news.messages))
}

/// Waits until the agent has taken the line, and confirms its messages then. They need no confirmation any more if the
/// agent was notified in another way, or has read them. Returns false if nothing of that happened in all this time.
async fn confirm(endpoint: &Endpoint, pending: &Pending, messages: &[MessageId]) -> Result<bool, CallError> {
    // This also keeps hooks from announcing what is on its way.
    let on_its_way = announce(true, messages.to_vec());
    for look in 0..=MAX_LOOKS {
        if look % LOOKS_PER_QUESTION == 0 && call(endpoint, &on_its_way).await?.messages.is_empty() {
            return Ok(true);
        }
        if AgentClient::has_taken(pending) {
            return call(endpoint, &announce(false, messages.to_vec())).await.map(|_| true);
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_line_that_may_have_been_taken_are_not_sent_again() {
        let [old, new] = [1, 2].map(|number| MessageId::from_bytes([number; 16]));
        let mut sent = SentLines { in_doubt: [old].into(), ..SentLines::default() };
        assert!(!sent.is_due(&[]) && sent.in_doubt.is_empty(), "the daemon knows their fate now");
        sent.in_doubt.insert(old);
        assert!(!sent.is_due(&[old]));
        assert!(sent.is_due(&[old, new]), "another one is news");
    }
}
