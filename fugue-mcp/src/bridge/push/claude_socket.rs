//! Claude Code's messaging socket and the files of its sessions.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use fugue_protocol::conversation::ConversationId;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::conversation_file::GrowingFile;

/// How long Claude may take to read a line: it reads at once, whatever it is doing, unless it is stopped.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// How far up the agent is: this server may be wrapped by a script or two.
const MAX_ANCESTORS: usize = 8;

/// The line that Claude writes as soon as it has queued a text.
const QUEUED: &str = "{\"type\":\"queue-operation\"";

/// The agent's own messaging socket, which Claude Code hands to its child processes.
#[derive(Debug, Clone)]
pub(super) struct ClaudeSocket {
    path: PathBuf,
    token: Option<String>,
}

/// A text that is in the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Claude has read it.
    Read,
    /// Claude has not, as far as is known.
    Unread,
}

impl ClaudeSocket {
    /// The socket named in the environment, if any.
    pub(super) fn from_env() -> Option<Self> {
        let path = env::var_os("CLAUDE_CODE_MESSAGING_SOCKET").filter(|path| !path.is_empty())?;
        Some(Self { path: path.into(), token: env::var("CLAUDE_CODE_MESSAGING_TOKEN").ok() })
    }

    /// Writes a text, and returns once it was read: Claude closes the connection then. Returns none if the text is not
    /// in the socket. One that is there, and that a stopped Claude does not read in time, is read when it goes on.
    pub(super) async fn write(&self, text: &str) -> Option<Written> {
        self.write_within(text, READ_TIMEOUT).await
    }

    async fn write_within(&self, text: &str, limit: Duration) -> Option<Written> {
        let mut stream = UnixStream::connect(&self.path).await.ok()?;
        let lines = self.lines(text);
        let write = stream.write_all(lines.as_bytes());
        tokio::time::timeout(limit, write).await.ok()?.ok()?;
        let mut answer = Vec::new();
        let read = async {
            stream.shutdown().await?;
            stream.read_to_end(&mut answer).await
        };
        let is_read = matches!(tokio::time::timeout(limit, read).await, Ok(Ok(_)));
        Some(if is_read { Written::Read } else { Written::Unread })
    }

    /// The lines to write: authentication if there is a token, then the text.
    fn lines(&self, text: &str) -> String {
        let auth =
            self.token.as_ref().map(|token| json!({ "type": "auth", "token": token }).to_string() + "\n");
        let user = json!({ "type": "user", "message": { "role": "user", "content": text } });
        format!("{}{user}\n", auth.unwrap_or_default())
    }
}

fn directory() -> Option<PathBuf> {
    let set = env::var_os("CLAUDE_CONFIG_DIR").filter(|path| !path.is_empty());
    set.map(PathBuf::from).or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".claude")))
}

/// The id of the session that runs this server. The file of the agent's process is up to date even after `/clear`, when
/// the variable is not.
pub(super) fn session_id() -> Option<ConversationId> {
    let named = env::var("CLAUDE_CODE_SESSION_ID").ok();
    let sessions = directory()?.join("sessions");
    let current = fugue_client::ancestors().take(MAX_ANCESTORS).find_map(|pid| {
        let text = fs::read_to_string(sessions.join(format!("{pid}.json"))).ok()?;
        serde_json::from_str::<Value>(&text).ok()?["sessionId"].as_str().map(str::to_owned)
    });
    // Without the variable, Claude Code is not this server's agent: it may be that of another agent around it.
    current.filter(|_| named.is_some()).or(named)?.parse().ok()
}

/// The file in which a session is recorded.
pub(super) fn transcript(session: &ConversationId, text: &str) -> Option<GrowingFile> {
    let projects = fs::read_dir(directory()?.join("projects")).ok()?;
    let files = projects.flatten().map(|project| project.path().join(format!("{session}.jsonl")));
    let found = files.into_iter().find(|file| file.exists());
    // A session without a first prompt has no file yet.
    found.map(|path| GrowingFile::new(path, text, QUEUED)).or_else(|| new_transcript(session, text))
}

/// The file that a new session will have: its directory is named after the working directory.
fn new_transcript(session: &ConversationId, text: &str) -> Option<GrowingFile> {
    let project = env::var("CLAUDE_PROJECT_DIR").ok()?;
    let name: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let path = directory()?.join("projects").join(name).join(format!("{session}.jsonl"));
    Some(GrowingFile::new(path, text, QUEUED))
}

#[cfg(test)]
mod tests {
    use tokio::net::UnixListener;

    use super::*;

    fn socket(directory: &tempfile::TempDir) -> ClaudeSocket {
        ClaudeSocket { path: directory.path().join("claude.sock"), token: None }
    }

    #[tokio::test]
    async fn a_line_that_a_stopped_claude_may_read_later_counts_as_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let claude = socket(&directory);
        assert_eq!(claude.write("1 new message").await, None, "nobody listens");
        let _stopped = UnixListener::bind(&claude.path).expect("a socket");
        let written = claude.write_within("1 new message", Duration::from_millis(10)).await;
        assert_eq!(written, Some(Written::Unread));
    }
}
