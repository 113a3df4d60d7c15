//! The connections of HTTP clients, in a bounded number.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::connection_table::{ConnectionPlace, HttpConnections, evicted};
use super::endpoint::HttpEndpoint;

/// The size of a request's head: more than any client sends, and not so much that all connections together matter.
const MAX_HEAD: usize = 64 << 10;

/// The pause after a failed `accept`: it fails for want of descriptors, which others have to give back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The response to a connection beyond the limit.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\
    Content-Type: text/plain\r\nContent-Length: 21\r\n\r\nToo many connections\n";

/// Serves every connection until the process ends.
pub(super) async fn accept_all(listener: TcpListener, endpoint: Arc<HttpEndpoint>) {
    let table = HttpConnections::new(endpoint.limits.connections);
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        match table.admit() {
            Some((place, closed)) => drop(tokio::spawn(serve(stream, Arc::clone(&endpoint), place, closed))),
            None => drop(tokio::spawn(refuse(stream))),
        }
    }
}

async fn serve(
    stream: TcpStream,
    endpoint: Arc<HttpEndpoint>,
    place: ConnectionPlace,
    closed: oneshot::Receiver<()>,
) {
    // Replies are small and awaited.
    let _ = stream.set_nodelay(true);
    let head = endpoint.limits.head;
    let place = &place;
    let respond = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move {
            if endpoint.fits_token(&request) {
                place.keep();
            }
            Ok::<_, Infallible>(endpoint.respond(request).await)
        }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(head).max_header_size(MAX_HEAD);
    tokio::select! {
        // A connection that fails is the client's to open again.
        _ = server.serve_connection(TokioIo::new(stream), respond) => {}
        () = evicted(closed, place) => {}
    }
}

/// Tells a client that there are too many. The write does not wait: the socket's buffer is empty.
async fn refuse(mut stream: TcpStream) {
    let _ = stream.write_all(BUSY).await;
    let _ = stream.shutdown().await;
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::sync::watch;

    use super::super::limits::HttpLimits;
    use super::super::token::Token;
    use super::*;
    use crate::bridge::Bridge;
    use crate::profiles::ToolProfile;

    /// A server with these limits, and a connection to it on which this was sent.
    async fn connection(limits: HttpLimits, sent: &str) -> TcpStream {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let token = Token::checked("0123456789abcdef", "the test").expect("a token");
        let bridge = Bridge::new(
            fugue_client::DaemonName::default(),
            ToolProfile::default(),
            false,
            watch::channel(false).1,
        );
        let endpoint = Arc::new(HttpEndpoint::new(bridge, token, address, limits));
        tokio::spawn(accept_all(listener, endpoint));
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream.write_all(sent.as_bytes()).await.expect("it reads");
        stream
    }

    #[tokio::test]
    async fn idle_connections_without_the_token_do_not_lock_out_a_client_that_has_it() {
        let limits = HttpLimits { connections: 2, ..HttpLimits::default() };
        let first = connection(limits, "").await;
        let address = first.peer_addr().expect("an address");
        let mut idle = vec![first];
        for _ in 0..4 {
            idle.push(TcpStream::connect(address).await.expect("it listens"));
        }
        let mut client = TcpStream::connect(address).await.expect("it listens");
        let request = "GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                       Authorization: Bearer 0123456789abcdef\r\n\r\n";
        client.write_all(request.as_bytes()).await.expect("it reads");
        assert!(received(client).await.starts_with("HTTP/1.1 404 "), "it has got in");
        assert_eq!(received(idle.swap_remove(0)).await, "", "the oldest was closed");
    }

    /// Everything that the server sends before it closes the connection.
    async fn received(mut stream: TcpStream) -> String {
        let mut received = String::new();
        let _ = stream.read_to_string(&mut received).await;
        received
    }

    #[tokio::test]
    async fn a_connection_without_a_complete_head_is_closed() {
        let limits = HttpLimits { head: Duration::from_millis(50), ..HttpLimits::default() };
        for sent in ["", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"] {
            assert_eq!(received(connection(limits, sent).await).await, "", "{sent}");
        }
        // A response in progress takes as long as it likes; between requests, the time counts again.
        let whole = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
        assert!(received(connection(limits, whole).await).await.starts_with("HTTP/1.1 401 "));
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive_is_given_up() {
        let limits = HttpLimits { body: Duration::from_millis(50), ..HttpLimits::default() };
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n";
        let part = format!("{head}Content-Length: 100\r\n\r\n{{");
        assert!(received(connection(limits, &part).await).await.starts_with("HTTP/1.1 408 "));
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n1\r\n{{\r\n");
        assert!(received(connection(limits, &chunked).await).await.starts_with("HTTP/1.1 408 "));
    }

    #[tokio::test]
    async fn a_head_above_the_size_limit_is_refused() {
        let limits = HttpLimits { head: Duration::from_millis(500), ..HttpLimits::default() };
        let (start, end) = ("GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ", "\r\n\r\n");
        let head = |size: usize| format!("{start}{}{end}", "x".repeat(size - start.len() - end.len()));
        assert!(received(connection(limits, &head(MAX_HEAD)).await).await.starts_with("HTTP/1.1 401 "));
        assert!(received(connection(limits, &head(MAX_HEAD + 1)).await).await.starts_with("HTTP/1.1 431 "));
    }
}
