//! OpenCode's own server, which it runs if it was started with `--port`.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fugue_protocol::conversation::ConversationId;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::open_files;

/// How long a request may take: the server is on this machine, and all of its answers are immediate.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest answer that is read: the newest messages of a session, with the output of their tools.
const MAX_BYTES: usize = 16 << 20;

/// How many of the newest messages are looked at: a turn adds one for each step.
const NEWEST: usize = 50;

/// The server of the OpenCode process that runs this MCP server.
#[derive(Debug)]
pub(super) struct OpenCodeServer {
    pid: u32,
}

impl OpenCodeServer {
    /// The process named in the environment.
    pub(super) fn from_env() -> Option<Self> {
        Some(Self { pid: std::env::var("OPENCODE_PID").ok()?.parse().ok()? })
    }

    /// Whether it accepts requests.
    pub(super) fn listens(&self) -> bool {
        !open_files::loopback_ports(self.pid).is_empty()
    }

    /// The session that is busy, if there is exactly one: the one that makes a call while it is asked.
    pub(super) async fn only_busy_session(&self) -> Option<ConversationId> {
        let status = self.request(Method::GET, "/session/status", None).await?;
        let mut sessions = status.as_object()?.iter().filter(|(_, status)| status["type"] == "busy");
        let (id, _) = sessions.next()?;
        if sessions.next().is_some() { None } else { id.parse().ok() }
    }

    /// Submits a prompt to a session. Returns the id of the last message before it.
    pub(super) async fn prompt(&self, session: &ConversationId, text: &str) -> Option<String> {
        let before = self.messages(session).await?;
        let last = before.last().and_then(id).unwrap_or_default().to_owned();
        let body = json!({ "parts": [{ "type": "text", "text": text }] });
        self.request(Method::POST, &format!("/session/{session}/prompt_async"), Some(body)).await?;
        Some(last)
    }

    /// Whether a prompt that was submitted after a message has got an answer, which the model began after it read it.
    pub(super) async fn has_answered(&self, session: &ConversationId, text: &str, after: &str) -> bool {
        let Some(messages) = self.messages(session).await else { return false };
        let shows = |message: &Value| {
            let parts = message["parts"].as_array();
            parts.is_some_and(|parts| parts.iter().any(|part| part["text"] == text))
        };
        let mut prompts = messages.iter().filter(|message| {
            message["info"]["role"] == "user" && id(message).is_some_and(|id| id > after) && shows(message)
        });
        prompts.any(|prompt| messages.iter().any(|answer| answer["info"]["parentID"] == prompt["info"]["id"]))
    }

    async fn messages(&self, session: &ConversationId) -> Option<Vec<Value>> {
        let path = format!("/session/{session}/message?limit={NEWEST}");
        match self.request(Method::GET, &path, None).await? {
            Value::Array(messages) => Some(messages),
            _ => None,
        }
    }

    async fn request(&self, method: Method, path: &str, body: Option<Value>) -> Option<Value> {
        let port = *open_files::loopback_ports(self.pid).first()?;
        tokio::time::timeout(TIMEOUT, self.exchange(port, method, path, body)).await.ok()?
    }

    /// Makes a request. An answer without content is null.
    async fn exchange(&self, port: u16, method: Method, path: &str, body: Option<Value>) -> Option<Value> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.ok()?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        let mut request =
            Request::builder().method(method).uri(path).header(HOST, format!("127.0.0.1:{port}"));
        if let Some(authorization) = self.authorization() {
            request = request.header(AUTHORIZATION, authorization);
        }
        let bytes = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        let request = request.header(CONTENT_TYPE, "application/json").body(Full::new(bytes)).ok()?;
        let answer = sender.send_request(request).await.ok()?;
        let is_success = answer.status().is_success();
        let content = Limited::new(answer.into_body(), MAX_BYTES).collect().await.ok()?.to_bytes();
        let value =
            if content.is_empty() { Some(Value::Null) } else { serde_json::from_slice(&content).ok() };
        value.filter(|_| is_success)
    }

    /// The header for a server with a password, which OpenCode has in its environment.
    fn authorization(&self) -> Option<String> {
        let bytes = std::fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        let environment = String::from_utf8_lossy(&bytes);
        let value = |name: &str| {
            environment.split('\0').find_map(|entry| entry.strip_prefix(name)?.strip_prefix('='))
        };
        let password = value("OPENCODE_SERVER_PASSWORD")?;
        let user = value("OPENCODE_SERVER_USERNAME").unwrap_or("opencode");
        Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))
    }
}

fn id(message: &Value) -> Option<&str> {
    message["info"]["id"].as_str()
}
