//! Standard input and output as rmcp's transport, with what rmcp leaves to us: calls are numbered as they arrive, and
//! the end of the input is told at once.

use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, ProtocolVersion,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use tokio::sync::watch;

use super::order::Order;

/// The transport.
pub(super) struct Stdio {
    lines: AsyncRwTransport<RoleServer, StdioReader, StdioWriter>,
    order: Order,
    opened: bool,
    ended: watch::Sender<bool>,
}

impl Stdio {
    /// The process's own; the other end of `ended` hears when the input is over.
    pub(super) fn new(ended: watch::Sender<bool>) -> Self {
        let (input, output) = stdio_pipes();
        Self { lines: AsyncRwTransport::new(input, output), order: Order::default(), opened: false, ended }
    }

    /// Numbers a call, and says whether the message may pass: before a client has opened the conversation, rmcp takes
    /// anything but a request for a reason to end it.
    fn note(&mut self, message: &mut ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.opened };
        self.opened |= opens(&request.request);
        if let ClientRequest::CallToolRequest(call) = &mut request.request {
            call.extensions_mut().insert(self.order.ticket());
        }
        true
    }
}

/// An `initialize`, or a request of the era without one.
fn opens(request: &ClientRequest) -> bool {
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
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while let Some(mut message) = self.lines.receive().await {
            if self.note(&mut message) {
                return Some(message);
            }
        }
        let _ = self.ended.send(true);
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.lines.close().await
    }
}
