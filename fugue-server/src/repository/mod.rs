//! Which repository and worktree each pane's directory is in. git is asked on other threads, and at most once in a while
//! for each directory; the answers come back to the manager as inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_protocol::git_location::GitLocation;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::session::{ManagerInput, ManagerTx};

mod git;
mod git_command;
mod lease_path;

pub(crate) use git::locate;
pub(crate) use git_command::{GitCommand, LOOKUP};
pub(crate) use lease_path::name_of as lease_name_of;

/// How long an answer is used: a new branch or repository is noticed after this time.
pub(crate) const FRESH: Duration = Duration::from_secs(2);

/// git processes at a time: a lookup for many panes must not take the whole machine.
const MAX_PROCESSES: usize = 4;

/// Lookups that may be queued; beyond that they are dropped, and made when the pane is looked at again.
const QUEUE: usize = 64;

/// Directories whose location is remembered. More are rarely in use, and all are looked up again soon.
const MAX_KNOWN: usize = 1_024;

/// A lookup of panes' directories, with the input that depends on the answer.
pub(crate) struct LookupRequest {
    pub(crate) panes: Vec<(PaneId, PathBuf)>,
    pub(crate) then: Option<Box<ManagerInput>>,
}

/// A handle to the task that looks up repositories.
#[derive(Clone)]
pub(crate) struct RepositoryLookup(mpsc::Sender<LookupRequest>);

impl RepositoryLookup {
    /// Starts the task, which reports to this manager.
    pub(crate) fn new(manager: ManagerTx) -> Self {
        let (requests, receiver) = mpsc::channel(QUEUE);
        tokio::task::spawn_local(serve(receiver, manager));
        Self(requests)
    }

    /// Queues a lookup. Returns it when the queue is full.
    pub(crate) fn request(&self, request: LookupRequest) -> Result<(), LookupRequest> {
        self.0.try_send(request).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(request) | mpsc::error::TrySendError::Closed(request) => request,
        })
    }
}

type KnownLocations = BTreeMap<PathBuf, (Instant, Option<GitLocation>)>;

async fn serve(mut requests: mpsc::Receiver<LookupRequest>, manager: ManagerTx) {
    let mut known = KnownLocations::new();
    while let Some(LookupRequest { panes, then }) = requests.recv().await {
        refresh(&mut known, panes.iter().map(|(_, directory)| directory.clone()).collect()).await;
        let location = |directory: &PathBuf| known.get(directory).and_then(|(_, location)| location.clone());
        let locations = panes.iter().map(|(pane, directory)| (*pane, location(directory))).collect();
        if manager.send(ManagerInput::Located { locations, then }).await.is_err() {
            return;
        }
    }
}

/// Asks git about the directories whose location is unknown or stale.
async fn refresh(known: &mut KnownLocations, directories: BTreeSet<PathBuf>) {
    if known.len() + directories.len() > MAX_KNOWN {
        known.clear();
    }
    let stale = |directory: &PathBuf| known.get(directory).is_none_or(|(at, _)| at.elapsed() > FRESH);
    let mut unknown: Vec<_> = directories.into_iter().filter(stale).collect();
    let mut processes = JoinSet::new();
    loop {
        while processes.len() < MAX_PROCESSES
            && let Some(directory) = unknown.pop()
        {
            processes.spawn_blocking(move || (locate(&directory), directory));
        }
        match processes.join_next().await {
            Some(Ok((location, directory))) => drop(known.insert(directory, (Instant::now(), location))),
            Some(Err(why)) => tracing::warn!("Repository lookup failed: {why}"),
            None => return,
        }
    }
}
