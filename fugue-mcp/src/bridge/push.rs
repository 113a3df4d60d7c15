//! Push delivery: some agents have a socket on which a line wakes them. If the agent handed one to this process, and its
//! session chose the push delivery method, notifications of new messages are written there. Only the MCP server can do
//! this, because agents trust only their own child processes.

use std::path::PathBuf;
use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::agent_messages::DeliveryMethod;
use fugue_protocol::verbs::{AnnounceMessages, SubscribeEvents, Whoami};
use fugue_protocol::{Event, SessionId};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

use super::Bridge;

/// How long to wait before reconnecting to a daemon that went away.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// The agent's own messaging socket, which Claude Code hands to its child processes.
#[derive(Debug, Clone)]
pub(super) struct AgentSocket {
    path: PathBuf,
    token: Option<String>,
}

impl AgentSocket {
    /// The socket named in the environment, if any.
    pub(super) fn from_env() -> Option<Self> {
        let path = std::env::var_os("CLAUDE_CODE_MESSAGING_SOCKET").filter(|path| !path.is_empty())?;
        Some(Self { path: path.into(), token: std::env::var("CLAUDE_CODE_MESSAGING_TOKEN").ok() })
    }

    async fn connect(&self) -> Option<UnixStream> {
        UnixStream::connect(&self.path).await.ok()
    }

    /// The lines to write: authentication if there is a token, then the text.
    fn lines(&self, text: &str) -> String {
        let auth =
            self.token.as_ref().map(|token| json!({ "type": "auth", "token": token }).to_string() + "\n");
        let user = json!({ "type": "user", "message": { "role": "user", "content": text } });
        format!("{}{user}\n", auth.unwrap_or_default())
    }
}

impl Bridge {
    /// Starts push delivery. Called once a daemon is known to run.
    pub(super) fn start_push(&self) {
        let (Some(socket), Ok(link)) = (&self.agent_socket, self.link()) else { return };
        self.push.get_or_init(|| tokio::spawn(push(link.endpoint, socket.clone())));
    }
}

/// Pushes for as long as there is a daemon and this process is in one of its panes.
async fn push(endpoint: Endpoint, socket: AgentSocket) {
    while push_events(&endpoint, &socket).await.is_err_and(|error| error.is_temporary()) {
        tokio::time::sleep(RECONNECT_DELAY).await;
    }
}

async fn push_events(endpoint: &Endpoint, socket: &AgentSocket) -> Result<(), CallError> {
    let mut connection = AsyncConnection::open(endpoint, StartPolicy::Never).await?;
    let own = connection.call(&Whoami::default()).await?.session_id;
    connection.call(&SubscribeEvents { since: None }).await?;
    // Messages may have arrived before the subscription.
    notify(endpoint, socket).await?;
    loop {
        match connection.next_frame().await? {
            ServerFrame::Event(record) if concerns(&record.event, own) => notify(endpoint, socket).await?,
            _ => {}
        }
    }
}

fn concerns(event: &Event, own: SessionId) -> bool {
    match event {
        Event::MessageSent(sent) => sent.recipients.iter().any(|to| to.session == own),
        Event::SubscriptionChanged { session, .. } => *session == own,
        _ => false,
    }
}

/// Writes a notification of new messages to the agent's socket. The socket is opened first, so that no message counts as
/// announced that could not be. The request has a connection of its own, because the other one carries only events.
async fn notify(endpoint: &Endpoint, socket: &AgentSocket) -> Result<(), CallError> {
    let Some(mut stream) = socket.connect().await else { return Ok(()) };
    let announce = AnnounceMessages { news: true, way: DeliveryMethod::Push, ..AnnounceMessages::default() };
    let announcement = AsyncConnection::open(endpoint, StartPolicy::Never).await?.call(&announce).await?;
    if let Some(text) = announcement.text {
        let _ = stream.write_all(socket.lines(&text).as_bytes()).await;
        let _ = stream.shutdown().await;
    }
    Ok(())
}
