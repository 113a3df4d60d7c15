//! The daemon's end of the link to the keeper: one task that sends orders and passes the keeper's messages on. If the
//! keeper is killed or hangs, the task starts its successor.

mod exit_watch;
mod held_programs;
mod orders;
mod probe;
mod running_programs;
mod succession;
mod task;
mod unsent_orders;
mod upgrade;

use crate::tasks;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use held_programs::HeldPrograms;
pub(crate) use held_programs::TakenPane;
use orders::SPAWN_MARKS;
pub(crate) use orders::{KeeperEvent, KeeperOrder};
pub(crate) use running_programs::RunningPrograms;
pub(crate) use succession::SuccessorCommand;
pub(crate) use task::KeeperConnection;
use task::KeeperTask;

/// Orders that may be queued for the keeper: more than all panes of a daemon send at once.
const QUEUE: usize = 8_192;

/// How long a daemon that shuts down waits for the keeper to take that order: one that hangs is killed before.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// How long someone who asks for the status waits for the keeper's answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// A handle that sends orders to the keeper.
#[derive(Clone)]
pub(crate) struct KeeperHandle {
    orders: mpsc::Sender<KeeperOrder>,
    /// The programs that the keeper holds.
    pub(crate) programs: RunningPrograms,
}

impl KeeperHandle {
    /// Queues an order. Returns it if the keeper has given up this daemon or the queue is full.
    pub(crate) fn send(&self, order: KeeperOrder) -> Result<(), KeeperOrder> {
        self.orders.try_send(order).map_err(|failed| match failed {
            mpsc::error::TrySendError::Full(order) | mpsc::error::TrySendError::Closed(order) => order,
        })
    }

    /// Replaces the keeper by another binary. There is always an outcome: a new keeper that does not respond is replaced.
    pub(crate) async fn upgrade(&self, binary: PathBuf) -> Result<(), String> {
        let (done, outcome) = oneshot::channel();
        let unresponsive = || Err("the keeper is not responding".to_owned());
        match self.send(KeeperOrder::Upgrade { binary, done }) {
            Ok(()) => outcome.await.unwrap_or_else(|_| unresponsive()),
            Err(_) => unresponsive(),
        }
    }

    /// Waits until the keeper has responded. One that does not is replaced meanwhile.
    pub(crate) async fn probe(&self) {
        let (answered, answer) = oneshot::channel();
        if self.send(KeeperOrder::Probe { answered }).is_ok() {
            let _ = tokio::time::timeout(ANSWER_TIMEOUT, answer).await;
        }
    }

    /// Has the keeper shut down: it may not be the parent of this process, and may be unable to see its exit code.
    pub(crate) async fn shut_down(&self) {
        let (sender, taken) = oneshot::channel();
        if self.send(KeeperOrder::Shutdown { taken: sender }).is_ok() {
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, taken).await;
        }
    }
}

/// Starts the task; `taken` are the panes that the keeper holds. Events go to `deliver`; it returns whether anyone still
/// listens.
pub(crate) fn start<F, T>(
    connection: KeeperConnection,
    taken: &[TakenPane],
    deliver: F,
) -> io::Result<KeeperHandle>
where
    F: Fn(KeeperEvent) -> T + 'static,
    T: Future<Output = bool> + 'static,
{
    let (sender, orders) = mpsc::channel(QUEUE);
    let mut held = HeldPrograms::new(taken)?;
    held.marks_spawns = connection.version >= SPAWN_MARKS;
    let programs = held.running.clone();
    let task = KeeperTask::new(connection, held, orders, deliver)?;
    tasks::spawn_local(task.serve());
    Ok(KeeperHandle { orders: sender, programs })
}
