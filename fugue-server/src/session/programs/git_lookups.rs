//! Lookups of panes' repositories, limited to one for all panes in a while.

use std::path::PathBuf;
use std::time::Instant;

use fugue_protocol::PaneId;

use crate::repository::{FRESH, LookupRequest, RepositoryLookup};
use crate::session::manager_inputs::{ManagerInput, ManagerTx};

/// The lookup task, and when all panes were last looked up.
pub(crate) struct GitLookups {
    lookup: RepositoryLookup,
    /// Whether the remotes of repositories are looked up, too.
    pub(crate) remotes: bool,
    all_looked_up: Option<Instant>,
}

impl GitLookups {
    pub(crate) fn new(manager: ManagerTx, remotes: bool) -> Self {
        Self { lookup: RepositoryLookup::new(manager), remotes, all_looked_up: None }
    }

    /// Looks up panes. Best effort: a lookup that finds the queue full is dropped.
    pub(crate) fn look_up(&self, panes: Vec<(PaneId, PathBuf)>) {
        let _ = self.lookup.request(LookupRequest { panes, remotes: self.remotes, then: None });
    }

    /// Looks up all panes, unless that was done a moment ago.
    pub(super) fn look_up_all(&mut self, panes: impl FnOnce() -> Vec<(PaneId, PathBuf)>) {
        if self.all_looked_up.is_none_or(|at| at.elapsed() > FRESH) {
            self.all_looked_up = Some(Instant::now());
            self.look_up(panes());
        }
    }

    /// Looks up panes and then handles an input. Returns the input if the queue is full.
    pub(super) fn look_up_before(
        &self,
        panes: Vec<(PaneId, PathBuf)>,
        input: ManagerInput,
    ) -> Option<ManagerInput> {
        let request = LookupRequest { panes, remotes: self.remotes, then: Some(Box::new(input)) };
        self.lookup.request(request).err().and_then(|request| request.then).map(|input| *input)
    }
}
