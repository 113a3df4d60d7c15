//! Looks up which repository and worktree each pane's directory is in. git is asked on other threads, and at most once in
//! a while for each directory; the answers come back to the manager as inputs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::git::{self, GitAnswer};
use super::known_locations::KnownLocations;
use crate::session::{ManagerInput, ManagerTx};
use crate::tasks;

/// git processes at a time: a lookup for many panes must not take the whole machine.
const MAX_PROCESSES: usize = 4;

/// Lookups that may be queued; beyond that they are dropped, and made when the pane is looked at again.
const QUEUE: usize = 64;

/// How long a request waits for lookups: what is not known by then stays as it was. git takes milliseconds, unless it
/// hangs.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// A lookup of panes' directories, with the input that depends on the answer.
pub(crate) struct LookupRequest {
    pub(crate) panes: Vec<(PaneId, PathBuf)>,
    /// Whether the remotes of the repositories are looked up too: only other hosts need them.
    pub(crate) remotes: bool,
    pub(crate) then: Option<Box<ManagerInput>>,
}

/// A handle to the task that looks up repositories.
#[derive(Clone)]
pub(crate) struct RepositoryLookup(mpsc::Sender<LookupRequest>);

impl RepositoryLookup {
    /// Starts the task, which reports to this manager.
    pub(crate) fn new(manager: ManagerTx) -> Self {
        let (requests, receiver) = mpsc::channel(QUEUE);
        tasks::spawn_local(serve(receiver, manager));
        Self(requests)
    }

    /// Queues a lookup. Returns it when the queue is full.
    pub(crate) fn request(&self, request: LookupRequest) -> Result<(), LookupRequest> {
        self.0.try_send(request).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(request) | mpsc::error::TrySendError::Closed(request) => request,
        })
    }
}

async fn serve(mut requests: mpsc::Receiver<LookupRequest>, manager: ManagerTx) {
    let mut lookups = Lookups::default();
    while let Some(LookupRequest { panes, remotes, then }) = requests.recv().await {
        lookups.remotes = remotes;
        let directories = panes.iter().map(|(_, directory)| directory.clone()).collect();
        // What is not finished by then goes on and is known later.
        let _ = tokio::time::timeout(LOOKUP_TIMEOUT, lookups.refresh(directories)).await;
        let location = |directory: &PathBuf| lookups.known.get(directory).cloned();
        let locations = panes.iter().filter_map(|(pane, directory)| Some((*pane, location(directory)?)));
        let locations = locations.collect();
        if manager.send(ManagerInput::Located { locations, then }).await.is_err() {
            return;
        }
    }
}

/// The locations that are known, and the lookups in progress.
#[derive(Default)]
struct Lookups {
    known: KnownLocations,
    remotes: bool,
    processes: JoinSet<(PathBuf, GitAnswer)>,
    in_progress: BTreeSet<PathBuf>,
}

impl Lookups {
    /// Asks git about the directories whose location is unknown or stale.
    async fn refresh(&mut self, directories: BTreeSet<PathBuf>) {
        self.known.make_room(directories.len());
        let now = Instant::now();
        let stale = |directory: &PathBuf| self.known.is_stale(directory, now);
        let asked: BTreeSet<_> = directories.into_iter().filter(stale).collect();
        let mut left = asked.iter();
        loop {
            while self.processes.len() < MAX_PROCESSES
                && let Some(directory) = left.next()
            {
                self.look_up(directory);
            }
            if left.len() == 0 && self.in_progress.is_disjoint(&asked) {
                return;
            }
            match self.processes.join_next().await {
                Some(Ok((directory, answer))) => {
                    self.in_progress.remove(&directory);
                    self.known.insert(directory, answer, Instant::now());
                }
                Some(Err(why)) => tracing::warn!("Repository lookup failed: {why}"),
                None => self.in_progress.clear(),
            }
        }
    }

    fn look_up(&mut self, directory: &Path) {
        let directory = directory.to_owned();
        if self.in_progress.insert(directory.clone()) {
            let remotes = self.remotes;
            self.processes.spawn_blocking(move || {
                let mut answer = git::ask(&directory);
                if let GitAnswer::Location(Some(location)) = &mut answer
                    && remotes
                {
                    location.remote = git::remote(&directory);
                }
                (directory, answer)
            });
        }
    }
}
