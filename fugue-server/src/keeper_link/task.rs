//! The task that sends orders to the keeper and receives its messages.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use fugue_keeper::{InstanceLock, KeeperWatch, Link, Message, PaneFds, Pump, SpawnStage};
use fugue_protocol::RunId;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot};

use super::held_programs::HeldPrograms;
use super::succession::SuccessorCommand;
use super::{KeeperConnection, KeeperEvent, KeeperOrder};

/// The delay before a retry when the kernel has too many descriptors in flight.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// The task.
pub(super) struct KeeperTask<F> {
    pub(super) link: Link,
    pub(super) ready: AsyncFd<OwnedFd>,
    /// The keeper's process; none until a successor holds everything.
    pub(super) keeper: Option<KeeperWatch>,
    pub(super) listener: OwnedFd,
    /// The lock on the state directory, which a successor gets.
    pub(super) lock: InstanceLock,
    pub(super) successor: SuccessorCommand,
    pub(super) held: HeldPrograms,
    /// Bounded by the programs: each has at most one order of a kind in it.
    pub(super) unsent: VecDeque<UnsentOrder>,
    pub(super) orders: mpsc::Receiver<KeeperOrder>,
    pub(super) deliver: F,
    /// The number of successors that were started since one held everything.
    pub(super) failures: u32,
    /// The other sides of terminals, held while no keeper does it: a program may close its own for a while.
    pub(super) terminals: Vec<OwnedFd>,
    /// Whether the keeper was ordered to exit.
    pub(super) is_shut_down: bool,
    /// The version of the keeper's messages.
    pub(super) keeper_version: u16,
    /// The request to upgrade the keeper that is in progress.
    pub(super) upgrade: Option<oneshot::Sender<Result<(), String>>>,
}

/// An order that the link has not taken yet. Its content is in `HeldPrograms`, so that the newest is sent.
pub(super) enum UnsentOrder {
    Adopt(RunId),
    Terminate(RunId),
    AdoptionEnd,
    Spawn(RunId),
    Stored(RunId),
    Forget(RunId),
    Listen,
    Serving,
    /// The command line of the new keeper.
    Upgrade(Vec<PathBuf>),
    Shutdown {
        _sent: oneshot::Sender<()>,
    },
}

/// How a wait for the next event ended.
pub(super) enum Progress {
    Continue,
    /// The keeper closed the link.
    LinkClosed,
    /// Nobody listens to this task any more.
    Stop,
}

impl<F, T> KeeperTask<F>
where
    F: Fn(KeeperEvent) -> T,
    T: Future<Output = bool>,
{
    pub(super) fn new(
        connection: KeeperConnection,
        held: HeldPrograms,
        orders: mpsc::Receiver<KeeperOrder>,
        deliver: F,
    ) -> io::Result<Self> {
        let KeeperConnection { link, keeper, version, listener, lock, successor } = connection;
        Ok(Self {
            ready: watch(&link)?,
            link,
            keeper: Some(keeper),
            listener,
            lock,
            successor,
            held,
            unsent: VecDeque::new(),
            orders,
            deliver,
            failures: 0,
            terminals: Vec::new(),
            is_shut_down: false,
            keeper_version: version,
            upgrade: None,
        })
    }

    pub(super) async fn serve(mut self) {
        loop {
            let go_on = match self.next().await {
                Progress::Continue => true,
                Progress::LinkClosed => self.replace_keeper().await,
                Progress::Stop => false,
            };
            if !go_on {
                return;
            }
        }
    }

    async fn next(&mut self) -> Progress {
        let received = tokio::select! {
            order = self.orders.recv() => return match order {
                Some(order) => self.queue(order).await,
                None => Progress::Stop,
            },
            readable = self.ready.readable() => {
                let Ok(mut readable) = readable else { return Progress::Stop };
                let received = self.link.try_recv();
                if matches!(received, Ok(None)) {
                    readable.clear_ready();
                }
                received
            }
            writable = self.ready.writable(), if !self.unsent.is_empty() => {
                let Ok(mut writable) = writable else { return Progress::Stop };
                match send_all(&self.link, &mut self.held, &self.listener, &mut self.unsent) {
                    SendProgress::Done => {}
                    SendProgress::Blocked => writable.clear_ready(),
                    SendProgress::TooManyInFlight => tokio::time::sleep(RETRY_DELAY).await,
                    SendProgress::Failed(order, why) => return self.drop_order(&order, why).await,
                }
                return Progress::Continue;
            }
        };
        match received {
            Ok(Some((message, fds))) => self.receive(message, fds).await,
            Ok(None) => Progress::Continue,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                tracing::warn!("Ignored an invalid message from the keeper: {error}");
                Progress::Continue
            }
            Err(_) => Progress::LinkClosed,
        }
    }

    /// Queues an order for the keeper.
    pub(super) async fn queue(&mut self, order: KeeperOrder) -> Progress {
        let unsent = match order {
            KeeperOrder::Spawn(request) => {
                let run = RunId::from_bytes(request.pane);
                if let Err(why) = self.held.expect(run, request) {
                    let failed = KeeperEvent::SpawnFailed { run, stage: SpawnStage::Limit, why };
                    return self.deliver(failed).await;
                }
                Some(UnsentOrder::Spawn(run))
            }
            KeeperOrder::Stored { run, offset, snapshot } => {
                self.held.store(run, offset, snapshot).then_some(UnsentOrder::Stored(run))
            }
            KeeperOrder::Forget { run } => {
                self.held.drop_program(run);
                Some(UnsentOrder::Forget(run))
            }
            KeeperOrder::Listen { listener } => {
                self.listener = listener;
                Some(UnsentOrder::Listen)
            }
            KeeperOrder::Serving => Some(UnsentOrder::Serving),
            KeeperOrder::Upgrade { binary, done } => self.begin_upgrade(binary, done),
            KeeperOrder::Shutdown { _sent } => {
                self.is_shut_down = true;
                Some(UnsentOrder::Shutdown { _sent })
            }
        };
        self.unsent.extend(unsent);
        Progress::Continue
    }

    /// Drops an order that cannot be sent. Somebody waits for the answer to a spawn.
    async fn drop_order(&mut self, order: &UnsentOrder, why: io::Error) -> Progress {
        tracing::warn!("Cannot send a request to the keeper: {why}");
        let UnsentOrder::Spawn(run) = *order else { return Progress::Continue };
        self.held.spawn_answered(run);
        self.deliver(KeeperEvent::SpawnFailed { run, stage: SpawnStage::Limit, why }).await
    }

    async fn receive(&mut self, message: Message, fds: Vec<OwnedFd>) -> Progress {
        let event = match message {
            Message::Spawned { pane, pid } => self.spawned(RunId::from_bytes(pane), pid, fds),
            Message::SpawnFailed { pane, stage, errno } => {
                let run = RunId::from_bytes(pane);
                self.held.spawn_answered(run);
                KeeperEvent::SpawnFailed { run, stage, why: io::Error::from_raw_os_error(errno) }
            }
            Message::Exited { pane, exit } => {
                let run = RunId::from_bytes(pane);
                self.held.exited(run, exit);
                KeeperEvent::Exited { run, exit }
            }
            Message::Successor { pid } => self.introduced(pid, fds),
            Message::Upgraded => return self.end_upgrade(Ok(())),
            Message::UpgradeFailed { errno } => {
                return self.end_upgrade(Err(io::Error::from_raw_os_error(errno).to_string()));
            }
            other => {
                tracing::warn!("Ignored an unexpected message from the keeper: {other:?}");
                return Progress::Continue;
            }
        };
        self.deliver(event).await
    }

    fn spawned(&mut self, run: RunId, pid: i32, fds: Vec<OwnedFd>) -> KeeperEvent {
        self.held.spawn_answered(run);
        let fds = match fds.is_empty() {
            true => Err(rustix::io::Errno::MFILE.into()),
            false => PaneFds::from_message(fds),
        };
        match fds.and_then(Pump::from_fds) {
            Ok((pump, pidfd, _)) => {
                self.held.add(run, pid, &pump, pidfd);
                KeeperEvent::Spawned { run, pid: pid.cast_unsigned(), pump }
            }
            Err(why) => {
                self.unsent.push_back(UnsentOrder::Forget(run));
                KeeperEvent::SpawnFailed { run, stage: SpawnStage::Limit, why }
            }
        }
    }

    pub(super) async fn deliver(&self, event: KeeperEvent) -> Progress {
        match (self.deliver)(event).await {
            true => Progress::Continue,
            false => Progress::Stop,
        }
    }
}

enum SendProgress {
    Done,
    Blocked,
    TooManyInFlight,
    /// This order cannot be sent.
    Failed(UnsentOrder, io::Error),
}

/// Sends unsent orders, oldest first, until the link accepts no more.
fn send_all(
    link: &Link,
    held: &mut HeldPrograms,
    listener: &OwnedFd,
    unsent: &mut VecDeque<UnsentOrder>,
) -> SendProgress {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, WouldBlock};
    while let Some(order) = unsent.pop_front() {
        let Err(error) = send(link, held, listener, &order) else { continue };
        let progress = match error.kind() {
            // A keeper that was killed resets the link if it had not read everything; its successor gets the order.
            WouldBlock | BrokenPipe | ConnectionReset => SendProgress::Blocked,
            _ if error.raw_os_error() == Some(rustix::io::Errno::TOOMANYREFS.raw_os_error()) => {
                SendProgress::TooManyInFlight
            }
            _ => return SendProgress::Failed(order, error),
        };
        unsent.push_front(order);
        return progress;
    }
    SendProgress::Done
}

fn send(link: &Link, held: &mut HeldPrograms, listener: &OwnedFd, order: &UnsentOrder) -> io::Result<()> {
    match order {
        UnsentOrder::Adopt(run) => held.send_adoption(link, *run),
        UnsentOrder::Terminate(run) => held.send_termination(link, *run),
        UnsentOrder::AdoptionEnd => link.send(&Message::AdoptionEnd, &[]),
        UnsentOrder::Spawn(run) => held.send_spawn(link, *run),
        UnsentOrder::Stored(run) => held.send_snapshot(link, *run),
        UnsentOrder::Forget(run) => link.send(&Message::Forget { pane: *run.as_bytes() }, &[]),
        UnsentOrder::Listen => link.send(&Message::Listen, &[listener.as_fd()]),
        UnsentOrder::Serving => link.send(&Message::Serving, &[]),
        UnsentOrder::Upgrade(command) => {
            link.request_upgrade(&command.iter().map(PathBuf::as_path).collect::<Vec<_>>())
        }
        UnsentOrder::Shutdown { .. } => link.send(&Message::Shutdown, &[]),
    }
}

/// Watches a link for messages and for room.
pub(super) fn watch(link: &Link) -> io::Result<AsyncFd<OwnedFd>> {
    crate::fd_readiness::watch(link.as_fd(), Interest::READABLE | Interest::WRITABLE)
}
