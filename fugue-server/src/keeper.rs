//! The daemon's end of the link to the keeper: one task that passes orders on and news back.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use fugue_keeper::{Link, Message, SpawnRequest};
use fugue_protocol::RunId;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::mpsc;

/// Orders that may wait for the keeper: more than all panes of a daemon give at once.
const ORDERS: usize = 8_192;

/// The kernel has too many descriptors in flight: so long until another try.
const CROWDED: Duration = Duration::from_millis(5);

/// A wish of the daemon's.
pub(crate) enum Order {
    /// Start a program.
    Spawn(Box<SpawnRequest>),
    /// The screen at this offset is in this file.
    Stored { run: RunId, offset: u64, snapshot: OwnedFd },
    /// A run is over and done with.
    Forget { run: RunId },
    /// The next daemon listens here.
    Listen { listener: OwnedFd },
}

/// Whoever holds this can give orders.
#[derive(Clone)]
pub(crate) struct Keeper(mpsc::Sender<Order>);

impl Keeper {
    /// Gives an order; gives it back if the keeper is gone or does not follow.
    pub(crate) fn order(&self, order: Order) -> Result<(), Order> {
        self.0.try_send(order).map_err(|failed| match failed {
            mpsc::error::TrySendError::Full(order) | mpsc::error::TrySendError::Closed(order) => order,
        })
    }
}

/// News of the keeper's.
pub(crate) type News = (Message, Vec<OwnedFd>);

/// Starts the task; news go to `tell`, which says whether anybody still listens.
pub(crate) fn link<F, T>(link: Link, tell: F) -> io::Result<Keeper>
where
    F: Fn(Option<News>) -> T + 'static,
    T: Future<Output = bool> + 'static,
{
    let (orders, desk) = mpsc::channel(ORDERS);
    let ready = crate::ready::watch(link.as_fd(), Interest::READABLE | Interest::WRITABLE)?;
    tokio::task::spawn_local(serve(link, ready, desk, tell));
    Ok(Keeper(orders))
}

async fn serve<F, T>(link: Link, ready: AsyncFd<OwnedFd>, mut desk: mpsc::Receiver<Order>, tell: F)
where
    F: Fn(Option<News>) -> T,
    T: Future<Output = bool>,
{
    let mut waiting: VecDeque<Order> = VecDeque::new();
    loop {
        tokio::select! {
            order = desk.recv() => match order {
                Some(order) => waiting.push_back(order),
                None => return,
            },
            readable = ready.readable() => {
                let Ok(mut readable) = readable else { return };
                match link.try_recv() {
                    Ok(Some(news)) => if !tell(Some(news)).await { return },
                    Ok(None) => readable.clear_ready(),
                    Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                        tracing::warn!("the keeper said something unreadable: {error}");
                    }
                    Err(_) => { tell(None).await; return }
                }
            }
            writable = ready.writable(), if !waiting.is_empty() => {
                let Ok(mut writable) = writable else { return };
                match pass_on(&link, &mut waiting) {
                    Passing::All => {}
                    Passing::Blocked => writable.clear_ready(),
                    Passing::Crowded => tokio::time::sleep(CROWDED).await,
                }
            }
        }
    }
}

enum Passing {
    All,
    Blocked,
    Crowded,
}

/// Passes on what waits, in order, as far as the link takes it.
fn pass_on(link: &Link, waiting: &mut VecDeque<Order>) -> Passing {
    while let Some(order) = waiting.front() {
        match send(link, order) {
            Ok(()) => drop(waiting.pop_front()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Passing::Blocked,
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::TOOMANYREFS.raw_os_error()) => {
                return Passing::Crowded;
            }
            Err(error) => {
                tracing::warn!("an order to the keeper was lost: {error}");
                waiting.pop_front();
            }
        }
    }
    Passing::All
}

fn send(link: &Link, order: &Order) -> io::Result<()> {
    match order {
        Order::Spawn(request) => link.send(&Message::Spawn((**request).clone()), &[]),
        Order::Stored { run, offset, snapshot } => {
            link.send(&Message::Stored { pane: *run.as_bytes(), offset: *offset }, &[snapshot.as_fd()])
        }
        Order::Forget { run } => link.send(&Message::Forget { pane: *run.as_bytes() }, &[]),
        Order::Listen { listener } => link.send(&Message::Listen, &[listener.as_fd()]),
    }
}
