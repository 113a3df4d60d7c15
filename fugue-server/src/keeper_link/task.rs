//! The task that sends orders to the keeper and receives its messages.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use fugue_keeper::{InstanceLock, KeeperWatch, Link, Message, PaneFds, Pump, SpawnStage, StartedSuccessor};
use fugue_protocol::RunId;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::held_programs::HeldPrograms;
use super::orders::{KeeperEvent, KeeperOrder, PINGS};
use super::probe::{KeeperProbe, Unresponsive};
use super::succession::SuccessorCommand;
use super::unsent_orders::{SendProgress, UnsentOrder, send_all};

/// The link, when the daemon starts.
pub(crate) struct KeeperConnection {
    pub(crate) link: Link,
    /// The keeper's process.
    pub(crate) keeper: KeeperWatch,
    /// The version of its messages.
    pub(crate) version: u16,
    /// The socket that a successor gets.
    pub(crate) listener: OwnedFd,
    /// The lock on the state directory, which it gets, too.
    pub(crate) lock: InstanceLock,
    pub(crate) successor: SuccessorCommand,
}

/// The delay before a retry when the kernel has too many descriptors in flight, or too little memory.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// The task.
pub(super) struct KeeperTask<F> {
    pub(super) link: Link,
    pub(super) ready: AsyncFd<OwnedFd>,
    /// The keeper's process; none until a successor holds everything.
    pub(super) keeper: Option<KeeperWatch>,
    /// The successor that does not hold everything yet.
    pub(super) starting: Option<StartedSuccessor>,
    /// Whether the keeper responds.
    pub(super) probe: KeeperProbe,
    /// Who waits for the keeper to respond.
    pub(super) waiting: Vec<oneshot::Sender<()>>,
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
    /// The version of the keeper's messages; 0 while that is not known.
    pub(super) keeper_version: u16,
    /// Whether no keeper could be started for so long that requests are refused.
    pub(super) is_missing: bool,
    /// The request to upgrade the keeper that is in progress.
    pub(super) upgrade: Option<oneshot::Sender<Result<(), String>>>,
}

/// How a wait for the next event ended.
pub(super) enum LinkProgress {
    Continue,
    /// The keeper closed the link.
    LinkClosed,
    /// The keeper does not respond.
    Unresponsive(Unresponsive),
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
            starting: None,
            probe: KeeperProbe::default(),
            waiting: Vec::new(),
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
            is_missing: false,
            upgrade: None,
        })
    }

    pub(super) async fn serve(mut self) {
        loop {
            let go_on = match self.next().await {
                LinkProgress::Continue => true,
                LinkProgress::LinkClosed => self.replace_keeper().await,
                LinkProgress::Unresponsive(why) => self.replace_unresponsive(why).await,
                LinkProgress::Stop => false,
            };
            if !go_on {
                return;
            }
        }
    }

    async fn next(&mut self) -> LinkProgress {
        let due = self.probe.due();
        let received = tokio::select! {
            order = self.orders.recv() => return match order {
                Some(order) => self.queue(order).await,
                None => LinkProgress::Stop,
            },
            readable = self.ready.readable() => {
                let Ok(mut readable) = readable else { return LinkProgress::Stop };
                let received = self.link.try_recv();
                if matches!(received, Ok(None)) {
                    readable.clear_ready();
                }
                received
            }
            writable = self.ready.writable(), if !self.unsent.is_empty() => {
                let Ok(mut writable) = writable else { return LinkProgress::Stop };
                match send_all(&self.link, &mut self.held, &self.listener, &mut self.unsent) {
                    SendProgress::Done => {}
                    SendProgress::Blocked => writable.clear_ready(),
                    SendProgress::TryLater => tokio::time::sleep(RETRY_DELAY).await,
                    SendProgress::Failed(order, why) => return self.drop_order(&order, why).await,
                }
                return LinkProgress::Continue;
            }
            () = self.held.exits.exited() => {
                self.ask();
                return LinkProgress::Continue;
            }
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                match self.link.try_recv() {
                    Ok(None) => return self.tick(),
                    // It was sent while this process had no turn.
                    received => received,
                }
            }
        };
        match received {
            Ok(Some((message, fds))) => self.receive(message, fds).await,
            Ok(None) => LinkProgress::Continue,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                tracing::warn!("Ignored an invalid message from the keeper: {error}");
                LinkProgress::Continue
            }
            Err(_) => LinkProgress::LinkClosed,
        }
    }

    /// Queues an order for the keeper.
    pub(super) async fn queue(&mut self, order: KeeperOrder) -> LinkProgress {
        let is_snapshot = matches!(order, KeeperOrder::Stored { .. });
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
            KeeperOrder::Probe { answered } => {
                self.waiting.push(answered);
                None
            }
            KeeperOrder::Shutdown { taken } => {
                self.is_shut_down = true;
                self.waiting.push(taken);
                Some(UnsentOrder::Shutdown)
            }
        };
        // Snapshots are sent often, and nobody waits for them.
        let is_worth_asking = !is_snapshot || self.probe.is_old(Instant::now());
        self.unsent.extend(unsent);
        if is_worth_asking {
            self.ask();
        }
        LinkProgress::Continue
    }

    /// Drops an order that cannot be sent. Somebody waits for the answer to a spawn.
    async fn drop_order(&mut self, order: &UnsentOrder, why: io::Error) -> LinkProgress {
        tracing::warn!("Cannot send a request to the keeper: {why}");
        match *order {
            UnsentOrder::Spawn(run) => {
                self.held.spawn_answered(run);
                self.deliver(KeeperEvent::SpawnFailed { run, stage: SpawnStage::Limit, why }).await
            }
            UnsentOrder::Stored(run) => {
                self.held.store_failed(run);
                LinkProgress::Continue
            }
            _ => LinkProgress::Continue,
        }
    }

    /// Asks whether the keeper responds. An answer is awaited even if the question does not fit into the link.
    pub(super) fn ask(&mut self) {
        if self.probe.ask(Instant::now()) && self.keeper_version >= PINGS {
            self.unsent.push_back(UnsentOrder::Ping);
        }
    }

    /// The keeper has responded.
    fn answered(&mut self) {
        let is_asked_again = self.probe.answered(Instant::now());
        if is_asked_again || self.upgrade.is_some() {
            // The new keeper has to answer, too.
            return self.ask();
        }
        self.waiting.clear();
    }

    /// Counts a tick without a sign of life.
    fn tick(&mut self) -> LinkProgress {
        let state = match &self.keeper {
            Some(keeper) => keeper.state(),
            // A successor that takes over has much to do, and its process is not known yet.
            None => Some('R'),
        };
        let unresponsive = self.probe.tick(state, Instant::now());
        let is_expected = self.keeper_version >= PINGS || self.keeper.is_none() || self.upgrade.is_some();
        match unresponsive {
            Some(why) if is_expected || why == Unresponsive::Stopped => LinkProgress::Unresponsive(why),
            Some(_) => {
                // A keeper of an older version is not asked; it is not stopped, which is all that can be known.
                self.answered();
                LinkProgress::Continue
            }
            None => LinkProgress::Continue,
        }
    }

    pub(super) async fn receive(&mut self, message: Message, fds: Vec<OwnedFd>) -> LinkProgress {
        self.probe.heard();
        let event = match message {
            Message::Pong => {
                self.answered();
                return LinkProgress::Continue;
            }
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
            Message::Successor { pid, version } => match self.introduced(pid, version, fds) {
                Some(event) => event,
                None => return LinkProgress::Continue,
            },
            Message::Upgraded => return self.end_upgrade(Ok(())),
            Message::UpgradeFailed { errno } => {
                return self.end_upgrade(Err(io::Error::from_raw_os_error(errno).to_string()));
            }
            other => {
                tracing::warn!("Ignored an unexpected message from the keeper: {other:?}");
                return LinkProgress::Continue;
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

    pub(super) async fn deliver(&self, event: KeeperEvent) -> LinkProgress {
        match (self.deliver)(event).await {
            true => LinkProgress::Continue,
            false => LinkProgress::Stop,
        }
    }
}

/// Watches a link for messages and for room.
pub(super) fn watch(link: &Link) -> io::Result<AsyncFd<OwnedFd>> {
    crate::fd_readiness::watch(link.as_fd(), Interest::READABLE | Interest::WRITABLE)
}
