//! The agent that runs this server: its conversation, and its inbox.

use std::sync::{Mutex, PoisonError};

use fugue_agents::{AgentInbox, KnownAgent};
use fugue_protocol::conversation::{Conversation, ConversationId};
use serde_json::Value;

use super::conversation_file::GrowingFile;
use super::inbox_queue;
use super::inbox_socket::{self, InboxSocket, TextStatus};

/// The agent on the other side of the MCP connection.
#[derive(Debug)]
pub(crate) struct AgentClient {
    agent: &'static KnownAgent,
    /// Its messaging socket, if it has one.
    socket: Option<InboxSocket>,
    /// The conversation that a call named.
    named: Mutex<Option<ConversationId>>,
    /// The conversation that was reported to the daemon.
    reported: Mutex<Option<Conversation>>,
}

/// A line in an agent's inbox, and where to see that the agent has taken it.
#[derive(Debug)]
pub(super) enum Pending {
    /// It was read, and no more can be seen.
    Taken,
    /// It is in the agent's socket, and no more can be seen.
    Unknown,
    /// It appears in this file.
    File(GrowingFile),
}

impl AgentClient {
    /// The agent, by the name that it gave as a client. One that gave none, or an unknown one, is recognized by the
    /// variables that it passes on.
    pub(crate) fn of_client(name: Option<&str>) -> Self {
        let agent = KnownAgent::of_mcp_client(name);
        let socket = match &agent.inbox {
            Some(AgentInbox::Socket(inbox)) => InboxSocket::from_env(inbox),
            _ => None,
        };
        Self { agent, socket, named: Mutex::default(), reported: Mutex::default() }
    }

    /// Whether the agent has an inbox that this server can reach. OpenCode has a plugin for what this server does for others.
    pub(crate) fn has_inbox(&self) -> bool {
        match &self.agent.inbox {
            Some(AgentInbox::Socket(_)) => self.socket.is_some(),
            Some(AgentInbox::Queue(_)) => true,
            Some(AgentInbox::Plugin) | None => false,
        }
    }

    /// The member of a call's metadata in which the agent names the conversation, if it does.
    pub(super) fn call_names(&self) -> Option<&'static str> {
        match &self.agent.inbox {
            Some(AgentInbox::Queue(inbox)) => Some(inbox.call_names),
            _ => None,
        }
    }

    /// Takes note of the conversation that a call names.
    pub(super) fn called_with(&self, conversation: Option<&Value>) {
        let named = conversation.and_then(Value::as_str).and_then(|id| id.parse().ok());
        if let Some(named) = named {
            *self.named.lock().unwrap_or_else(PoisonError::into_inner) = Some(named);
        }
    }

    /// The conversation, as far as it is known for certain.
    fn conversation(&self) -> Option<Conversation> {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let id = match &self.agent.inbox {
            Some(AgentInbox::Socket(inbox)) => inbox_socket::conversation(self.agent, inbox)?,
            Some(AgentInbox::Queue(inbox)) => named.or_else(|| inbox_queue::only_conversation(inbox))?,
            Some(AgentInbox::Plugin) | None => return None,
        };
        Some(Conversation { agent: self.agent.name.into(), id })
    }

    /// The conversation, if it was not reported yet.
    pub(super) fn news(&self) -> Option<Conversation> {
        let conversation = self.conversation()?;
        let reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        (reported.as_ref() != Some(&conversation)).then_some(conversation)
    }

    /// Records that the daemon knows the conversation.
    pub(super) fn reported(&self, conversation: Conversation) {
        *self.reported.lock().unwrap_or_else(PoisonError::into_inner) = Some(conversation);
    }

    /// Puts a line into the agent's inbox; none if the inbox does not take it now.
    pub(super) async fn deliver(&self, text: &str) -> Option<Pending> {
        let id = self.conversation().map(|conversation| conversation.id);
        match &self.agent.inbox {
            Some(AgentInbox::Socket(inbox)) => {
                let file = id.as_ref().and_then(|id| inbox_socket::transcript(self.agent, inbox, id, text));
                let written = self.socket.as_ref()?.write(text).await?;
                let unseen = if written == TextStatus::Read { Pending::Taken } else { Pending::Unknown };
                Some(file.map_or(unseen, Pending::File))
            }
            Some(AgentInbox::Queue(inbox)) => {
                inbox_queue::queue(self.agent, inbox, &id?, text).await.map(Pending::File)
            }
            Some(AgentInbox::Plugin) | None => None,
        }
    }

    /// Whether the agent has taken a line.
    pub(super) fn has_taken(pending: &Pending) -> bool {
        match pending {
            Pending::Taken => true,
            Pending::Unknown => false,
            Pending::File(file) => file.shows_line(),
        }
    }
}
