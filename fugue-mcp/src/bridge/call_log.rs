//! Log messages about calls, for clients that ask for them: with `logging/setLevel`, or since 2026-07-28 with a level in the
//! metadata of each request. Without that, nothing is sent. Arguments are not logged, because they may be secret.
#![expect(deprecated, reason = "logging is deprecated in 2026-07-28, but still a part of it")]

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResult, ErrorData, LoggingLevel, LoggingMessageNotificationParam, SetLevelRequestMethod,
    SetLevelRequestParams,
};
use rmcp::service::{Peer, RequestContext};

/// The least severe level that a client has asked for with `logging/setLevel`.
#[derive(Debug, Default)]
pub(super) struct LogLevel(Mutex<Option<LoggingLevel>>);

impl LogLevel {
    /// Sets the level. A client of 2026-07-28 states it in each request, and has no such method.
    pub(super) fn set(
        &self,
        request: &SetLevelRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if context.meta.protocol_version().is_some() {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    /// The level for a request.
    fn of(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        match context.meta.protocol_version() {
            Some(_) => context.meta.log_level(),
            None => *self.0.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// The log of one call.
#[derive(Debug, Clone)]
pub(super) struct CallLog {
    peer: Peer<RoleServer>,
    level: LoggingLevel,
    tool: String,
    since: Instant,
}

impl CallLog {
    /// Begins the log of a call, if the client has asked for it.
    pub(super) async fn begin(
        level: &LogLevel,
        tool: &str,
        context: &RequestContext<RoleServer>,
    ) -> Option<Self> {
        let (peer, level) = (context.peer.clone(), level.of(context)?);
        let log = Self { peer, level, tool: tool.to_owned(), since: Instant::now() };
        log.send(LoggingLevel::Debug, "called").await;
        Some(log)
    }

    /// Logs that the call is waiting.
    pub(super) async fn waiting(&self) {
        let text = format!("waiting, {} s", self.since.elapsed().as_secs());
        self.send(LoggingLevel::Debug, &text).await;
    }

    /// Logs the end of the call.
    pub(super) async fn end(&self, result: &Result<CallToolResult, ErrorData>) {
        let millis = self.since.elapsed().as_millis();
        match failure(result) {
            Some(why) => self.send(LoggingLevel::Warning, &format!("failed after {millis} ms: {why}")).await,
            // Some clients ask for `info` by themselves, and print it.
            None => self.send(LoggingLevel::Debug, &format!("done after {millis} ms")).await,
        }
    }

    async fn send(&self, level: LoggingLevel, text: &str) {
        if (level as u8) < (self.level as u8) {
            return;
        }
        let text = format!("{} {text}", self.tool);
        let message = LoggingMessageNotificationParam::new(level, text.into()).with_logger("fugue");
        // A client that is gone reads no log.
        let _ = self.peer.notify_logging_message(message).await;
    }
}

/// The first line of the error, if the call failed.
fn failure(result: &Result<CallToolResult, ErrorData>) -> Option<String> {
    let text = match result {
        Ok(result) if result.is_error == Some(true) => {
            result.content.first().and_then(|part| part.as_text()).map(|part| part.text.clone())?
        }
        Ok(_) => return None,
        Err(error) => error.message.clone().into_owned(),
    };
    text.lines().next().map(str::to_owned)
}
