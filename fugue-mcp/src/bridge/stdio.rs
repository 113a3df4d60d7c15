//! Standard input and output as an rmcp transport, with what rmcp leaves to us: calls are numbered as they arrive, invalid
//! lines are answered with an error, and the end of the input is signalled at once.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions, GetMeta, JsonRpcMessage, ProtocolVersion,
    RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioWriter, Transport, stdio_pipes};
use tokio::io::Empty;
use tokio::sync::watch;

use super::call_order::CallOrder;
use super::input_lines::{InputLine, InputLines};
use super::json_rpc::{self, ParsedLine};
use super::request_ids::RequestIds;

/// The stdio transport.
pub(super) struct Stdio {
    lines: InputLines,
    /// Writes to standard output; its input half is unused.
    out: AsyncRwTransport<RoleServer, Empty, StdioWriter>,
    order: CallOrder,
    ids: RequestIds,
    opened: bool,
    ended: watch::Sender<bool>,
}

impl Stdio {
    /// The transport over this process's pipes. It sets `ended` when the input ends.
    pub(super) fn new(ended: watch::Sender<bool>) -> Self {
        let (input, output) = stdio_pipes();
        let out = AsyncRwTransport::new(tokio::io::empty(), output);
        Self {
            lines: InputLines::new(input),
            out,
            order: CallOrder::default(),
            ids: RequestIds::default(),
            opened: false,
            ended,
        }
    }

    /// Gives a call its ticket, and returns whether the message may pass: until a client has opened the conversation,
    /// rmcp closes the connection over anything but a request.
    fn admit(&mut self, message: &mut ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.opened };
        self.opened |= opens_conversation(&request.request);
        if let ClientRequest::CallToolRequest(call) = &mut request.request {
            call.extensions_mut().insert(self.order.ticket());
        }
        true
    }

    /// Answers an invalid request. The send runs in a task of its own, because `receive` may be cancelled at any time.
    fn reject(&mut self, id: Option<RequestId>, error: ErrorData) {
        drop(tokio::spawn(self.out.send(JsonRpcMessage::error(error, id))));
    }
}

/// Whether a request is an `initialize`, or belongs to the protocol version that has none.
fn opens_conversation(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
        other => other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.ids.record_outgoing(&message);
        self.out.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while let Some(line) = self.lines.next().await {
            let parsed = match line {
                InputLine::Complete(line) => json_rpc::parse(&line),
                InputLine::TooLong => json_rpc::too_long(),
            };
            match parsed {
                ParsedLine::Message(mut message) => match self.ids.record_incoming(&message) {
                    Ok(()) if self.admit(&mut message) => return Some(*message),
                    Ok(()) => {}
                    Err(id) => self.reject(Some(id.clone()), json_rpc::duplicate_id(&id)),
                },
                ParsedLine::Ignored => {}
                ParsedLine::Invalid(id, error) => self.reject(id, error),
            }
        }
        let _ = self.ended.send(true);
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.out.close().await
    }
}
