//! The last frame of a connection.

use std::time::Duration;

use fugue_protocol::refusal::Refused;
use fugue_protocol::{Refusal, messages};
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::task::JoinHandle;

/// How long the last frame of a connection may take; a peer that does not read it misses it.
const FINAL_FRAME_TIMEOUT: Duration = Duration::from_secs(2);

/// Sends a refusal that ends a connection, if the peer reads it in time.
pub(super) async fn send_refusal(socket: OwnedWriteHalf, refusal: &Refusal) {
    send(socket, &messages::refusal(None, &Refused::from(refusal))).await;
}

/// Sends the last frame of a connection.
pub(super) async fn send(mut socket: OwnedWriteHalf, frame: &[u8]) {
    let _ = tokio::time::timeout(FINAL_FRAME_TIMEOUT, socket.write_all(frame)).await;
}

/// Lets the writer finish the frame in progress, and sends the refusal that ends the connection.
pub(super) async fn finish(mut write_task: JoinHandle<OwnedWriteHalf>, refusal: Option<Refusal>) {
    match (tokio::time::timeout(FINAL_FRAME_TIMEOUT, &mut write_task).await, refusal) {
        (Ok(Ok(socket)), Some(refusal)) => send_refusal(socket, &refusal).await,
        (Ok(_), _) => {}
        (Err(_), _) => write_task.abort(),
    }
}
