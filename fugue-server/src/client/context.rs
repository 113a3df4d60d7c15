//! The parts of the daemon that every client's tasks use.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use fugue_core::Caller;

use super::UnfinishedFrames;
use crate::journal::Journal;
use crate::keeper_link::KeeperHandle;
use crate::processes::process_ancestors::KnownProcesses;
use crate::replies::read_gate::AgentsReads;
use crate::replies::unwritten_replies::{AgentsUnwritten, UnwrittenBytes};
use crate::session::{EventStream, ManagerTx};

/// The parts of the daemon that every client's tasks use.
#[derive(Clone)]
pub(crate) struct ServerContext {
    pub(crate) manager: ManagerTx,
    pub(crate) stream: EventStream,
    pub(crate) journal: Journal,
    pub(crate) unfinished: UnfinishedFrames,
    pub(crate) agents_unwritten: AgentsUnwritten,
    pub(crate) agents_reads: AgentsReads,
    pub(crate) keeper: KeeperHandle,
    pub(crate) known: Rc<RefCell<KnownProcesses>>,
}

impl ServerContext {
    /// The count of unwritten bytes of a new connection of this caller.
    pub(super) fn unwritten_of(&self, caller: Caller) -> Arc<UnwrittenBytes> {
        if caller.is_agent() { self.agents_unwritten.connection() } else { UnwrittenBytes::of_person() }
    }
}
