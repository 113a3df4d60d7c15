//! The requests of sessions that are not answered yet. Two with the same id could not be told apart by their answers, and
//! rmcp would leave one of them without.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::BodyExt;
use hyper::HeaderMap;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};

use super::responses::HttpResponse;

/// A session and the id of a request in it.
type RequestKey = (Vec<u8>, RequestId);

/// The open requests. There are at most as many as connections.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenRequests(Arc<Mutex<HashSet<RequestKey>>>);

/// A request that is open until this is dropped.
#[derive(Debug)]
pub(super) struct OpenRequest {
    requests: OpenRequests,
    key: Option<RequestKey>,
}

impl OpenRequests {
    /// Records a message; fails with its id if a request in the same session has it.
    pub(super) fn open(
        &self,
        headers: &HeaderMap,
        message: &ClientJsonRpcMessage,
    ) -> Result<OpenRequest, RequestId> {
        let key = match (headers.get("mcp-session-id"), message) {
            (Some(session), JsonRpcMessage::Request(request)) => {
                Some((session.as_bytes().to_vec(), request.id.clone()))
            }
            _ => None,
        };
        match &key {
            Some(taken) if !self.keys().insert(taken.clone()) => Err(taken.1.clone()),
            _ => Ok(OpenRequest { requests: self.clone(), key }),
        }
    }

    fn keys(&self) -> MutexGuard<'_, HashSet<RequestKey>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenRequest {
    /// The response, with which the request ends: when its body has been sent, or the client has gone.
    pub(super) fn ends_with(self, response: HttpResponse) -> HttpResponse {
        response.map(|body| {
            let frames = body.map_frame(move |frame| {
                let _open = &self;
                frame
            });
            frames.boxed()
        })
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.requests.keys().remove(key);
        }
    }
}
