//! Standard input and output as rmcp's transport, with what rmcp leaves to us: calls are numbered as they arrive, what
//! cannot be read is refused, and the end of the input is told at once.

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

use super::envelope::{self, Judged};
use super::ids::Ids;
use super::lines::{Line, Lines};
use super::order::Order;

/// The transport.
pub(super) struct Stdio {
    lines: Lines,
    /// The way out; it reads nothing.
    out: AsyncRwTransport<RoleServer, Empty, StdioWriter>,
    order: Order,
    ids: Ids,
    opened: bool,
    ended: watch::Sender<bool>,
}

impl Stdio {
    /// The process's own; the other end of `ended` hears when the input is over.
    pub(super) fn new(ended: watch::Sender<bool>) -> Self {
        let (input, output) = stdio_pipes();
        let out = AsyncRwTransport::new(tokio::io::empty(), output);
        Self {
            lines: Lines::new(input),
            out,
            order: Order::default(),
            ids: Ids::default(),
            opened: false,
            ended,
        }
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

    /// Answers what is not passed on. On its own, since whoever receives may be called away at any time.
    fn refuse(&mut self, id: Option<RequestId>, why: ErrorData) {
        drop(tokio::spawn(self.out.send(JsonRpcMessage::error(why, id))));
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
        self.ids.went(&message);
        self.out.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while let Some(line) = self.lines.next().await {
            let judged = match line {
                Line::Whole(line) => envelope::judged(&line),
                Line::TooLong => envelope::too_long(),
            };
            match judged {
                Judged::Message(mut message) => match self.ids.came(&message) {
                    Ok(()) if self.note(&mut message) => return Some(*message),
                    Ok(()) => {}
                    Err(id) => self.refuse(Some(id.clone()), envelope::taken(&id)),
                },
                Judged::Nothing => {}
                Judged::Refused(id, why) => self.refuse(id, why),
            }
        }
        let _ = self.ended.send(true);
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.out.close().await
    }
}
