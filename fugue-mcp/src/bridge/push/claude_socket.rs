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

/// How long Claude may take to read a line: it reads at once, whatever it is doing.
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

impl ClaudeSocket {
    /// The socket named in the environment, if any.
    pub(super) fn from_env() -> Option<Self> {
        let path = env::var_os("CLAUDE_CODE_MESSAGING_SOCKET").filter(|path| !path.is_empty())?;
        Some(Self { path: path.into(), token: env::var("CLAUDE_CODE_MESSAGING_TOKEN").ok() })
    }

    /// Writes a text, and returns once it was read: Claude closes the connection then.
    pub(super) async fn write(&self, text: &str) -> Option<()> {
        let mut stream = UnixStream::connect(&self.path).await.ok()?;
        stream.write_all(self.lines(text).as_bytes()).await.ok()?;
        stream.shutdown().await.ok()?;
        let mut answer = Vec::new();
        tokio::time::timeout(READ_TIMEOUT, stream.read_to_end(&mut answer)).await.ok()?.ok()?;
        Some(())
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
