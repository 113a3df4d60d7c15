//! An agent's messaging socket and the files of its conversations.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fugue_agents::{Environment, KnownAgent, SocketInbox};
use fugue_protocol::conversation::ConversationId;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::conversation_file;
use super::conversation_file::GrowingFile;

/// How long the agent may take to read a line: it reads at once, whatever it is doing, unless it is stopped.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// How far up the agent is: this server may be wrapped by a script or two.
const MAX_ANCESTORS: usize = 8;

/// The agent's own messaging socket, which it hands to its child processes.
#[derive(Debug, Clone)]
pub(super) struct InboxSocket {
    inbox: &'static SocketInbox,
    path: PathBuf,
    token: Option<String>,
}

/// A text that is in the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStatus {
    /// The agent has read it.
    Read,
    /// The agent has not, as far as is known.
    Unread,
}

/// Returns a variable that is not empty.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl InboxSocket {
    /// The socket named in the environment, if any.
    pub(super) fn from_env(inbox: &'static SocketInbox) -> Option<Self> {
        Some(Self { inbox, path: variable(inbox.path)?, token: env::var(inbox.token).ok() })
    }

    /// Writes a text, and returns once it was read: the agent closes the connection then. Returns none if the text is not in
    /// the socket. If a stopped agent has not read it in time, it stays there until the agent continues.
    pub(super) async fn write(&self, text: &str) -> Option<TextStatus> {
        self.write_within(text, READ_TIMEOUT).await
    }

    async fn write_within(&self, text: &str, limit: Duration) -> Option<TextStatus> {
        let mut stream = UnixStream::connect(&self.path).await.ok()?;
        let lines = (self.inbox.lines)(self.token.as_deref(), text);
        let write = stream.write_all(lines.as_bytes());
        tokio::time::timeout(limit, write).await.ok()?.ok()?;
        let mut answer = Vec::new();
        let read = async {
            stream.shutdown().await?;
            stream.read_to_end(&mut answer).await
        };
        let is_read = matches!(tokio::time::timeout(limit, read).await, Ok(Ok(_)));
        Some(if is_read { TextStatus::Read } else { TextStatus::Unread })
    }
}

/// The agent's own directory.
fn home(agent: &KnownAgent) -> Option<PathBuf> {
    Some((agent.data_directory)(&Environment::new(&variable("HOME")?, &variable)))
}

/// The id of the conversation that runs this server. The file of the agent's process is up to date even when the variable is
/// not, as after `/clear`.
pub(super) fn conversation(agent: &KnownAgent, inbox: &SocketInbox) -> Option<ConversationId> {
    let named = env::var(inbox.conversation).ok();
    let home = home(agent)?;
    let current = fugue_client::ancestors().take(MAX_ANCESTORS).find_map(|pid| {
        let text = fs::read_to_string(home.join((inbox.process_file)(pid))).ok()?;
        (inbox.process_conversation)(&serde_json::from_str(&text).ok()?).map(str::to_owned)
    });
    // Without the variable, this server is not the agent's: the agent may be around another one.
    current.filter(|_| named.is_some()).or(named)?.parse().ok()
}

/// The file in which a conversation is recorded. One without a first prompt has no file yet.
pub(super) fn transcript(
    agent: &KnownAgent,
    inbox: &SocketInbox,
    conversation: &ConversationId,
    text: &str,
) -> Option<GrowingFile> {
    let home = home(agent)?;
    let new = || Some(home.join((inbox.new_record)(&env::var(inbox.project).ok()?, conversation.as_str())));
    let path = conversation_file::find(agent, &home, conversation.as_str()).or_else(new)?;
    Some(GrowingFile::new(path, text, inbox.queued))
}

#[cfg(test)]
mod tests {
    use fugue_agents::AgentInbox;
    use tokio::net::UnixListener;

    use super::*;

    fn socket(directory: &tempfile::TempDir) -> InboxSocket {
        let inbox = KnownAgent::all().iter().find_map(|agent| match &agent.inbox {
            Some(AgentInbox::Socket(inbox)) => Some(inbox),
            _ => None,
        });
        InboxSocket {
            inbox: inbox.expect("a socket"),
            path: directory.path().join("agent.sock"),
            token: None,
        }
    }

    #[tokio::test]
    async fn a_line_that_a_stopped_agent_may_read_later_counts_as_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let agent = socket(&directory);
        assert_eq!(agent.write("1 new message").await, None, "nobody listens");
        let _stopped = UnixListener::bind(&agent.path).expect("a socket");
        let written = agent.write_within("1 new message", Duration::from_millis(10)).await;
        assert_eq!(written, Some(TextStatus::Unread));
    }
}
