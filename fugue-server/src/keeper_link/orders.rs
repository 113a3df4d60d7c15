//! What the daemon asks of the keeper, and what the link reports.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use fugue_keeper::{Exit, Pump, SpawnRequest, SpawnStage};
use fugue_protocol::RunId;
use tokio::sync::oneshot;

/// The first version of the keeper that marks how far a spawn got.
pub(super) const SPAWN_MARKS: u16 = 2;

/// The first version of the keeper that answers a `Ping`.
pub(super) const PINGS: u16 = 4;

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
    /// Execute this binary. The answer comes once the new keeper has everything, or with the reason why it does not.
    Upgrade { binary: PathBuf, done: oneshot::Sender<Result<(), String>> },
    /// Find out whether the keeper responds. The sender is dropped once it has, or has been replaced.
    Probe { answered: oneshot::Sender<()> },
    /// Terminate every program and exit. The sender is dropped once the keeper has taken the order.
    Shutdown { taken: oneshot::Sender<()> },
}

/// An event that the link reports.
pub(crate) enum KeeperEvent {
    /// A program runs.
    Spawned { run: RunId, pid: u32, pump: Pump },
    /// A program could not be started.
    SpawnFailed { run: RunId, stage: SpawnStage, why: io::Error },
    /// A program has exited.
    Exited { run: RunId, exit: Exit },
    /// A successor of the keeper has taken over.
    Replaced { pid: u32 },
    /// The keeper did not respond, and is being replaced.
    Unresponsive { why: String },
    /// The reaper is dead.
    ReaperEnded { pid: u32 },
    /// The keeper is gone, and a successor could not be started. It will be tried again.
    Missing { why: String },
}
