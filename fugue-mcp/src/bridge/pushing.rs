//! Pushing: some agents have an inbox of their own, which wakes them. Where one is given to the bridge, and its session
//! chose so, a line that tells of messages is put there. It is the bridge's to do: agents trust their own children.

use std::path::PathBuf;
use std::time::Duration;

use fugue_client::{AsyncConnection, CallError, Endpoint, ServerFrame, StartPolicy};
use fugue_protocol::orchestration::DeliveryMethod;
use fugue_protocol::verbs::{AnnounceMessages, SubscribeEvents, Whoami};
use fugue_protocol::{Event, SessionId};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;

use super::Bridge;

/// A daemon that went away is there again within this.
const PAUSE: Duration = Duration::from_secs(1);

/// An agent's own inbox: Claude Code gives this to its children.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    socket: PathBuf,
    token: Option<String>,
}

impl Inbox {
    pub(super) fn given() -> Option<Self> {
        let socket = std::env::var_os("CLAUDE_CODE_MESSAGING_SOCKET").filter(|socket| !socket.is_empty())?;
        Some(Self { socket: socket.into(), token: std::env::var("CLAUDE_CODE_MESSAGING_TOKEN").ok() })
    }

    /// The agent is asked in first, so that nothing counts as told that could not be.
    async fn open(&self) -> Option<UnixStream> {
        UnixStream::connect(&self.socket).await.ok()
    }

    /// What is written there: who the writer is, and what it says.
    fn lines(&self, text: &str) -> String {
        let auth =
            self.token.as_ref().map(|token| json!({ "type": "auth", "token": token }).to_string() + "\n");
        let says = json!({ "type": "user", "message": { "role": "user", "content": text } });
        format!("{}{says}\n", auth.unwrap_or_default())
    }
}

impl Bridge {
    /// Begins to push, once a daemon is known to be there.
    pub(super) fn begin_pushing(&self) {
        let (Some(inbox), Ok(reached)) = (&self.inbox, self.reach()) else { return };
        self.pushing.get_or_init(|| tokio::spawn(push(reached.dial, inbox.clone())));
    }
}

/// Pushes for as long as there is a daemon in which the bridge has a pane.
async fn push(dial: Endpoint, inbox: Inbox) {
    while let Err(CallError::Lost(_)) = follow(&dial, &inbox).await {
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow(dial: &Endpoint, inbox: &Inbox) -> Result<(), CallError> {
    let mut wire = AsyncConnection::open(dial, StartPolicy::Never).await?;
    let own = wire.call(&Whoami::default()).await?.session_id;
    wire.call(&SubscribeEvents { since: None }).await?;
    // What came before was not heard.
    tell(dial, inbox).await?;
    loop {
        match wire.next_frame().await? {
            ServerFrame::Event(told) if concerns(&told.event, own) => tell(dial, inbox).await?,
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

/// Tells of what is new. The events have a connection of their own, which is not asked anything.
async fn tell(dial: &Endpoint, inbox: &Inbox) -> Result<(), CallError> {
    let Some(mut socket) = inbox.open().await else { return Ok(()) };
    let announce = AnnounceMessages { session: None, news: true, way: DeliveryMethod::Push };
    let told = AsyncConnection::open(dial, StartPolicy::Never).await?.call(&announce).await?;
    if let Some(text) = told.text {
        let _ = socket.write_all(inbox.lines(&text).as_bytes()).await;
        let _ = socket.shutdown().await;
    }
    Ok(())
}
