//! SIGTERM, which every process gets when the machine shuts down: the daemon saves all screens before it ends.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use tokio::io::Interest;

use crate::fd_readiness;
use crate::session::{ManagerInput, ManagerTx};

/// Tells the manager when the daemon is asked to terminate.
pub(crate) async fn watch(manager: ManagerTx) {
    let Ok((receiver, sender)) = UnixStream::pair() else { return };
    if let Err(why) = signal_hook::low_level::pipe::register(signal_hook::consts::SIGTERM, sender) {
        return tracing::warn!("Cannot handle SIGTERM; screens are saved only periodically: {why}");
    }
    let Ok(ready) = fd_readiness::watch(receiver.as_fd(), Interest::READABLE) else { return };
    if ready.readable().await.is_ok() {
        let _ = manager.send(ManagerInput::Terminated).await;
    }
}
