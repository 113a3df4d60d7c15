//! The life of an HTTP request: its token and its body are checked, and rmcp does the rest with the same handlers as on
//! standard input.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::Semaphore;

use super::limits::HttpLimits;
use super::open_requests::OpenRequests;
use super::responses::{self, HttpResponse};
use super::sessions::BoundedSessions;
use super::token::Token;
use crate::bridge::Bridge;
use crate::bridge::json_rpc::{self, ParsedLine};

/// The path at which MCP is served.
pub(super) const PATH: &str = "/mcp";

/// Bodies up to this size do not count as large: all connections together can send that much.
const SMALL_BODY: u64 = 64 << 10;

/// What is served at the address.
pub(super) struct HttpEndpoint {
    service: StreamableHttpService<Bridge, BoundedSessions>,
    token: Token,
    pub(super) limits: HttpLimits,
    large_bodies: Semaphore,
    open: OpenRequests,
}

impl HttpEndpoint {
    pub(super) fn new(bridge: Bridge, token: Token, address: SocketAddr, limits: HttpLimits) -> Self {
        let new_bridge = move || Ok(bridge.for_another_client());
        let sessions = Arc::new(BoundedSessions::new(limits));
        let service = StreamableHttpService::new(new_bridge, sessions, config(address, limits));
        Self {
            service,
            token,
            limits,
            large_bodies: Semaphore::new(limits.large_bodies),
            open: OpenRequests::default(),
        }
    }

    /// Whether a request shows the token.
    pub(super) fn fits_token<B>(&self, request: &Request<B>) -> bool {
        let token = request.headers().get(AUTHORIZATION);
        token.is_some_and(|token| self.token.fits(token.as_bytes()))
    }

    /// Answers a request.
    pub(super) async fn respond(&self, request: Request<Incoming>) -> HttpResponse {
        if !self.fits_token(&request) {
            return responses::unauthorized();
        }
        if request.uri().path() != PATH {
            return responses::text(StatusCode::NOT_FOUND, "Not found: MCP is served at /mcp");
        }
        match *request.method() {
            Method::POST => self.post(request).await.unwrap_or_else(|refusal| *refusal),
            Method::DELETE => with_no_content(self.service.handle(request).await),
            _ => self.service.handle(request).await,
        }
    }

    /// Handles a message. rmcp rejects messages it cannot parse without saying what is wrong, so they do not get there.
    async fn post(&self, request: Request<Incoming>) -> Result<HttpResponse, Box<HttpResponse>> {
        let (parts, body) = request.into_parts();
        let body = self.read(body).await?;
        match json_rpc::parse(&body) {
            ParsedLine::Message(message) => Ok(self.serve(parts, body, &message).await),
            ParsedLine::Ignored => Ok(responses::accepted()),
            ParsedLine::Invalid(id, error) => {
                let not_found = error.code == ErrorCode::METHOD_NOT_FOUND;
                let status = if not_found { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
                Ok(responses::json_rpc_error(status, id, error))
            }
        }
    }

    /// Hands a valid message to rmcp, unless its id is in use.
    async fn serve(&self, parts: Parts, body: Bytes, message: &ClientJsonRpcMessage) -> HttpResponse {
        match self.open.open(&parts.headers, message) {
            Ok(open) => {
                let request = Request::from_parts(parts, Full::new(body));
                open.ends_with(self.service.handle(request).await)
            }
            Err(id) => {
                let error = json_rpc::duplicate_id(&id);
                responses::json_rpc_error(StatusCode::BAD_REQUEST, Some(id), error)
            }
        }
    }

    /// Reads a body.
    async fn read(&self, body: Incoming) -> Result<Bytes, Box<HttpResponse>> {
        let is_small = body.size_hint().upper().is_some_and(|size| size <= SMALL_BODY);
        let read = async {
            let _permit = if is_small { None } else { Some(self.large_bodies.acquire().await) };
            Limited::new(body, self.limits.body_bytes).collect().await
        };
        match tokio::time::timeout(self.limits.body, read).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Box::new(too_large())),
            Ok(Err(_)) => Err(Box::new(responses::text(StatusCode::BAD_REQUEST, "The body is incomplete"))),
            Err(_) => {
                Err(Box::new(responses::text(StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time")))
            }
        }
    }
}

/// The end of a session is 204: rmcp answers 202, which the Python SDK reports as a failure.
fn with_no_content(mut response: HttpResponse) -> HttpResponse {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

fn too_large() -> HttpResponse {
    let error = ErrorData::invalid_request("The message exceeds the limit of 16 MiB", None);
    responses::json_rpc_error(StatusCode::PAYLOAD_TOO_LARGE, None, error)
}

/// rmcp's settings. Only names of this machine are accepted in `Host` and `Origin`, so a web page whose name was made to
/// point here gets nothing.
fn config(address: SocketAddr, limits: HttpLimits) -> StreamableHttpServerConfig {
    let ip = address.ip();
    let hosts = ["localhost".to_owned(), "127.0.0.1".into(), "::1".into(), ip.to_string()];
    let bracketed = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
    let names = ["localhost".to_owned(), "127.0.0.1".into(), "[::1]".into(), bracketed];
    let origins =
        names.iter().flat_map(|name| ["http", "https"].map(|scheme| format!("{scheme}://{name}:*")));
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(limits.body_bytes)
}
