//! The sessions of clients that begin with `initialize`, in a bounded number. (Clients of 2026-07-28 have none.)

use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId};

use super::limits::HttpLimits;

/// rmcp's sessions. A client that never says goodbye keeps its session, so the one that was unused for longest is closed
/// when there are too many; its client is told to begin again (404).
pub(super) struct BoundedSessions {
    sessions: LocalSessionManager,
    limit: usize,
    /// The ids of all sessions, the last used one last.
    by_use: Mutex<Vec<SessionId>>,
}

type Sessions = LocalSessionManager;
type SessionError = <Sessions as SessionManager>::Error;

impl BoundedSessions {
    pub(super) fn new(limits: HttpLimits) -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(limits.session_idle);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config = config;
        Self { sessions, limit: limits.sessions, by_use: Mutex::default() }
    }

    fn by_use(&self) -> MutexGuard<'_, Vec<SessionId>> {
        self.by_use.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a session is used; `create` adds it.
    fn touch(&self, id: &SessionId, create: bool) {
        let mut by_use = self.by_use();
        let known = by_use.iter().position(|known| known == id).map(|at| by_use.remove(at));
        by_use.extend(known.or_else(|| create.then(|| id.clone())));
    }

    /// The session that has to go before another one is created.
    fn surplus(&self) -> Option<SessionId> {
        let by_use = self.by_use();
        (by_use.len() >= self.limit).then(|| by_use.first().cloned()).flatten()
    }
}

impl SessionManager for BoundedSessions {
    type Error = SessionError;
    type Transport = <Sessions as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        while let Some(oldest) = self.surplus() {
            self.close_session(&oldest).await?;
        }
        let (id, transport) = self.sessions.create_session().await?;
        self.touch(&id, true);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        self.touch(id, false);
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        self.by_use().retain(|known| known != id);
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.sessions.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.sessions.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        self.sessions.resume(id, last_event_id).await
    }
}
