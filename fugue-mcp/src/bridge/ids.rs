//! The ids of requests under way. Two with the same could not be told apart in their answers, and the library would
//! answer one of them alone.

use std::collections::{HashSet, VecDeque};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};

/// What was taken back may still be answered for a moment. More than a client takes back in one.
const TAKEN_BACK: usize = 256;

/// The ids that cannot be given to another request now.
#[derive(Debug, Default)]
pub(super) struct Ids {
    under_way: HashSet<RequestId>,
    /// The library says nothing when it drops their answers; the oldest are forgotten.
    taken_back: VecDeque<RequestId>,
}

impl Ids {
    /// Notes what came in. The id of a request that has another's is given back.
    pub(super) fn came(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> Result<(), RequestId> {
        match message {
            JsonRpcMessage::Request(request) => self.begin(&request.id),
            JsonRpcMessage::Notification(note) => {
                if let ClientNotification::CancelledNotification(cancelled) = &note.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.take_back(id);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Notes what goes out.
    pub(super) fn went(&mut self, message: &TxJsonRpcMessage<RoleServer>) {
        let id = match message {
            JsonRpcMessage::Response(answer) => Some(&answer.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.under_way.remove(id);
        }
    }

    fn begin(&mut self, id: &RequestId) -> Result<(), RequestId> {
        let free = !self.taken_back.contains(id) && self.under_way.insert(id.clone());
        if free { Ok(()) } else { Err(id.clone()) }
    }

    fn take_back(&mut self, id: &RequestId) {
        if self.under_way.remove(id) {
            self.taken_back.push_back(id.clone());
            if self.taken_back.len() > TAKEN_BACK {
                self.taken_back.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn comes(ids: &mut Ids, message: serde_json::Value) -> bool {
        ids.came(&serde_json::from_value(message).expect("a message")).is_ok()
    }

    fn asks(ids: &mut Ids, id: u64) -> bool {
        comes(ids, json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }))
    }

    fn cancels(ids: &mut Ids, id: u64) {
        let params = json!({ "requestId": id });
        comes(ids, json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }

    #[test]
    fn an_id_is_free_again_when_its_request_is_answered() {
        let mut ids = Ids::default();
        assert!(asks(&mut ids, 1) && asks(&mut ids, 2));
        assert!(!asks(&mut ids, 1), "it is under way");
        let gone = rmcp::model::ErrorData::internal_error("x", None);
        ids.went(&JsonRpcMessage::error(gone, Some(RequestId::Number(1))));
        assert!(asks(&mut ids, 1) && !asks(&mut ids, 2));
    }

    #[test]
    fn an_id_that_was_taken_back_is_another_requests_only_after_as_many_as_the_bound() {
        let mut ids = Ids::default();
        assert!(asks(&mut ids, 0));
        cancels(&mut ids, 0);
        for id in 1..=TAKEN_BACK as u64 {
            assert!(!asks(&mut ids, 0), "an answer to it may still come");
            assert!(asks(&mut ids, id));
            cancels(&mut ids, id);
        }
        assert!(asks(&mut ids, 0));
        cancels(&mut ids, 7_000);
        assert_eq!(ids.taken_back.len(), TAKEN_BACK, "what nobody asked cannot be taken back");
    }
}
