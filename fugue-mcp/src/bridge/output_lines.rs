//! Standard output as lines, one message each.

use std::io;
use std::sync::Arc;

use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use rmcp::transport::StdioWriter;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;

/// Writes lines in the order in which the writes were begun.
pub(super) struct OutputLines(Arc<Mutex<StdioWriter>>);

impl OutputLines {
    pub(super) fn new(output: StdioWriter) -> Self {
        Self(Arc::new(Mutex::new(output)))
    }

    /// Writes a serialized message. The write is a task of its own, so that a caller that gives up leaves no half of a
    /// line.
    pub(super) fn write(
        &self,
        line: serde_json::Result<Vec<u8>>,
    ) -> impl Future<Output = io::Result<()>> + use<> {
        let output = Arc::clone(&self.0);
        let written = tokio::spawn(async move {
            let mut line = line?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        });
        async move { written.await.map_err(io::Error::other)? }
    }
}

/// An error as a message. Without a readable id, JSON-RPC wants `id: null`; MCP allows no null, and has left the field out
/// since 2025-11-25.
pub(super) fn error_message(
    id: Option<RequestId>,
    error: &ErrorData,
    version: Option<&ProtocolVersion>,
) -> Value {
    let omitted = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2025_11_25.as_str());
    match id {
        None if omitted => json!({ "jsonrpc": "2.0", "error": error }),
        id => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}
