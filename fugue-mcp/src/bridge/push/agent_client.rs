//! The agent that runs this server: its conversation, and its inbox.

use std::sync::{Mutex, PoisonError};

use fugue_protocol::conversation::{Conversation, ConversationId};
use serde_json::Value;

use super::claude_socket::{ClaudeSocket, Written};
use super::codex_queue;
use super::conversation_file::GrowingFile;

/// The agents by the names they give as MCP clients. OpenCode has a plugin for what this server does for others.
const CLIENTS: [(&str, AgentKind); 4] = [
    ("claude-code", AgentKind::Claude),
    ("codex-mcp-client", AgentKind::Codex),
    ("opencode", AgentKind::Other),
    ("gemini-cli-mcp-client", AgentKind::Other),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AgentKind {
    Claude,
    Codex,
    Other,
}

/// The agent on the other side of the MCP connection.
#[derive(Debug)]
pub(crate) struct AgentClient {
    kind: AgentKind,
    socket: Option<ClaudeSocket>,
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
        let known = name.and_then(|name| CLIENTS.iter().find(|(client, _)| *client == name));
        let kind = known.map_or(AgentKind::Claude, |(_, kind)| *kind);
        let socket = (kind == AgentKind::Claude).then(ClaudeSocket::from_env).flatten();
        Self { kind, socket, named: Mutex::default(), reported: Mutex::default() }
    }

    /// Whether the agent has an inbox.
    pub(crate) fn has_inbox(&self) -> bool {
        match self.kind {
            AgentKind::Claude => self.socket.is_some(),
            AgentKind::Codex => true,
            AgentKind::Other => false,
        }
    }

    /// Takes note of the metadata of a call, in which Codex names its thread.
    pub(crate) fn called_with(&self, thread: Option<&Value>) {
        let named = match self.kind {
            AgentKind::Codex => thread.and_then(Value::as_str).and_then(|id| id.parse().ok()),
            AgentKind::Claude | AgentKind::Other => None,
        };
        if let Some(named) = named {
            *self.named.lock().unwrap_or_else(PoisonError::into_inner) = Some(named);
        }
    }

    /// The conversation, as far as it is known for certain.
    fn conversation(&self) -> Option<Conversation> {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (agent, id) = match self.kind {
            AgentKind::Claude => ("claude", super::claude_socket::session_id()?),
            AgentKind::Codex => ("codex", named.or_else(codex_queue::only_thread)?),
            AgentKind::Other => return None,
        };
        Some(Conversation { agent: agent.into(), id })
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
        match self.kind {
            AgentKind::Claude => {
                let file = id.as_ref().and_then(|id| super::claude_socket::transcript(id, text));
                let written = self.socket.as_ref()?.write(text).await?;
                let unseen = if written == Written::Read { Pending::Taken } else { Pending::Unknown };
                Some(file.map_or(unseen, Pending::File))
            }
            AgentKind::Codex => codex_queue::queue(&id?, text).await.map(Pending::File),
            AgentKind::Other => None,
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
