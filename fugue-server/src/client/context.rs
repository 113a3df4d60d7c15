//! The parts of the daemon that every client's tasks use.

use super::UnfinishedFrames;
use crate::journal::Journal;
use crate::keeper_link::KeeperHandle;
use crate::session::{EventStream, ManagerTx};

/// The parts of the daemon that every client's tasks use.
#[derive(Clone)]
pub(crate) struct ServerContext {
    pub(crate) manager: ManagerTx,
    pub(crate) stream: EventStream,
    pub(crate) journal: Journal,
    pub(crate) unfinished: UnfinishedFrames,
    pub(crate) keeper: KeeperHandle,
}
