//! The responses that rmcp has no part in.

use std::convert::Infallible;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use rmcp::model::{ErrorData, JsonRpcError, RequestId};

/// A response, as rmcp writes them.
pub(super) type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// The response to a client that has no token.
pub(super) fn unauthorized() -> HttpResponse {
    let why = "Unauthorized: send the header `Authorization: Bearer TOKEN`; `fugue mcp --http` prints the token's path";
    let mut response = text(StatusCode::UNAUTHORIZED, why);
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"fugue\""));
    response
}

/// A response in one sentence.
pub(super) fn text(status: StatusCode, why: &str) -> HttpResponse {
    with_body(status, "text/plain; charset=utf-8", format!("{why}\n").into())
}

/// The response to a message that expects no answer.
pub(super) fn accepted() -> HttpResponse {
    let mut response = Response::new(Empty::new().boxed());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// The response to an invalid message.
pub(super) fn json_rpc_error(status: StatusCode, id: Option<RequestId>, error: ErrorData) -> HttpResponse {
    let body = serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default();
    with_body(status, "application/json", body.into())
}

fn with_body(status: StatusCode, kind: &'static str, body: Bytes) -> HttpResponse {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
