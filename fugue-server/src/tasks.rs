//! Tasks on the daemon's thread.

use std::pin::Pin;

use tokio::task::JoinHandle;

/// Spawns a task on the daemon's thread. It is boxed, so that tokio's part of a task is compiled once, not for each of
/// some forty kinds of tasks: that was a seventh of this crate's code.
pub(crate) fn spawn_local<R: 'static>(task: impl Future<Output = R> + 'static) -> JoinHandle<R> {
    let task: Pin<Box<dyn Future<Output = R>>> = Box::pin(task);
    tokio::task::spawn_local(task)
}
