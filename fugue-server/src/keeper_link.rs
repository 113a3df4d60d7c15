//! The daemon's end of the link to the keeper: one task that sends orders and passes the keeper's messages on.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use fugue_keeper::{Link, Message, SpawnRequest};
use fugue_protocol::RunId;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;

/// Orders that may be queued for the keeper: more than all panes of a daemon send at once.
const QUEUE: usize = 8_192;

/// The delay before a retry when the kernel has too many descriptors in flight.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// An order to the keeper.
pub(crate) enum KeeperOrder {
    /// Start a program.
    Spawn(Box<SpawnRequest>),
    /// This file holds a snapshot of the screen at this offset of the output.
    Stored { run: RunId, offset: u64, snapshot: OwnedFd },
    /// Kill a run, if it is still alive, and forget it.
    Forget { run: RunId },
    /// Keep this listening socket for the next daemon.
    Listen { listener: OwnedFd },
    /// This daemon serves clients from now on.
    Serving,
}

/// A handle that sends orders to the keeper.
#[derive(Clone)]
pub(crate) struct KeeperHandle(mpsc::Sender<KeeperOrder>);

impl KeeperHandle {
    /// Queues an order. Returns it if the keeper is gone or the queue is full.
    pub(crate) fn send(&self, order: KeeperOrder) -> Result<(), KeeperOrder> {
        self.0.try_send(order).map_err(|failed| match failed {
            mpsc::error::TrySendError::Full(order) | mpsc::error::TrySendError::Closed(order) => order,
        })
    }
}

/// A message from the keeper, with the descriptors that came with it.
pub(crate) type KeeperMessage = (Message, Vec<OwnedFd>);

/// Starts the task. Messages go to `deliver`, `None` when the keeper is gone; it returns whether anyone still listens.
pub(crate) fn start<F, T>(link: Link, deliver: F) -> io::Result<KeeperHandle>
where
    F: Fn(Option<KeeperMessage>) -> T + 'static,
    T: Future<Output = bool> + 'static,
{
    let (handle, orders) = mpsc::channel(QUEUE);
    let ready = crate::fd_readiness::watch(link.as_fd(), Interest::READABLE | Interest::WRITABLE)?;
    tokio::task::spawn_local(serve(link, ready, orders, deliver));
    Ok(KeeperHandle(handle))
}

async fn serve<F, T>(link: Link, ready: AsyncFd<OwnedFd>, mut orders: mpsc::Receiver<KeeperOrder>, deliver: F)
where
    F: Fn(Option<KeeperMessage>) -> T,
    T: Future<Output = bool>,
{
    let mut unsent: VecDeque<KeeperOrder> = VecDeque::new();
    loop {
        tokio::select! {
            order = orders.recv() => match order {
                Some(order) => unsent.push_back(order),
                None => return,
            },
            readable = ready.readable() => {
                let Ok(mut readable) = readable else { return };
                match link.try_recv() {
                    Ok(Some(message)) => if !deliver(Some(message)).await { return },
                    Ok(None) => readable.clear_ready(),
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        tracing::warn!("Ignored an invalid message from the keeper: {error}");
                    }
                    Err(_) => { deliver(None).await; return }
                }
            }
            writable = ready.writable(), if !unsent.is_empty() => {
                let Ok(mut writable) = writable else { return };
                match send_all(&link, &mut unsent) {
                    SendProgress::Done => {}
                    SendProgress::Blocked => writable.clear_ready(),
                    SendProgress::TooManyInFlight => tokio::time::sleep(RETRY_DELAY).await,
                }
            }
        }
    }
}

enum SendProgress {
    Done,
    Blocked,
    TooManyInFlight,
}

/// Sends unsent orders, oldest first, until the link accepts no more.
fn send_all(link: &Link, unsent: &mut VecDeque<KeeperOrder>) -> SendProgress {
    while let Some(order) = unsent.front() {
        match send(link, order) {
            Ok(()) => drop(unsent.pop_front()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return SendProgress::Blocked,
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::TOOMANYREFS.raw_os_error()) => {
                return SendProgress::TooManyInFlight;
            }
            Err(error) => {
                tracing::warn!("Cannot send a request to the keeper: {error}");
                unsent.pop_front();
            }
        }
    }
    SendProgress::Done
}

fn send(link: &Link, order: &KeeperOrder) -> io::Result<()> {
    match order {
        KeeperOrder::Spawn(request) => link.send(&Message::Spawn((**request).clone()), &[]),
        KeeperOrder::Stored { run, offset, snapshot } => {
            link.send(&Message::Stored { pane: *run.as_bytes(), offset: *offset }, &[snapshot.as_fd()])
        }
        KeeperOrder::Forget { run } => link.send(&Message::Forget { pane: *run.as_bytes() }, &[]),
        KeeperOrder::Listen { listener } => link.send(&Message::Listen, &[listener.as_fd()]),
        KeeperOrder::Serving => link.send(&Message::Serving, &[]),
    }
}
