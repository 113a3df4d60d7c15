//! The connections of HTTP clients, in a bounded number.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::endpoint::Endpoint;

/// The size of a request's head: more than any client sends, and not so much that all connections together matter.
const MAX_HEAD: usize = 64 << 10;

/// The pause after a failed `accept`: it fails for want of descriptors, which others have to give back.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The response to a connection beyond the limit.
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n\
    Content-Type: text/plain\r\nContent-Length: 21\r\n\r\nToo many connections\n";

/// Serves every connection until the process ends.
pub(super) async fn accept_all(listener: TcpListener, endpoint: Arc<Endpoint>) {
    let permits = Arc::new(Semaphore::new(endpoint.limits.connections));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        match Arc::clone(&permits).try_acquire_owned() {
            Ok(permit) => drop(tokio::spawn(serve(stream, Arc::clone(&endpoint), permit))),
            Err(_) => drop(tokio::spawn(refuse(stream))),
        }
    }
}

async fn serve(stream: TcpStream, endpoint: Arc<Endpoint>, _permit: OwnedSemaphorePermit) {
    // Replies are small and awaited.
    let _ = stream.set_nodelay(true);
    let head = endpoint.limits.head;
    let respond = service_fn(move |request| {
        let endpoint = Arc::clone(&endpoint);
        async move { Ok::<_, Infallible>(endpoint.respond(request).await) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(MAX_HEAD);
    // A connection that fails is the client's to open again.
    let _ = server.serve_connection(TokioIo::new(stream), respond).await;
}

/// Tells a client that there are too many. The write does not wait: the socket's buffer is empty.
async fn refuse(mut stream: TcpStream) {
    let _ = stream.write_all(BUSY).await;
    let _ = stream.shutdown().await;
}
