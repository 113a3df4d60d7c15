//! The ids of requests in progress. Two requests with the same id could not be told apart by their answers, and rmcp
//! would answer only one of them.

use std::collections::{HashSet, VecDeque};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

/// How many cancelled ids stay reserved: a cancelled request may still be answered for a moment, and this is more than a
/// client cancels in that time.
const RESERVED: usize = 256;

/// The ids that a new request must not use.
#[derive(Debug, Default)]
pub(super) struct RequestIds {
    in_progress: HashSet<RequestId>,
    /// The ids of cancelled requests, oldest first. rmcp does not report when it drops their answers.
    cancelled: VecDeque<RequestId>,
}

impl RequestIds {
    /// Records an incoming message. Fails with the id if a request uses one that is taken.
    pub(super) fn record_incoming(
        &mut self,
        message: &RxJsonRpcMessage<RoleServer>,
    ) -> Result<(), RequestId> {
        match message {
            JsonRpcMessage::Request(request) => self.begin(&request.id),
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.cancel(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Records an outgoing message: an answer frees its id.
    pub(super) fn record_outgoing(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let id = match message {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.in_progress.remove(id);
        }
    }

    fn begin(&mut self, id: &RequestId) -> Result<(), RequestId> {
        let free = !self.cancelled.contains(id) && self.in_progress.insert(id.clone());
        if free { Ok(()) } else { Err(id.clone()) }
    }

    fn cancel(&mut self, id: &RequestId) {
        if self.in_progress.remove(id) {
            self.cancelled.push_back(id.clone());
            if self.cancelled.len() > RESERVED {
                self.cancelled.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(ids: &mut RequestIds, message: serde_json::Value) -> bool {
        ids.record_incoming(&serde_json::from_value(message).expect("a message")).is_ok()
    }

    fn request(ids: &mut RequestIds, id: u64) -> bool {
        record(ids, json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))
    }

    fn cancel(ids: &mut RequestIds, id: u64) {
        let params = json!({ "requestId": id });
        record(ids, json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }

    #[test]
    fn an_id_can_be_reused_once_its_request_is_answered() {
        let mut ids = RequestIds::default();
        assert!(request(&mut ids, 1) && request(&mut ids, 2));
        assert!(!request(&mut ids, 1), "it is in progress");
        let error = rmcp::model::ErrorData::internal_error("x", None);
        ids.record_outgoing(&JsonRpcMessage::error(error, Some(RequestId::Number(1))));
        assert!(request(&mut ids, 1) && !request(&mut ids, 2));
    }

    #[test]
    fn a_cancelled_id_can_be_reused_after_enough_other_cancellations() {
        let mut ids = RequestIds::default();
        assert!(request(&mut ids, 0));
        cancel(&mut ids, 0);
        for id in 1..=RESERVED as u64 {
            assert!(!request(&mut ids, 0), "it may still be answered");
            assert!(request(&mut ids, id));
            cancel(&mut ids, id);
        }
        assert!(request(&mut ids, 0));
        cancel(&mut ids, 7_000);
        assert_eq!(ids.cancelled.len(), RESERVED, "an unknown id cannot be cancelled");
    }
}
