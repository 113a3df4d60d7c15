//! Standard input and output as an rmcp transport, with what rmcp leaves to us: calls are numbered as they arrive, invalid
//! lines are answered with an error, batches are taken apart, and the end of the input is signalled at once.

use std::collections::{HashSet, VecDeque};
use std::io;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetExtensions, GetMeta,
    JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{Transport, stdio_pipes};
use serde_json::Value;
use tokio::sync::watch;

use super::batches::Batches;
use super::call_order::CallOrder;
use super::input_lines::{InputLine, InputLines};
use super::json_rpc::{self, ParsedLine};
use super::output_lines::{OutputLines, error_message};
use super::request_ids::RequestIds;

/// The stdio transport.
pub(super) struct Stdio {
    lines: InputLines,
    out: OutputLines,
    order: CallOrder,
    ids: RequestIds,
    batches: Batches,
    /// The messages of a batch that have not been handed on.
    queue: VecDeque<ClientJsonRpcMessage>,
    /// The protocol version of the conversation, once a client has opened it.
    version: Option<ProtocolVersion>,
    opened: bool,
    ended: watch::Sender<bool>,
}

impl Stdio {
    /// The transport over this process's pipes. It sets `ended` when the input ends.
    pub(super) fn new(ended: watch::Sender<bool>) -> Self {
        let (input, output) = stdio_pipes();
        Self {
            lines: InputLines::new(input),
            out: OutputLines::new(output),
            order: CallOrder::default(),
            ids: RequestIds::default(),
            batches: Batches::default(),
            queue: VecDeque::new(),
            version: None,
            opened: false,
            ended,
        }
    }

    /// Handles a line; what it asks for is added to the queue.
    fn accept(&mut self, line: InputLine) {
        let parsed = match line {
            InputLine::Complete(line) if self.version == Some(ProtocolVersion::V_2025_03_26) => {
                match json_rpc::parse_batch(&line) {
                    Some(batch) => return self.accept_batch(batch),
                    None => json_rpc::parse(&line),
                }
            }
            InputLine::Complete(line) => json_rpc::parse(&line),
            InputLine::TooLong(id) => json_rpc::too_long(id),
        };
        if let Some(answer) = self.accept_message(parsed) {
            self.answer(&answer);
        }
    }

    /// Handles the messages of a batch, whose answers are sent together.
    fn accept_batch(&mut self, messages: Vec<ParsedLine>) {
        let first = self.queue.len();
        let answers: Vec<_> =
            messages.into_iter().filter_map(|message| self.accept_message(message)).collect();
        let requests: HashSet<_> = self.queue.range(first..).filter_map(request_id).collect();
        if let Some(line) = self.batches.open(requests, answers) {
            self.answer(&line);
        }
    }

    /// Adds a valid message to the queue, and returns the error that answers an invalid one.
    fn accept_message(&mut self, message: ParsedLine) -> Option<Value> {
        let (id, error): (_, ErrorData) = match message {
            ParsedLine::Message(mut message) => match self.ids.record_incoming(&message) {
                Ok(()) => {
                    self.close_cancelled(&message);
                    if self.admit(&mut message) {
                        self.queue.push_back(*message);
                    }
                    return None;
                }
                Err(id) => (Some(id.clone()), json_rpc::duplicate_id(&id)),
            },
            ParsedLine::Ignored => return None,
            ParsedLine::Invalid(id, error) => (id, error),
        };
        Some(error_message(id, &error, self.version.as_ref()))
    }

    /// Gives a call its ticket, and returns whether the message may pass: until a client has opened the conversation,
    /// rmcp closes the connection over anything but a request.
    fn admit(&mut self, message: &mut ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else { return self.opened };
        if opens_stateless_conversation(&request.request) {
            self.opened = true;
            self.version.get_or_insert(ProtocolVersion::V_2026_07_28);
        }
        self.opened |= matches!(request.request, ClientRequest::InitializeRequest(_));
        if let ClientRequest::CallToolRequest(call) = &mut request.request {
            call.extensions_mut().insert(self.order.ticket());
        }
        true
    }

    /// A cancelled request gets no answer, so a batch must not wait for one.
    fn close_cancelled(&mut self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Notification(note) = message
            && let ClientNotification::CancelledNotification(cancelled) = &note.notification
            && let Some(id) = &cancelled.params.request_id
            && let Some(line) = self.batches.close(id, None)
        {
            self.answer(&line);
        }
    }

    /// Writes an answer that rmcp has no part in. Nobody waits for the write: `receive` may be cancelled at any time.
    fn answer(&self, answer: &Value) {
        drop(self.out.write(serde_json::to_vec(answer)));
    }

    /// The line to write for an outgoing message: itself, the batch that it completes, or none yet.
    fn outgoing(&mut self, message: &ServerJsonRpcMessage) -> Option<serde_json::Result<Vec<u8>>> {
        let Some(id) = answered_id(message).filter(|id| self.batches.contains(id)) else {
            return Some(serde_json::to_vec(message));
        };
        let batch = self.batches.close(id, serde_json::to_value(message).ok())?;
        Some(serde_json::to_vec(&batch))
    }
}

/// The id of a request.
fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    if let JsonRpcMessage::Request(request) = message { Some(request.id.clone()) } else { None }
}

/// The id of the request that a message answers.
fn answered_id(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(answer) => Some(&answer.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

/// Whether a request belongs to the protocol version that has no `initialize`.
fn opens_stateless_conversation(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_)
        | ClientRequest::DiscoverRequest(_)
        | ClientRequest::PingRequest(_) => false,
        other => other.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
    }
}

/// The version that an answer to `initialize` settles.
fn negotiated_version(message: &ServerJsonRpcMessage) -> Option<ProtocolVersion> {
    let JsonRpcMessage::Response(answer) = message else { return None };
    let ServerResult::InitializeResult(result) = &answer.result else { return None };
    Some(result.protocol_version.clone())
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.ids.record_outgoing(&message);
        if let Some(version) = negotiated_version(&message) {
            self.version = Some(version);
        }
        let written = self.outgoing(&message).map(|line| self.out.write(line));
        async move { if let Some(written) = written { written.await } else { Ok(()) } }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                return Some(message);
            }
            let Some(line) = self.lines.next().await else { break };
            self.accept(line);
        }
        let _ = self.ended.send(true);
        None
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        Ok(())
    }
}
