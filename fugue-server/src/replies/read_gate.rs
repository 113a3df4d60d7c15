//! How many reads are in progress at once, so that large replies are not made faster than they are written.

use std::sync::Arc;

use fugue_core::Caller;
use fugue_protocol::Verb;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::unwritten_replies::UnwrittenBytes;

/// Reads of one connection in progress. A reply may take 16 MiB and more; the daemon makes one after the other anyway.
const MAX_READS: usize = 2;

/// Reads of all agents in progress: together with what is queued, some 256 MiB at worst.
const MAX_AGENTS_READS: usize = 8;

/// The reads in progress of all agents.
#[derive(Debug, Clone)]
pub(crate) struct AgentsReads(Arc<Semaphore>);

impl Default for AgentsReads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_AGENTS_READS)))
    }
}

/// The reads in progress of one connection.
pub(crate) struct ReadGate {
    own: Arc<Semaphore>,
    agents: Option<AgentsReads>,
}

/// The permission for one read, until its reply is queued.
#[derive(Debug)]
pub(crate) struct ReadPermit {
    _own: OwnedSemaphorePermit,
    _agents: Option<OwnedSemaphorePermit>,
}

impl ReadGate {
    pub(crate) fn new(caller: Caller, agents: &AgentsReads) -> Self {
        let agents = caller.is_agent().then(|| agents.clone());
        Self { own: Arc::new(Semaphore::new(MAX_READS)), agents }
    }

    /// Waits until the request may be made. Only reads that are answered at once are counted: whatever waits for an
    /// event or a client would keep others from reading.
    pub(crate) async fn admit(&self, verb: &Verb, unwritten: &UnwrittenBytes) -> Option<ReadPermit> {
        if !verb.is_plain_read() {
            return None;
        }
        let own = Arc::clone(&self.own).acquire_owned().await.ok()?;
        // The reads before this one may have filled the queue by now.
        unwritten.has_room().await;
        let agents = match &self.agents {
            Some(AgentsReads(all)) => Some(Arc::clone(all).acquire_owned().await.ok()?),
            None => None,
        };
        Some(ReadPermit { _own: own, _agents: agents })
    }
}
